package guard_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/unit"
)

// agent is a call of one agent that reads a file of U04.
func (w *world) agent(id, kind string) guard.Call {
	c := w.call(read(w.root + "/" + sib + "/design.md"))
	c.AgentID, c.AgentType, c.CallID = id, kind, ""
	return c
}

func noReceipt(*dispatch.Dispatch) ([]byte, error) { return []byte(`{}`), nil }

func (w *world) release(d *dispatch.Dispatch) {
	_, err := w.book.Release(w.t.Context(), dispatch.Selector{ID: d.ID}, dispatch.VerdictReady, noReceipt)
	require.NoError(w.t, err)
}

func TestNobodyIsDispatched(t *testing.T) {
	w := aidlc(t)
	require.Equal(t, "idle", w.code(w.agent("a1", reviewer)))
	in := w.input(w.agent("a1", reviewer))
	in.Workspaces = nil
	require.Equal(t, guard.NotDispatched, guard.Decide(in).Code)
}

func TestRuleNamed(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U04", reviewer, nil)
	decide := func(id string) guard.Outcome {
		in := w.input(w.agent("", ""))
		in.Call.Marked = false
		in.Env.Dispatch = id
		return guard.Decide(in)
	}
	out := decide(string(d.ID))
	require.Equal(t, guard.OwnUnit, out.Code)
	require.Equal(t, guard.RuleNamed, out.Rulings[0].Rule)
	require.Equal(t, guard.Undispatched, decide("01HZXJ0000000000000000000A").Code)
	require.Equal(t, guard.Undispatched, decide("../x").Code)
	in := w.input(w.agent("", ""))
	in.Env.Dispatch, in.Workspaces = string(d.ID), nil
	require.Equal(t, guard.Undispatched, guard.Decide(in).Code, "no workspace was found")
	w.release(d)
	require.Equal(t, guard.Released, decide(string(d.ID)).Code)
	require.NoError(t, w.book.SetOff(w.clock.now.Add(time.Minute)))
	require.Equal(t, guard.StoodAside, decide(string(d.ID)).Code, "while the guard stands aside no id is looked for")
}

func TestRuleAgentBindsByName(t *testing.T) {
	w := aidlc(t)
	d3 := w.dispatch("U03", reviewer, nil)
	any := w.dispatch("U04", "", nil)
	out := w.decide(w.agent("a1", reviewer))
	require.Equal(t, guard.SiblingUnit, out.Code)
	require.Equal(t, guard.RuleAgent, out.Rulings[0].Rule)
	require.Equal(t, d3.ID, out.Rulings[0].Dispatches[0])
	bound, ok, err := w.book.Bound(dispatch.AgentKey("test", "a1", ""))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, d3.ID, bound.ID)
	require.True(t, w.book.Seen(d3.ID))

	out = w.decide(w.agent("a2", "somebody"))
	require.Equal(t, guard.OwnUnit, out.Code, "a dispatch without a name serves whom no other names")
	require.Equal(t, any.ID, out.Rulings[0].Dispatches[0])

	again := w.agent("a1", "another-name")
	again.Cwd = "/"
	out = w.decide(again)
	require.Equal(t, guard.RuleBound, out.Rulings[0].Rule, "what is bound stays so, whatever the name and the folder")
	require.Equal(t, guard.SiblingUnit, out.Code)
}

func TestSeveralAreAmbiguous(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, nil)
	w.dispatch("U04", reviewer, func(q *dispatch.Request) { q.Grant.SharedRead = true })
	for _, c := range []struct {
		target guard.Target
		want   string
	}{
		{read("$" + sib), "ambiguous"}, {read("$" + own), "ambiguous"}, {search("$"), "ambiguous"},
		{read("$docs/guide.md"), "shared"}, {write("$docs/guide.md"), "read_only"},
	} {
		if c.target.Path[0] == '$' {
			c.target.Path = w.root + "/" + c.target.Path[1:]
		}
		require.Equal(t, c.want, w.code(w.call(c.target)), c.target.Path)
	}
	_, bound, err := w.book.Bound(dispatch.AgentKey("test", "a1", ""))
	require.NoError(t, err)
	require.False(t, bound)
}

func TestFirstTouchBinds(t *testing.T) {
	first := func(q *dispatch.Request) { q.Grant.FirstTouch = true }
	w := aidlc(t)
	w.dispatch("U03", reviewer, first)
	d4 := w.dispatch("U04", reviewer, first)
	require.Equal(t, "shared", w.code(w.call(read(w.root+"/docs/guide.md"))), "a shared path binds nobody")
	out := w.decide(w.agent("a1", reviewer))
	require.Equal(t, guard.OwnUnit, out.Code)
	require.Equal(t, d4.ID, out.Rulings[0].Dispatches[0])
	require.Equal(t, "sibling_unit", w.code(w.call(read("design.md"))), "from then on it is U04's")
}

func TestHeldByAnother(t *testing.T) {
	w := aidlc(t)
	d3 := w.dispatch("U03", reviewer, nil)
	require.Equal(t, "sibling_unit", w.code(w.agent("a1", reviewer)))
	d4 := w.dispatch("U04", reviewer, nil)
	out := w.decide(w.agent("a2", reviewer))
	require.Equal(t, d4.ID, out.Rulings[0].Dispatches[0], "the one that nobody holds")
	require.Equal(t, guard.OwnUnit, out.Code)
	w.release(d4)
	out = w.decide(w.agent("a3", reviewer))
	require.Equal(t, d3.ID, out.Rulings[0].Dispatches[0], "a relaunched reviewer shares the only one")
}

func TestALateAgentSlipsIntoNoOther(t *testing.T) {
	w := aidlc(t)
	d3 := w.dispatch("U03", reviewer, nil)
	w.decide(w.agent("a1", reviewer))
	old := w.dispatch("U04", reviewer, nil) // made before U03 ended
	w.clock.pass(time.Minute)
	w.release(d3)
	require.Equal(t, "released", w.code(w.agent("a1", reviewer)))
	require.Equal(t, "shared", w.code(w.call(read(w.root+"/docs/guide.md"))), "what is in no unit passes")
	w.release(old)

	w.clock.pass(time.Minute)
	next := w.dispatch("U04", reviewer, nil)
	out := w.decide(w.agent("a1", reviewer))
	require.Equal(t, guard.OwnUnit, out.Code, "a worker that lives long gets its next unit")
	require.Equal(t, next.ID, out.Rulings[0].Dispatches[0])
	require.Equal(t, guard.RuleAgent, out.Rulings[0].Rule)
	require.Equal(t, "own_unit", w.code(w.agent("a1", reviewer)))
}

func TestExpiredHoldsTheName(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, nil)
	w.clock.pass(7 * time.Hour)
	require.Equal(t, "expired", w.code(w.agent("new", reviewer)))
	now, err := w.book.Read(d.ID)
	require.NoError(t, err)
	require.NoError(t, w.book.Expire(t.Context(), now))
	require.Equal(t, "expired", w.code(w.agent("new", reviewer)), "swept or not")
	w.release(d)
	require.Equal(t, "idle", w.code(w.agent("new", reviewer)), "a verdict frees the name")
}

func TestDamagedRecordBlocks(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, nil)
	w.store.Damage(d.ID, "torn")
	for _, kind := range []string{reviewer, "somebody", ""} {
		require.Equal(t, "record_damaged", w.code(w.agent("a1", kind)), kind)
	}
	conductor := w.agent("", "")
	conductor.Marked = false
	require.Equal(t, "idle", w.code(conductor))

	w.dispatch("U04", "worker", nil)
	require.Equal(t, "record_damaged", w.code(w.agent("a2", "worker")), "it may be the damaged one that is its own")
}

// A client that does not say whose a call is may be its conductor, who has to be able to
// mend what is damaged, with our own programs and nothing beside them.
func TestDamagedRecordIsMended(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, nil)
	w.store.Damage(d.ID, "torn")
	for line, want := range map[string]string{
		"conduct janitor --clear-damaged":         "not_dispatched",
		"conduct status; conduct doctor":          "not_dispatched",
		"conduct status && cat ../U04/design.md":  "record_damaged",
		"> ../U04/design.md":                      "record_damaged",
		"conduct status > ../U04/design.md":       "record_damaged",
		"conduct log --unit $(<../U04/design.md)": "record_damaged",
		"x=1": "record_damaged",
	} {
		c := w.shell(line)
		c.Marks, c.Marked, c.AgentID, c.AgentType = false, false, "", ""
		require.Equal(t, want, w.code(c), line)
	}
}

func TestRuleLinkReadsTheTranscript(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, nil)
	d4 := w.dispatch("U04", reviewer, nil)
	c := w.agent("a1", reviewer)
	c.Transcript = w.home + "/agent-a1.jsonl"
	for text, want := range map[string]string{
		"": "ambiguous",
		`{"type":"user","message":{"content":"review conduct:` + string(d4.ID) + `"}}`:                                       "own_unit",
		`{"type":"system"}` + "\n" + `{"type":"user","message":{"content":[{"text":"` + d4.Line() + `"}]}}`:                  "own_unit",
		`{"type":"user","message":{"content":"hello"}}` + "\n" + `{"type":"user","message":{"content":"` + d4.Line() + `"}}`: "ambiguous",
		`{"type":"assistant","message":{"content":"` + d4.Line() + `"}}`:                                                     "ambiguous",
		`{"type":"user","message":{"content":"` + d4.Line()[:20]:                                                             "ambiguous",
	} {
		require.NoError(t, os.WriteFile(c.Transcript, []byte(text), 0o600))
		out := guard.Decide(w.input(c))
		require.Equal(t, want, out.Code.String(), text)
		require.Equal(t, want == "ambiguous" && !strings.HasPrefix(text, `{"type":"user","message":{"content":"hello"}}`), out.Rulings[0].Early, text)
		if want == "own_unit" {
			require.Equal(t, guard.RuleLink, out.Rulings[0].Rule)
		}
	}
}

// A transcript that is not there yet is waited for only where a program keeps them.
func TestTranscriptIsStillToCome(t *testing.T) {
	w := aidlc(t)
	d3 := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.FirstTouch = true })
	w.dispatch("U04", reviewer, func(q *dispatch.Request) { q.Grant.FirstTouch = true })
	c := w.agent("a1", reviewer)
	early := func() bool { return guard.Decide(w.input(c)).Rulings[0].Early }
	require.False(t, early(), "a program whose agents have none")
	c.Transcript, c.Transcripts = w.home+"/project/agent-a1.jsonl", w.home+"/project"
	require.False(t, early(), "a program that was told to keep none")
	require.NoError(t, os.Mkdir(c.Transcripts, 0o700))
	require.True(t, early())
	require.Equal(t, "own_unit", w.code(c), "the first touch still binds")
	require.NoError(t, os.WriteFile(c.Transcript, []byte(`{"type":"user","message":{"content":"`+d3.Line()+`"}}`), 0o600))
	require.False(t, early())
	c.Transcript = w.home
	require.False(t, early(), "no file")
}

func TestRuleSession(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Sessions = true })
	c := w.agent("", "")
	c.Marked = false
	require.Equal(t, "sibling_unit", w.code(c), "a teammate in its own pane")
	c.Session = "conductor"
	require.Equal(t, "not_dispatched", w.code(c), "the session that dispatched")
}

func TestRuleWindow(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, nil)
	c := w.agent("", "")
	c.Marks, c.Marked = false, false
	docs := c
	docs.Targets = []guard.Target{write(w.root + "/.claude/settings.json")}
	require.Equal(t, "sibling_unit", w.code(c), "outside of a window unit paths are judged")
	require.Equal(t, "shared", w.code(docs), "and nothing else is")

	launch := c
	launch.Targets, launch.Launch = nil, &guard.Launch{AgentType: reviewer, Prompt: "review"}
	w.decide(launch)
	require.Len(t, w.book.Windows(dispatch.SessionKey("test", "s1")), 1)
	require.Equal(t, "protected", w.code(docs), "inside the caller is the agent")
	out := w.decide(c)
	require.Equal(t, d.ID, out.Rulings[0].Dispatches[0])
	done := launch
	done.Event = guard.LaunchDone
	w.decide(done)
	require.Empty(t, w.book.Windows(dispatch.SessionKey("test", "s1")))
	require.Equal(t, "shared", w.code(docs))

	w.decide(launch)
	turn := c
	turn.Event, turn.Targets = guard.TurnStart, nil
	w.decide(turn)
	require.Empty(t, w.book.Windows(dispatch.SessionKey("test", "s1")), "a new turn has no launch open")
}

// The main agent waits for the agent that it launched: until the launch ends, a call is
// that agent's, also after its release.
func TestRuleWindowAfterTheRelease(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, nil)
	c := w.agent("", "")
	c.Marks, c.Marked = false, false
	docs := c
	docs.Targets = []guard.Target{read(w.root + "/docs/guide.md")}
	launch := c
	launch.Targets, launch.Launch = nil, &guard.Launch{AgentType: reviewer, Prompt: "review"}
	w.decide(launch)
	require.Equal(t, "shared", w.code(docs))
	again := w.decide(launch)
	require.Equal(t, "depth_exceeded", again.Code.String())
	require.Contains(t, again.Reason, "Launch the next one when it has ended.")

	w.release(d)
	own := c
	own.Targets = []guard.Target{read(w.root + "/construction/units/U03/design.md")}
	require.Equal(t, "released", w.code(own))
	require.Equal(t, "released", w.code(c))
	require.Equal(t, "released", w.code(launch))
	require.Equal(t, "shared", w.code(docs))
	done := launch
	done.Event = guard.LaunchDone
	w.decide(done)
	require.Equal(t, "idle", w.code(c), "the main agent goes on")
}

func TestUndispatchedAgents(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, nil)
	for _, c := range []struct {
		target guard.Target
		logged bool
	}{
		{read(w.root + "/" + sib + "/design.md"), true}, {search(w.root), true}, {read(w.root + "/docs/guide.md"), false},
		{read(w.root + "/.conduct/workspace.json"), false},
	} {
		call := w.agent("a9", "stranger")
		call.Targets = []guard.Target{c.target}
		out := guard.Decide(w.input(call))
		require.Equal(t, guard.NotDispatched, out.Code, c.target.Path)
		require.Equal(t, c.logged, out.Rulings[0].Log, c.target.Path)
	}
	strict := aidlc(t)
	strict.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Strict = true })
	for _, target := range []guard.Target{read(strict.root + "/" + own), search(strict.root), glob(strict.root + "/**")} {
		call := strict.agent("a9", "stranger")
		call.Targets = []guard.Target{target}
		require.Equal(t, "undispatched", strict.code(call), "%+v", target)
	}
	shell := strict.shell("grep -r foo " + strict.root)
	shell.AgentType = "stranger"
	require.Equal(t, "undispatched", strict.code(shell))
	conductor := strict.agent("", "")
	conductor.Marked = false
	require.Equal(t, "not_dispatched", strict.code(conductor), "the conductor is not restricted")
}

func TestNobodyDestroysTheRecords(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, nil)
	for text, want := range map[string]string{
		"rm -rf " + "$R/.conduct": "protected", "rm -rf $R": "protected", "git clean -fdx": "protected", "git stash -a": "protected",
		"rm -rf $R/docs": "not_dispatched", "cp README.md .": "not_dispatched", "touch $R": "not_dispatched", "git clean -fd": "not_dispatched",
		"echo x > $R/.conduct/y": "protected", "mv $R/.conduct /tmp/x": "protected",
	} {
		c := w.shell(strings.ReplaceAll(text, "$R", w.root))
		c.AgentID, c.AgentType, c.Marked, c.Cwd = "", "", false, w.root
		require.Equal(t, want, w.code(c), text)
	}
	c := w.agent("", "")
	c.Marked, c.Targets = false, []guard.Target{write(w.root + "/.conduct/x")}
	require.Equal(t, "protected", w.code(c))
}

func TestStandingAside(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, nil)
	in := w.input(w.agent("a1", reviewer))
	in.Env.Off = true
	out := guard.Decide(in)
	require.Equal(t, guard.StoodAside, out.Code)
	require.True(t, out.Rulings[0].Log)
	require.NoError(t, w.book.SetOff(w.clock.now.Add(time.Minute)))
	require.Equal(t, "stood_aside", w.code(w.agent("a1", reviewer)))
	w.clock.pass(time.Minute)
	require.Equal(t, "sibling_unit", w.code(w.agent("a1", reviewer)))
}

func TestLaunches(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.MaxDepth = 1 })
	conductor := w.call()
	conductor.AgentID, conductor.AgentType, conductor.Marked = "", "", false
	conductor.Launch = &guard.Launch{AgentType: reviewer, Prompt: "review", Rewrites: true}
	out := w.decide(conductor)
	require.Equal(t, guard.NotDispatched, out.Code)
	require.Equal(t, d.Line()+"\nreview", out.Prompt, "the one that fits is added")
	conductor.Launch.Prompt = "review conduct:01HZXJ0000000000000000000A"
	require.Equal(t, guard.LaunchMismatch, w.decide(conductor).Code)
	typo := []byte(d.ID)
	typo[len(typo)-1]++
	if typo[len(typo)-1] > 'Z' || typo[len(typo)-1] == ':' {
		typo[len(typo)-1] = '0'
	}
	conductor.Launch.Prompt = "conduct:" + string(typo)
	out = w.decide(conductor)
	require.Equal(t, guard.LaunchMismatch, out.Code)
	require.Contains(t, out.Reason, "did you mean "+d.Line())

	agent := w.call()
	agent.CallID = "c2"
	agent.Launch = &guard.Launch{Prompt: "help", Rewrites: true}
	out = w.decide(agent)
	require.Equal(t, guard.NoTarget, out.Code)
	require.Equal(t, d.Line()+".1\nhelp", out.Prompt, "it inherits, one deeper")
	require.NoError(t, w.book.Bind(dispatch.AgentKey("test", "child", ""), 0, d.ID, 1))
	agent.AgentID = "child"
	require.Equal(t, guard.DepthExceeded, w.decide(agent).Code)
}

func TestSeveralWorkspaces(t *testing.T) {
	outer, inner := aidlc(t), aidlc(t)
	outer.dispatch("U03", reviewer, nil)
	inner.dispatch("U04", reviewer, nil)
	in := outer.input(outer.call(read(inner.root + "/" + sib + "/design.md")))
	in.Workspaces = append(in.Workspaces, guard.Workspace{Root: inner.set.Root, Records: inner.book, Roots: func() unit.Roots { return inner.roots }})
	require.Equal(t, guard.OwnUnit, guard.Decide(in).Code, "every workspace is asked; here both allow it")
	in.Call.Targets = []guard.Target{read(inner.root + "/" + own + "/design.md")}
	out := guard.Decide(in)
	require.Equal(t, guard.SiblingUnit, out.Code, "one that blocks is enough")
	require.Len(t, out.Rulings, 2)
}
