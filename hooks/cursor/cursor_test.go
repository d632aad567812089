package cursor_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/cursor"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
)

const fixtures = "../../testdata/hooks/cursor/documented"

func TestClient(t *testing.T) { hooktest.Run(t, cursor.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, cursor.New()) }

func call(tool, id string, c guard.Call) guard.Call {
	c.Client, c.Session, c.Tool, c.Cwd, c.CallID = cursor.Name, "b60ae0c1-0000-4000-8000-000000000001", tool, "/repo", id
	c.Event, c.Apart = guard.ToolCall, true
	return c
}

func TestDecode(t *testing.T) {
	const id = "25c45009-0000-4000-8000-00000000000"
	read := call("Read", "call-00000000-0000-4000-8000-000000000001-0\nfc_00000000-0000-4000-8000-000000000001_0",
		guard.Call{Targets: []guard.Target{{Op: guard.Read, Path: "/repo/lib/secret.txt"}}})
	read.Session = "bf617dfd-0000-4000-8000-000000000002"
	everything := guard.Read | guard.Write | guard.Search
	hooktest.Decoded(t, cursor.New(), os.DirFS(fixtures), map[string]guard.Call{
		"preToolUse-Read-subagent": read,
		"preToolUse-Shell":         call("Shell", id+"3", guard.Call{Commands: []guard.Command{{Text: "cat lib/secret.txt"}}}),
		"preToolUse-Write": call("Write", id+"4", guard.Call{
			Targets: []guard.Target{{Op: guard.Read | guard.Write, Path: "/repo/src/new.txt"}}, Writes: true,
		}),
		"preToolUse-Grep": call("Grep", id+"5", guard.Call{Targets: []guard.Target{{Op: guard.Search, Path: "/repo/lib"}}}),
		"preToolUse-Task": call("Task", id+"6", guard.Call{
			Launch: &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit A"},
		}),
		"preToolUse-MCP": call("MCP:fs_read", id+"7", guard.Call{Targets: []guard.Target{
			{Op: everything, Path: "path", Guess: true}, {Op: everything, Path: "/repo/lib/secret.txt", Guess: true},
		}}),
	})
}

func TestFolder(t *testing.T) {
	tests := []struct{ name, rest, want string }{
		{"the call's", `"cwd":"/w/sub","workspace_roots":["/w"]`, "/w/sub"},
		{"the workspace's", `"cwd":"","workspace_roots":["/w"]`, "/w"},
		{"none named", `"workspace_roots":["/w"]`, "/w"},
		{"several workspaces", `"workspace_roots":["/w","/x"]`, ""},
		{"no workspace", `"workspace_roots":[]`, ""},
		{"no list", `"workspace_roots":"/w"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := cursor.New().Decode([]byte(`{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"ls","cwd":""},` + tt.rest + `}`))
			require.NoError(t, err)
			require.Equal(t, tt.want, c.Cwd)
			require.Equal(t, []guard.Command{{Text: "ls"}}, c.Commands)
		})
	}
}

func TestNamesThatWrite(t *testing.T) {
	for name, want := range map[string]bool{"MCP:write_file": true, "MCP:read_file": false} {
		c, err := cursor.New().Decode([]byte(`{"hook_event_name":"preToolUse","tool_name":"` + name + `","tool_input":{}}`))
		require.NoError(t, err)
		require.Equal(t, want, c.Writes, name)
	}
}

func TestEncode(t *testing.T) {
	c := cursor.New()
	allowed := hooks.Answer{Decision: guard.Decision{Code: guard.NotDispatched}, Event: guard.ToolCall}
	require.Equal(t, "{\"permission\":\"allow\"}\n", string(c.Encode(allowed).Stdout))
	require.Equal(t, "{\"permission\":\"deny\",\"user_message\":\"no\",\"agent_message\":\"no\"}\n",
		string(c.Encode(hooks.Answer{Decision: guard.Decision{Reason: "no"}}).Stdout))
	require.False(t, hooks.Verified(c))
}
