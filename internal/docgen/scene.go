package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/store/mem"
	"github.com/seed6310be5c/conduct/unit"
)

const (
	layoutOfScene = "units/{unit}"
	reviewer      = "reviewer"
)

// scene is a small workspace with its records in memory: what the documentation
// says about calls is what the guard answers in it.
type scene struct {
	root string
	book *dispatch.Book
	now  time.Time
}

// Now is the scene's clock: it goes on by a second with every dispatch.
func (s *scene) Now() time.Time { return s.now }

// Boot says that no boot clock is known.
func (s *scene) Boot() (string, time.Duration) { return "", 0 }

func newScene() (*scene, error) {
	root, err := os.MkdirTemp("", "docgen-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	s := &scene{root: root, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for _, name := range []string{"units/U03/design.md", "units/U04/design.md", "docs/guide.md"} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			return nil, err
		}
	}
	s.book = &dispatch.Book{Store: mem.New(), Clock: s, Mint: mint.ULID(rand.Reader)}
	return s, nil
}

func (s *scene) close() error { return os.RemoveAll(s.root) }

// dispatch makes a dispatch of the reviewer, as the command line would.
func (s *scene) dispatch(name string, edit func(*grants.Grant)) error {
	s.now = s.now.Add(time.Second)
	l, err := unit.ParseLayout(layoutOfScene)
	if err != nil {
		return err
	}
	u, err := unit.Set{Root: unit.Split(s.root), Layouts: []unit.Layout{l}}.Lookup(unit.NewDisk(), name)
	if err != nil {
		return err
	}
	g := grants.Grant{Layouts: []string{layoutOfScene}, Opaque: grants.OpaqueAllow}
	if edit != nil {
		edit(&g)
	}
	_, err = s.book.Open(context.Background(), dispatch.Request{Unit: u, Agent: reviewer, TTL: time.Hour, Grant: g})
	return err
}

// release ends the dispatch of a unit.
func (s *scene) release(name string) error {
	s.now = s.now.Add(time.Second)
	_, err := s.book.Release(context.Background(), dispatch.Selector{Unit: name, AnyAgent: true}, dispatch.VerdictReady,
		func(*dispatch.Dispatch) ([]byte, error) { return []byte("{}"), nil })
	return err
}

// ask sends a call of the reviewer's agent through the guard, binds the agent as
// the guard says, and returns the answer's code.
func (s *scene) ask(c guard.Call) (guard.Code, error) {
	c.Client, c.Event, c.Session, c.Cwd, c.Marks = "claude-code", guard.ToolCall, "s1", s.root+"/units/U03", true
	out := guard.Decide(guard.Input{
		Call: c, Now: s.now, FS: unit.NewDisk(),
		Workspaces: []guard.Workspace{{
			Root: unit.Split(s.root), Records: s.book, Roots: func() unit.Roots { return unit.Roots{unit.Split(s.root)} },
		}},
	})
	for _, r := range out.Rulings {
		for _, e := range r.Effects {
			var err error
			switch e.Kind {
			case guard.Bind:
				err = s.book.Bind(e.Key, e.Number, e.ID, e.Depth)
			case guard.See:
				err = s.book.See(e.ID)
			}
			if err != nil {
				return out.Code, fmt.Errorf("effect of %q: %w", c.Tool, err)
			}
		}
	}
	return out.Code, nil
}
