//go:build linux

package guard_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/store/mem"
	"github.com/seed6310be5c/conduct/unit"
)

// What only a sibling's files hold and are called.
const (
	canary     = "zq-canary-text"
	canaryName = "zqname"
)

// forest is one random tree: a workspace with units, a second checkout of it
// perhaps, a folder outside, and links of all sorts between them.
type forest struct {
	rt  *rapid.T
	w   *world
	top string
	// own and siblings are the units' folders, absolute, as the layout has them.
	own      string
	siblings []string
	// places are folders and files that a path may be aimed at, links where links lie.
	places, links []string
	before        map[string]string
}

// newForest draws and makes a tree. Its workspace has one dispatch, of U03, to
// which agent a1 is bound.
func newForest(rt *rapid.T, t *testing.T) *forest {
	top, err := os.MkdirTemp(memory(t), "conduct-case-")
	require.NoError(t, err)
	top, err = filepath.EvalSymlinks(top)
	require.NoError(t, err)
	f := &forest{rt: rt, top: top}
	w := &world{t: t, root: top + "/a/ws", home: top + "/home", clock: &clock{now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), since: time.Hour}}
	f.w = w
	for _, dir := range []string{w.root + "/.conduct", w.home, top + "/out"} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	w.set = unit.Set{Root: unit.Split(w.root)}
	w.roots = unit.Roots{w.set.Root}
	w.store = mem.New()
	w.book = &dispatch.Book{Store: w.store, Clock: w.clock, Mint: mint.ULID(rand.Reader), Host: "test"}
	f.units()
	for _, name := range []string{"docs/guide.md", "docs/api/index.md", "src/main.go", "README.md", "sub/notes.md"} {
		f.file(w.root+"/"+name, "shared")
	}
	f.file(top+"/out/x/y/file.txt", "outside")
	f.lie()
	// Command lines are judged by their plain words alone: none is refused for more.
	d := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueAllow })
	require.NoError(t, w.book.Bind(dispatch.AgentKey("test", "a1", ""), 0, d.ID, 0))
	f.before = f.snapshot()
	return f
}

// memory is a folder for the trees: thousands of them wear a disk, and wait for it.
func memory(t *testing.T) string {
	const shared = "/dev/shm"
	if st, err := os.Stat(shared); err == nil && st.IsDir() && st.Mode().Perm()&0o002 != 0 {
		return shared
	}
	return t.TempDir()
}

func (f *forest) remove() { require.NoError(f.w.t, os.RemoveAll(f.top)) }

// units makes the units, by a layout, a deeper layout, a list, or both.
func (f *forest) units() {
	kind := rapid.SampledFrom([]string{"layout", "layout", "deep", "listed", "both", "checkout"}).Draw(f.rt, "kind")
	base := f.w.root + "/construction/units"
	if kind == "deep" {
		base = f.w.root + "/teams/red/units"
		f.layout("teams/*/units/{unit}")
	} else if kind != "listed" {
		f.layout("construction/units/{unit}")
	}
	names := []string{"U04", "U03-old", "U3"}
	if kind == "listed" {
		base = f.w.root + "/services"
		f.w.set.Listed = []unit.Unit{{Name: "U03", Listed: true, Paths: []string{"services/U03", "docs/U03.md"}}}
		f.file(f.w.root+"/docs/U03.md", "own")
	}
	if kind == "listed" || kind == "both" {
		for _, n := range names {
			rel, _ := filepath.Rel(f.w.root, base+"/"+n)
			f.w.set.Listed = append(f.w.set.Listed, unit.Unit{Name: n + "-listed", Listed: true, Paths: []string{rel, "docs/" + n + ".md"}})
			f.file(f.w.root+"/docs/"+n+".md", canary)
			f.siblings = append(f.siblings, f.w.root+"/docs/"+n+".md")
		}
	}
	f.unit(base+"/U03", "U03", "own")
	f.own = base + "/U03"
	for _, n := range names {
		f.unit(base+"/"+n, n, canary)
		f.siblings = append(f.siblings, base+"/"+n)
	}
	if kind == "checkout" {
		f.checkout()
	}
}

func (f *forest) layout(s string) {
	l, err := unit.ParseLayout(s)
	require.NoError(f.w.t, err)
	f.w.set.Layouts = append(f.w.set.Layouts, l)
}

// unit makes a unit's folder, or a link to where it really is.
func (f *forest) unit(at, name, text string) {
	real := at
	switch rapid.SampledFrom([]string{"", "", "", "out", "deep", "chain"}).Draw(f.rt, "place of "+name) {
	case "out":
		real = f.top + "/out/store/" + name
		f.link(real, at)
	case "deep":
		real = f.w.root + "/src/store/" + name
		rel, _ := filepath.Rel(filepath.Dir(at), real)
		f.link(rel, at)
	case "chain":
		real = f.top + "/out/real/" + name
		f.link(real, f.top+"/out/hop-"+name)
		f.link(f.top+"/out/hop-"+name, at)
	}
	secret := "own-" + name
	if text == canary {
		secret = canaryName
	}
	for _, n := range []string{"design.md", secret + ".txt", "code/main.go"} {
		f.file(real+"/"+n, text)
	}
	if real != at {
		f.places = append(f.places, at, at+"/design.md")
		if text == canary {
			f.siblings = append(f.siblings, real)
		}
	}
}

// checkout makes a linked worktree with the same layout.
func (f *forest) checkout() {
	at := rapid.SampledFrom([]string{f.top + "/out/wt", f.w.root + "/docs/wt", f.w.root + "/.trees/wt"}).Draw(f.rt, "checkout")
	for _, n := range []string{"U04", "U03-old"} {
		f.file(at+"/construction/units/"+n+"/design.md", canary)
		f.siblings = append(f.siblings, at+"/construction/units/"+n)
	}
	f.file(at+"/construction/units/U03/design.md", "own")
	f.w.roots = append(f.w.roots, unit.Split(at))
}

func (f *forest) file(at, text string) {
	require.NoError(f.w.t, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(f.w.t, os.WriteFile(at, []byte(text+"\n"), 0o644))
	f.places = append(f.places, at)
	if dir := filepath.Dir(at); !slices.Contains(f.places, dir) {
		f.places = append(f.places, dir)
	}
}

func (f *forest) link(to, at string) {
	require.NoError(f.w.t, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(f.w.t, os.Symlink(to, at))
	f.links = append(f.links, at)
}

// lie makes links of all sorts, below places that the agent may use.
func (f *forest) lie() {
	dirs := []string{f.own, f.own + "/code", f.w.root + "/docs", f.w.root, f.top + "/out", f.w.root + "/src"}
	for i := range rapid.IntRange(0, 4).Draw(f.rt, "links") {
		dir := rapid.SampledFrom(dirs).Draw(f.rt, "link's folder")
		if real, err := filepath.EvalSymlinks(dir); err == nil && slices.ContainsFunc(f.siblings, func(s string) bool { return within(s, real) }) {
			continue
		}
		at := fmt.Sprintf("%s/l%d", dir, i)
		var to string
		switch rapid.SampledFrom([]string{"place", "place", "relative", "relative", "link", "parent", "new", "loop", "proc"}).Draw(f.rt, "link to") {
		case "place":
			to = f.aim("link's target")
		case "relative":
			// Relative to the link's real folder, as the kernel takes it.
			real, err := filepath.EvalSymlinks(dir)
			require.NoError(f.w.t, err)
			to, _ = filepath.Rel(real, f.aim("link's target"))
		case "link":
			if len(f.links) == 0 {
				continue
			}
			to = rapid.SampledFrom(f.links).Draw(f.rt, "linked link")
		case "parent":
			to = rapid.SampledFrom([]string{".", "..", "../..", "../../.."}).Draw(f.rt, "parent")
		case "new":
			to = rapid.SampledFrom(f.siblings).Draw(f.rt, "sibling") + "/new.txt"
		case "loop":
			to = at
		case "proc":
			to = "/proc/self/cwd/" + rapid.SampledFrom([]string{".", "..", "../U04"}).Draw(f.rt, "from the cwd")
		}
		f.link(to, at)
	}
}

// aim draws a place, more often than not one in a sibling.
func (f *forest) aim(label string) string {
	if rapid.IntRange(0, 9).Draw(f.rt, label+": sibling") < 6 {
		s := rapid.SampledFrom(f.siblings).Draw(f.rt, label)
		if strings.HasSuffix(s, ".md") {
			return s
		}
		return s + rapid.SampledFrom([]string{"", "/design.md", "/code", "/" + canaryName + ".txt", "/code/main.go"}).Draw(f.rt, label+": in it")
	}
	return rapid.SampledFrom(f.places).Draw(f.rt, label)
}

// spell writes a path to a place, from a folder, in one of many ways.
func (f *forest) spell(to, cwd string) string {
	p := to
	if len(f.links) > 0 && rapid.IntRange(0, 3).Draw(f.rt, "through a link") == 0 {
		l := rapid.SampledFrom(f.links).Draw(f.rt, "link")
		p = l + rapid.SampledFrom([]string{"", "/design.md", "/U04/design.md", "/../U04/design.md", "/units/U04/design.md", "/../" + filepath.Base(to), "/code/main.go", "/new.txt"}).Draw(f.rt, "behind it")
	}
	if rapid.Bool().Draw(f.rt, "relative") {
		if rel, err := filepath.Rel(cwd, p); err == nil {
			p = rel
			// What filepath.Rel takes out of a path through a link is drawn again.
			if strings.Contains(p, "l0/") && rapid.Bool().Draw(f.rt, "climb") {
				p = strings.Replace(p, "l0/", "l0/../", 1)
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(f.rt, "noise") {
		p = f.noise(p)
	}
	return p
}

// noise puts something into a path that means nothing, or little.
func (f *forest) noise(p string) string {
	parts := strings.Split(p, "/")
	at := rapid.IntRange(1, len(parts)).Draw(f.rt, "at")
	what := rapid.SampledFrom([]string{".", "", "code/..", "../" + parts[max(0, at-1)], "l0/..", "..", "nowhere/.."}).Draw(f.rt, "what")
	return strings.Join(slices.Insert(parts, at, strings.Split(what, "/")...), "/")
}

// cwd draws the folder of a call.
func (f *forest) cwd() string {
	dirs := []string{f.own, f.own, f.own, f.w.root, f.own + "/code", f.w.root + "/docs", f.top + "/out", filepath.Dir(f.own)}
	for _, l := range f.links {
		// Not one through /proc: a started shell would take it from this process.
		if real, err := filepath.EvalSymlinks(l); err == nil && within(f.top, real) && isDir(real) {
			dirs = append(dirs, l)
		}
	}
	return rapid.SampledFrom(dirs).Draw(f.rt, "cwd")
}

// snapshot is everything below the siblings' folders.
func (f *forest) snapshot() map[string]string {
	out := map[string]string{}
	for _, s := range f.siblings {
		err := filepath.WalkDir(s, func(p string, d os.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err):
			case err != nil:
				return err
			case d.Type().IsRegular():
				data, err := os.ReadFile(p)
				out[p] = string(data)
				return err
			default:
				out[p] = d.Type().String()
			}
			return nil
		})
		require.NoError(f.w.t, err)
	}
	return out
}

// changed names what is not as it was in the siblings, "" when nothing is.
func (f *forest) changed() string {
	after := f.snapshot()
	for p, was := range f.before {
		if now, ok := after[p]; !ok || now != was {
			return p + " was changed"
		}
	}
	for p := range after {
		if _, ok := f.before[p]; !ok {
			return p + " was made"
		}
	}
	return ""
}

func isDir(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.IsDir()
}

// within says whether a clean path is dir or below it.
func within(dir, p string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// String lists the links of the forest for a failure.
func (f *forest) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "root %s, own %s\n", f.w.root, f.own)
	for _, l := range f.links {
		to, _ := os.Readlink(l)
		fmt.Fprintf(&b, "link %s -> %s\n", l, to)
	}
	return b.String()
}

func (f *forest) describe(c guard.Call) string {
	var b strings.Builder
	for _, t := range c.Targets {
		fmt.Fprintf(&b, "%s %q pattern %q guess %t follows %t any depth %t; ", t.Op, t.Path, t.Pattern, t.Guess, t.Follows, t.AnyDepth)
	}
	for _, x := range c.Commands {
		fmt.Fprintf(&b, "command %q", x.Text)
	}
	return b.String()
}
