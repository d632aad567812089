package hooktest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
)

// What a client lets through, or what conduct must not say, is no verdict.
func TestReadRefuses(t *testing.T) {
	const specific = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`
	tests := []struct {
		name, client string
		response     hooks.Response
	}{
		{"exit code alone", "claude-code", hooks.Response{Exit: 2}},
		{"failed hook", "codex", hooks.Response{Exit: 1, Stdout: []byte(specific + `"permissionDecision":"deny","permissionDecisionReason":"x"}}`)}},
		{"plain text", "qwen-code", hooks.Response{Stdout: []byte("no")}},
		{"two values", "qwen-code", hooks.Response{Stdout: []byte("{} {}")}},
		{"ask", "claude-code", hooks.Response{Stdout: []byte(specific + `"permissionDecision":"ask","permissionDecisionReason":"x"}}`)}},
		{"allow", "claude-code", hooks.Response{Stdout: []byte(specific + `"permissionDecision":"allow"}}`)}},
		{"no reason", "codex", hooks.Response{Stdout: []byte(specific + `"permissionDecision":"deny","permissionDecisionReason":" "}}`)}},
		{"another event", "claude-code", hooks.Response{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"BeforeTool","permissionDecision":"deny","permissionDecisionReason":"x"}}`)}},
		{"rewrite that is ignored", "qwen-code", hooks.Response{Stdout: []byte(specific + `"updatedInput":{"prompt":"x"}}}`)}},
		{"Claude's form", "gemini-cli", hooks.Response{Stdout: []byte(specific + `"permissionDecision":"deny","permissionDecisionReason":"x"}}`)}},
		{"allow", "gemini-cli", hooks.Response{Stdout: []byte(`{"decision":"allow"}`)}},
		{"exit code without a reason", "kiro", hooks.Response{Exit: 2, Stderr: []byte("\n")}},
		{"another exit code", "kiro", hooks.Response{Exit: 1, Stderr: []byte("no")}},
		{"JSON", "kiro", hooks.Response{Stdout: []byte(`{"decision":"block","reason":"x"}`)}},
		{"ask", "cursor", hooks.Response{Stdout: []byte(`{"permission":"ask","user_message":"x","agent_message":"x"}`)}},
		{"no reason", "cursor", hooks.Response{Stdout: []byte(`{"permission":"deny"}`)}},
		{"Claude's form", "cursor", hooks.Response{Stdout: []byte(specific + `"permissionDecision":"deny","permissionDecisionReason":"x"}}`)}},
		{"old form", "copilot", hooks.Response{Stdout: []byte(`{"decision":"block","reason":"x"}`)}},
		{"allow with new arguments", "copilot", hooks.Response{Stdout: []byte(`{"permissionDecision":"allow","modifiedArgs":{"command":"x"}}`)}},
		{"ask", "copilot", hooks.Response{Stdout: []byte(`{"permissionDecision":"ask","permissionDecisionReason":"x"}`)}},
		{"exit code", "copilot", hooks.Response{Exit: 2, Stderr: []byte("no")}},
		{"allow", "opencode", hooks.Response{Stdout: []byte(`{"decision":"allow"}`)}},
		{"no reason", "opencode", hooks.Response{Stdout: []byte(`{"decision":"block","reason":""}`)}},
		{"nothing to change", "opencode", hooks.Response{Stdout: []byte(`{"args":{}}`)}},
		{"silence", "generic", hooks.Response{}},
		{"block without the exit code", "generic", hooks.Response{Stdout: []byte(`{"decision":"block","code":"x","reason":"y"}`)}},
		{"allow with the exit code", "generic", hooks.Response{Exit: 2, Stderr: []byte("x"), Stdout: []byte(`{"decision":"allow","code":"x","reason":"y"}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.client+" "+tt.name, func(t *testing.T) {
			_, err := hooktest.Read(tt.client, tt.response)
			require.Error(t, err)
		})
	}
}
