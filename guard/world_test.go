package guard_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/store/mem"
	"github.com/seed6310be5c/conduct/unit"
)

// clock is a clock that stands still until a test moves it.
type clock struct {
	now   time.Time
	since time.Duration
}

func (c *clock) Now() time.Time                { return c.now }
func (c *clock) Boot() (string, time.Duration) { return "boot-1", c.since }

// pass lets time go by.
func (c *clock) pass(d time.Duration) { c.now, c.since = c.now.Add(d), c.since+d }

// world is a workspace in a temporary folder with its records in memory.
type world struct {
	t     testing.TB
	root  string
	home  string
	set   unit.Set
	clock *clock
	store *mem.Store
	book  *dispatch.Book
	roots unit.Roots
}

// newWorld makes a workspace with the files of tree (a name that ends with "/" is
// a folder) and the links of links, below a fresh folder.
func newWorld(t testing.TB, layout string, tree []string, links map[string]string) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, root: top + "/ws", home: top + "/home", clock: &clock{now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), since: time.Hour}}
	require.NoError(t, os.MkdirAll(w.home, 0o755))
	for _, f := range append([]string{".conduct/workspace.json"}, tree...) {
		w.put(f)
	}
	for at, to := range links {
		at = filepath.Join(w.root, at)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.Symlink(strings.ReplaceAll(to, "$R", w.root), at))
	}
	w.set = unit.Set{Root: unit.Split(w.root)}
	if layout != "" {
		l, err := unit.ParseLayout(layout)
		require.NoError(t, err)
		w.set.Layouts = []unit.Layout{l}
	}
	w.store = mem.New()
	w.book = &dispatch.Book{Store: w.store, Clock: w.clock, Mint: mint.ULID(rand.Reader), Host: "test"}
	w.roots = unit.Roots{w.set.Root}
	return w
}

func (w *world) put(name string) {
	p := filepath.Join(w.root, name)
	if strings.HasSuffix(name, "/") {
		require.NoError(w.t, os.MkdirAll(p, 0o755))
		return
	}
	require.NoError(w.t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(w.t, os.WriteFile(p, []byte(name), 0o644))
}

// aidlc is the workspace of most tests.
func aidlc(t testing.TB) *world {
	return newWorld(t, "construction/units/{unit}", []string{
		"construction/units/U03/design.md", "construction/units/U03/sub/notes.md",
		"construction/units/U04/design.md", "construction/units/U04/code/main.go",
		"construction/units/U03-old/design.md", "construction/units/README.md",
		"docs/guide.md", "docs/api/index.md", "src/main.go", "README.md", "conduct.yaml",
		".git/config", ".git/objects/ab/cd", ".git/HEAD", ".claude/settings.json",
	}, nil)
}

const (
	own      = "construction/units/U03"
	sib      = "construction/units/U04"
	reviewer = "reviewer"
)

// dispatch makes a dispatch as the command line does; edit changes its request.
func (w *world) dispatch(name, agent string, edit func(*dispatch.Request)) *dispatch.Dispatch {
	w.t.Helper()
	disk := unit.NewDisk()
	u, err := w.set.Lookup(disk, name)
	require.NoError(w.t, err)
	aliases, err := w.set.RealPlaces(disk)
	require.NoError(w.t, err)
	q := dispatch.Request{Unit: u, Agent: agent, TTL: 6 * time.Hour, Conductor: "conductor", Grant: grants.Grant{
		Listed: w.set.Listed, Aliases: aliases, Fold: unit.Folds(disk, w.set.Root), Opaque: grants.OpaqueConfine,
	}}
	for _, l := range w.set.Layouts {
		q.Grant.Layouts = append(q.Grant.Layouts, l.String())
	}
	if edit != nil {
		edit(&q)
	}
	d, err := w.book.Open(w.t.Context(), q)
	require.NoError(w.t, err)
	return d
}

// call is a call of an agent that works in its own unit.
func (w *world) call(targets ...guard.Target) guard.Call {
	return guard.Call{
		Client: "test", Event: guard.ToolCall, Session: "s1", AgentID: "a1", AgentType: reviewer, Marks: true, Marked: true,
		Tool: "Tool", Cwd: w.root + "/" + own, CallID: "c1", Targets: targets,
	}
}

// shell is such a call of a command line.
func (w *world) shell(text string) guard.Call {
	c := w.call()
	c.Tool, c.Commands = "Bash", []guard.Command{{Text: text}}
	return c
}

func (w *world) input(c guard.Call) guard.Input {
	return guard.Input{
		Call: c, Now: w.clock.now, FS: unit.NewDisk(), Env: guard.Env{Home: w.home},
		Workspaces: []guard.Workspace{{Root: w.set.Root, Records: w.book, Roots: func() unit.Roots { return w.roots }}},
	}
}

// decide judges a call and does what the answer wants written.
func (w *world) decide(c guard.Call) guard.Outcome {
	w.t.Helper()
	out := guard.Decide(w.input(c))
	for _, r := range out.Rulings {
		for _, e := range r.Effects {
			switch e.Kind {
			case guard.Bind:
				require.NoError(w.t, w.book.Bind(e.Key, e.Number, e.ID, e.Depth))
			case guard.See:
				require.NoError(w.t, w.book.See(e.ID))
			case guard.Spend:
				require.NoError(w.t, w.book.Spend(e.Key, e.Call))
			case guard.NoteLaunch:
				require.NoError(w.t, w.book.NoteLaunch(e.Key, e.ID, e.Depth))
			case guard.OpenWindow:
				require.NoError(w.t, w.book.OpenWindow(e.Key, e.ID))
			case guard.CloseWindow:
				require.NoError(w.t, w.book.CloseWindow(e.Key, e.ID))
			case guard.Stop:
			}
		}
	}
	return out
}

// code is the code of a call's decision.
func (w *world) code(c guard.Call) string { w.t.Helper(); return w.decide(c).Code.String() }
