package codex_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks/codex"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
)

const fixtures = "../../testdata/hooks/codex"

func TestClient(t *testing.T) { hooktest.Run(t, codex.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, codex.New()) }

const (
	session = "01a22d4f-a8d9-7101-942f-4868cd4c27ec"
	agent   = "01a22d4f-c2e7-7371-b0f2-f9ae81663960"
)

func parent(tool, cwd, id string, c guard.Call) guard.Call {
	c.Client, c.Session, c.Tool, c.Cwd, c.CallID = codex.Name, session, tool, cwd, id
	c.Transcripts, c.Marks = "/home/dev/.codex/sessions", true
	if c.Event == guard.Other {
		c.Event = guard.ToolCall
	}
	return c
}

func child(tool, id string, c guard.Call) guard.Call {
	c = parent(tool, "/repo", id, c)
	c.AgentID, c.AgentType, c.Marked = agent, "worker", true
	return c
}

func TestDecode(t *testing.T) {
	everything := guard.Read | guard.Write | guard.Search
	secret := guard.Call{Targets: []guard.Target{
		{Op: everything, Path: "path", Guess: true},
		{Op: everything, Path: "/repo/lib/secret.txt", Guess: true},
	}}
	patched := guard.Call{Writes: true, Targets: []guard.Target{{Op: guard.Write, Path: "lib/fromsub.txt"}}}
	launched := &guard.Launch{AgentType: "worker", Prompt: "AGENT-MARK-UNIT-A work on unit A"}
	blind := parent("collaborationspawn_agent", "/repo", "call_12", guard.Call{
		Event: guard.LaunchDone, Launch: &guard.Launch{Prompt: "AGENT-MARK-UNIT-A work on unit A"},
	})
	blind.Session = "01a22d50-cbb9-7523-be3a-e4acf2fd681f"
	hooktest.Decoded(t, codex.New(), os.DirFS(fixtures), map[string]guard.Call{
		"PreToolUse-Bash": parent("Bash", "/repo/lib", "call_2",
			guard.Call{Commands: []guard.Command{{Text: "cat secret.txt; env | grep -c PARENT_ENV", Rewrites: true}}}),
		"PreToolUse-Bash-subagent": child("Bash", "call_63",
			guard.Call{Commands: []guard.Command{{Text: "cat lib/secret.txt", Rewrites: true}}}),
		"PreToolUse-apply_patch-subagent":           child("apply_patch", "call_67", patched),
		"PreToolUse-mcp__fakemcp__fs_read":          parent("mcp__fakemcp__fs_read", "/repo", "call_16", secret),
		"PreToolUse-mcp__fakemcp__fs_read-subagent": child("mcp__fakemcp__fs_read", "call_69", secret),
		"PreToolUse-list_mcp_resources":             parent("list_mcp_resources", "/repo", "call_22", guard.Call{}),
		"PreToolUse-multi_agent_v1wait_agent":       parent("multi_agent_v1wait_agent", "/repo", "call_61", guard.Call{}),
		"PreToolUse-view_image": parent("view_image", "/repo", "call_18",
			guard.Call{Targets: []guard.Target{{Op: guard.Read, Path: "lib/p.png"}}}),
		"PreToolUse-spawn_agent": parent("spawn_agent", "/repo", "call_59", guard.Call{Launch: launched}),
		"PostToolUse-spawn_agent": parent("spawn_agent", "/repo", "call_59", guard.Call{
			Event: guard.LaunchDone, Launch: launched, Started: agent,
		}),
		// The second protocol names no agent in its result.
		"codemode/PostToolUse-collaborationspawn_agent": blind,
	})
}

func TestLaunchResult(t *testing.T) {
	tests := []struct{ name, result, started string }{
		{"text", `"{\"agent_id\":\"x\"}"`, "x"},
		{"object", `{"agent_id":"x"}`, "x"},
		{"no JSON", `"agent_id: x"`, ""},
		{"JSON and more", `"{\"agent_id\":\"x\"} y"`, ""},
		{"name twice", `"{\"agent_id\":\"x\",\"AGENT_ID\":\"y\"}"`, ""},
		{"number", `{"agent_id":1}`, ""},
		{"null", `null`, ""},
		{"list", `[{"agent_id":"x"}]`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call, err := codex.New().Decode([]byte(
				`{"hook_event_name":"PostToolUse","tool_name":"spawn_agent","tool_response":` + tt.result + `}`))
			require.NoError(t, err)
			require.Equal(t, guard.LaunchDone, call.Event)
			require.Equal(t, tt.started, call.Started)
		})
	}
}

func TestPatchThatDoesNotParse(t *testing.T) {
	for _, input := range []string{`{"command":"hello"}`, `{"command":["*** Begin Patch"]}`, `{"input":"*** Begin Patch"}`, `{"patch":7}`} {
		call, err := codex.New().Decode([]byte(`{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":` + input + `}`))
		require.NoError(t, err)
		require.NotEmpty(t, call.Fault, input)
		require.True(t, call.Writes)
	}
}

func TestLinesForARunningProgramAreOpaque(t *testing.T) {
	call, err := codex.New().Decode([]byte(`{"hook_event_name":"PreToolUse","tool_name":"write_stdin","tool_input":{"session_id":1,"chars":"cat x\n"}}`))
	require.NoError(t, err)
	require.Equal(t, []guard.Command{{Text: "cat x\n", Foreign: true}}, call.Commands)
}
