package claudecode

import (
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// events are those that the guard acts on. PermissionRequest is not among
// them: PreToolUse has judged the same call before.
func events() []hooks.Event {
	return []hooks.Event{
		{Name: "PreToolUse", Event: guard.ToolCall},
		{Name: "PostToolUse", Event: guard.LaunchDone},
		// A launch that failed is over too.
		{Name: "PostToolUseFailure", Event: guard.LaunchDone},
		{Name: "SubagentStart", Event: guard.AgentStart},
		{Name: "SubagentStop", Event: guard.AgentStop},
		{Name: "UserPromptSubmit", Event: guard.TurnStart},
	}
}

// Tools is the table of the client's tools.
func Tools() []hooks.Tool { return hooks.ClaudeTools() }
