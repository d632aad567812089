package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/janitor"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/workspace"
)

// desk is an open workspace.
type desk struct {
	env   *Env
	ws    workspace.Workspace
	store *file.Store
	book  *dispatch.Book
	log   *audit.Log
	// settings reads the configuration, once, where a command needs it.
	settings func() (config.Config, error)
}

// open finds the workspace of the start folder.
func (e *Env) open() (*desk, error) {
	start, err := e.start()
	if err != nil {
		return nil, err
	}
	found, err := workspace.Find(start, workspace.Options{Dir: e.Getenv(workspace.Var)})
	if err != nil {
		return nil, err
	}
	if _, err := found.First(start); err != nil {
		if e.Getenv(varConfined) != "" {
			err = hint(fmt.Errorf("%w: this runs confined, and records are hidden", err), "conduct brief, report, request, message and inbox work here")
		}
		return nil, err
	}
	for i, ws := range found.Workspaces {
		d, err := e.openAt(ws)
		if err != nil {
			return nil, err
		}
		outer, inside := e.insideUnit(ws, found.Workspaces[i+1:])
		if !inside {
			return d, nil
		}
		e.warn("%q lies in a unit of %q and is ignored", ws.Dir, outer.Root)
		if err := d.close(); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no workspace that counts at %q", start)
}

// insideUnit says whether a workspace lies in a unit of one further out: an
// agent may write there.
func (e *Env) insideUnit(ws workspace.Workspace, outer []workspace.Workspace) (workspace.Workspace, bool) {
	for _, o := range outer {
		c, err := config.Load(o.Root)
		if err != nil {
			continue
		}
		set, err := unitSet(o.Root, c)
		if err != nil {
			continue
		}
		scope := &unit.Scope{Layouts: set.Layouts, Listed: set.Listed}
		l := scope.Locate(unit.Roots{set.Root}, unit.Split(ws.Root), func() bool { return false })
		if l.Where != unit.Shared {
			return o, true
		}
	}
	return workspace.Workspace{}, false
}

func (e *Env) openAt(ws workspace.Workspace) (*desk, error) {
	st, err := file.Open(ws.Dir, file.Options{})
	if err != nil {
		return nil, fmt.Errorf("cannot open the records: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	d := &desk{env: e, ws: ws, store: st, log: audit.Open(st.Root()),
		book: &dispatch.Book{Store: st, Clock: e.Clock, Mint: mint.ULID(rand.Reader), Host: host}}
	d.settings = sync.OnceValues(func() (config.Config, error) {
		c, err := config.Load(ws.Root)
		if errors.Is(err, config.ErrNone) {
			err = nil
		}
		return c, err
	})
	return d, nil
}

func (d *desk) close() error { return d.store.Close() }

func unitSet(root string, c config.Config) (unit.Set, error) {
	s := unit.Set{Root: unit.Split(root)}
	for _, l := range c.Layouts {
		lay, err := unit.ParseLayout(l)
		if err != nil {
			return s, err
		}
		s.Layouts = append(s.Layouts, lay)
	}
	for _, u := range c.Units {
		s.Listed = append(s.Listed, unit.Unit{Name: u.Name, Paths: u.Paths, Reads: u.Reads, Listed: true})
	}
	return s, nil
}

// rel makes a path of the command line relative to the workspace. A relative one
// is taken from the workspace, or from the current folder where only that exists.
func (d *desk) rel(p string) (string, error) {
	if p == "" {
		return "", usageError{errors.New("a path is empty")}
	}
	folder := strings.HasSuffix(p, "/")
	abs := p
	if !filepath.IsAbs(p) {
		abs = filepath.Join(d.ws.Root, p)
		if start, err := d.env.start(); err == nil && start != d.ws.Root && !exists(abs) && exists(filepath.Join(start, p)) {
			abs = filepath.Join(start, p)
		}
	}
	rel, err := filepath.Rel(d.ws.Root, filepath.Clean(abs))
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", usageError{fmt.Errorf("path %q is not in the workspace %q", p, d.ws.Root)}
	}
	for _, c := range strings.Split(rel, "/") {
		if c == workspace.Folder {
			return "", usageError{fmt.Errorf("path %q is in the records: they are closed to every agent", p)}
		}
	}
	if rel == "." {
		return "", usageError{fmt.Errorf("path %q is the whole workspace", p)}
	}
	if folder {
		rel += "/"
	}
	return rel, nil
}

// folder is rel for what may be a file, a folder or a glob: an existing folder gets
// its slash.
func (d *desk) folder(p string) (string, error) {
	rel, err := d.rel(p)
	if err != nil || strings.HasSuffix(rel, "/") {
		return rel, err
	}
	if st, serr := os.Stat(filepath.Join(d.ws.Root, rel)); serr == nil && st.IsDir() {
		rel += "/"
	}
	return rel, nil
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// tidy does one bounded step of the janitor's work. What fails there is not the
// command's failure.
func (d *desk) tidy(ctx context.Context) {
	j := janitor.Janitor{Book: d.book, Log: d.log, Questions: d.questions()}
	if _, err := j.Run(ctx, janitor.Options{Retention: d.retention(), Limit: step}); err != nil {
		d.env.warn("%s", oneLine(err.Error()))
	}
}

// step is how many records of each kind the janitor looks at after a command.
const step = 4

func (d *desk) retention() time.Duration {
	c, err := d.settings()
	if err != nil {
		return 0
	}
	return c.Retention
}
