package unit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/unit"
)

func layouts(t testing.TB, ss ...string) []unit.Layout {
	t.Helper()
	var out []unit.Layout
	for _, s := range ss {
		l, err := unit.ParseLayout(s)
		require.NoError(t, err)
		out = append(out, l)
	}
	return out
}

func TestParseLayout(t *testing.T) {
	for _, good := range []string{"{unit}", "construction/units/{unit}", "*/units/{unit}", "a/*/b/*/{unit}", ".hidden/{unit}"} {
		l, err := unit.ParseLayout(good)
		require.NoError(t, err, good)
		require.Equal(t, good, l.String())
	}
	l, err := unit.ParseLayout("units/{unit}/")
	require.NoError(t, err)
	require.Equal(t, "units/{unit}", l.String())
	for _, bad := range []string{
		"", "units", "/units/{unit}", "units/{unit}/x", "units/{unit}/{unit}", "../{unit}", "./{unit}", "a//{unit}",
		"U{unit}", "units/{unit}*", "un*ts/{unit}", "u?/{unit}", "[ab]/{unit}", "{a,b}/{unit}", `a\b/{unit}`, "**/{unit}",
	} {
		_, err := unit.ParseLayout(bad)
		require.ErrorIs(t, err, unit.ErrLayout, bad)
	}
}

// scope is U03's view: a layout, a layout with a star, and listed units.
func scope(t testing.TB) *unit.Scope {
	return &unit.Scope{
		Layouts: layouts(t, "units/{unit}", "teams/*/{unit}"),
		Own:     unit.Unit{Name: "U03", Paths: []string{"units/U03", "docs/u03.md"}},
		Listed: []unit.Unit{
			{Name: "auth", Listed: true, Paths: []string{"services/auth", "docs/auth.md"}},
			{Name: "inner", Listed: true, Paths: []string{"units/U03/inner"}},
		},
		Aliases: []unit.Alias{{Real: "/srv/u04", At: "units/U04"}, {Real: "/srv/u03", At: "units/U03"}},
	}
}

func TestLocate(t *testing.T) {
	roots := unit.Roots{split("/ws"), split("/ws/.trees/wt"), split("/elsewhere/wt")}
	file, none := func() bool { return true }, func() bool { return false }
	for name, c := range map[string]struct {
		path  string
		plain func() bool
		want  unit.Landing
	}{
		"own":                        {"/ws/units/U03/a", none, unit.Landing{Where: unit.Own, Unit: "U03", Rel: unit.Path{"units", "U03", "a"}}},
		"own folder":                 {"/ws/units/U03", none, unit.Landing{Where: unit.Own, Unit: "U03", Rel: unit.Path{"units", "U03"}}},
		"own second place":           {"/ws/docs/u03.md", none, unit.Landing{Where: unit.Own, Unit: "U03", Rel: unit.Path{"docs", "u03.md"}}},
		"a listed unit in one's own": {"/ws/units/U03/inner/a", none, unit.Landing{Where: unit.Own, Unit: "U03", Rel: unit.Path{"units", "U03", "inner", "a"}}},
		"sibling":                    {"/ws/units/U04/a", none, unit.Landing{Where: unit.Sibling, Unit: "U04", Rel: unit.Path{"units", "U04", "a"}}},
		"a name that begins so":      {"/ws/units/U03-old/a", none, unit.Landing{Where: unit.Sibling, Unit: "U03-old", Rel: unit.Path{"units", "U03-old", "a"}}},
		"a unit that is not there":   {"/ws/units/U99", none, unit.Landing{Where: unit.Sibling, Unit: "U99", Rel: unit.Path{"units", "U99"}}},
		"a plain file in its place":  {"/ws/units/README.md", file, unit.Landing{Where: unit.Shared, Rel: unit.Path{"units", "README.md"}}},
		"below what is a file":       {"/ws/units/README.md/x", file, unit.Landing{Where: unit.Sibling, Unit: "README.md", Rel: unit.Path{"units", "README.md", "x"}}},
		"the units' folder":          {"/ws/units", none, unit.Landing{Where: unit.Shared, Rel: unit.Path{"units"}}},
		"the star":                   {"/ws/teams/red/U07/a", none, unit.Landing{Where: unit.Sibling, Unit: "U07", Rel: unit.Path{"teams", "red", "U07", "a"}}},
		"listed":                     {"/ws/services/auth/a", none, unit.Landing{Where: unit.Sibling, Unit: "auth", Rel: unit.Path{"services", "auth", "a"}}},
		"a listed file":              {"/ws/docs/auth.md", file, unit.Landing{Where: unit.Sibling, Unit: "auth", Rel: unit.Path{"docs", "auth.md"}}},
		"shared":                     {"/ws/docs/guide.md", file, unit.Landing{Where: unit.Shared, Rel: unit.Path{"docs", "guide.md"}}},
		"the root":                   {"/ws", none, unit.Landing{Where: unit.Shared, Rel: unit.Path{}}},
		"outside":                    {"/etc/passwd", file, unit.Landing{Where: unit.Shared}},
		"a root's longer name":       {"/ws2/units/U04/a", none, unit.Landing{Where: unit.Shared}},
		"a real place":               {"/srv/u04/a", none, unit.Landing{Where: unit.Sibling, Unit: "U04", Rel: unit.Path{"units", "U04", "a"}}},
		"the own real place":         {"/srv/u03/a", none, unit.Landing{Where: unit.Own, Unit: "U03", Rel: unit.Path{"units", "U03", "a"}}},
		"in a worktree":              {"/elsewhere/wt/units/U04/a", none, unit.Landing{Where: unit.Sibling, Unit: "U04", Rel: unit.Path{"units", "U04", "a"}}},
		"own in a worktree":          {"/elsewhere/wt/units/U03/a", none, unit.Landing{Where: unit.Own, Unit: "U03", Rel: unit.Path{"units", "U03", "a"}}},
		"in a worktree inside":       {"/ws/.trees/wt/units/U04/a", none, unit.Landing{Where: unit.Sibling, Unit: "U04", Rel: unit.Path{"units", "U04", "a"}}},
		"another case":               {"/ws/UNITS/U04/a", none, unit.Landing{Where: unit.Shared, Rel: unit.Path{"UNITS", "U04", "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, scope(t).Locate(roots, split(c.path), c.plain))
		})
	}
	folding := scope(t)
	folding.Fold = true
	require.Equal(t, unit.Sibling, folding.Locate(roots, split("/WS/Units/u04/A"), none).Where)
	require.Equal(t, unit.Own, folding.Locate(roots, split("/WS/Units/u03/A"), none).Where)
}

// TestInnermostRootDecides has a worktree below the own unit: what is a sibling's
// in it is no own file because of where the worktree lies.
func TestInnermostRootDecides(t *testing.T) {
	roots := unit.Roots{split("/ws"), split("/ws/units/U03/wt")}
	none := func() bool { return false }
	require.Equal(t, unit.Sibling, scope(t).Locate(roots, split("/ws/units/U03/wt/units/U04/a"), none).Where)
	require.Equal(t, unit.Own, scope(t).Locate(roots, split("/ws/units/U03/wt/units/U03/a"), none).Where)
	require.Equal(t, unit.Own, scope(t).Locate(roots, split("/ws/units/U03/wt/docs/a"), none).Where)
}

func TestZeroLandingBlocks(t *testing.T) {
	require.Equal(t, unit.Sibling, unit.Landing{}.Where)
}

func TestAboveAndEntries(t *testing.T) {
	roots := unit.Roots{split("/ws"), split("/out/wt")}
	for p, want := range map[string][2]bool{ // above, entries
		"/": {true, false}, "/ws": {true, false}, "/out": {true, false}, "/out/wt": {true, false}, "/srv": {true, false},
		"/ws/units": {true, true}, "/out/wt/units": {true, true}, "/ws/teams": {true, false}, "/ws/teams/red": {true, true},
		"/ws/services": {true, true}, "/ws/docs": {true, true}, "/ws/units/U03": {false, false}, "/ws/units/U03/inner": {false, false},
		"/ws/src": {false, false}, "/etc": {false, false}, "/ws/docs/api": {false, false}, "/w": {false, false},
	} {
		require.Equal(t, want, [2]bool{scope(t).Above(roots, split(p)), scope(t).Entries(roots, split(p))}, p)
	}
}
