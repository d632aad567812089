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

// Plain makes a text of an agent's harmless for a terminal: line breaks and tabs are
// spelled out, and whatever else moves the cursor, hides text or turns it around shows
// as its number.
func Plain(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\\':
			b.WriteString(`\\`)
		case r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}
