package hooks

import (
	"path"
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/wire"
)

const (
	// maxGuess is the length in bytes above which a string of an unknown field is no
	// path: PATH_MAX of Linux.
	maxGuess = 4096
	// maxInner is how often JSON inside a string of JSON is opened.
	maxInner = 8
)

// guesses collects the strings of fields that no table knows. Each may be a
// path; whether it names anything is the guard's to find out.
type guesses struct {
	targets  []guard.Target
	commands []guard.Command
	seen     map[string]bool
}

// add takes a string that is neither prose (it has a line break) nor too long, once.
func (g *guesses) add(s string) {
	if len(s) > maxGuess {
		s = path.Clean(s) // as tools do that are not written in C
	}
	if s == "" || len(s) > maxGuess || strings.ContainsAny(s, "\r\n") || g.seen[s] {
		return
	}
	g.mark(s)
	g.targets = append(g.targets, guard.Target{Op: guard.Read | guard.Write | guard.Search, Path: s, Guess: true})
}

func (g *guesses) mark(s string) {
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	g.seen[s] = true
}

// value reads any value; inner is how many strings of JSON it lies in.
func (g *guesses) value(r *wire.Reader, inner int) error {
	switch r.Kind() {
	case '{':
		return g.object(r, inner)
	case '[':
		return r.Array(func() error { return g.value(r, inner) })
	case '"':
		s, err := r.String()
		if err != nil {
			return err
		}
		g.text(s, inner)
		return nil
	}
	return r.Skip()
}

func (g *guesses) object(r *wire.Reader, inner int) error {
	return r.Object(func(name string) error {
		g.add(name)
		if commandField(name) {
			return g.command(r, inner)
		}
		return g.value(r, inner)
	})
}

// command reads the value of a field that is called like a command's: a line, or
// its words, of which each may be a line for a shell.
func (g *guesses) command(r *wire.Reader, inner int) error {
	switch r.Kind() {
	case '[':
		return r.Array(func() error { return g.command(r, inner) })
	case '"':
		s, err := r.String()
		if err != nil {
			return err
		}
		switch {
		case strings.TrimSpace(s) == "":
		case len(g.commands) < maxCommands:
			g.commands = append(g.commands, guard.Command{Text: s, Guess: true})
		case !g.seen[unread]:
			// What is not looked at cannot pass.
			g.mark(unread)
			g.targets = append(g.targets, guard.Target{Op: guard.Read, Path: unread})
		}
		g.text(s, inner)
		return nil
	}
	return g.value(r, inner)
}

// maxCommands bounds how many lines of an unknown tool are read.
const maxCommands = 64

// unread is no path: a target with it is refused.
const unread = "\x00"

// commandField says whether a field of an unknown tool holds a command line.
func commandField(name string) bool {
	switch strings.ToLower(name) {
	case "command", "commands", "cmd", "cmds", "command_line", "commandline", "shell_command", "shell", "script", "argv":
		return true
	}
	return false
}

// text judges a string, and what is in it when it is JSON.
func (g *guesses) text(s string, inner int) {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" {
		return
	}
	if n := len(trimmed); n > 2 && trimmed[0] == '\'' && trimmed[n-1] == '\'' {
		g.add(trimmed[1 : n-1])
	}
	if !strings.ContainsRune(`{["`, rune(trimmed[0])) {
		g.list(s)
		g.add(s)
		if trimmed != s {
			g.add(trimmed)
		}
		return
	}
	if inner < maxInner {
		r := wire.NewReader([]byte(trimmed))
		if g.value(r, inner+1) == nil && r.End() == nil {
			return
		}
	}
	// No strict JSON, but a lenient reader may make something of it: a name that
	// is there twice, a comment, a comma too many.
	g.add(s)
	g.quoted(trimmed)
}

// list judges the parts of a list in one string: "a,../b". A part with white
// space in it is prose.
func (g *guesses) list(s string) {
	if !strings.ContainsAny(s, ",;") || strings.ContainsAny(s, "\r\n") || len(s) > maxGuess {
		return
	}
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ';' }) {
		if part = strings.TrimSpace(part); !strings.ContainsAny(part, " \t") {
			g.add(part)
		}
	}
}

// quoted judges every piece between two quotation marks.
func (g *guesses) quoted(s string) {
	for piece := range strings.SplitSeq(s, `"`) {
		if strings.Contains(piece, `\`) {
			if plain, err := wire.NewReader([]byte(`"` + piece + `"`)).String(); err == nil {
				piece = plain
			}
		}
		// What remains of a quotation mark that was escaped more than once.
		g.add(strings.TrimRight(piece, `\`))
	}
}
