package guard_test

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
)

func read(p string) guard.Target   { return guard.Target{Op: guard.Read, Path: p} }
func write(p string) guard.Target  { return guard.Target{Op: guard.Write, Path: p} }
func list(p string) guard.Target   { return guard.Target{Op: guard.List, Path: p} }
func search(p string) guard.Target { return guard.Target{Op: guard.Search, Path: p} }
func glob(pattern string) guard.Target {
	return guard.Target{Op: guard.Search, Implied: true, Pattern: pattern, AnyDepth: true}
}
func guess(p string) guard.Target {
	return guard.Target{Op: guard.Read | guard.Write | guard.Search, Path: p, Guess: true}
}

// TestTargets is one dispatched agent of U03 with one target; "$R" is the workspace.
func TestTargets(t *testing.T) {
	readOnly := func(q *dispatch.Request) { q.Grant.ReadOnly = true }
	sharedRead := func(q *dispatch.Request) { q.Grant.SharedRead = true }
	opened := func(os ...grants.Opening) func(*dispatch.Request) {
		return func(q *dispatch.Request) { q.Grant.Opened = os }
	}
	openRead := opened(grants.Opening{Access: grants.AccessRead, Path: sib + "/design.md"})
	openWrite := opened(grants.Opening{Access: grants.AccessWrite, Path: sib + "/design.md"})
	openDir := opened(grants.Opening{Access: grants.AccessRead, Path: sib + "/"})
	for name, c := range map[string]struct {
		grant  func(*dispatch.Request)
		target guard.Target
		want   string
	}{
		"read own":                    {nil, read("design.md"), "own_unit"},
		"write own":                   {nil, write("new.md"), "own_unit"},
		"read shared":                 {nil, read("$R/docs/guide.md"), "shared"},
		"write shared":                {nil, write("$R/docs/guide.md"), "shared"},
		"read outside":                {nil, read("/etc/hostname"), "shared"},
		"read a sibling":              {nil, read("../U04/design.md"), "sibling_unit"},
		"write a sibling":             {nil, write("$R/" + sib + "/x"), "sibling_unit"},
		"a longer name":               {nil, read("../U03-old/design.md"), "sibling_unit"},
		"a unit that is not there":    {nil, write("../U99/a"), "sibling_unit"},
		"a plain file beside units":   {nil, read("../README.md"), "shared"},
		"dotdot and back":             {nil, read("../U03/design.md"), "own_unit"},
		"lexical sibling":             {nil, read("sub/nowhere/../../../U04/design.md"), "sibling_unit"},
		"list own":                    {nil, list("."), "own_unit"},
		"list the units":              {nil, list(".."), "sibling_search"},
		"list above the units":        {nil, list("$R/construction"), "shared"},
		"list the workspace":          {nil, list("$R"), "shared"},
		"list a sibling":              {nil, list("../U04"), "sibling_unit"},
		"search own":                  {nil, search("."), "own_unit"},
		"search the workspace":        {nil, search("$R"), "sibling_search"},
		"search everything":           {nil, search("/"), "sibling_search"},
		"search docs":                 {nil, search("$R/docs"), "shared"},
		"search a sibling":            {nil, search("../U04/code"), "sibling_unit"},
		"remove above":                {nil, write("$R/construction"), "sibling_unit"},
		"remove what holds no unit":   {nil, write("$R/docs"), "shared"},
		"glob own":                    {nil, glob("**/*.md"), "own_unit"},
		"glob to a sibling":           {nil, glob("../U04/*"), "sibling_unit"},
		"glob over siblings":          {nil, glob("../*/design.md"), "sibling_search"},
		"glob a shared folder":        {nil, glob("$R/docs/*.md"), "shared"},
		"glob braces to a sibling":    {nil, glob("{../U04,x}/*.md"), "sibling_unit"},
		"glob absolute braces":        {nil, glob("{$R/" + sib + ",x}/*.md"), "sibling_unit"},
		"glob excludes":               {nil, guard.Target{Op: guard.Search, Path: "$R", Pattern: "!construction/**"}, "sibling_search"},
		"glob two patterns":           {nil, guard.Target{Op: guard.Search, Path: "$R", Pattern: "src/*.go,construction/**"}, "sibling_search"},
		"filter from above":           {nil, guard.Target{Op: guard.Search, Path: "$R", Pattern: "src/*.go", AnyDepth: true}, "shared"},
		"filter with a slash":         {nil, guard.Target{Op: guard.Search, Path: "$R", Pattern: "/construction/units/U04/*", AnyDepth: true}, "sibling_unit"},
		"glob with dots and slashes":  {nil, guard.Target{Op: guard.Search, Path: "$R", Pattern: "con*//./units/U04/*"}, "sibling_search"},
		"glob below where units are":  {nil, guard.Target{Op: guard.Search, Path: "$R/construction/units", Pattern: "U03/*.md"}, "own_unit"},
		"unknown tool, own":           {nil, guess("./design.md"), "own_unit"},
		"unknown tool, sibling":       {nil, guess("../U04/design.md"), "sibling_unit"},
		"unknown tool, from the root": {nil, guess(sib + "/design.md"), "sibling_unit"},
		"unknown tool, the root":      {nil, guess("$R"), "sibling_search"},
		"unknown tool, a unit":        {nil, guess("U04"), "sibling_unit"},
		"unknown tool, its own unit":  {nil, guess("U03"), "own_unit"},
		"unknown tool, no unit":       {nil, guess("U99"), "no_target"},
		"unknown tool, a word":        {nil, guess("hello"), "no_target"},
		"unknown tool, a URL":         {nil, guess("https://x.invalid/" + sib), "no_target"},
		"unknown tool, a file URL":    {nil, guess("file://$R/" + sib + "/design.md"), "sibling_unit"},
		"file URL":                    {nil, read("file://$R/" + sib + "/design%2emd"), "sibling_unit"},
		"control character":           {nil, read("a\x01b"), "unresolvable"},
		"byte order mark":             {nil, read("\ufeffdesign.md"), "unresolvable"},
		"too long a name":             {nil, read(strings.Repeat("x", 300)), "unresolvable"},
		"through another process":     {nil, read("/proc/self/cwd/x"), "unresolvable"},
		"home":                        {nil, read("~/x"), "own_unit"},
		"home to a sibling":           {nil, read("~/../ws/" + sib + "/design.md"), "sibling_unit"},
		"white space around it":       {nil, read(" ../U04/design.md "), "sibling_unit"},
		"records":                     {nil, read("$R/.conduct/workspace.json"), "protected"},
		"records of one's own":        {nil, write(".conduct/workspace.json"), "protected"},
		"the configuration":           {nil, write("$R/conduct.yaml"), "protected"},
		"reading the configuration":   {nil, read("$R/conduct.yaml"), "shared"},
		"hook settings":               {nil, write("$R/.claude/settings.json"), "protected"},
		"hook settings, absent":       {nil, write("$R/.gemini/settings.json"), "protected"},
		"hook settings, to read":      {nil, read("$R/.claude/settings.json"), "shared"},
		"git's hooks":                 {nil, write("$R/.git/hooks/pre-commit"), "protected"},
		"hooks that git is led to":    {nil, write("$R/.husky/pre-commit"), "protected"},
		"hooks, the folder":           {nil, write("$R/.githooks"), "protected"},
		"hooks, to read":              {nil, read("$R/.husky/pre-commit"), "shared"},
		"hooks that nobody is led to": {nil, write(".husky/pre-commit"), "own_unit"},
		"git's configuration":         {nil, write("$R/.git/config"), "protected"},
		"git's objects":               {nil, read("$R/.git/objects/ab/cd"), "protected"},
		"what git found":              {nil, read("$R/.git/lost-found/other/ab"), "protected"},
		"what a worktree's git found": {nil, read("$R/.git/worktrees/w/lost-found/other/ab"), "protected"},
		"git's HEAD":                  {nil, read("$R/.git/HEAD"), "shared"},
		"read-only, read":             {readOnly, read("design.md"), "own_unit"},
		"read-only, own":              {readOnly, write("design.md"), "read_only"},
		"read-only, shared":           {readOnly, write("$R/docs/x"), "read_only"},
		"read-only, outside":          {readOnly, write("/tmp/conduct-test-x"), "shared"},
		"read-only, unknown tool":     {readOnly, guess("design.md"), "own_unit"},
		"shared read, own":            {sharedRead, write("design.md"), "own_unit"},
		"shared read, shared":         {sharedRead, write("$R/docs/x"), "read_only"},
		"shared read, /dev/null":      {sharedRead, write("/dev/null"), "shared"},
		"opened":                      {openRead, read("../U04/design.md"), "exempt"},
		"opened, not this":            {openRead, read("../U04/code/main.go"), "sibling_unit"},
		"opened, to write":            {openRead, write("../U04/design.md"), "sibling_unit"},
		"opened, an unknown tool":     {openRead, guess("../U04/design.md"), "exempt"},
		"opened to write":             {openWrite, write("../U04/design.md"), "exempt"},
		"opened folder, search":       {openDir, search("../U04"), "exempt"},
		"opened folder, list":         {openDir, list("../U04/code"), "exempt"},
		"opened file, list its place": {openRead, list("../U04"), "sibling_unit"},
	} {
		t.Run(name, func(t *testing.T) {
			w := aidlc(t)
			w.dispatch("U03", reviewer, c.grant)
			c.target.Path = strings.ReplaceAll(c.target.Path, "$R", w.root)
			c.target.Pattern = strings.ReplaceAll(c.target.Pattern, "$R", w.root)
			call := w.call(c.target)
			if strings.HasPrefix(name, "home") && c.want == "own_unit" {
				w.home = w.root + "/" + own
			}
			out := w.decide(call)
			require.Equal(t, c.want, out.Code.String(), out.Reason)
			require.Equal(t, !out.Allowed(), out.Reason != "", "a block has a reason")
			require.LessOrEqual(t, utf8.RuneCountInString(out.Reason), guard.MaxReason)
			require.NotContains(t, out.Reason, "main.go package")
		})
	}
}

func TestLinks(t *testing.T) {
	links := map[string]string{
		own + "/peek.md": "../U04/design.md", own + "/d": "../U04", own + "/abs": "$R/" + sib, own + "/new": "../U04/new.md",
		own + "/chain": "d", own + "/deep": "sub/deeper", own + "/loop": "loop", own + "/docs": "$R/docs", own + "/up": "..",
		"docs/u": "../" + sib, "docs/mine": "../" + own, "parent": "construction/units",
	}
	for name, c := range map[string]struct {
		target guard.Target
		want   string
	}{
		"a linked file":              {read("peek.md"), "sibling_unit"},
		"a linked folder":            {read("d/design.md"), "sibling_unit"},
		"an absolute link":           {read("abs/design.md"), "sibling_unit"},
		"a link to a link":           {read("chain/design.md"), "sibling_unit"},
		"a dangling link":            {write("new"), "sibling_unit"},
		"a new file behind a link":   {write("d/x"), "sibling_unit"},
		"up after a link":            {read("deep/../../design.md"), "sibling_unit"},
		"up after a link to docs":    {read("docs/../README.md"), "shared"},
		"cleaned first, then linked": {read("docs/../peek.md"), "sibling_unit"},
		"dots in a name, linked":     {read("docs/..new"), "shared"},
		"dots in a name, glob":       {glob("docs/a..b/*.md"), "shared"},
		"cleaned, a list":            {list("docs/../up"), "sibling_search"},
		"cleaned, a glob":            {glob("docs/../d/*.md"), "sibling_unit"},
		"a loop":                     {read("loop"), "unresolvable"},
		"a link in docs":             {read("$R/docs/u/design.md"), "sibling_unit"},
		"a link to one's own":        {read("$R/docs/mine/design.md"), "own_unit"},
		"the units' folder, linked":  {read("$R/parent/U04/design.md"), "sibling_unit"},
		"own through it":             {read("$R/parent/U03/design.md"), "own_unit"},
		"a list through a link":      {list("up"), "sibling_search"},
		"a search through a link":    {search("up"), "sibling_search"},
		"own, links not followed":    {search("."), "own_unit"},
		"own, links followed":        {guard.Target{Op: guard.Search, Path: ".", Follows: true}, "sibling_search"},
		"docs, links followed":       {guard.Target{Op: guard.Search, Path: "$R/docs", Follows: true}, "sibling_search"},
		"glob through a link":        {glob("d/*.md"), "sibling_unit"},
		"glob that follows":          {guard.Target{Op: guard.Search, Pattern: "*/*.md", Follows: true}, "sibling_search"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "construction/units/{unit}", []string{
				own + "/design.md", own + "/sub/deeper/", sib + "/design.md", "docs/guide.md",
			}, links)
			w.dispatch("U03", reviewer, nil)
			c.target.Path = strings.ReplaceAll(c.target.Path, "$R", w.root)
			require.Equal(t, c.want, w.code(w.call(c.target)))
		})
	}
}

// TestCalls has what is more than one target.
func TestCalls(t *testing.T) {
	for name, c := range map[string]struct {
		grant func(*dispatch.Request)
		call  func(*guard.Call)
		want  string
	}{
		"no target": {nil, func(*guard.Call) {}, "no_target"},
		"the second of three": {nil, func(c *guard.Call) {
			c.Targets = []guard.Target{read("design.md"), read("../U04/design.md"), read("x")}
		}, "sibling_unit"},
		"the best of two":       {nil, func(c *guard.Call) { c.Targets = []guard.Target{read("/etc/hostname"), read("design.md")} }, "own_unit"},
		"a fault":               {nil, func(c *guard.Call) { c.Fault = "the patch does not parse" }, "unresolvable"},
		"a tool that is denied": {func(q *dispatch.Request) { q.Grant.DenyTools = []string{"web*"} }, func(c *guard.Call) { c.Tool = "WebFetch" }, "tool_denied"},
		"relative, no cwd":      {nil, func(c *guard.Call) { c.Cwd, c.Targets = "", []guard.Target{read("design.md")} }, "unresolvable"},
		"absolute, no cwd":      {nil, func(c *guard.Call) { c.Cwd, c.Targets = "", []guard.Target{read("/etc/hostname")} }, "shared"},
		"the cwd is gone":       {nil, func(c *guard.Call) { c.Cwd, c.Targets = c.Cwd+"/gone", []guard.Target{read("design.md")} }, "unresolvable"},
		"another event":         {nil, func(c *guard.Call) { c.Event, c.Targets = guard.Other, []guard.Target{read("../U04/design.md")} }, "not_dispatched"},
		"an agent that starts":  {nil, func(c *guard.Call) { c.Event = guard.AgentStart }, "not_dispatched"},
		"observed":              {func(q *dispatch.Request) { q.Grant.Observe = true }, func(c *guard.Call) { c.Targets = []guard.Target{read("../U04/design.md")} }, "would_block"},
		"observed, protected":   {func(q *dispatch.Request) { q.Grant.Observe = true }, func(c *guard.Call) { c.Targets = []guard.Target{read(".conduct/x")} }, "protected"},
		"foreign shell":         {nil, func(c *guard.Call) { c.Commands = []guard.Command{{Text: "gc x", Foreign: true}} }, "opaque_command"},
		"a launch":              {nil, func(c *guard.Call) { c.Launch = &guard.Launch{Prompt: "go"} }, "depth_exceeded"},
		"a launch with another's line": {func(q *dispatch.Request) { q.Grant.MaxDepth = 1 }, func(c *guard.Call) {
			c.Launch = &guard.Launch{Prompt: "conduct:01HZXJ0000000000000000000A", Rewrites: true}
		}, "launch_mismatch"},
		"a launch that cannot be marked": {func(q *dispatch.Request) { q.Grant.MaxDepth = 1 }, func(c *guard.Call) { c.Launch = &guard.Launch{Prompt: "go"} }, "launch_mismatch"},
		"a launch by a script":           {func(q *dispatch.Request) { q.Grant.MaxDepth = 1 }, func(c *guard.Call) { c.Launch = &guard.Launch{Script: true, Rewrites: true} }, "launch_mismatch"},
	} {
		t.Run(name, func(t *testing.T) {
			w := aidlc(t)
			w.dispatch("U03", reviewer, c.grant)
			call := w.call()
			c.call(&call)
			out := w.decide(call)
			require.Equal(t, c.want, out.Code.String(), out.Reason)
			if out.Code == guard.WouldBlock {
				require.Equal(t, guard.SiblingUnit, out.Would)
			}
		})
	}
}

// TestCodesAreClosed names every code in its place: those that block first.
func TestCodesAreClosed(t *testing.T) {
	var blocks, allows []string
	for _, c := range guard.Codes() {
		if c.Allows() {
			allows = append(allows, c.String())
		} else {
			blocks = append(blocks, c.String())
		}
	}
	require.Equal(t, strings.Fields("internal sibling_unit sibling_search read_only tool_denied depth_exceeded launch_mismatch protected control_command expired released ambiguous undispatched unresolvable opaque_command record_damaged bad_payload"), blocks)
	require.Equal(t, strings.Fields("own_unit shared exempt no_target not_dispatched idle stood_aside would_block"), allows)
	require.False(t, guard.Decision{}.Allowed(), "what forgets to decide blocks")
	require.False(t, guard.Code(200).Allows())
	require.Equal(t, "internal", guard.Code(200).String())
	for _, c := range guard.Codes() {
		if !c.Allows() {
			require.NotEmpty(t, guard.Refusal(c), c.String())
			require.LessOrEqual(t, utf8.RuneCountInString(guard.Repeat(strings.Repeat("x", 900))), guard.MaxReason)
		}
	}
}

// TestRefusalsTellNothing: the same words for a target that is there and one that is not.
func TestRefusalsTellNothing(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, nil)
	there := w.decide(w.call(read("../U04/design.md")))
	gone := w.decide(w.call(read("../U04/nothing.md")))
	require.Equal(t, strings.ReplaceAll(there.Reason, "design", "X"), strings.ReplaceAll(gone.Reason, "nothing", "X"))
	require.Contains(t, there.Reason, `"../U04/design.md" belongs to unit U04, you work on unit U03`)
	require.NoError(t, os.Symlink("../U04", w.root+"/"+own+"/d"))
	hit := w.decide(w.shell("cat d*/des*"))
	require.NotContains(t, hit.Reason, "design.md", "what a pattern matches is not told")
	require.Equal(t, guard.SiblingUnit, hit.Code)
	glob := guard.Target{Op: guard.Search, Pattern: "../*/design.md", Implied: true}
	require.Contains(t, w.decide(w.call(glob)).Reason, `from "../*/design.md" reaches`)
	glob.Pattern = "**"
	above := w.call(glob)
	above.Cwd = w.root
	require.Contains(t, w.decide(above).Reason, "from the current folder (no path was given)")
	long := w.decide(w.call(read("../U04/" + strings.Repeat("ä", 200) + ".md")))
	require.LessOrEqual(t, utf8.RuneCountInString(long.Reason), guard.MaxReason)
}

// TestOtherAgentsAreClosed has what other agents said, and what lies above it.
func TestOtherAgentsAreClosed(t *testing.T) {
	for name, c := range map[string]struct {
		target guard.Target
		want   string
	}{
		"a transcript":            {read("~/.claude/projects/-ws/s1/subagents/agent-a2.jsonl"), "protected"},
		"one's own transcript":    {read("~/.claude/projects/-ws/s1/subagents/agent-a1.jsonl"), "shared"},
		"the session's":           {read("~/.claude/projects/-ws/s1.jsonl"), "protected"},
		"a project's memory":      {read("~/.claude/projects/-ws/memory/x.md"), "shared"},
		"a search above them":     {search("~/.claude"), "protected"},
		"a search in the home":    {search("~"), "protected"},
		"a glob above them":       {guard.Target{Op: guard.Search, Path: "~", Pattern: "**/*.jsonl"}, "protected"},
		"another agent's memory":  {read("$R/.claude/agent-memory/worker/x.md"), "protected"},
		"one's own memory":        {read("$R/.claude/agent-memory/reviewer/x.md"), "shared"},
		"sessions of another one": {read("~/.codex/sessions/2026/x.jsonl"), "protected"},
		"an agent's output":       {read("/tmp/claude-1000/-ws/tasks/a2.output"), "protected"},
		"one's own output":        {read("/tmp/claude-1000/-ws/tasks/a1.output"), "shared"},
	} {
		t.Run(name, func(t *testing.T) {
			w := aidlc(t)
			w.dispatch("U03", reviewer, nil)
			require.NoError(t, os.MkdirAll(w.home+"/.claude/projects/-ws/s1/subagents", 0o755))
			c.target.Path = strings.ReplaceAll(strings.ReplaceAll(c.target.Path, "$R", w.root), "~", w.home)
			in := w.input(w.call(c.target))
			in.Env.Temp = []string{"/tmp"}
			require.Equal(t, c.want, guard.Decide(in).Code.String())
		})
	}
}

func TestOnceOpensOneCall(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, func(q *dispatch.Request) {
		q.Grant.Opened = []grants.Opening{{Access: grants.AccessRead, Path: sib + "/design.md", Once: true}}
	})
	call := w.call(read("../U04/design.md"))
	require.Equal(t, "exempt", w.code(call))
	require.Equal(t, "exempt", w.code(call), "the same call, by a hook that runs twice")
	call.CallID = "c2"
	require.Equal(t, "sibling_unit", w.code(call))

	both := w.call(read("../U04/design.md"), read("../U04/code/main.go"))
	w2 := aidlc(t)
	w2.dispatch("U03", reviewer, func(q *dispatch.Request) {
		q.Grant.Opened = []grants.Opening{{Access: grants.AccessRead, Path: sib + "/design.md", Once: true}}
	})
	both.Cwd = w2.root + "/" + own
	require.Equal(t, "sibling_unit", w2.code(both))
	call.Cwd = w2.root + "/" + own
	require.Equal(t, "exempt", w2.code(call), "a call that was blocked has spent nothing")
}

func TestOpeningEndsByItself(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, func(q *dispatch.Request) {
		q.Grant.Opened = []grants.Opening{{Access: grants.AccessRead, Path: sib + "/design.md", Until: w.clock.now.Add(time.Minute)}}
	})
	require.Equal(t, "exempt", w.code(w.call(read("../U04/design.md"))))
	w.clock.pass(time.Minute)
	require.Equal(t, "sibling_unit", w.code(w.call(read("../U04/design.md"))))
}

func TestTokens(t *testing.T) {
	const id = "01HZXJ0000000000000000000A"
	for in, want := range map[string][]guard.PromptToken{
		"":                               nil,
		"we conduct: with care":          nil,
		"conduct:short":                  nil,
		"misconduct:" + id:               nil,
		"conduct:" + id:                  {{ID: id, Start: 0, End: 34}},
		"x\nconduct:" + id + "\ny":       {{ID: id, Start: 2, End: 36}},
		"(conduct:" + id + ").":          {{ID: id, Start: 1, End: 35}},
		"conduct:" + id + ".2 go":        {{ID: id, Depth: 2, Start: 0, End: 36}},
		"conduct:" + id + ". Then":       {{ID: id, Start: 0, End: 34}},
		"conduct:" + strings.ToLower(id): {{ID: id, Start: 0, End: 34}},
		"conduct:" + id + "conduct:":     {{ID: id + "CONDUCT", Start: 0, End: 41}},
		"conduct:ABCDEFGH":               {{ID: "ABCDEFGH", Start: 0, End: 16}},
	} {
		require.Equal(t, want, guard.Tokens(in), in)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"conduct:01HZXJ0000000000000000000A", "conduct:01HZXJ0000000000000000000A.1 conduct:", "ä conduct:ABCDEFGHI.9", "conduct:conduct:ABCDEFGH"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, x := range guard.Tokens(s) {
			require.GreaterOrEqual(t, x.Start, last)
			require.Greater(t, x.End, x.Start)
			require.LessOrEqual(t, x.End, len(s))
			require.True(t, strings.HasPrefix(s[x.Start:], guard.TokenPrefix))
			require.GreaterOrEqual(t, len(x.ID), 8)
			require.LessOrEqual(t, x.Depth, 9)
			last = x.End
		}
	})
}
