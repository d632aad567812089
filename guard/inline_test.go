package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
)

// mention is a launch by a conductor whose prompt mentions a path.
func (w *world) mention(agent, prompt, path string) guard.Call {
	c := w.call()
	c.AgentID, c.AgentType, c.Marked, c.Tool, c.Cwd = "", "", false, "task", w.root
	c.Launch = &guard.Launch{AgentType: agent, Prompt: prompt, Rewrites: true, Inlined: []guard.Target{
		{Op: guard.Read, Path: path, Base: w.root, Guess: true},
	}}
	return c
}

// What a program puts into a new agent's context is judged for the dispatch launched.
func TestMentionedPaths(t *testing.T) {
	const ownFile, siblings = own + "/design.md", sib + "/design.md"
	tests := []struct {
		name, agent, path, want string
		edit                    func(*dispatch.Request)
	}{
		{"own file", reviewer, ownFile, "not_dispatched", nil},
		{"shared file", reviewer, "docs/guide.md", "not_dispatched", nil},
		{"a sibling's file", reviewer, siblings, "sibling_unit", nil},
		{"a sibling's folder", reviewer, sib, "sibling_unit", nil},
		{"the units' folder, which would be listed", reviewer, "construction/units", "sibling_unit", nil},
		{"the root's entries are no siblings", reviewer, ".", "not_dispatched", nil},
		{"up and down", reviewer, own + "/../U04/design.md", "sibling_unit", nil},
		{"records", reviewer, ".conduct/workspace.json", "protected", nil},
		{"what is not there is not put in", reviewer, sib + "/absent.md", "not_dispatched", nil},
		{"another agent", "helper", siblings, "not_dispatched", nil},
		{"opened", reviewer, siblings, "not_dispatched", func(q *dispatch.Request) {
			q.Grant.Opened = []grants.Opening{{Access: grants.AccessRead, Path: siblings, Exact: true}}
		}},
		{"observed", reviewer, siblings, "not_dispatched", func(q *dispatch.Request) { q.Grant.Observe = true }},
		{"observed records", reviewer, ".conduct/workspace.json", "protected", func(q *dispatch.Request) { q.Grant.Observe = true }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := aidlc(t)
			w.dispatch("U03", reviewer, tt.edit)
			out := w.decide(w.mention(tt.agent, "go", tt.path))
			require.Equal(t, tt.want, out.Code.String())
			if !out.Allowed() {
				require.Contains(t, out.Reason, `"@`+tt.path+`" in the prompt`)
				require.Contains(t, out.Reason, "an agent of unit U03")
			}
		})
	}
}

func TestMentionedPathsOfSeveral(t *testing.T) {
	w := aidlc(t)
	first, second := w.dispatch("U03", reviewer, nil), w.dispatch("U04", reviewer, nil)
	require.Equal(t, "ambiguous", w.code(w.mention(reviewer, "go", own+"/design.md")), "it may be either's agent")
	require.Equal(t, "not_dispatched", w.code(w.mention(reviewer, "go", "docs/guide.md")))
	require.Equal(t, "not_dispatched", w.code(w.mention(reviewer, dispatch.Token(second.ID), sib+"/design.md")), "the prompt says whose")
	require.Equal(t, "sibling_unit", w.code(w.mention(reviewer, dispatch.Token(first.ID), sib+"/design.md")))
}

// A dispatched agent's launch inherits its dispatch; it learns nothing of what is there.
func TestMentionedPathsOfADispatchedAgent(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.MaxDepth = 1 })
	for path, want := range map[string]string{
		own + "/design.md": "no_target", sib + "/design.md": "sibling_unit", sib + "/absent.md": "sibling_unit",
	} {
		c := w.call()
		c.Launch = w.mention("helper", "go", path).Launch
		require.Equal(t, want, w.code(c), path)
	}
}

// The text that started an agent names its dispatch, whatever the agent is called.
func TestRuleLinkReadsTheOpening(t *testing.T) {
	w := aidlc(t)
	first := w.dispatch("U03", reviewer, nil)
	d := w.dispatch("U04", reviewer, nil)
	c := w.agent("a1", reviewer)
	require.Equal(t, "ambiguous", w.code(c))

	c = w.agent("a2", reviewer)
	c.Opening = "Go on.\n" + dispatch.Token(d.ID) + "\nand no further"
	out := w.decide(c)
	require.Equal(t, guard.OwnUnit, out.Code)
	require.Equal(t, guard.RuleLink, out.Rulings[0].Rule)
	c.Opening = dispatch.Token(first.ID)
	out = w.decide(c)
	require.Equal(t, guard.OwnUnit, out.Code, "it is bound by now")
	require.Equal(t, guard.RuleBound, out.Rulings[0].Rule)

	c = w.agent("a3", "helper")
	c.Event, c.Opening = guard.AgentStart, dispatch.Token(first.ID)
	w.decide(c)
	c.Event, c.Opening = guard.ToolCall, ""
	require.Equal(t, "sibling_unit", w.code(c), "its start has bound it")
}

// A client whose subagents have sessions of their own has no launch windows: what
// a session launched says nothing about who calls in it.
func TestApart(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, nil)
	c := w.call()
	c.AgentID, c.AgentType, c.Marked, c.Marks, c.Apart = "", "", false, false, true
	launch := c
	launch.Launch = &guard.Launch{AgentType: reviewer, Prompt: "go"}
	require.True(t, w.decide(launch).Allowed())
	for path, want := range map[string]string{own + "/design.md": "own_unit", sib + "/design.md": "sibling_unit", "docs/guide.md": "shared"} {
		c.Targets = []guard.Target{read(w.root + "/" + path)}
		out := w.decide(c)
		require.Equal(t, want, out.Code.String(), path)
		require.Equal(t, guard.RuleWindow, out.Rulings[0].Rule)
	}
	w.dispatch("U04", reviewer, nil)
	c.Targets = []guard.Target{read(w.root + "/" + own + "/design.md")}
	require.Equal(t, "ambiguous", w.code(c))
}
