// Package confine turns a dispatch into the policy that its commands run under.
package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/sandbox"
	"github.com/seed6310be5c/conduct/unit"
)

// ErrTemp is returned when the private folder for temporary files is not ours alone.
var ErrTemp = errors.New("not a private folder")

// Request is what a policy is made from.
type Request struct {
	Dispatch *dispatch.Dispatch
	// Roots are the places where the layout applies, the workspace first.
	Roots unit.Roots
	// Records are all .conduct folders that are known.
	Records []string
	Cwd     string
	Home    string
	// TempDir is where private folders are made: os.TempDir().
	TempDir string
	Env     []string
	Now     time.Time
	FS      unit.FS
	// Program says that a whole agent program is run, which keeps its state in the home.
	Program bool
}

// scrubbed are variables that let a command talk to the agent program that
// started it, past the guard.
var scrubbed = []string{"CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_MESSAGING_SOCKET", "CONDUCT_DIR", "CONDUCT_OFF", "CONDUCT_DISPATCH", "CONDUCT_CONFINED", "CONDUCT_BROKER"}

// Policy says what the commands of a dispatch may do: nothing, sandbox.ErrUnavailable,
// where it was turned off for the dispatch.
func Policy(q Request) (sandbox.Policy, error) {
	g := q.Dispatch.Grant
	if g.Knobs().Sandbox == knobs.Off {
		return sandbox.Policy{}, fmt.Errorf("%w: the knob sandbox of dispatch %s is off", sandbox.ErrUnavailable, q.Dispatch.ID)
	}
	scope, err := g.Scope()
	if err != nil {
		return sandbox.Policy{}, err
	}
	p := sandbox.Policy{
		Root: q.Roots[0].String(), Records: slices.Clone(q.Records), ReadOnly: g.NoWrites(), SharedRead: g.SharedRead, Git: g.Git,
	}
	if p.Cwd, err = filepath.EvalSymlinks(q.Cwd); err != nil {
		return p, fmt.Errorf("%w: %w", sandbox.ErrCwd, err)
	}
	there := newFinder().there
	for i, r := range q.Roots {
		if i > 0 {
			p.Roots = append(p.Roots, r.String())
		}
		if err := units(&p, q.FS, g, scope, r, there); err != nil {
			return p, err
		}
		openings(&p, g, r, q.Now, there)
		p.Protected = append(p.Protected, there(guard.Settings(r.String()))...)
	}
	for _, a := range g.Aliases {
		if !own(g, a.At) {
			p.Hidden = append(p.Hidden, there([]string{a.Real})...)
		}
	}
	for _, dir := range guard.HooksPaths(q.FS, q.Roots, q.Home) {
		p.Protected = append(p.Protected, there([]string{dir.String()})...)
	}
	if q.Home != "" {
		p.Protected = append(p.Protected, there(guard.Settings(q.Home))...)
		if q.Program {
			p.Writes = append(p.Writes, there(guard.StateDirs(q.Home))...)
		} else {
			p.Hidden = append(p.Hidden, there(guard.PrivateDirs(q.Home))...)
		}
	}
	if p.Temp, err = Temp(q.TempDir, string(q.Dispatch.ID)); err != nil {
		return p, err
	}
	// Those of other dispatches lie beside it; TMPDIR may be a place that is not
	// private in a sandbox of itself.
	p.Hidden = append(p.Hidden, filepath.Dir(p.Temp))
	p.Env = slices.DeleteFunc(slices.Clone(q.Env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(scrubbed, name)
	})
	p.Env = append(p.Env, "CONDUCT_DISPATCH="+string(q.Dispatch.ID), "CONDUCT_CONFINED=1")
	return p, nil
}

func own(g *grants.Grant, rel string) bool {
	p := unit.Split(rel)
	return slices.ContainsFunc(g.Own.Paths, func(o string) bool { return p.Under(unit.Split(o), g.Fold) })
}

// existing returns the real places of the paths that exist.
type existing func(paths []string) []string

// units says where the units of one checkout are, and which is the own.
func units(p *sandbox.Policy, fsys unit.FS, g *grants.Grant, scope *unit.Scope, root unit.Path, there existing) error {
	set := unit.Set{Root: root, Layouts: scope.Layouts}
	parents, err := set.Parents(fsys)
	if err != nil {
		return err
	}
	for _, rel := range parents {
		p.Parents = append(p.Parents, there([]string{slices.Concat(root, rel).String()})...)
	}
	for _, u := range g.Listed {
		if u.Name == g.Own.Name && g.Own.Listed {
			continue
		}
		for _, path := range u.Paths {
			if !own(g, path) {
				p.Hidden = append(p.Hidden, there([]string{root.String() + "/" + path})...)
			}
		}
	}
	for _, path := range g.Own.Paths {
		p.Own = append(p.Own, there([]string{root.String() + "/" + path})...)
	}
	return nil
}

// openings opens what the grant opens. One-call openings are for calls, not for
// commands that run as long as they like.
func openings(p *sandbox.Policy, g *grants.Grant, root unit.Path, now time.Time, there existing) {
	for _, o := range g.Opened {
		if o.Once || !o.Until.IsZero() && !now.Before(o.Until) {
			continue
		}
		for _, path := range matches(root.String(), o, there) {
			if o.Access == grants.AccessWrite {
				p.Writes = append(p.Writes, path)
			} else {
				p.Reads = append(p.Reads, path)
			}
		}
	}
}

// maxMatches bounds how many files one glob opens.
const maxMatches = 200

// matches are the existing paths of an opening.
func matches(root string, o grants.Opening, there existing) []string {
	if o.Exact || !strings.ContainsAny(o.Path, "*?[") {
		return there([]string{root + "/" + strings.TrimSuffix(o.Path, "/")})
	}
	var out []string
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || len(out) >= maxMatches {
			return fs.SkipDir
		}
		if e.IsDir() && strings.HasPrefix(e.Name(), ".") && path != root {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != "." && o.Covers(unit.Split(rel), false, time.Time{}, false) {
			out = append(out, path)
			if e.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return there(out)
}

// Temp makes the private folder for temporary files of a dispatch below base. It is
// ErrTemp when somebody else made it.
func Temp(base, id string) (string, error) {
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		return "", fmt.Errorf("temporary folder: %w", err)
	}
	dir := base
	for _, name := range []string{guard.TempName + strconv.Itoa(os.Getuid()), id} {
		dir = filepath.Join(dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("temporary folder: %w", err)
		}
		var st unix.Stat_t
		if err := unix.Lstat(dir, &st); err != nil {
			return "", fmt.Errorf("temporary folder: %w", err)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Getuid() || st.Mode&0o077 != 0 {
			return "", fmt.Errorf("temporary folder %q: %w", dir, ErrTemp)
		}
	}
	return dir, nil
}
