package unit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/unit"
)

func workspace() *fake {
	return newFake(tree{
		"/ws/units/U03/a": "text", "/ws/units/U04/a": "text", "/ws/units/README.md": "text", "/ws/units/.hidden/a": "text",
		"/ws/units/U05": "->/srv/u05", "/srv/u05/a": "text", "/ws/units/file": "->README.md", "/ws/units/gone": "->nowhere",
		"/ws/teams/red/U03/a": "text", "/ws/teams/red/U08/a": "text", "/ws/teams/blue/U09/a": "text", "/ws/teams/note": "text",
		"/ws/services/auth/a": "text",
	})
}

func set(t testing.TB, ls ...string) unit.Set {
	return unit.Set{Root: split("/ws"), Layouts: layouts(t, ls...), Listed: []unit.Unit{
		{Name: "auth", Paths: []string{"services/auth", "docs/auth.md"}, Listed: true},
	}}
}

func TestAll(t *testing.T) {
	got, err := set(t, "units/{unit}", "teams/*/{unit}", "none/{unit}").All(workspace(), 0)
	require.NoError(t, err)
	require.Equal(t, []unit.Unit{
		{Name: "U03", Paths: []string{"teams/red/U03"}}, {Name: "U03", Paths: []string{"units/U03"}},
		{Name: "U04", Paths: []string{"units/U04"}}, {Name: "U05", Paths: []string{"units/U05"}},
		{Name: "U08", Paths: []string{"teams/red/U08"}}, {Name: "U09", Paths: []string{"teams/blue/U09"}},
		{Name: "auth", Paths: []string{"services/auth", "docs/auth.md"}, Listed: true},
	}, got)
	got, err = set(t, "units/{unit}").All(workspace(), 2)
	require.NoError(t, err)
	require.Len(t, got, 2)
}

func TestLookup(t *testing.T) {
	s := set(t, "units/{unit}", "teams/*/{unit}")
	for name, want := range map[string]string{
		"U04": "units/U04", "units/U04": "units/U04", "units/U04/": "units/U04", "U05": "units/U05", "U08": "teams/red/U08",
		"units/U03": "units/U03", "teams/red/U03": "teams/red/U03", "auth": "services/auth", "services/auth": "services/auth",
		"docs/auth.md": "services/auth",
	} {
		got, err := s.Lookup(workspace(), name)
		require.NoError(t, err, name)
		require.Equal(t, want, got.Paths[0], name)
	}
	for _, name := range []string{
		"", "U99", "README.md", "units", "units/README.md", "units/../units/U04", "../ws/units/U04", "/ws/units/U04", ".", "..",
		"units/U04/a", "teams/green/U03", "u04", "units//U04", "gone", "file", "U04\n", "*", "{unit}", "units/*", "units/.",
	} {
		_, err := s.Lookup(workspace(), name)
		require.ErrorIs(t, err, unit.ErrUnknown, "%q", name)
	}
	_, err := s.Lookup(workspace(), "U03")
	require.ErrorIs(t, err, unit.ErrTwoPlaces)
	var places *unit.PlacesError
	require.ErrorAs(t, err, &places)
	require.ElementsMatch(t, []string{"units/U03", "teams/red/U03"}, places.Paths)
	twice := set(t, "units/{unit}", "teams/*/{unit}", "*/{unit}")
	got, err := twice.Lookup(workspace(), "U04")
	require.NoError(t, err, "two layouts that find one place")
	require.Equal(t, []string{"units/U04"}, got.Paths)
}

func TestRealPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		tree   tree
		layout string
		listed []unit.Unit
		want   []unit.Alias
	}{
		"none":           {tree{"/ws/units/U03/a": "x"}, "units/{unit}", nil, nil},
		"a linked unit":  {tree{"/ws/units/U04": "->/srv/u04", "/srv/u04/a": "x"}, "units/{unit}", nil, []unit.Alias{{Real: "/srv/u04", At: "units/U04"}}},
		"a linked fixed": {tree{"/ws/units": "->../srv", "/srv/U04/a": "x"}, "units/{unit}", nil, []unit.Alias{{Real: "/srv", At: "units"}}},
		"a linked star":  {tree{"/ws/t/red": "->/srv", "/srv/U04/a": "x"}, "t/*/{unit}", nil, []unit.Alias{{Real: "/srv", At: "t/red"}}},
		"a link below a linked one": {
			tree{"/ws/units": "->/srv", "/srv/U04": "->/deep/u04", "/deep/u04/a": "x"}, "units/{unit}", nil,
			[]unit.Alias{{Real: "/srv", At: "units"}, {Real: "/deep/u04", At: "units/U04"}},
		},
		"a link to nowhere":   {tree{"/ws/units/U04": "->gone", "/ws/units/U03/a": "x"}, "units/{unit}", nil, nil},
		"a link to a file":    {tree{"/ws/units/U04": "->../f", "/ws/f": "x"}, "units/{unit}", nil, nil},
		"a loop":              {tree{"/ws/units/U04": "->U04"}, "units/{unit}", nil, nil},
		"listed":              {tree{"/ws/s/auth": "->/srv/auth", "/srv/auth/a": "x"}, "units/{unit}", []unit.Unit{{Name: "auth", Paths: []string{"s/auth"}}}, []unit.Alias{{Real: "/srv/auth", At: "s/auth"}}},
		"listed below a link": {tree{"/ws/s": "->/srv", "/srv/auth/a": "x"}, "units/{unit}", []unit.Unit{{Name: "auth", Paths: []string{"s/auth"}}}, []unit.Alias{{Real: "/srv/auth", At: "s/auth"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := unit.Set{Root: split("/ws"), Layouts: layouts(t, c.layout), Listed: c.listed}
			got, err := s.RealPlaces(newFake(c.tree))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	s := unit.Set{Root: split("/ws"), Listed: []unit.Unit{{Name: "auth", Paths: []string{"loop/auth"}}}}
	_, err := s.RealPlaces(newFake(tree{"/ws/loop": "->loop"}))
	require.ErrorIs(t, err, unit.ErrUnresolvable)
}

func TestRealPlacesOfMounts(t *testing.T) {
	f := newFake(tree{"/ws/units/U04/a": "x", "/vol/u04/a": "x"})
	f.points["/ws/units/U04"] = true
	f.table = []unit.Mount{{Dev: "8:1", Root: "/", Point: "/"}, {Dev: "8:1", Root: "/vol/u04", Point: "/ws/units/U04"}}
	s := unit.Set{Root: split("/ws"), Layouts: layouts(t, "units/{unit}")}
	got, err := s.RealPlaces(f)
	require.NoError(t, err)
	require.Equal(t, []unit.Alias{{Real: "/vol/u04", At: "units/U04"}}, got)
}

func TestFolds(t *testing.T) {
	f := newFake(tree{"/ws/Units/a": "x", "/7/8/a": "x", "/ws/UNITS/b": "x"})
	require.False(t, unit.Folds(f, split("/ws/Units")), "two folders, one name but for its case")
	require.False(t, unit.Folds(f, split("/7/8")), "names without a case")
	require.False(t, unit.Folds(f, split("/")))
	g := newFake(tree{"/ws/Units/a": "x"})
	require.False(t, unit.Folds(g, split("/ws/Units")))
	g.fold = true
	require.True(t, unit.Folds(g, split("/ws/Units")))
}
