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
	steps                    []step
}

func (a *pair) launch(p program, line string) model.Call {
	prompt := model.Prompt(a.role, "review the unit")
	if line != "" {
		prompt += "\n" + line
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
	script := model.Script{}
	meet := meeting(len(agents))
	inTurn := w.want(p, scenario) == oneAtATime
	var calls []model.Call
	var dones []<-chan struct{}
	for _, a := range agents {
		line := w.dispatch(a.unit, a.agent)
		if types[0] != types[1] {
			line = ""
		}
		a.reach(w, p, scenario)
		if !inTurn {
			a.steps[0].before = meet.arrive
		}
		turns, done := ends(play(a.role, a.steps), p)
		script[a.role], dones = turns, append(dones, done)
		calls = append(calls, a.launch(p, line))
	}
	root := []model.Turn{{Calls: calls}}
	if inTurn {
		again := calls[1].As("again")
		root = append(root, model.Turn{Before: func() { await(dones[0]) }, Calls: []model.Call{again}})
	}
	ended := false
	script["root"] = append(root, model.Turn{Before: func() { ended = await(dones...) }, Text: "done"})
	s := w.run(p, script)
	require.True(t, ended, "the agents did not come to their ends")
	if !inTurn {
		require.True(t, meet.met(), "the agents did not run at the same time")
	}
	for _, a := range agents {
		s.tallyPair(res, scenario, a)
	}
	for _, u := range units() {
		require.FileExists(t, w.design(u))
	}
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

// tallyPair turns what came of one agent's calls into one outcome.
func (s *session) tallyPair(res *results, scenario string, a *pair) {
	s.t.Helper()
	got, want := separated, s.want(s.p, scenario)
	for i, st := range a.steps {
		usual := blocked
		if i%2 == 0 {
			usual = allowed
		}
		if o := s.of(a.role, st); o != usual {
			got = o
			s.t.Errorf("%s: %s: want %q, got %q for %v", scenario, a.role, usual, o, st.call)
		}
	}
	if text, _ := s.model.Result("root", "launch-second"); got == separated && strings.Contains(text, "Launch the next one when it has ended") {
		got = oneAtATime
	}
	if got != want {
		s.t.Errorf("%s: %s: want %q, got %q", scenario, a.role, want, got)
	}
	res.note(s.p, scenario, got)
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
