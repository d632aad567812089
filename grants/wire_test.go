package grants_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
)

const id store.ID = "01HZXJ0000000000000000000A"

func full() grants.Grant {
	return grants.Grant{
		ID: id, Own: unit.Unit{Name: "U03", Paths: []string{"u/U03", "docs/u03.md"}, Reads: []string{"u/U04/api/"}, Listed: true},
		Layouts: []string{"u/{unit}"}, Listed: []unit.Unit{{Name: "U04", Paths: []string{"u/U04"}, Listed: true}},
		Aliases: []unit.Alias{{Real: "/srv/u04", At: "u/U04"}}, Fold: true,
		Opened:   []grants.Opening{{ID: "o1", Access: grants.AccessWrite, Path: "a b", Exact: true, Until: noon, Once: true}},
		ReadOnly: true, SharedRead: true, DenyTools: []string{"Write"}, MaxDepth: 2, Opaque: grants.OpaqueBlock,
		Commands: []string{"go test"}, Denied: []string{"gh"}, Observe: true, Strict: true, FirstTouch: true, Sessions: true, Quiet: true, Git: true, ConfineAll: true,
		Ask: true, AskWait: 1500 * time.Millisecond,
		Turned: []knobs.Event{
			{Seq: 1, Time: noon, Knob: knobs.Approval, Value: knobs.Never, By: "s 1"}, {Seq: 2, Time: noon, Knob: knobs.Sandbox, Value: knobs.Off, By: "me"},
		},
	}
}

func TestEncodeDecode(t *testing.T) {
	g := full()
	got, err := grants.Decode(g.Encode(), id)
	require.NoError(t, err)
	require.Equal(t, &g, got)
}

// TestDecodeWithoutOptional reads a grant from before there was a word about git, or
// about questions and knobs: nothing is opened.
func TestDecodeWithoutOptional(t *testing.T) {
	g := full()
	g.Git, g.ConfineAll, g.Ask, g.AskWait, g.Turned = false, false, false, 0, nil
	for _, name := range []string{"git", "confine_all", "ask", "ask_wait_ms", "knobs"} {
		require.NotContains(t, string(g.Encode()), `"`+name+`"`)
	}
	got, err := grants.Decode(g.Encode(), id)
	require.NoError(t, err)
	require.Equal(t, &g, got)
}

func TestDecodeGivesBackWhatWasEncoded(t *testing.T) {
	text := rapid.String()
	texts := rapid.SliceOfN(text, 0, 3)
	units := rapid.Custom(func(t *rapid.T) unit.Unit {
		return unit.Unit{
			Name: text.Draw(t, "name"), Paths: rapid.SliceOfN(text, 1, 3).Draw(t, "paths"),
			Reads: texts.Draw(t, "reads"), Listed: rapid.Bool().Draw(t, "listed"),
		}
	})
	openings := rapid.Custom(func(t *rapid.T) grants.Opening {
		o := grants.Opening{
			ID: text.Draw(t, "id"), Access: rapid.SampledFrom([]grants.Access{grants.AccessRead, grants.AccessWrite}).Draw(t, "access"),
			Path: text.Draw(t, "path"), Exact: rapid.Bool().Draw(t, "exact"), Once: rapid.Bool().Draw(t, "once"),
		}
		if rapid.Bool().Draw(t, "ends") {
			o.Until = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "until"), 0).UTC()
		}
		return o
	})
	rapid.Check(t, func(t *rapid.T) {
		g := grants.Grant{
			ID: id, Own: units.Draw(t, "own"), Layouts: texts.Draw(t, "layouts"), Listed: rapid.SliceOfN(units, 0, 3).Draw(t, "listed"),
			Opened: rapid.SliceOfN(openings, 0, 3).Draw(t, "opened"), Fold: rapid.Bool().Draw(t, "fold"),
			ReadOnly: rapid.Bool().Draw(t, "read only"), SharedRead: rapid.Bool().Draw(t, "shared"), DenyTools: texts.Draw(t, "deny"),
			MaxDepth: rapid.IntRange(0, 9).Draw(t, "depth"),
			Opaque:   rapid.SampledFrom([]grants.Opaque{grants.OpaqueAllow, grants.OpaqueBlock, grants.OpaqueConfine}).Draw(t, "opaque"),
			Commands: texts.Draw(t, "commands"), Denied: texts.Draw(t, "denied"), Observe: rapid.Bool().Draw(t, "observe"),
			Git: rapid.Bool().Draw(t, "git"), ConfineAll: rapid.Bool().Draw(t, "confine all"),
		}
		data := g.Encode()
		got, err := grants.Decode(data, id)
		require.NoError(t, err)
		require.Equal(t, string(data), string(got.Encode()))
		require.Equal(t, g.Own.Name, got.Own.Name)
		require.Equal(t, g.Profile(), got.Profile())
	})
}

// TestDecodeRefusesWhatIsNotWhole takes a member out of a grant, puts one in, and
// spoils values: none of it may be read as a grant that allows more, or less.
func TestDecodeRefusesWhatIsNotWhole(t *testing.T) {
	g := full()
	good := string(g.Encode())
	for name, edit := range map[string]func(string) string{
		"empty":              func(string) string { return "" },
		"null":               func(string) string { return "null" },
		"array":              func(s string) string { return "[" + s + "]" },
		"torn":               func(s string) string { return s[:len(s)/2] },
		"trailing data":      func(s string) string { return s + "{}" },
		"newer":              replace(`"schema":1`, `"schema":2`),
		"another's":          replace(string(id), strings.Replace(string(id), "A", "B", 1)),
		"unknown field":      replace(`{"schema"`, `{"more":1,"schema"`),
		"twice":              replace(`"read_only":true`, `"read_only":true,"read_only":false`),
		"twice but for case": replace(`"read_only":true`, `"read_only":true,"READ_ONLY":false`),
		"no read_only":       replace(`"read_only":true,`, ``),
		"no layouts":         replace(`"layouts":["u/{unit}"],`, ``),
		"a unit of no place": replace(`"paths":["u/U03","docs/u03.md"]`, `"paths":[]`),
		"a unit's paths":     replace(`"paths":["u/U04"],`, ``),
		"policy":             replace(`"opaque":"block"`, `"opaque":"maybe"`),
		"no policy":          replace(`"opaque":"block"`, `"opaque":""`),
		"an opening's end":   replace(`"until":"2026-05-04T12:00:00Z",`, ``),
		"an opening's once":  replace(`,"once":true`, ``),
		"an access":          replace(`"access":"write"`, `"access":"all"`),
		"a real place":       replace(`,"at":"u/U04"`, ``),
		"a number for text":  replace(`"real":"/srv/u04"`, `"real":4`),
		"text for a boolean": replace(`"observe":true`, `"observe":"true"`),
		"a turn's knob":      replace(`"knob":"sandbox"`, `"knob":"volume"`),
		"a turn's value":     replace(`"value":"off"`, `"value":"ask"`),
		"a turn's order":     replace(`"seq":2`, `"seq":1`),
		"a turn's time":      replace(`,"time":"2026-05-04T12:00:00Z","knob":"sandbox"`, `,"knob":"sandbox"`),
		"a turn's more":      replace(`"by":"me"`, `"by":"me","to":1`),
		"no time to wait":    replace(`"ask_wait_ms":1500`, `"ask_wait_ms":-1`),
		"a long wait":        replace(`"ask_wait_ms":1500`, `"ask_wait_ms":600001`),
		"a question":         replace(`"ask":true`, `"ask":"yes"`),
		"invalid UTF-8":      replace(`/srv/u04`, "/srv/\xff"),
	} {
		t.Run(name, func(t *testing.T) {
			bad := edit(good)
			require.NotEqual(t, good, bad)
			got, err := grants.Decode([]byte(bad), id)
			require.ErrorIs(t, err, store.ErrDamaged)
			require.Nil(t, got)
		})
	}
}

func replace(old, new string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, new, 1) }
}

func FuzzDecode(f *testing.F) {
	g := full()
	f.Add(g.Encode())
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := grants.Decode(data, id)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			return
		}
		again, err := grants.Decode(got.Encode(), id)
		require.NoError(t, err, "what was read cannot be written and read again")
		require.Equal(t, string(got.Encode()), string(again.Encode()))
	})
}
