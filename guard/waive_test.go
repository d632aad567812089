package guard_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
)

// approved judges a call with a person's yes, and returns what that let through.
func (w *world) approved(id store.ID, c guard.Call) (code string, waived []string) {
	w.t.Helper()
	in := w.input(c)
	in.Approved = id
	in.Confine = func() string { return "" }
	out := guard.Decide(in)
	for _, d := range out.Waived {
		waived = append(waived, d.Waived.String()+" "+strings.ReplaceAll(d.Target, w.root, "$R"))
	}
	if !out.Allowed() {
		require.NotEmpty(w.t, out.Reason)
	}
	require.Nil(w.t, out.Confined)
	return out.Code.String(), waived
}

// With a yes, what the grant keeps from the agent goes through, and is named; what is
// kept from everybody blocks the call as before.
func TestApproved(t *testing.T) {
	plain := func(*dispatch.Request) {}
	readOnly := func(q *dispatch.Request) { q.Grant.ReadOnly = true }
	denied := func(q *dispatch.Request) {
		q.Grant.DenyTools, q.Grant.Denied = []string{"Tool"}, []string{"gh pr diff"}
	}
	sharedRead := func(q *dispatch.Request) { q.Grant.SharedRead = true }
	boxed := func(q *dispatch.Request) { q.Grant.Sandbox = "test" }
	file := func(targets ...guard.Target) func(*world) guard.Call {
		return func(w *world) guard.Call {
			c := w.call(targets...)
			for i := range c.Targets {
				c.Targets[i].Path = strings.ReplaceAll(c.Targets[i].Path, "$R", w.root)
			}
			return c
		}
	}
	line := func(text string) func(*world) guard.Call {
		return func(w *world) guard.Call {
			c := w.shell(strings.ReplaceAll(text, "$R", w.root))
			c.Commands[0].Rewrites = true
			return c
		}
	}
	foreign := func(w *world) guard.Call {
		c := w.shell("Get-Content ..\\U04\\design.md")
		c.Commands[0].Foreign = true
		return c
	}
	for name, c := range map[string]struct {
		grant  func(*dispatch.Request)
		call   func(*world) guard.Call
		want   string
		waived []string
	}{
		"a sibling's file":          {plain, file(read("../U04/design.md")), "exempt", []string{"sibling_unit ../U04/design.md"}},
		"written":                   {plain, file(write("../U04/new.md")), "exempt", []string{"sibling_unit ../U04/new.md"}},
		"two of them, one own":      {plain, file(read("../U04/a"), read("design.md"), read("../U03-old/a")), "exempt", []string{"sibling_unit ../U04/a", "sibling_unit ../U03-old/a"}},
		"a search of a sibling":     {plain, file(search("../U04")), "exempt", []string{"sibling_unit ../U04"}},
		"a list of the units":       {plain, file(list("..")), "exempt", []string{"sibling_search .."}},
		"a search of the units":     {plain, file(search("..")), "exempt", []string{"sibling_search .."}},
		"a pattern over siblings":   {plain, file(glob("../*/design.md")), "exempt", []string{"sibling_search ../*/design.md"}},
		"a guess":                   {plain, file(guess("../U04/design.md")), "exempt", []string{"sibling_unit ../U04/design.md"}},
		"read-only":                 {readOnly, file(write("new.md")), "exempt", []string{"read_only new.md"}},
		"shared read-only":          {sharedRead, file(write("$R/docs/guide.md")), "exempt", []string{"read_only $R/docs/guide.md"}},
		"a tool":                    {denied, file(read("design.md")), "exempt", []string{"tool_denied Tool"}},
		"a tool and a sibling":      {denied, file(read("../U04/a")), "exempt", []string{"tool_denied Tool", "sibling_unit ../U04/a"}},
		"a command":                 {denied, line("gh pr diff 7"), "exempt", []string{"tool_denied gh", "opaque_command gh pr diff 7"}},
		"an opaque command":         {plain, line("python3 x.py"), "exempt", []string{"opaque_command python3 x.py"}},
		"a line with a sibling":     {plain, line("cat design.md ../U04/design.md"), "exempt", []string{"sibling_unit ../U04/design.md"}},
		"a line over siblings":      {plain, line("grep -r x .."), "exempt", []string{"sibling_search .."}},
		"a pattern of the shell":    {plain, line("cat ../U0[4]/design.md"), "exempt", []string{"sibling_search ../U0[4]/design.md"}},
		"nothing is confined then":  {boxed, line("cat ../U04/a | python3 x.py"), "exempt", []string{"sibling_unit ../U04/a", "opaque_command cat ../U04/a | python3 x.py"}},
		"what needs no yes":         {plain, file(read("design.md")), "own_unit", nil},
		"the records":               {plain, file(read("$R/.conduct/workspace.json")), "protected", nil},
		"a sibling and the records": {plain, file(read("../U04/a"), read("$R/.conduct/workspace.json")), "protected", []string{"sibling_unit ../U04/a"}},
		"read there, write here":    {plain, line("cat ../U04/design.md > $R/conduct.yaml"), "protected", nil},
		"git's objects":             {plain, line("cat ../U04/a $R/.git/objects/ab/cd"), "protected", []string{"sibling_unit ../U04/a"}},
		"a search of everything":    {plain, file(search("$R")), "sibling_search", nil},
		"the same by a line":        {plain, line("grep -r x $R"), "sibling_search", nil},
		"the same by a pattern":     {plain, file(guard.Target{Op: guard.Search, Path: "$R", Pattern: "**/*.md"}), "sibling_search", nil},
		"above everything":          {plain, line("rm -rf $R"), "sibling_unit", nil},
		"a conductor's verb":        {plain, line("cat ../U04/a; conduct off --for 1h"), "control_command", nil},
		"its own approval":          {plain, line("conduct approve 0123abcd --allow"), "control_command", nil},
		"another agent":             {plain, line("cat ../U04/a; claude -p x"), "depth_exceeded", nil},
		"what does not parse":       {plain, line("cat ../U04/a; if"), "opaque_command", nil},
		"another kind of shell":     {plain, foreign, "opaque_command", nil},
		"where it leads is unknown": {plain, file(read("a\x01b")), "unresolvable", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := aidlc(t)
			d := w.dispatch("U03", reviewer, c.grant)
			code, waived := w.approved(d.ID, c.call(w))
			require.Equal(t, c.want, code)
			require.Equal(t, c.waived, waived)

			other := w.dispatch("U04", "other", nil)
			without := w.code(c.call(w))
			code, waived = w.approved(other.ID, c.call(w))
			require.Equal(t, without, code, "a yes to another dispatch is none to this")
			require.Empty(t, waived)
		})
	}
}

// A link may lead into a sibling and its cleaned name to what is protected: a yes to the
// one is none to the other.
func TestApprovedReadings(t *testing.T) {
	w := newWorld(t, "units/{unit}", []string{"units/U03/a", "units/U04/sub/a", "units/U03/.conduct/x"}, map[string]string{"units/U03/out": "$R/units/U04/sub"})
	d := w.dispatch("U03", reviewer, nil)
	c := w.call(read("out/../.conduct/x"))
	c.Cwd = w.root + "/units/U03"
	code, _ := w.approved(d.ID, c)
	require.Equal(t, "protected", code)
}

// A worker's verb in a line that was allowed, and so is not confined, names its dispatch
// as in every line that runs as it is.
func TestApprovedVerbs(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Sandbox = "test" })
	c := w.shell("conduct brief; cat ../U04/a | python3 x.py")
	c.Commands[0].Rewrites = true
	in := w.input(c)
	in.Approved = d.ID
	in.Change = func() string { return "" }
	in.Confine = in.Change
	out := guard.Decide(in)
	require.True(t, out.Allowed(), out.Reason)
	require.Nil(t, out.Confined)
	require.Contains(t, out.Command, "conduct brief --dispatch "+string(d.ID)+";")
}

// What is over, ambiguous or nobody's is no question, and no yes helps it.
func TestNotAskable(t *testing.T) {
	ask := func(q *dispatch.Request) { q.Grant.Ask = true }
	asks := func(w *world, c guard.Call) bool {
		out := w.decide(c)
		at, ok := out.Asks()
		require.Equal(t, ok, out.Rulings[at].Asks && !out.Allowed())
		return ok
	}
	sibling := read("../U04/design.md")
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, ask)
	require.True(t, asks(w, w.call(sibling)))
	require.False(t, asks(w, w.call(read("design.md"))))
	require.False(t, asks(w, w.call(read(w.root+"/.conduct/x"))))
	require.False(t, asks(w, w.shell("conduct approve")))
	w.turn(d, knobs.Approval, knobs.Never)
	require.False(t, asks(w, w.call(sibling)), "a knob outranks the default")
	w.turn(d, knobs.Approval, knobs.Ask)
	require.True(t, asks(w, w.call(sibling)))
	code, _ := w.approved(d.ID, w.call(sibling))
	require.Equal(t, "exempt", code)
	w.turn(d, knobs.Approval, knobs.Never)
	code, _ = w.approved(d.ID, w.call(sibling))
	require.Equal(t, "exempt", code, "an escalation outranks a knob")
	w.turn(d, knobs.Approval, knobs.Ask)

	w.clock.pass(7 * 60 * 60 * 1e9)
	require.Equal(t, "expired", w.code(w.call(sibling)))
	require.False(t, asks(w, w.call(sibling)))
	code, _ = w.approved(d.ID, w.call(sibling))
	require.Equal(t, "expired", code)

	w = aidlc(t)
	d = w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Ask, q.Grant.ReadOnly = true, true })
	shared := write(w.root + "/docs/guide.md")
	require.True(t, asks(w, w.call(shared)))
	w.clock.pass(7 * 60 * 60 * 1e9)
	require.Equal(t, "read_only", w.code(w.call(shared)), "it is over, and what was read-only stays so")
	require.False(t, asks(w, w.call(shared)))
	code, _ = w.approved(d.ID, w.call(shared))
	require.Equal(t, "read_only", code)

	w = aidlc(t)
	d = w.dispatch("U03", reviewer, ask)
	w.dispatch("U04", reviewer, ask)
	require.Equal(t, "ambiguous", w.code(w.call(sibling)))
	require.False(t, asks(w, w.call(sibling)))
	code, _ = w.approved(d.ID, w.call(sibling))
	require.Equal(t, "ambiguous", code)

	w = aidlc(t)
	d = w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Ask, q.Grant.Observe = true, true })
	require.Equal(t, "would_block", w.code(w.call(sibling)))
	require.False(t, asks(w, w.call(sibling)))
	w.store.Damage(d.ID, "torn")
	require.Equal(t, "record_damaged", w.code(w.call(sibling)))
	require.False(t, asks(w, w.call(sibling)))
}

// Two workspaces that both block are no question to one.
func TestNotAskableInTwoWorkspaces(t *testing.T) {
	a, b := aidlc(t), aidlc(t)
	ask := func(q *dispatch.Request) { q.Grant.Ask = true }
	a.dispatch("U03", reviewer, ask)
	b.dispatch("U03", reviewer, ask)
	in := a.input(a.call(read("../U04/a"), read(b.root+"/"+sib+"/a")))
	in.Workspaces = append(in.Workspaces, guard.Workspace{Root: b.set.Root, Records: b.book, Roots: func() unit.Roots { return b.roots }})
	out := guard.Decide(in)
	require.False(t, out.Allowed())
	_, ok := out.Asks()
	require.False(t, ok)
}

func TestAskable(t *testing.T) {
	var got []string
	for _, c := range guard.Codes() {
		if c.Askable() {
			require.False(t, c.Allows())
			got = append(got, c.String())
		}
	}
	require.Equal(t, []string{"sibling_unit", "sibling_search", "read_only", "tool_denied", "opaque_command"}, got)
}

func TestAskedReason(t *testing.T) {
	got := guard.Asked(strings.Repeat("é", 500), "rejected")
	require.Equal(t, guard.MaxReason, utf8.RuneCountInString(got))
	require.True(t, strings.HasSuffix(got, " A person was asked whether this call may go through: rejected."))
	require.Equal(t, "no. A person was asked whether this call may go through: unavailable.", guard.Asked("no.", "unavailable"))
}
