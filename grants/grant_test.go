package grants_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/unit"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func rel(p string) unit.Path { return unit.Path(strings.Split(p, "/")) }

func TestCovers(t *testing.T) {
	read := func(p string) grants.Opening { return grants.Opening{Access: grants.AccessRead, Path: p} }
	exact := func(p string) grants.Opening {
		return grants.Opening{Access: grants.AccessRead, Path: p, Exact: true}
	}
	for name, c := range map[string]struct {
		open  grants.Opening
		path  string
		write bool
		fold  bool
		want  bool
	}{
		"the file":                       {open: read("u/U04/a.md"), path: "u/U04/a.md", want: true},
		"a file whose name begins so":    {open: read("u/U04/a.md"), path: "u/U04/a.md.bak"},
		"a file is no folder":            {open: read("u/U04/a"), path: "u/U04/a/b"},
		"the folder above":               {open: read("u/U04/a.md"), path: "u/U04"},
		"another case":                   {open: read("u/U04/a.md"), path: "u/u04/A.MD"},
		"another case where it folds":    {open: read("u/U04/a.md"), path: "u/u04/A.MD", fold: true, want: true},
		"in a folder":                    {open: read("u/U04/"), path: "u/U04/x/y", want: true},
		"the folder itself":              {open: read("u/U04/"), path: "u/U04", want: true},
		"beside the folder":              {open: read("u/U04/"), path: "u/U04-old/x"},
		"glob":                           {open: read("u/*/a.md"), path: "u/U05/a.md", want: true},
		"a star is one component":        {open: read("u/*/a.md"), path: "u/U05/x/a.md"},
		"two stars are any number":       {open: read("u/**/a.md"), path: "u/U05/x/a.md", want: true},
		"two stars are none too":         {open: read("u/**/a.md"), path: "u/a.md", want: true},
		"two stars at the end":           {open: read("u/U04/**"), path: "u/U04/x/y", want: true},
		"folders by a glob":              {open: read("u/U0?/"), path: "u/U04/x/y", want: true},
		"class":                          {open: read("u/U0[45]/a"), path: "u/U05/a", want: true},
		"class that excludes":            {open: read("u/U0[!45]/a"), path: "u/U05/a"},
		"glob where it folds":            {open: read("U/*.MD"), path: "u/a.md", fold: true, want: true},
		"exact has no glob":              {open: exact("u/*.md"), path: "u/a.md"},
		"exact with a star in its name":  {open: exact("u/*.md"), path: "u/*.md", want: true},
		"read is no write":               {open: read("u/a"), path: "u/a", write: true},
		"write is read":                  {open: grants.Opening{Access: grants.AccessWrite, Path: "u/a"}, path: "u/a", want: true},
		"write":                          {open: grants.Opening{Access: grants.AccessWrite, Path: "u/a"}, path: "u/a", write: true, want: true},
		"before its end":                 {open: grants.Opening{Access: grants.AccessRead, Path: "u/a", Until: noon.Add(1)}, path: "u/a", want: true},
		"at its end":                     {open: grants.Opening{Access: grants.AccessRead, Path: "u/a", Until: noon}, path: "u/a"},
		"a component with a slash is no": {open: read("u"), path: "u/a"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, c.open.Covers(rel(c.path), c.write, noon, c.fold))
		})
	}
}

func TestOpenPassesOverWhatIsSpent(t *testing.T) {
	g := grants.Grant{Opened: []grants.Opening{
		{ID: "1", Access: grants.AccessRead, Path: "a", Once: true},
		{ID: "2", Access: grants.AccessRead, Path: "a", Once: true},
		{ID: "3", Access: grants.AccessRead, Path: "b"},
	}}
	spent := func(ids string) func(string) bool { return func(id string) bool { return strings.Contains(ids, id) } }
	o, ok := g.Open(rel("a"), false, noon, spent(""))
	require.True(t, ok)
	require.Equal(t, "1", o.ID)
	o, ok = g.Open(rel("a"), false, noon, spent("1"))
	require.True(t, ok)
	require.Equal(t, "2", o.ID)
	_, ok = g.Open(rel("a"), false, noon, spent("12"))
	require.False(t, ok)
	_, ok = g.Open(rel("b"), false, noon, spent("123"))
	require.True(t, ok, "what is open for more than one call is never spent")
	_, ok = g.Open(rel("c"), false, noon, spent(""))
	require.False(t, ok)
}

func TestDenies(t *testing.T) {
	g := grants.Grant{DenyTools: []string{"Write", "mcp__git_*"}}
	for tool, want := range map[string]bool{
		"Write": true, "write": true, "WriteFile": false, "Read": false, "": false,
		"mcp__git_push": true, "MCP__GIT_push": true, "mcp__gitlab": false,
	} {
		require.Equal(t, want, g.Denies(tool), tool)
	}
}

func TestProfileNamesWhatIsRestricted(t *testing.T) {
	base := grants.Grant{Opaque: grants.OpaqueConfine}
	seen := map[string]string{base.Profile(): "nothing"}
	for name, g := range map[string]grants.Grant{
		"read only": {Opaque: grants.OpaqueConfine, ReadOnly: true}, "shared": {Opaque: grants.OpaqueConfine, SharedRead: true},
		"observe": {Opaque: grants.OpaqueConfine, Observe: true}, "strict": {Opaque: grants.OpaqueConfine, Strict: true},
		"first touch": {Opaque: grants.OpaqueConfine, FirstTouch: true}, "sessions": {Opaque: grants.OpaqueConfine, Sessions: true},
		"quiet": {Opaque: grants.OpaqueConfine, Quiet: true}, "git": {Opaque: grants.OpaqueConfine, Git: true}, "block": {Opaque: grants.OpaqueBlock}, "confined": {Opaque: grants.OpaqueConfine, ConfineAll: true},
		"depth": {Opaque: grants.OpaqueConfine, MaxDepth: 1}, "tools": {Opaque: grants.OpaqueConfine, DenyTools: []string{"Write"}},
		"commands": {Opaque: grants.OpaqueConfine, Commands: []string{"go test"}}, "denied": {Opaque: grants.OpaqueConfine, Denied: []string{"go test"}},
	} {
		p := g.Profile()
		require.NotContains(t, seen, p, name)
		seen[p] = name
	}
	other := base
	other.ID, other.Own, other.Opened = "x", unit.Unit{Name: "U04", Paths: []string{"u/U04"}}, []grants.Opening{{Path: "a"}}
	require.Equal(t, base.Profile(), other.Profile(), "the unit and what is opened are no restriction")
}

func TestScope(t *testing.T) {
	g := grants.Grant{Layouts: []string{"units/{unit}"}, Own: unit.Unit{Name: "U03", Paths: []string{"units/U03"}}, Fold: true}
	s, err := g.Scope()
	require.NoError(t, err)
	never := func() bool { return false }
	roots := unit.Roots{unit.Split("/ws")}
	require.Equal(t, unit.Own, s.Locate(roots, unit.Split("/ws/UNITS/u03/a"), never).Where)
	require.Equal(t, unit.Sibling, s.Locate(roots, unit.Split("/ws/units/U04/a"), never).Where)

	g.Layouts = []string{"units"}
	_, err = g.Scope()
	require.ErrorIs(t, err, unit.ErrLayout)
}

// A dispatch writes nothing, or what its grant says, as the knob says; that no sandbox is
// used gives no leave to write.
func TestNoWrites(t *testing.T) {
	for _, c := range []struct {
		readOnly bool
		turned   knobs.Value
		want     bool
	}{
		{false, "", false}, {true, "", true},
		{false, knobs.ReadOnly, true}, {true, knobs.ReadOnly, true},
		{false, knobs.WorkspaceWrite, false}, {true, knobs.WorkspaceWrite, false},
		{false, knobs.Off, false}, {true, knobs.Off, true},
	} {
		g := grants.Grant{ReadOnly: c.readOnly}
		if c.turned != "" {
			g.Turned = []knobs.Event{{Knob: knobs.Sandbox, Value: c.turned}}
		}
		require.Equal(t, c.want, g.NoWrites(), "%+v", c)
	}
}

// What restricts otherwise has another profile; what was turned and turned back has not.
func TestProfileFollowsKnobs(t *testing.T) {
	g := grants.Grant{Opaque: grants.OpaqueConfine}
	plain := g.Profile()
	seen := map[string]bool{plain: true}
	for _, e := range []knobs.Event{
		{Knob: knobs.Sandbox, Value: knobs.ReadOnly}, {Knob: knobs.Sandbox, Value: knobs.Off},
		{Knob: knobs.Opaque, Value: knobs.Block}, {Knob: knobs.Opaque, Value: knobs.Allow},
	} {
		turned := g
		turned.Turned = []knobs.Event{e}
		require.False(t, seen[turned.Profile()], "%s %s", e.Knob, e.Value)
		seen[turned.Profile()] = true
		turned.Turned = append(turned.Turned, knobs.Event{Knob: e.Knob, Value: g.Defaults().Of(e.Knob)})
		require.Equal(t, plain, turned.Profile())
	}
	readOnly := grants.Grant{Opaque: grants.OpaqueConfine, ReadOnly: true}
	g.Turned = []knobs.Event{{Knob: knobs.Sandbox, Value: knobs.ReadOnly}}
	require.Equal(t, readOnly.Profile(), g.Profile(), "they restrict alike")
}
