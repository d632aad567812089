//go:build linux && e2e

package e2e

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// pair is one of two agents that run at the same time.
type pair struct {
	role, unit, other, agent string
	line                     string
	tied                     bool // its prompt has the launch line
	steps                    []step
}

func (a *pair) launch(p program) model.Call {
	prompt := model.Prompt(a.role, "review the unit")
	if a.tied {
		prompt += "\n" + a.line
	}
	return p.tools.launch(a.agent, prompt).As("launch-" + a.role)
}

// parallel is a session of two agents, one on U03 and one on U04: of two types
// and without launch lines, or of one type and with them.
func parallel(t *testing.T, p program, res *results, scenario string, types [2]string) {
	w := newWorld(t)
	w.hook(p)
	agents := []*pair{
		{role: "first", unit: "U03", other: "U04", agent: types[0]},
		{role: "second", unit: "U04", other: "U03", agent: types[1]},
	}
	for _, a := range agents {
		a.line, a.tied = w.dispatch(a.unit, a.agent), types[0] == types[1]
	}
	if w.want(p, scenario) == oneAtATime {
		w.inTurn(p, res, scenario, agents)
		return
	}
	script, meet := model.Script{}, meeting(len(agents))
	var launch model.Turn
	var dones []<-chan struct{}
	for _, a := range agents {
		dones = append(dones, a.enter(w, p, scenario, script, meet.arrive))
		launch.Calls = append(launch.Calls, a.launch(p))
	}
	ended := false
	script["root"] = []model.Turn{launch, {Before: func() { ended = await(dones...) }, Text: "done"}}
	s := w.run(p, script)
	require.True(t, ended, "the agents did not come to their ends")
	require.True(t, meet.met(), "the agents did not run at the same time")
	for _, a := range agents {
		s.tallyPair(res, scenario, a, separated)
	}
}

// inTurn is what is left to a program that says nothing of who calls: of two launches in one
// answer the second is refused, or, where both hooks run at the same moment, both agents are
// kept out of units. An agent that is launched when they have ended reaches its own.
func (w *world) inTurn(p program, res *results, scenario string, agents []*pair) {
	script := model.Script{}
	first, second := agents[0], agents[1]
	third := *second
	third.role, third.steps, third.tied = "third", nil, true
	done := first.enter(w, p, scenario, script, nil)
	second.enter(w, p, scenario, script, nil)
	over := third.enter(w, p, scenario, script, nil)
	ended := false
	script["root"] = []model.Turn{
		{Calls: []model.Call{first.launch(p), second.launch(p)}},
		{Before: func() { await(done) }, Calls: []model.Call{third.launch(p)}},
		{Before: func() { ended = await(over) }, Text: "done"},
	}
	s := w.run(p, script)
	require.True(w.t, ended, "the third agent did not come to its end")
	s.tallyPair(res, scenario, &third, oneAtATime)
	require.False(w.t, s.model.Saw("first", secret("U04")) || s.model.Saw("second", secret("U03")), "an agent was sent what is its sibling's")
	refusal, _ := s.model.Result("root", "launch-second")
	if strings.Contains(refusal, "Launch the next one when it has ended") {
		s.tallyPair(res, scenario, first, oneAtATime)
		return
	}
	require.True(w.t, s.model.Saw("first", "ambiguous") || s.model.Saw("second", "ambiguous"), "neither the launch nor the units were refused: %s", refusal)
}

// enter puts an agent's turns into the script; the channel is closed at their end.
func (a *pair) enter(w *world, p program, scenario string, script model.Script, before func()) <-chan struct{} {
	a.reach(w, p, scenario)
	a.steps[0].before = before
	turns, done := ends(play(a.role, a.steps), p)
	script[a.role] = turns
	return done
}

// reach makes the steps: own files are the even ones.
func (a *pair) reach(w *world, p program, scenario string) {
	add := func(c model.Call, unit string) {
		a.steps = append(a.steps, step{scenario: scenario, call: c, ok: own(unit), secret: secret(unit)})
	}
	add(p.tools.read(w.design(a.unit)), a.unit)
	add(p.tools.read(w.design(a.other)), a.other)
	add(p.tools.shell("cat construction/units/"+a.unit+"/design.md"), a.unit)
	add(p.tools.shell("cat construction/units/"+a.other+"/design.md"), a.other)
}

// tallyPair holds that an agent reached its own unit and not the other's, and notes what that comes to.
func (s *session) tallyPair(res *results, scenario string, a *pair, comes outcome) {
	s.t.Helper()
	for i, st := range a.steps {
		want := blocked
		if i%2 == 0 {
			want = allowed
		}
		if got := s.of(a.role, st); got != want {
			s.t.Errorf("%s: %s: want %q, got %q for %v", scenario, a.role, want, got, st.call)
			comes = got
		}
	}
	res.note(s.p, scenario, comes)
}

// gathering is where agents wait for each other: who is alone there in the end did not run in parallel.
type gathering struct {
	mu   sync.Mutex
	left int
	all  chan struct{}
}

func meeting(n int) *gathering { return &gathering{left: n, all: make(chan struct{})} }

// arrive waits for the others.
func (g *gathering) arrive() {
	g.mu.Lock()
	if g.left--; g.left == 0 {
		close(g.all)
	}
	g.mu.Unlock()
	await(g.all)
}

func (g *gathering) met() bool {
	select {
	case <-g.all:
		return true
	default:
		return false
	}
}
