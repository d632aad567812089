package claudecode_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/claudecode"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
)

const fixtures = "../../testdata/hooks/claude-code/"

func TestClient(t *testing.T) { hooktest.Run(t, claudecode.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, claudecode.New()) }

const (
	session     = "2230f31f-88c8-42da-b58a-67a1955a0ed8"
	transcripts = "/home/dev/.claude/projects/-repo"
	agent       = "a99cfd2a308961e3a"
	everything  = guard.Read | guard.Write | guard.Search
)

// parent fills in what every call of the captured main session has.
func parent(tool, cwd, id string, c guard.Call) guard.Call {
	c.Client, c.Session, c.Tool, c.Cwd, c.CallID = claudecode.Name, session, tool, cwd, id
	c.Transcripts, c.Marks = transcripts, true
	if c.Event == guard.Other {
		c.Event = guard.ToolCall
	}
	return c
}

// child does so for a captured subagent.
func child(tool, id string, c guard.Call) guard.Call {
	c = parent(tool, "/repo/lib", id, c)
	c.AgentID, c.AgentType, c.Marked = agent, "unit-worker", true
	c.Transcript = transcripts + "/" + session + "/subagents/agent-" + agent + ".jsonl"
	return c
}

func targets(t ...guard.Target) guard.Call { return guard.Call{Targets: t} }

func writes(op guard.Op, path string) guard.Call {
	return guard.Call{Targets: []guard.Target{{Op: op, Path: path}}, Writes: true}
}

func command(text string) guard.Call {
	return guard.Call{Commands: []guard.Command{{Text: text, Rewrites: true}}}
}

func TestDecode(t *testing.T) {
	edit := guard.Read | guard.Write
	secret := targets(
		guard.Target{Op: everything, Path: "path", Guess: true},
		guard.Target{Op: everything, Path: "/repo/lib/secret.txt", Guess: true},
	)
	launched := &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit A @lib/secret.txt", Rewrites: true}
	nested := &guard.Launch{AgentType: "general-purpose", Prompt: "nested NESTED-TASK", Rewrites: true}
	hooktest.Decoded(t, claudecode.New(), os.DirFS(fixtures), map[string]guard.Call{
		"PreToolUse-Read": parent("Read", "/repo", "toolu_fake0001",
			targets(guard.Target{Op: guard.Read, Path: "/repo/src/a.txt"})),
		"PreToolUse-Read-subagent": child("Read", "toolu_fake0067",
			targets(guard.Target{Op: guard.Read, Path: "/repo/lib/secret.txt"})),
		"PreToolUse-Write":          parent("Write", "/repo", "toolu_fake0005", writes(guard.Write, "/repo/src/new.txt")),
		"PreToolUse-Write-subagent": child("Write", "toolu_fake0069", writes(guard.Write, "/repo/src/sub.txt")),
		"PreToolUse-Edit":           parent("Edit", "/repo", "toolu_fake0007", writes(edit, "/repo/src/a.txt")),
		"PreToolUse-Edit-subagent":  child("Edit", "toolu_fake0070", writes(edit, "/repo/src/a.txt")),
		"PreToolUse-NotebookEdit":   parent("NotebookEdit", "/repo", "toolu_fake0015", writes(edit, "/repo/src/n.ipynb")),
		"PreToolUse-Glob": parent("Glob", "/repo", "toolu_fake0017",
			targets(guard.Target{Op: guard.Search, Path: "/repo/lib", Pattern: "**/*.txt", AnyDepth: true})),
		"PreToolUse-Glob-subagent": child("Glob", "toolu_fake0071",
			targets(guard.Target{Op: guard.Search, Implied: true, Pattern: "**/*.txt", AnyDepth: true})),
		"PreToolUse-Grep": parent("Grep", "/repo", "toolu_fake0019",
			targets(guard.Target{Op: guard.Search, Path: "/repo/lib", Pattern: "*.txt", AnyDepth: true})),
		"PreToolUse-Grep-subagent": child("Grep", "toolu_fake0072",
			targets(guard.Target{Op: guard.Search, Path: "/repo/lib"})),
		"PreToolUse-Bash": parent("Bash", "/repo", "toolu_fake0023",
			command("cd lib && cat secret.txt; env | grep -c PARENT_ENV")),
		"PreToolUse-Bash-subagent": child("Bash", "toolu_fake0073", command("cd lib && cat secret.txt")),
		"PreToolUse-mcp__fakemcp__fs_read": parent("mcp__fakemcp__fs_read", "/repo/lib", "toolu_fake0029",
			secret),
		"PreToolUse-mcp__fakemcp__fs_read-subagent": child("mcp__fakemcp__fs_read", "toolu_fake0074", secret),
		"PreToolUse-ToolSearch":                     parent("ToolSearch", "/repo", "toolu_fake0011", guard.Call{}),
		"PreToolUse-Agent":                          parent("Agent", "/repo/lib", "toolu_fake0065", guard.Call{Launch: launched}),
		"PreToolUse-Agent-subagent":                 child("Agent", "toolu_fake0079", guard.Call{Launch: nested}),
		"PostToolUse-Agent": parent("Agent", "/repo/lib", "toolu_fake0065", guard.Call{
			Event: guard.LaunchDone, Launch: launched, Started: agent,
		}),
		"UserPromptSubmit": parent("", "/repo", "", guard.Call{Event: guard.TurnStart}),
	})
}

func decode(t *testing.T, payload string) guard.Call {
	t.Helper()
	call, err := claudecode.New().Decode([]byte(payload))
	require.NoError(t, err)
	return call
}

func TestIdentity(t *testing.T) {
	tests := []struct {
		name, fields string
		want         guard.Call
	}{
		{"main session", ``, guard.Call{}},
		{"empty agent id", `"agent_id":"",`, guard.Call{}},
		{"null agent id", `"agent_id":null,`, guard.Call{}},
		{"main session of claude --agent", `"agent_type":"rev",`, guard.Call{AgentType: "rev", Marked: true}},
		{"empty agent id of a named agent", `"agent_id":"","agent_type":"rev",`, guard.Call{AgentType: "rev", Marked: true}},
		{"subagent without a transcript", `"agent_id":"a1","agent_type":"rev",`,
			guard.Call{AgentID: "a1", AgentType: "rev", Marked: true}},
		{"subagent", `"agent_id":"a1","session_id":"s","transcript_path":"/t/s.jsonl",`, guard.Call{
			AgentID: "a1", Marked: true, Session: "s", Transcripts: "/t", Transcript: "/t/s/subagents/agent-a1.jsonl",
		}},
		{"relative transcript", `"agent_id":"a1","session_id":"s","transcript_path":"t/s.jsonl",`,
			guard.Call{AgentID: "a1", Marked: true, Session: "s"}},
		{"agent id that climbs", `"agent_id":"../a","session_id":"s","transcript_path":"/t/s.jsonl",`,
			guard.Call{AgentID: "../a", Marked: true, Session: "s", Transcripts: "/t"}},
		{"session that climbs", `"agent_id":"a1","session_id":"..","transcript_path":"/t/s.jsonl",`,
			guard.Call{AgentID: "a1", Marked: true, Session: "..", Transcripts: "/t"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Client, tt.want.Event, tt.want.Tool, tt.want.Marks = claudecode.Name, guard.ToolCall, "TodoWrite", true
			require.Equal(t, tt.want, decode(t, `{`+tt.fields+`"hook_event_name":"PreToolUse","tool_name":"TodoWrite"}`))
		})
	}
}

func TestPermissionRequestPasses(t *testing.T) {
	data, err := os.ReadFile(fixtures + "permission/PermissionRequest-Write.json")
	require.NoError(t, err)
	call := decode(t, string(data))
	require.Equal(t, guard.Other, call.Event)
	require.Empty(t, call.Targets)
}

func TestRewrite(t *testing.T) {
	payload := []byte(`{"hook_event_name":"PreToolUse","tool_name":"Agent","tool_input":` +
		`{"n" : 1.0e2, "prompt":"old", "deep":{"x":[1, "\u00e9"]}}}`)
	a := hooks.Answer{
		Decision: guard.Decision{Code: guard.OwnUnit}, Payload: payload, Prompt: "new \"one\"", Event: guard.ToolCall,
	}
	r := claudecode.New().Encode(a)
	require.Equal(t, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":`+
		`{"n":1.0e2,"prompt":"new \"one\"","deep":{"x":[1, "\u00e9"]}}}}`+"\n", string(r.Stdout))
	require.Zero(t, r.Exit)

	for _, bad := range []string{``, `{}`, `{"tool_input":{}}`, `{"tool_input":{"prompt":"a"}`} {
		a.Payload = []byte(bad)
		v, err := hooktest.Read(claudecode.Name, claudecode.New().Encode(a))
		require.NoError(t, err)
		require.True(t, v.Blocked, "a launch that cannot get its line is blocked")
	}
}
