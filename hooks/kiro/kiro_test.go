package kiro_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
	"github.com/seed6310be5c/conduct/hooks/kiro"
)

const fixtures = "../../testdata/hooks/kiro/documented"

func TestClient(t *testing.T) { hooktest.Run(t, kiro.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, kiro.New()) }

func call(tool string, c guard.Call) guard.Call {
	c.Client, c.Tool, c.Cwd, c.Event, c.Apart = kiro.Name, tool, "/repo", guard.ToolCall, true
	return c
}

func TestDecode(t *testing.T) {
	everything := guard.Read | guard.Write | guard.Search
	hooktest.Decoded(t, kiro.New(), os.DirFS(fixtures), map[string]guard.Call{
		"preToolUse-fs_read": call("fs_read", guard.Call{Targets: []guard.Target{{Op: guard.Read, Path: "/repo/lib/secret.txt"}}}),
		"preToolUse-fs_write": call("fs_write", guard.Call{
			Targets: []guard.Target{{Op: guard.Read | guard.Write, Path: "/repo/src/new.txt"}}, Writes: true,
		}),
		"preToolUse-execute_bash": call("execute_bash", guard.Call{Commands: []guard.Command{{Text: "cat lib/secret.txt"}}}),
		"preToolUse-shell":        call("shell", guard.Call{Commands: []guard.Command{{Text: "cat src/a.txt"}}}),
		"preToolUse-use_subagent": call("use_subagent", guard.Call{
			Launch: &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit A"},
		}),
		"preToolUse-MCP": call("@fakemcp/fs_read", guard.Call{Targets: []guard.Target{
			{Op: everything, Path: "path", Guess: true}, {Op: everything, Path: "/repo/lib/secret.txt", Guess: true},
		}}),
	})
}

func decode(t *testing.T, tool, input string) guard.Call {
	t.Helper()
	c, err := kiro.New().Decode([]byte(`{"hook_event_name":"preToolUse","cwd":"/r","tool_name":"` + tool + `","tool_input":` + input + `}`))
	require.NoError(t, err)
	return c
}

// A folder is shown as deep as the call says.
func TestDepth(t *testing.T) {
	for depth, want := range map[string]guard.Op{
		`0`: guard.Read, `null`: guard.Read, `1`: guard.Read | guard.Search, `"0"`: guard.Read | guard.Search,
	} {
		c := decode(t, "read", `{"operations":[{"mode":"Directory","path":"a","depth":`+depth+`}]}`)
		require.Equal(t, []guard.Target{{Op: want, Path: "a"}}, c.Targets, depth)
	}
}

func TestNamesThatWrite(t *testing.T) {
	require.True(t, decode(t, "@files/write_file", `{}`).Writes)
	require.False(t, decode(t, "@file-editor/read_file", `{}`).Writes)
}

func TestNothingMarksAnAgent(t *testing.T) {
	c, err := kiro.New().Decode([]byte(`{"hook_event_name":"preToolUse","tool_name":"todo_list","agent_id":"a","agent_type":"b"}`))
	require.NoError(t, err)
	require.Equal(t, guard.Call{Client: kiro.Name, Event: guard.ToolCall, Tool: "todo_list", Apart: true}, c)
}

func TestEncode(t *testing.T) {
	c := kiro.New()
	require.Equal(t, hooks.Response{Stderr: []byte("no\n"), Exit: 2}, c.Encode(hooks.Answer{Decision: guard.Decision{Reason: "no"}}))
	require.False(t, hooks.Verified(c))
}
