package guard_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/knobs"
)

// turn sets a knob of a dispatch, as the command line does.
func (w *world) turn(d *dispatch.Dispatch, n knobs.Name, v knobs.Value) {
	w.t.Helper()
	_, _, err := w.book.Turn(w.t.Context(), dispatch.Selector{ID: d.ID}, knobs.Event{Knob: n, Value: v, By: "me"}, nil)
	require.NoError(w.t, err)
}

// Each call goes by the knobs as they are then.
func TestKnobsAreFollowed(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Sandbox = "test" })
	opaque := func() guard.Outcome {
		c := w.shell("python3 x.py")
		c.Commands[0].Rewrites = true
		in := w.input(c)
		in.Confine = func() string { return "" }
		return guard.Decide(in)
	}
	require.Equal(t, "own_unit", w.code(w.call(write("new.md"))))
	require.NotNil(t, opaque().Confined)

	w.turn(d, knobs.Sandbox, knobs.ReadOnly)
	require.Equal(t, "read_only", w.code(w.call(write("new.md"))))
	require.Equal(t, "read_only", w.code(w.call(write(w.root+"/docs/guide.md"))))
	require.Equal(t, "read_only", w.code(w.shell("touch new.md")))
	require.Equal(t, "own_unit", w.code(w.call(read("design.md"))))
	require.NotNil(t, opaque().Confined, "it runs confined, and read-only there")

	w.turn(d, knobs.Sandbox, knobs.Off)
	require.Equal(t, "own_unit", w.code(w.call(write("new.md"))))
	out := opaque()
	require.Equal(t, guard.OpaqueCommand, out.Code)
	require.Contains(t, out.Reason, "the sandbox of this dispatch is switched off")
	require.Nil(t, out.Confined)

	w.turn(d, knobs.Opaque, knobs.Allow)
	require.True(t, opaque().Allowed())
	require.Nil(t, opaque().Confined)
	w.turn(d, knobs.Opaque, knobs.Block)
	require.Equal(t, guard.OpaqueCommand, opaque().Code)
	w.turn(d, knobs.Opaque, knobs.Confine)
	require.Equal(t, guard.OpaqueCommand, opaque().Code, "off still")
	w.turn(d, knobs.Sandbox, knobs.WorkspaceWrite)
	require.NotNil(t, opaque().Confined)
	require.Equal(t, "sibling_unit", w.code(w.call(read(w.root+"/"+sib+"/design.md"))), "no knob opens a sibling")
}

// A dispatch that was made read-only is so until "workspace-write" says otherwise.
func TestKnobLiftsReadOnly(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.ReadOnly = true })
	for _, c := range []struct {
		turn knobs.Value
		want string
	}{{"", "read_only"}, {knobs.Off, "read_only"}, {knobs.WorkspaceWrite, "own_unit"}, {knobs.ReadOnly, "read_only"}} {
		if c.turn != "" {
			w.turn(d, knobs.Sandbox, c.turn)
		}
		require.Equal(t, c.want, w.code(w.call(write("new.md"))), c.turn)
	}
}

// A knob of one dispatch is none of another's.
func TestKnobsOfSiblings(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U04", "other", nil)
	w.dispatch("U03", reviewer, nil)
	w.turn(d, knobs.Sandbox, knobs.ReadOnly)
	w.turn(d, knobs.Opaque, knobs.Allow)
	require.Equal(t, "own_unit", w.code(w.call(write("new.md"))))
	require.Equal(t, "opaque_command", w.code(w.shell("python3 x.py")))
}

// Where it is not certain whose call it is, what one of many dispatches of a name was
// turned to counts all the same.
func TestKnobsCountForTheAmbiguous(t *testing.T) {
	tree, units := []string{"docs/a.md"}, []string{}
	for i := range 20 {
		units = append(units, fmt.Sprintf("U%02d", i))
		tree = append(tree, "units/"+units[i]+"/a")
	}
	w := newWorld(t, "units/{unit}", tree, nil)
	var last *dispatch.Dispatch
	for _, u := range units {
		last = w.dispatch(u, reviewer, func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueAllow })
	}
	c := w.call(write(w.root + "/docs/a.md"))
	c.Cwd = w.root
	require.Equal(t, "shared", w.code(c))
	w.turn(last, knobs.Sandbox, knobs.ReadOnly)
	require.Equal(t, "read_only", w.code(c))
	w.turn(last, knobs.Sandbox, knobs.WorkspaceWrite)
	require.Equal(t, "shared", w.code(c))
}

// One that stands under two profiles is one dispatch, not two to choose from.
func TestTurnedIsNotAmbiguous(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, nil)
	w.turn(d, knobs.Opaque, knobs.Allow)
	require.Equal(t, "own_unit", w.code(w.call(read("design.md"))))
	w = newWorld(t, "units/{unit}", []string{"units/U1/a", "units/U2/a"}, nil)
	first := func(q *dispatch.Request) { q.Grant.FirstTouch = true }
	d = w.dispatch("U1", reviewer, first)
	w.dispatch("U2", reviewer, first)
	w.turn(d, knobs.Opaque, knobs.Allow)
	require.Equal(t, "own_unit", w.code(w.call(read(w.root+"/units/U1/a"))))
}

// No dispatched agent turns a knob, whatever stands before or behind the verb.
func TestKnobVerbsAreTheConductors(t *testing.T) {
	w := aidlc(t)
	d := string(w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueAllow }).ID)
	for _, line := range []string{
		"conduct knob set --dispatch " + d + " opaque allow", "conduct knob show --dispatch " + d, "conduct knob", "conduct --json knob show --unit U03",
		"conduct approve", "conduct approve 0123abcd --allow", "conduct approve --watch", "env -u CONDUCT_DISPATCH conduct approve 01 --allow",
		"bash -c 'conduct knob set --unit U03 sandbox off'", "cat design.md; conduct approve x --allow",
	} {
		require.Equal(t, "control_command", w.code(w.shell(line)), line)
	}
}
