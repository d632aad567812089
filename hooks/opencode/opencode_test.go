package opencode_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
	"github.com/seed6310be5c/conduct/hooks/opencode"
)

const fixtures = "../../testdata/hooks/opencode"

func TestClient(t *testing.T) { hooktest.Run(t, opencode.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, opencode.New()) }

const (
	session    = "ses_dd2ad3676ffeTQvi5qs6z4OLXQ"
	subagent   = "ses_dd2ad06fbffePejsPdIXPnmp78"
	everything = guard.Read | guard.Write | guard.Search
)

// parent fills in what every call of the captured main session has.
func parent(tool, id string, c guard.Call) guard.Call {
	c.Client, c.Session, c.Tool, c.Cwd, c.CallID, c.Marks = opencode.Name, session, tool, "/repo", id, true
	if c.Event == guard.Other {
		c.Event = guard.ToolCall
	}
	return c
}

// child does so for a captured subagent.
func child(tool, id string, c guard.Call) guard.Call {
	c = parent(tool, id, c)
	c.Session, c.AgentID, c.AgentType, c.Marked = subagent, subagent, "unit-worker", true
	return c
}

func target(t guard.Target) guard.Call { return guard.Call{Targets: []guard.Target{t}} }

func writes(op guard.Op, path string) guard.Call {
	return guard.Call{Targets: []guard.Target{{Op: op, Path: path}}, Writes: true}
}

func TestDecode(t *testing.T) {
	const before = "tool.execute.before-"
	edit := guard.Read | guard.Write
	patched := parent("apply_patch", "call_1", guard.Call{Writes: true, Targets: []guard.Target{
		{Op: guard.Write, Path: "lib/p.txt"}, {Op: edit, Path: "src/a.txt"},
	}})
	patched.Session = "ses_dd2aa2965ffevQv8moTlx9YaTw"
	task := &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit A", Rewrites: true}
	done := parent("task", "call_23", guard.Call{Event: guard.LaunchDone, Launch: task, Started: subagent})
	done.Cwd = ""
	hooktest.Decoded(t, opencode.New(), os.DirFS(fixtures), map[string]guard.Call{
		before + "read":           parent("read", "call_1", target(guard.Target{Op: guard.Read, Path: "/repo/src/a.txt"})),
		before + "read-subagent":  child("read", "call_24", target(guard.Target{Op: guard.Read, Path: "/repo/lib/secret.txt"})),
		before + "write":          parent("write", "call_4", writes(guard.Write, "/repo/src/new.txt")),
		before + "write-subagent": child("write", "call_25", writes(guard.Write, "src/sub.txt")),
		before + "edit":           parent("edit", "call_5", writes(edit, "/repo/src/a.txt")),
		before + "edit-subagent":  child("edit", "call_26", writes(edit, "/repo/src/a.txt")),
		before + "apply_patch":    patched,
		before + "glob": parent("glob", "call_9",
			target(guard.Target{Op: guard.Search, Path: "/repo/lib", Pattern: "**/*.txt", AnyDepth: true})),
		before + "glob-subagent": child("glob", "call_27",
			target(guard.Target{Op: guard.Search, Implied: true, Pattern: "**/*.txt", AnyDepth: true})),
		before + "grep": parent("grep", "call_11",
			target(guard.Target{Op: guard.Search, Path: "/repo/lib", Pattern: "*.txt", AnyDepth: true})),
		before + "grep-subagent": child("grep", "call_28", target(guard.Target{Op: guard.Search, Path: "/repo/lib"})),
		before + "bash": parent("bash", "call_13", guard.Call{Commands: []guard.Command{
			{Text: "cat secret.txt; env | grep -c PARENT_ENV", Cwd: "/repo/lib", Rewrites: true},
		}}),
		before + "bash-subagent": child("bash", "call_29", guard.Call{Commands: []guard.Command{
			{Text: "cat lib/secret.txt", Rewrites: true},
		}}),
		before + "fakemcp_fs_read": parent("fakemcp_fs_read", "call_14", guard.Call{Targets: []guard.Target{
			{Op: everything, Path: "path", Guess: true}, {Op: everything, Path: "/repo/lib/secret.txt", Guess: true},
		}}),
		before + "todowrite":        parent("todowrite", "call_15", guard.Call{}),
		before + "invalid-subagent": child("invalid", "call_30", guard.Call{}),
		before + "task":             parent("task", "call_23", guard.Call{Launch: task}),
		"tool.execute.after-task":   done,
		"session.idle": {
			Client: opencode.Name, Event: guard.AgentStop, Session: subagent, Marks: true,
		},
	})
}

func decode(t *testing.T, rest string) guard.Call {
	t.Helper()
	call, err := opencode.New().Decode([]byte(`{"tool_name":"todowrite","input":{"sessionID":"s","callID":"c"},"output":{"args":{}},` + rest + `}`))
	require.NoError(t, err)
	return call
}

func TestIdentity(t *testing.T) {
	tests := []struct {
		name, rest string
		want       guard.Call
	}{
		{"main session", `"session_lookup":{"id":"s","agent":"build"}`, guard.Call{}},
		{"planning", `"session_lookup":{"id":"s","agent":"plan"}`, guard.Call{}},
		{"main session of an agent", `"session_lookup":{"id":"s","agent":"rev"}`, guard.Call{AgentType: "rev", Marked: true}},
		{"subagent", `"session_lookup":{"id":"s","parentID":"p","agent":"rev"},"opening":"conduct:x"`,
			guard.Call{AgentID: "s", AgentType: "rev", Marked: true, Opening: "conduct:x"}},
		{"subagent called build", `"session_lookup":{"id":"s","parentID":"p","agent":"build"}`,
			guard.Call{AgentID: "s", AgentType: "build", Marked: true}},
		{"subagent by its title", `"session_lookup":{"id":"s","parentID":"p","title":"do (@x subagent) (@rev subagent)"}`,
			guard.Call{AgentID: "s", AgentType: "rev", Marked: true}},
		{"subagent without a name", `"session_lookup":{"id":"s","parentID":"p","title":"x"}`, guard.Call{AgentID: "s", Marked: true}},
		{"a person's prompt is no opening", `"session_lookup":{"id":"s"},"opening":"conduct:x"`, guard.Call{}},
		{"folder of the session", `"session_lookup":{"id":"s","directory":"/w"}`, guard.Call{Cwd: "/w"}},
		{"folder of the plugin", `"session_lookup":{"id":"s"},"directory":"/w"`, guard.Call{Cwd: "/w"}},
		{"one folder", `"session_lookup":{"id":"s","directory":"/w"},"directory":"/w"`, guard.Call{Cwd: "/w"}},
		{"two folders", `"session_lookup":{"id":"s","directory":"/w"},"directory":"/x"`, guard.Call{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Client, tt.want.Event, tt.want.Tool, tt.want.Marks = opencode.Name, guard.ToolCall, "todowrite", true
			tt.want.Session, tt.want.CallID = "s", "c"
			require.Equal(t, tt.want, decode(t, tt.rest))
		})
	}
}

// The paths that opencode's own pattern finds in a prompt, tried in Node.
func TestMentions(t *testing.T) {
	tests := []struct {
		prompt string
		want   []string
	}{
		{"work on unit A", nil},
		{"see @lib/secret.txt.", []string{"lib/secret.txt"}},
		{"@lib/secret.txt,@lib/b", []string{"lib/secret.txt", "lib/b"}},
		{"(@lib)", []string{"lib)"}},
		{"@../U04/x and @./y and @.z", []string{"../U04/x", "./y", ".z"}},
		{"@a..b @...", []string{"a", "."}},
		{"me@example.invalid, x_@y, `@z`", nil},
		{"é@a \"@b\"", []string{"a", `b"`}},
		{"@ @, @. @a @a", []string{".", "a"}},
		{"@~/x @/etc/passwd", []string{"~/x", "/etc/passwd"}},
		{"@a\u00a0b @c`d`", []string{"a", "c"}},
		{"@@x", []string{"@x"}},
	}
	for _, tt := range tests {
		t.Run(tt.prompt, func(t *testing.T) {
			input, err := opencode.New().Decode([]byte(`{"tool_name":"task","input":{"sessionID":"s"},"session_lookup":{"id":"s"},` +
				`"worktree":"/w","output":{"args":{"prompt":` + quoted(tt.prompt) + `}}}`))
			require.NoError(t, err)
			var want []guard.Target
			for _, path := range tt.want {
				want = append(want, guard.Target{Op: guard.Read, Path: path, Base: "/w", Guess: true})
			}
			require.Equal(t, want, input.Launch.Inlined)
		})
	}
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func TestManyMentions(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		b.WriteString("@" + strings.Repeat("x", i+1) + " ")
	}
	call, err := opencode.New().Decode([]byte(`{"tool_name":"task","input":{"sessionID":"s"},"session_lookup":{"id":"s"},` +
		`"output":{"args":{"prompt":"` + b.String() + `"}}}`))
	require.NoError(t, err)
	require.Len(t, call.Launch.Inlined, 257)
	require.Equal(t, guard.Target{Op: guard.Read, Path: "\x00"}, call.Launch.Inlined[256], "what is not looked at cannot pass")
}

func TestCallsWithinACallAreNotJudged(t *testing.T) {
	call, err := opencode.New().Decode([]byte(`{"tool_name":"batch","input":{"sessionID":"s"},"session_lookup":{"id":"s"},` +
		`"output":{"args":{"tool_calls":[{"tool":"grep","parameters":{"pattern":"x"}}]}}}`))
	require.NoError(t, err)
	require.Equal(t, `what is behind "tool_calls" is not seen`, call.Fault)
}

func TestEncode(t *testing.T) {
	c := opencode.New()
	require.Equal(t, hooks.Response{Stdout: []byte("{\"decision\":\"block\",\"reason\":\"no\"}\n")},
		c.Encode(hooks.Answer{Decision: guard.Decision{Reason: "no"}}))
	a := hooks.Answer{Decision: guard.Decision{Code: guard.NoTarget}, Event: guard.ToolCall, Command: "conduct exec"}
	require.Equal(t, "{\"args\":{\"command\":\"conduct exec\"}}\n", string(c.Encode(a).Stdout))
	require.True(t, hooks.Verified(c))
}
