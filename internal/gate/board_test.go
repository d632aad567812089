package gate_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/all"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/system"
)

// claudes writes a call as the programs do that took Claude Code's payload over.
func claudes(event, agent string) func(root, tool string, input any) any {
	return func(root, tool string, input any) any {
		return map[string]any{
			"hook_event_name": event, "session_id": "s", "agent_id": agent, "agent_type": "rev", "cwd": root,
			"tool_name": tool, "tool_input": input, "permission_mode": "bypassPermissions",
		}
	}
}

// agentsCall sends a call of the dispatched agent through a client's hook. Of a program
// that marks no agent the hook's command line says whose it is.
func agentsCall(t *testing.T, client, root, tool, input string) hooks.Response {
	t.Helper()
	write, agent := payloads[client], ""
	switch client {
	case "claude-code", "codex", "generic":
		write = claudes("PreToolUse", "a1")
	case "qwen-code":
		write = claudes("PreToolUse", "rev-call_1")
	case "gemini-cli":
		write = claudes("BeforeTool", "")
	}
	switch client {
	case "gemini-cli", "cursor", "kiro":
		agent = "rev"
	}
	data, err := json.Marshal(write(root, tool, json.RawMessage(input)))
	require.NoError(t, err)
	c, ok := all.ByName(client)
	require.True(t, ok)
	return gate.Run(gate.Options{
		Client: c, Agent: agent, Dir: root, Stdin: strings.NewReader(string(data)), Clock: &system.Clock{},
	})
}

// What each program is told when one of our own tools is called, byte for byte. ID
// stands for the caller's id, REASON for a refusal's text in JSON.
func TestOwnToolsOfEachClient(t *testing.T) {
	const (
		claude = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":REASON}}`
		filled = `{"summary":"see ../U04","dispatch":"ID"}`
	)
	tests := []struct {
		client, tool   string
		denied, passed string // on stdout
		filled         string // "" where nothing is rewritten
	}{
		{"claude-code", "mcp__conduct__work_report", claude, "", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":` + filled + `}}`},
		{"codex", "mcp__conduct__work_report", claude, "", ""},
		{"qwen-code", "mcp__conduct__work_report", claude, "", ""},
		{"gemini-cli", "mcp_conduct_work_report", `{"decision":"deny","reason":REASON}`, "",
			`{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":` + filled + `}}`},
		{"opencode", "conduct_work_report", `{"decision":"block","reason":REASON}`, "", `{"args":{"dispatch":"ID"}}`},
		{"copilot", "conduct-work_report", `{"permissionDecision":"deny","permissionDecisionReason":REASON}`, "", `{"modifiedArgs":` + filled + `}`},
		{"cursor", "MCP:work_report", `{"permission":"deny","user_message":REASON,"agent_message":REASON}`, `{"permission":"allow"}`, ""},
		{"kiro", "@conduct/work_report", "", "", ""}, // by its exit code
		{"generic", "mcp__conduct__work_report", `{"decision":"block","code":"control_command","reason":REASON}`,
			`{"decision":"allow","code":"no_target","reason":""}`, ""},
	}
	named := map[string]bool{}
	for _, tt := range tests {
		named[tt.client] = true
		t.Run(tt.client, func(t *testing.T) {
			root, id := workspace(t, true)
			says := func(want, reason, tool, input string) {
				t.Helper()
				reason = strings.ReplaceAll(reason, "ID", id)
				quoted, err := json.Marshal(reason)
				require.NoError(t, err)
				if want != "" {
					want += "\n"
				}
				want = strings.NewReplacer("REASON", string(quoted), "ID", id).Replace(want)
				got := agentsCall(t, tt.client, root, tool, input)
				require.Equal(t, want, string(got.Stdout), input)
				if reason != "" && (tt.client == "kiro" || tt.client == "generic") {
					require.Equal(t, 2, got.Exit)
					require.Equal(t, reason+"\n", string(got.Stderr))
				} else {
					require.Zero(t, got.Exit)
					require.Empty(t, got.Stderr)
				}
			}
			const other = `conduct: call work_report with your own id: "dispatch": "ID".`
			says(tt.passed, "", tt.tool, `{"dispatch":"`+id+`","summary":"see ../U04"}`)
			says(tt.denied, other, tt.tool, `{"dispatch":"01ARZ3NDEKTSV4RRFFQ69G5FAV","summary":"x"}`)
			if tt.filled != "" {
				says(tt.filled, "", tt.tool, `{"summary":"see ../U04"}`)
			} else {
				says(tt.denied, other, tt.tool, `{"summary":"see ../U04"}`)
			}
			says(tt.denied, `conduct: that tool is the conductor's. Yours are work_brief, work_report, work_request and work_message, with "dispatch": "ID".`,
				strings.Replace(tt.tool, "work_report", "work_release", 1), `{}`)
		})
	}
	for _, c := range all.Clients() {
		require.True(t, named[c.Name()], c.Name())
	}
}

// Where another hook changes calls too, one of the two changes would be lost.
func TestOwnToolBesideAnotherHook(t *testing.T) {
	root, id := workspace(t, true)
	const hook = `{"hooks":{"PreToolUse":[{"matcher":"mcp__.*","hooks":[{"type":"command","command":"changes-it"}]}]}}`
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".claude"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".claude", "settings.json"), []byte(hook), 0o600))
	got := agentsCall(t, "claude-code", root, "mcp__conduct__work_report", `{"summary":"x"}`)
	require.Contains(t, string(got.Stdout), `"permissionDecision":"deny"`)
	require.Contains(t, string(got.Stdout), id)
}

// What each program is told when a worker's verb names no dispatch, byte for byte.
func TestVerbsOfEachClient(t *testing.T) {
	const claude = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`
	tests := []struct{ client, tool, want string }{ // want "" is a block
		{"claude-code", "Bash", claude + `"updatedInput":INPUT}}`},
		{"codex", "Bash", claude + `"permissionDecision":"allow","updatedInput":INPUT}}`},
		{"qwen-code", "run_shell_command", ""},
		{"gemini-cli", "run_shell_command", `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":INPUT}}`},
		{"opencode", "bash", `{"args":{"command":"conduct brief --dispatch ID && ls"}}`},
		{"copilot", "bash", `{"modifiedArgs":INPUT}`},
		{"cursor", "Shell", ""},
		{"kiro", "execute_bash", ""},
		{"generic", "Bash", ""},
	}
	for _, tt := range tests {
		t.Run(tt.client, func(t *testing.T) {
			root, id := workspace(t, true)
			got := agentsCall(t, tt.client, root+"/units/U03", tt.tool, `{"command":"conduct brief && ls","description":"x"}`)
			if tt.want == "" {
				v, err := hooktest.Read(tt.client, got)
				require.NoError(t, err)
				require.True(t, v.Blocked)
				return
			}
			input := `{"command":"conduct brief --dispatch ID && ls","description":"x"}`
			require.Equal(t, strings.NewReplacer("ID", id).Replace(strings.ReplaceAll(tt.want, "INPUT", input))+"\n", string(got.Stdout))
			require.Zero(t, got.Exit)
		})
	}
}
