package ledger

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkLine checks a text of one line that has to be there.
func checkLine(field, text string, most int) error {
	return errors.Join(notEmpty(field, text), checkText(field, text, most, false))
}

// CheckLine checks a text of one line that has to be there, of most bytes.
func CheckLine(field, text string, most int) error { return First(checkLine(field, text, most)) }

func notEmpty(field, text string) error {
	if strings.TrimSpace(text) == "" {
		return refuse(FieldInvalid, "%s is empty", field).in(field)
	}
	return nil
}

// checkText checks a text that may be missing, and with lines have several lines.
func checkText(field, text string, most int, lines bool) error {
	if len(text) > most {
		return refuse(FieldTooLong, "%s of %d bytes is too long: at most %d", field, len(text), most).in(field)
	}
	bad := func(r rune) bool { return forbidden(r) && !(lines && (r == '\n' || r == '\t')) }
	if !utf8.ValidString(text) || strings.ContainsFunc(text, bad) {
		form := "one line"
		if lines {
			form = "text"
		}
		return refuse(FieldInvalid, "%s must be %s in UTF-8, without control characters", field, form).in(field)
	}
	return nil
}

// forbidden says whether a character changes how what follows is shown, or is not shown
// but read by a model: texts of agents are printed into terminals and into other agents'
// contexts. The joiners of scripts and emoji, and the plain variation selectors, are none.
func forbidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == utf8.RuneError:
		return true
	case r == 0x200c, r == 0x200d:
		return false
	case r == 0x2028, r == 0x2029: // separators of lines and paragraphs
		return true
	case r >= 0xe0100 && r <= 0xe01ef: // variation selectors by the hundred spell whole texts
		return true
	}
	return unicode.Is(unicode.Cf, r) // directions, marks of them, tags, what has no width
}

// CheckGoal checks the text of a goal.
func CheckGoal(text string) error {
	return errors.Join(notEmpty("goal", text), checkText("goal", text, MaxGoal, true))
}
