package approval

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Bounds of a question, in bytes. What does not fit is not cut: a person must see all
// that a yes lets through, so nobody is asked about it.
const (
	MaxCommand = 4000
	MaxTarget  = 1000
	MaxParts   = 20
	MaxName    = 500
	// MaxQuestions is how many questions a dispatch may ask.
	MaxQuestions = 200
)

// ErrBounds is returned by Check for a question that no person can be shown.
var ErrBounds = errors.New("too much to be shown")

// Check says whether a question fits its bounds.
func (q *Question) Check() error {
	for _, f := range []struct {
		name string
		text string
		most int
	}{
		{"command", q.Command, MaxCommand}, {"unit", q.Unit, MaxName}, {"agent", q.Agent, MaxName}, {"tool", q.Tool, MaxName},
	} {
		if len(f.text) > f.most {
			return fmt.Errorf("%s of %d bytes: %w", f.name, len(f.text), ErrBounds)
		}
	}
	if len(q.Parts) == 0 || len(q.Parts) > MaxParts {
		return fmt.Errorf("%d parts: %w", len(q.Parts), ErrBounds)
	}
	for _, p := range q.Parts {
		if len(p.Target) > MaxTarget {
			return fmt.Errorf("a target of %d bytes: %w", len(p.Target), ErrBounds)
		}
	}
	return nil
}

// maxBlanks is how many spaces in a row are shown as they are. More would move what
// stands before them out of a person's sight.
const maxBlanks = 4

// Plain makes a text of an agent's harmless for a terminal: line breaks and tabs are
// spelled out, and whatever else moves the cursor, hides or is hidden, or turns text
// around shows as its number, as many spaces do.
func Plain(s string) string {
	var b strings.Builder
	blanks := 0
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		if r != ' ' {
			blanks = 0
		} else {
			blanks++
		}
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\\':
			b.WriteString(`\\`)
		case r == ' ' && blanks <= maxBlanks, unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unseen(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// unseen says whether a character is none to the eye, though Unicode counts it among
// letters, marks or symbols: fillers, variation selectors, braille without a dot.
func unseen(r rune) bool {
	return r == 0x2800 || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
