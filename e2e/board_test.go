//go:build linux && e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// peer is one of two workers that run at the same time, each with an item of its own.
type peer struct {
	role, unit, item, dispatch, line, secret string
	steps                                    []step
	turns                                    []model.Turn
	done                                     <-chan struct{}
}

// Two workers of one type, in parallel in a real program, each try the other's id: for
// its brief, to report, to read its inbox, by the shell and by our tools. They write to
// each other by way of the conductor only, and a message waits until it is fetched.
func TestWorkersAskForEachOther(t *testing.T) {
	for _, sv := range servers() {
		switch sv.program.name {
		case "claude-code", "opencode", "qwen-code": // several agents at once, each known by an id
			t.Run(sv.program.name, func(t *testing.T) {
				need(t, sv.program.pack, nodePackage())
				askEachOther(t, sv)
			})
		}
	}
}

func newPeer(w *world, role, unit, secret string) *peer {
	a := &peer{role: role, unit: unit, secret: secret, line: w.dispatch(unit, "worker")}
	a.item = strings.TrimSpace(w.conduct("board", "create", "--title", "item of "+unit, "--acceptance", secret))
	a.dispatch = strings.TrimPrefix(a.line, "conduct:")
	w.conduct("board", "bind", "--item", a.item, "--dispatch", a.dispatch)
	return a
}

// script makes the worker's turns.
func (a *peer) script(sv server, other *peer, more ...step) {
	shell := func(line string) model.Call { return sv.program.tools.shell(line) }
	a.steps = append([]step{
		{call: shell("conduct brief --dispatch " + a.dispatch)},
		{call: shell("conduct report --dispatch " + a.dispatch + " --kind progress 'words of " + a.role + "'")},
		{call: shell("conduct brief --dispatch " + other.dispatch)},
		{call: shell("conduct report --dispatch " + other.dispatch + " --kind done FORGED")},
		{call: shell("conduct inbox --dispatch " + other.dispatch)},
		{call: sv.call("conduct", "work_brief", "dispatch", a.dispatch)},
		{call: sv.call("conduct", "work_brief", "dispatch", other.dispatch)},
		{call: sv.call("conduct", "work_message", "dispatch", other.dispatch, "action", "read")},
		{call: shell("conduct message --dispatch " + a.dispatch + " --to " + other.item + " TOO-EARLY")},
		{call: shell("conduct request --dispatch " + a.dispatch + " --kind channel --to " + other.item + " 'may I?'")},
	}, more...)
	a.turns, a.done = ends(play(a.role, a.steps), sv.program)
}

func askEachOther(t *testing.T, sv server) {
	w := newWorld(t)
	w.hook(sv.program)
	a, b := newPeer(w, "first", "U03", "ACCEPT-THREE"), newPeer(w, "second", "U04", "ACCEPT-FOUR")
	p := sv.equipped()
	meet := meeting(2)
	// The conductor opens the channel when both have asked; the second one fetches when
	// the first one has written.
	asked, wrote := make(chan struct{}), make(chan struct{})
	a.script(sv, b,
		step{before: func() {
			await(asked)
			w.conduct("channel", "open", "--from", a.item, "--to", b.item, "--messages", "2")
		}, call: p.tools.shell("conduct message --dispatch " + a.dispatch + " --to " + b.item + " 'HELLO-FOUR'")},
		step{before: func() { close(wrote) }, call: p.tools.shell("conduct brief --dispatch " + a.dispatch)},
	)
	b.script(sv, a,
		step{before: func() { close(asked); await(wrote) }, call: p.tools.shell("conduct brief --dispatch " + b.dispatch)},
		step{call: p.tools.shell("conduct inbox --dispatch " + b.dispatch)},
		step{call: p.tools.shell("conduct inbox --dispatch " + b.dispatch)},
	)
	a.turns[0].Before, b.turns[0].Before = meet.arrive, meet.arrive
	launch := model.Turn{}
	for _, x := range []*peer{a, b} {
		launch.Calls = append(launch.Calls, p.tools.launch("worker", model.Prompt(x.role, "do the work")+"\n"+x.line).As("launch-"+x.role))
	}
	ended := false
	s := w.run(p, model.Script{"first": a.turns, "second": b.turns, "root": {launch, {Before: func() { ended = await(a.done, b.done) }, Text: "done"}}})
	require.True(t, ended && meet.met(), "the workers did not run at the same time, to their ends")

	for _, x := range []*peer{a, b} {
		other := a
		if x == a {
			other = b
		}
		said := func(n int) string {
			text, ok := s.model.Result(x.role, x.steps[n].call.Key)
			require.True(t, ok, "%s %d: no result; offered: %v", x.role, n, s.model.Tools(x.role))
			return text
		}
		require.Contains(t, said(0), x.secret)
		require.Contains(t, said(1), "reported")
		for _, n := range []int{2, 3, 4} {
			require.Contains(t, said(n), "that command is the conductor's", "%s %d", x.role, n)
		}
		require.Contains(t, said(5), x.secret)
		require.Contains(t, said(6), "with your own id")
		require.Contains(t, said(7), "with your own id")
		require.Contains(t, said(8), "there is no channel to item")
		require.Contains(t, said(9), "asked for a channel")
		require.False(t, s.model.Saw(x.role, other.secret), "%s was sent the acceptance of the other", x.role)
		require.False(t, s.model.Saw(x.role, "words of "+other.role), "%s was sent what the other reported", x.role)
		require.NotContains(t, w.conduct("board", "show", "--item", x.item), "FORGED")
	}
	result := func(x *peer, n int) string {
		text, _ := s.model.Result(x.role, x.steps[n].call.Key)
		return text
	}
	require.Contains(t, result(a, 10), "put into the inbox")
	require.Contains(t, result(b, 10), "1 unread")
	require.Contains(t, result(b, 11), "HELLO-FOUR")
	require.Contains(t, result(b, 12), "no messages")
	require.NotContains(t, result(b, 10), "HELLO-FOUR", "a message is in no answer but the inbox's")
}
