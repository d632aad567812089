// Package shell says what a shell command line does: which paths it reads, writes,
// lists and searches, which agents it launches, and where its text does not tell.
//
// It parses bash and follows what is certain: quoting, variables with known
// values, cd, wrappers, shells within shells. A table says of each common command
// what its operands and options are. What is not understood is opaque, and said so.
package shell

import (
	"errors"
	"strings"
)

// ErrSyntax is returned for a line that does not parse.
var ErrSyntax = errors.New("not a shell command")

// Control is a run of one of our own programs.
type Control struct {
	Verb     string
	Args     []string
	Dispatch string // the value of CONDUCT_DISPATCH set for it
	// Elsewhere says that a variable is set for it by which it asks other records, or
	// whoever serves the verbs of a confined command.
	Elsewhere bool
	// Computed says that a word is not known from the text and may be an option, or
	// several words: then Args does not say what it is asked for.
	Computed bool
	// VerbEnd is the byte offset in the line directly behind the verb, where that is a
	// plain word of the line itself; 0 where it is a word of another text, or computed.
	VerbEnd int
}

// verbEnd is where the verb of one of our own programs ends in the line.
func (e *eval) verbEnd(words []field, verb string) int {
	if e.nested > 0 || verb == "" {
		return 0
	}
	for i := range words {
		f := &words[i]
		if f.text != verb {
			continue
		}
		end := f.pos + len(verb)
		if f.unknown || f.glob || f.written != verb || end > len(e.src) || e.src[f.pos:end] != verb {
			return 0
		}
		return end
	}
	return 0
}

// computed says whether a word may be more than one, or begin in a way that the text
// does not tell. One that is quoted and begins with something that begins no option is
// one argument, whatever follows.
func (f *field) computed() bool {
	if !f.unknown && !f.glob && f.below == nil && !f.stream {
		return false
	}
	text := strings.TrimPrefix(f.written, `"`)
	if text == "" || f.below != nil || f.stream || f.loose {
		return true
	}
	c := text[0]
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
}

// isStream says whether what follows ">&" is a number, or closes or moves one.
func isStream(text string) bool {
	return strings.Trim(strings.TrimSuffix(text, "-"), "0123456789") == "" && text != ""
}

// isDevice names the files that stand for the command's own streams.
func isDevice(text string) bool {
	switch text {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/urandom", "/dev/random":
		return true
	}
	return false
}
