package hooks

import (
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
	targets []guard.Target
	seen    map[string]bool
}

// add takes a string that is neither prose (it has a line break) nor too long, once.
func (g *guesses) add(s string) {
	if s == "" || len(s) > maxGuess || strings.ContainsAny(s, "\r\n") || g.seen[s] {
		return
	}
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	g.seen[s] = true
	g.targets = append(g.targets, guard.Target{Op: guard.Read | guard.Write | guard.Search, Path: s, Guess: true})
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
		return g.value(r, inner)
	})
}

// text judges a string, and what is in it when it is JSON.
func (g *guesses) text(s string, inner int) {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" {
		return
	}
	if !strings.ContainsRune(`{["`, rune(trimmed[0])) {
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
