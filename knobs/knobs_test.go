package knobs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/knobs"
)

func defaults() knobs.Settings {
	return knobs.Settings{Sandbox: knobs.WorkspaceWrite, Approval: knobs.Never, Opaque: knobs.Confine}
}

func TestParse(t *testing.T) {
	for _, n := range knobs.Names() {
		for _, v := range n.Values() {
			gotName, gotValue, err := knobs.Parse(string(n), string(v))
			require.NoError(t, err)
			require.Equal(t, n, gotName)
			require.Equal(t, v, gotValue)
		}
	}
	for _, bad := range [][2]string{{"", ""}, {"Sandbox", "off"}, {"sandbox", ""}, {"sandbox", "never"}, {"opaque", "ASK"}, {"approval", "allow"}} {
		_, _, err := knobs.Parse(bad[0], bad[1])
		require.ErrorIs(t, err, knobs.ErrUnknown, bad)
	}
}

// The order of precedence, whole: an escalation over a knob, a knob over the default,
// and nobody is asked where "never" counts or nothing may be asked.
func TestJudge(t *testing.T) {
	ask, never := defaults(), defaults()
	ask.Approval = knobs.Ask
	turn := func(vs ...knobs.Value) (out []knobs.Event) {
		for i, v := range vs {
			out = append(out, knobs.Event{Seq: i + 1, Knob: knobs.Approval, Value: v})
		}
		return out
	}
	for _, c := range []struct {
		name               string
		askable, escalated bool
		defaults           knobs.Settings
		events             []knobs.Event
		want               knobs.Verdict
	}{
		{"default never", true, false, never, nil, knobs.Stands},
		{"default ask", true, false, ask, nil, knobs.Asks},
		{"a knob over the default: ask", true, false, never, turn(knobs.Ask), knobs.Asks},
		{"a knob over the default: never", true, false, ask, turn(knobs.Never), knobs.Stands},
		{"the last turn counts", true, false, never, turn(knobs.Ask, knobs.Never, knobs.Ask), knobs.Asks},
		{"the last turn counts, never", true, false, ask, turn(knobs.Ask, knobs.Never), knobs.Stands},
		{"another knob says nothing", true, false, never, []knobs.Event{{Knob: knobs.Opaque, Value: knobs.Allow}}, knobs.Stands},
		{"an escalation over the default", true, true, never, nil, knobs.Passes},
		{"an escalation over a knob", true, true, ask, turn(knobs.Never), knobs.Passes},
		{"an escalation needs no question", true, true, ask, nil, knobs.Passes},
		{"not askable, ask", false, false, ask, turn(knobs.Ask), knobs.Stands},
		{"not askable, escalated", false, true, ask, turn(knobs.Ask), knobs.Stands},
		{"no settings at all", true, false, knobs.Settings{}, nil, knobs.Stands},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, knobs.Judge(c.askable, c.escalated, c.defaults, c.events))
		})
	}
	require.Zero(t, knobs.Stands, "the zero value must be a block")
}

func TestTreat(t *testing.T) {
	for _, c := range []struct {
		sandbox, opaque knobs.Value
		want            knobs.Treatment
	}{
		{knobs.WorkspaceWrite, knobs.Confine, knobs.InABox}, {knobs.ReadOnly, knobs.Confine, knobs.InABox}, {knobs.Off, knobs.Confine, knobs.Unboxed},
		{knobs.WorkspaceWrite, knobs.Block, knobs.Refuse}, {knobs.ReadOnly, knobs.Block, knobs.Refuse}, {knobs.Off, knobs.Block, knobs.Refuse},
		{knobs.WorkspaceWrite, knobs.Allow, knobs.AsItIs}, {knobs.ReadOnly, knobs.Allow, knobs.AsItIs}, {knobs.Off, knobs.Allow, knobs.AsItIs},
		{"", "", knobs.Refuse},
	} {
		require.Equal(t, c.want, knobs.Settings{Sandbox: c.sandbox, Opaque: c.opaque}.Treat(), "%s, %s", c.sandbox, c.opaque)
	}
}

func TestPlan(t *testing.T) {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	var events []knobs.Event
	turn := func(n knobs.Name, v knobs.Value, by string) error {
		e, err := knobs.Plan(defaults(), events, knobs.Event{Time: at, Knob: n, Value: v, By: by})
		if err == nil {
			events = append(events, e)
		}
		return err
	}
	require.ErrorIs(t, turn(knobs.Opaque, knobs.Confine, "me"), knobs.ErrSame, "the default is so already")
	require.NoError(t, turn(knobs.Opaque, knobs.Block, "me"))
	require.ErrorIs(t, turn(knobs.Opaque, knobs.Block, "you"), knobs.ErrSame)
	require.ErrorIs(t, turn(knobs.Opaque, knobs.Ask, "me"), knobs.ErrUnknown)
	require.ErrorIs(t, turn("", knobs.Ask, "me"), knobs.ErrUnknown)
	require.ErrorIs(t, turn(knobs.Opaque, knobs.Allow, "a\nb"), knobs.ErrBy)
	require.ErrorIs(t, turn(knobs.Opaque, knobs.Allow, strings.Repeat("x", knobs.MaxBy+1)), knobs.ErrBy)
	require.NoError(t, turn(knobs.Opaque, knobs.Confine, strings.Repeat("x", knobs.MaxBy)), "back to the default is a change")
	last, ok := knobs.Last(events, knobs.Opaque)
	require.True(t, ok)
	require.Equal(t, 2, last.Seq)
	_, ok = knobs.Last(events, knobs.Sandbox)
	require.False(t, ok)
	for i := len(events); i < knobs.MaxEvents; i++ {
		require.NoError(t, turn(knobs.Approval, []knobs.Value{knobs.Ask, knobs.Never}[i%2], "me"))
	}
	require.ErrorIs(t, turn(knobs.Sandbox, knobs.Off, "me"), knobs.ErrFull)
	require.ErrorIs(t, turn(knobs.Opaque, knobs.Confine, "me"), knobs.ErrSame, "what changes nothing needs no room")
	require.NoError(t, knobs.Check(events))
}

func TestCheck(t *testing.T) {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	good := knobs.Event{Seq: 1, Time: at, Knob: knobs.Approval, Value: knobs.Ask}
	require.NoError(t, knobs.Check(nil))
	require.NoError(t, knobs.Check([]knobs.Event{good}))
	for name, bad := range map[string][]knobs.Event{
		"twice":       {good, good},
		"a gap":       {{Seq: 2, Time: at, Knob: knobs.Approval, Value: knobs.Ask}},
		"no time":     {{Seq: 1, Knob: knobs.Approval, Value: knobs.Ask}},
		"no knob":     {{Seq: 1, Time: at, Value: knobs.Ask}},
		"not a value": {{Seq: 1, Time: at, Knob: knobs.Approval, Value: knobs.Off}},
		"too many":    make([]knobs.Event, knobs.MaxEvents+1),
	} {
		require.Error(t, knobs.Check(bad), name)
	}
}

// Whatever was turned: of each knob the last value counts, the others are as they were,
// and folding in two steps is folding at once.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []knobs.Event
		want := map[knobs.Name]knobs.Value{}
		for _, n := range rapid.SliceOfN(rapid.SampledFrom(knobs.Names()), 0, 20).Draw(t, "knobs") {
			v := rapid.SampledFrom(n.Values()).Draw(t, "value")
			events, want[n] = append(events, knobs.Event{Knob: n, Value: v}), v
		}
		got := knobs.Fold(defaults(), events)
		for _, n := range knobs.Names() {
			expected, turned := want[n]
			if !turned {
				expected = defaults().Of(n)
			}
			require.Equal(t, expected, got.Of(n))
		}
		k := rapid.IntRange(0, len(events)).Draw(t, "cut")
		require.Equal(t, got, knobs.Fold(knobs.Fold(defaults(), events[:k]), events[k:]))
	})
}
