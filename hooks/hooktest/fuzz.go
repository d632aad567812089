package hooktest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// Fuzz gives a client whatever bytes: it must make a call or an ErrPayload of
// them, the same one each time, and turn a block of it into an answer that counts.
func Fuzz(f *testing.F, c hooks.Client) {
	for _, event := range []string{"PreToolUse", "BeforeTool", "PostToolUse"} {
		for _, tool := range []string{"Read", "apply_patch", "glob", "Agent", "invoke_agent", "mcp__a__b", "mcp__a__work_report"} {
			f.Add([]byte(`{"session_id":"s","agent_id":"rev-call_1","cwd":"/","hook_event_name":"` + event +
				`","tool_name":"` + tool + `","tool_input":{"path":["/a"],"pattern":"{a,/b}/*","prompt":"p",` +
				`"command":"*** Begin Patch\n*** End Patch","x":"{\"y\":[1,\"z/\"]}"},"tool_response":"{\"agent_id\":\"1\"}"}`))
		}
	}
	f.Add([]byte(`{"tool_input":{"file_path":{}},"tool_name":"Read"}`))
	for _, tool := range []string{"view", "task", "bash", "apply_patch", "a_work_brief"} {
		const input = `{"path":["/a"],"prompt":"p @a/b","command":"ls","input":"*** Begin Patch\n*** End Patch"}`
		f.Add([]byte(`{"sessionId":"s","cwd":"/","toolName":"` + tool + `","toolArgs":` + input + `,"agentId":"s"}`))
		f.Add([]byte(`{"tool_name":"` + tool + `","input":{"sessionID":"s","callID":"c"},"output":{"args":` + input + `},` +
			`"session_lookup":{"id":"s","parentID":"p","directory":"/"}}`))
	}
	f.Add([]byte(`{"hook_event_name":"preToolUse","tool_name":"fs_read","tool_input":{"operations":[{"path":"a","depth":2}]},"workspace_roots":["/a"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		call, err := c.Decode(data)
		if err != nil {
			require.ErrorIs(t, err, hooks.ErrPayload)
			call = guard.Call{}
		} else {
			require.True(t, json.Valid(data))
			again, err := c.Decode(data)
			require.NoError(t, err)
			require.Equal(t, call, again)
		}
		a := hooks.Answer{Payload: data, Event: call.Event}
		v := verdict(t, c, a)
		if a.Blocks() {
			require.True(t, v.Blocked)
		}
		if call.Event == guard.ToolCall && call.Launch != nil && !call.Launch.Script {
			a.Decision, a.Prompt = guard.Decision{Code: guard.NotDispatched}, "conduct:01J"
			v := verdict(t, c, a)
			require.True(t, v.Blocked || v.Prompt == a.Prompt)
		}
		if call.Event == guard.ToolCall && len(call.Commands) == 1 && call.Launch == nil {
			a.Decision, a.Prompt, a.Command = guard.Decision{Code: guard.NoTarget}, "", "conduct exec -- true"
			v := verdict(t, c, a)
			require.True(t, v.Blocked || v.Command == a.Command)
			require.False(t, !call.Commands[0].Rewrites && c.Name() == "qwen-code" && !v.Blocked)
		}
		if call.Event == guard.ToolCall && call.Board != nil {
			a.Decision, a.Prompt, a.Command, a.Dispatch = guard.Decision{Code: guard.NoTarget}, "", "", "01J"
			v := verdict(t, c, a)
			require.True(t, v.Blocked || v.Dispatch == a.Dispatch)
			require.False(t, !call.Board.Rewrites && c.Name() == "codex" && !v.Blocked)
		}
	})
}
