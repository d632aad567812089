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
