// Package grants holds what a dispatched agent may do: its unit, what is
// opened to it beyond, what it is denied. It is pure: the time and the file
// system are arguments.
package grants

import (
	"slices"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
)

// Schema is the version of a grant's document.
const Schema = 1

// Opaque says what becomes of a shell command that is not understood.
type Opaque string

// The policies for opaque commands.
const (
	OpaqueConfine Opaque = "confine"
	OpaqueBlock   Opaque = "block"
	OpaqueAllow   Opaque = "allow"
)

// Grant is what one dispatch allows. It is compiled when the dispatch is made:
// a later change of conduct.yaml does not widen or narrow it. ReadOnly, Opaque and
// Ask are what it was made with; what counts is Knobs.
type Grant struct {
	ID      store.ID
	Own     unit.Unit
	Layouts []string
	Listed  []unit.Unit
	Aliases []unit.Alias
	Fold    bool

	Opened     []Opening
	ReadOnly   bool     // no writes in the workspace; see NoWrites
	SharedRead bool     // shared paths are read-only
	DenyTools  []string // names, or globs over names
	MaxDepth   int      // how many levels of agents it may launch
	Opaque     Opaque
	Sandbox    string   // the backend that worked when the dispatch was made, "" for none
	Commands   []string // opaque commands that a person trusts
	Denied     []string // commands that are refused
	ConfineAll bool     // commands run confined that are understood, too
	Git        bool     // confined commands may read the repository
	Observe    bool     // judged and logged, not blocked
	Strict     bool     // agents that nobody dispatched get no unit
	FirstTouch bool     // an agent binds by the unit that it touches first
	Sessions   bool     // binds sessions, not agents
	Quiet      bool     // only blocked calls are logged
	Ask        bool     // a blocked call is a question to a person
	// AskWait is how long the hook may wait for the answer; 0 is its own default.
	AskWait time.Duration
	// Turned are the turns of the dispatch's knobs, oldest first.
	Turned []knobs.Event
}

// Defaults are the knobs as the dispatch was made.
func (g *Grant) Defaults() knobs.Settings {
	s := knobs.Settings{Sandbox: knobs.WorkspaceWrite, Approval: knobs.Never, Opaque: knobs.Value(g.Opaque)}
	if g.ReadOnly {
		s.Sandbox = knobs.ReadOnly
	}
	if g.Ask {
		s.Approval = knobs.Ask
	}
	return s
}

// Knobs are the knobs as they count now.
func (g *Grant) Knobs() knobs.Settings { return knobs.Fold(g.Defaults(), g.Turned) }

// NoWrites says whether nothing may be written in the workspace. That no sandbox is
// used gives no leave to write: a dispatch that was made read-only stays so.
func (g *Grant) NoWrites() bool {
	switch g.Knobs().Sandbox {
	case knobs.ReadOnly:
		return true
	case knobs.Off:
		return g.ReadOnly
	}
	return false
}

// Access is what an Opening opens a path for.
type Access string

// The kinds of access.
const (
	AccessRead  Access = "read"
	AccessWrite Access = "write" // read and write
)

// Opening opens paths outside of the unit.
type Opening struct {
	ID     string // server-minted
	Access Access
	// Path is relative to the workspace: a file; a folder when it ends with "/"; a glob
	// when it has "*", "?" or "[" (components are matched one by one, "**" any number).
	Path string
	// Exact says that Path is one file, whatever characters it has.
	Exact bool
	// Until is when it closes again; zero: with the dispatch.
	Until time.Time
	// Once says that one call may use it.
	Once bool
}

// Covers says whether an opening is open for a path, relative to its root, at a time.
func (o Opening) Covers(rel unit.Path, write bool, now time.Time, fold bool) bool {
	if write && o.Access != AccessWrite || !o.Until.IsZero() && !now.Before(o.Until) {
		return false
	}
	want := unit.Path(strings.Split(strings.TrimSuffix(o.Path, "/"), "/"))
	switch {
	case o.Exact || !strings.HasSuffix(o.Path, "/") && !o.globs():
		return len(rel) == len(want) && rel.Under(want, fold)
	case !o.globs():
		return rel.Under(want, fold)
	case strings.HasSuffix(o.Path, "/"):
		want = append(want, "**")
	}
	return matchPath(want, rel, fold)
}

func (o Opening) globs() bool { return !o.Exact && strings.ContainsAny(o.Path, "*?[") }

// matchPath matches a path with a glob, component by component.
func matchPath(glob, p unit.Path, fold bool) bool {
	for i, g := range glob {
		if g == "**" {
			for n := i; n <= len(p); n++ {
				if matchPath(glob[i+1:], p[n:], fold) {
					return true
				}
			}
			return false
		}
		if i >= len(p) {
			return false
		}
		name := p[i]
		if fold {
			g, name = strings.ToLower(g), strings.ToLower(name)
		}
		if !unit.Match(g, name) {
			return false
		}
	}
	return len(glob) == len(p)
}

// Open returns the first opening for a path that spent does not name.
func (g *Grant) Open(rel unit.Path, write bool, now time.Time, spent func(id string) bool) (Opening, bool) {
	for _, o := range g.Opened {
		if o.Covers(rel, write, now, g.Fold) && !(o.Once && spent(o.ID)) {
			return o, true
		}
	}
	return Opening{}, false
}

// Denies says whether the grant's tool filter denies a tool. Names are compared
// without regard to case, since clients spell them differently.
func (g *Grant) Denies(tool string) bool {
	t := strings.ToLower(tool)
	return slices.ContainsFunc(g.DenyTools, func(d string) bool { return unit.Match(strings.ToLower(d), t) })
}

// Profile names what the grant restricts apart from its unit: grants with the
// same profile restrict alike. It follows the knobs.
func (g *Grant) Profile() string {
	flags := []byte{'p'}
	set := g.Knobs()
	for i, on := range []bool{
		g.NoWrites(), g.SharedRead, g.Observe, g.Strict, g.FirstTouch, g.Sessions, g.Quiet, g.Git, set.Sandbox == knobs.Off, g.ConfineAll,
	} {
		if on {
			flags = append(flags, byte('a'+i))
		}
	}
	rest := store.Key(append([]string{string(set.Opaque), string(rune('0' + g.MaxDepth)),
		strings.Join(g.Commands, "\x00"), strings.Join(g.Denied, "\x00")}, g.DenyTools...)...)
	return string(flags) + "-" + rest[:8]
}

// Scope returns the grant's view on units.
func (g *Grant) Scope() (*unit.Scope, error) {
	s := &unit.Scope{Listed: g.Listed, Own: g.Own, Aliases: g.Aliases, Fold: g.Fold}
	for _, l := range g.Layouts {
		lay, err := unit.ParseLayout(l)
		if err != nil {
			return nil, err
		}
		s.Layouts = append(s.Layouts, lay)
	}
	return s, nil
}
