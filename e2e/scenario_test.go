//go:build linux && e2e

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// outcome is what a scenario comes to.
type outcome string

const (
	allowed    outcome = "allowed"
	blocked    outcome = "blocked by hook"
	confined   outcome = "confined"
	separated  outcome = "each reaches its own unit"
	oneAtATime outcome = "one after the other"
	reported   outcome = "doctor says so"
	impossible outcome = "not possible"
)

// The scenarios, as the table calls them.
const (
	ownUnit        = "an agent reads and writes its unit, and reads what is shared"
	siblingFiles   = "… a sibling, by every file tool"
	siblingShell   = "… a sibling, by the shell"
	searchAbove    = "… a search from above its unit"
	siblingWrite   = "… writes into a sibling"
	editRecords    = "… edits `.conduct/`"
	runsRelease    = "… runs `conduct release`"
	opaqueCommand  = "… a command that is not understood"
	lateAgent      = "… goes on after its release"
	conductorReads = "the conductor reads the other units, while an agent is dispatched"
	conductorAfter = "the conductor reads the other units, after the release"
	twoTypes       = "two agents of different types in parallel"
	oneType        = "two agents of one type in parallel"
	guardRemoved   = "the guard's program is removed"
	noHook         = "no hook is installed"
)

func scenarioNames() []string {
	return []string{
		ownUnit, siblingFiles, siblingShell, searchAbove, siblingWrite, editRecords, runsRelease, opaqueCommand, lateAgent,
		conductorReads, conductorAfter, twoTypes, oneType, guardRemoved, noHook,
	}
}

// step is one call of a scenario.
type step struct {
	scenario string
	call     model.Call
	// ok is in the result of a call that is let through, why in the reason of one
	// that is blocked. What is confined has ok in its result.
	ok, why string
	// secret is in the result of a call that reached what it must not.
	secret string
	// lost, if not "", is what the program says in place of a reason that it loses.
	lost string
	// first is what the program itself says in place of a hook.
	first  string
	before func()
}

// play makes a role's turns of steps, one call each.
func play(role string, steps []step) []model.Turn {
	var out []model.Turn
	for i := range steps {
		steps[i].call.Key = fmt.Sprintf("%s-%d", role, i)
		out = append(out, model.Turn{Before: steps[i].before, Calls: []model.Call{steps[i].call}})
	}
	return out
}

// of is what came of a step.
func (s *session) of(role string, st step) outcome {
	text, answered := s.model.Result(role, st.call.Key)
	_, refusal, refused := strings.Cut(text, "conduct: ")
	switch {
	case !answered:
		return "no result"
	case st.secret != "" && strings.Contains(text, st.secret):
		return allowed
	case refused && strings.Contains(refusal, st.why), st.lost != "" && strings.Contains(text, st.lost):
		return blocked
	case refused:
		return outcome("blocked, but: " + refusal)
	case st.scenario == opaqueCommand && strings.Contains(text, st.ok):
		return confined
	case strings.Contains(text, st.ok):
		return allowed
	}
	return outcome(fmt.Sprintf("%q is not in the result %q", st.ok, text))
}

// tally compares the outcomes of a role's steps with what is wanted, and notes them.
func (s *session) tally(res *results, role string, steps []step) {
	s.t.Helper()
	for _, st := range steps {
		if st.first != "" {
			text, _ := s.model.Result(role, st.call.Key)
			require.Contains(s.t, text, st.first, "%v", st.call)
			continue
		}
		want := s.want(s.p, st.scenario)
		got := s.of(role, st)
		if got != want {
			s.t.Errorf("%s\n%s %v %s\nwant %q, got %q", st.scenario, st.call.Name, st.call.Args, st.call.Input, want, got)
		}
		res.note(s.p, st.scenario, got)
	}
}

// usual is what a scenario ought to come to.
func usual(scenario string) outcome {
	switch scenario {
	case ownUnit, conductorReads, conductorAfter:
		return allowed
	case opaqueCommand:
		return confined
	case twoTypes, oneType:
		return separated
	case noHook:
		return reported
	}
	return blocked
}

// want is what a scenario comes to with a program.
func (w *world) want(p program, scenario string) outcome {
	if in, ok := p.instead[scenario]; ok {
		return in.outcome
	}
	return usual(scenario)
}

// agentSteps are what the agent of U03 tries.
func agentSteps(w *world, p program) []step {
	var out []step
	add := func(scenario string, c model.Call, ok, why string) {
		out = append(out, step{scenario: scenario, call: c, ok: ok, why: why, secret: secret("U04")})
	}
	shell := func(scenario, line, why string) { add(scenario, p.tools.shell(line), "\x00", why) }

	add(ownUnit, p.tools.read(w.design("U03")), own("U03"), "")
	add(ownUnit, p.tools.read(w.path("docs/guide.md")), "SHARED-GUIDE", "")
	add(ownUnit, p.tools.of(writes)[0].call(w.path("construction/units/U03/notes.md")), "", "")
	add(ownUnit, p.tools.shell("cat construction/units/U03/design.md"), own("U03"), "")

	for _, f := range p.tools.files {
		switch at := w.design("U04"); f.kind {
		case searches, lists:
			add(siblingFiles, f.call(w.path("construction/units/U04")), "\x00", "belongs to unit U04")
			add(searchAbove, f.call(w.path("construction/units")), "\x00", "other units")
			if f.kind == searches {
				add(searchAbove, f.call(w.root), "\x00", "other units")
			}
		case writes:
			add(siblingFiles, f.call(at), "\x00", "belongs to unit U04")
			out[len(out)-1].first = f.first
			if !f.old {
				add(siblingWrite, f.call(w.path("construction/units/U04/new.md")), "\x00", "belongs to unit U04")
			}
			add(editRecords, f.call(w.path(".conduct/notes.md")), "\x00", "is protected")
			out[len(out)-1].first = f.first
		case reads:
			add(siblingFiles, f.call(at), "\x00", "belongs to unit U04")
		}
	}
	shell(siblingShell, "cat construction/units/U04/design.md", "belongs to unit U04")
	shell(siblingShell, "cd construction/units/U04 && cat design.md", "belongs to unit U04")
	shell(siblingShell, "cd docs; head -5 ../construction/units/U0[4]/*.md | cat", "reaches other units")
	shell(searchAbove, "grep -r alpha construction", "reaches other units")
	shell(siblingWrite, "echo WRITTEN > construction/units/U04/new.md", "belongs to unit U04")
	shell(editRecords, "rm -rf .conduct", "is protected")
	shell(runsRelease, "conduct release --unit U03 --verdict ready", "is the conductor's")
	shell(runsRelease, "conduct grant add --unit U03 --read construction/units/U04/design.md --ttl 1h", "is the conductor's")
	add(opaqueCommand, p.tools.shell(`python3 -c "
print(open('construction/units/U03/design.md').read())
try: print(open('/'.join(['construction', 'units', 'U04', 'design.md'])).read())
except OSError as e: print('SIBLING-IS-NOT', 'THERE')"`), "SIBLING-IS-NOT THERE", "cannot be told")
	return out
}

// read reads a file: with a tool for that, or by the shell where there is none.
func (t tools) read(path string) model.Call {
	if t.reader != nil {
		return t.reader(path)
	}
	return t.of(reads)[0].call(path)
}

// conductorSteps read a file of every unit that is not the agent's.
func conductorSteps(w *world, p program, scenario, file string) []step {
	var out []step
	for _, u := range units()[1:] {
		at := w.path("construction/units/" + u + "/" + file)
		for _, c := range []model.Call{p.tools.read(at), p.tools.shell("cat " + at)} {
			out = append(out, step{scenario: scenario, call: c, ok: own(u), why: "unit " + u})
		}
	}
	return out
}

// ends closes done when a role's last turn is played.
func ends(turns []model.Turn, p program) ([]model.Turn, <-chan struct{}) {
	done := make(chan struct{})
	last := model.Turn{Text: "done"}
	if p.tools.finish != nil {
		last = model.Turn{Calls: []model.Call{p.tools.finish()}}
	}
	var once sync.Once
	last.Before = func() { once.Do(func() { close(done) }) }
	return append(turns, last), done
}

// patience is how long one agent is waited for.
const patience = 3 * time.Minute

// await waits until all are closed, and says whether they were.
func await(all ...<-chan struct{}) bool {
	over := time.After(patience)
	for _, c := range all {
		select {
		case <-c:
		case <-over:
			return false
		}
	}
	return true
}

// oneAgent is the session of one dispatched agent and its conductor.
func oneAgent(t *testing.T, p program, res *results) {
	w := newWorld(t)
	w.hook(p)
	w.dispatch("U03", "reviewer")
	before := conductorSteps(w, p, conductorReads, "design.md")
	agent := agentSteps(w, p)
	receipt := ""
	released := func() { receipt = w.conduct("release", "--unit", "U03", "--verdict", "ready") }
	agent = append(agent,
		step{scenario: lateAgent, call: p.tools.read(w.design("U03")), ok: own("U03"), why: "has ended", before: released},
		step{scenario: lateAgent, call: p.tools.shell("cat construction/units/U04/design.md"), ok: own("U04"), why: "has ended"})
	after := conductorSteps(w, p, conductorAfter, "plan.md")

	first, second := play("root", before), play("root-after", after)
	turns, done := ends(play("agent", agent), p)
	launch := model.Turn{Calls: []model.Call{p.tools.launch("reviewer", model.Prompt("agent", "review the unit")).As("launch")}}
	second[0].Before = func() { await(done) }
	s := w.run(p, model.Script{"root": slices.Concat(first, []model.Turn{launch}, second), "agent": turns})

	s.tally(res, "root", before)
	s.tally(res, "agent", agent)
	s.tally(res, "root", after)
	s.known()
	s.unharmed()
	if s.want(p, siblingFiles) == blocked {
		require.False(t, s.model.Saw("agent", secret("U04")), "something of U04 reached the agent's model")
	}
	written, err := os.ReadFile(w.path("construction/units/U03/notes.md"))
	require.NoError(t, err, "the agent's own unit was not written")
	require.Contains(t, string(written), "WRITTEN")
	require.Contains(t, receipt, "evidence       calls", receipt)
}

// unharmed holds that nothing was written where it must not.
func (s *session) unharmed() {
	for _, u := range []string{"U04", "U05"} {
		entries, err := os.ReadDir(s.path("construction/units/" + u))
		require.NoError(s.t, err)
		require.Len(s.t, entries, 3, u)
		for _, e := range entries {
			data, err := os.ReadFile(s.path("construction/units/" + u + "/" + e.Name()))
			require.NoError(s.t, err)
			require.NotContains(s.t, string(data), "WRITTEN")
		}
	}
}
