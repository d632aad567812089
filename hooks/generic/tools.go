package generic

import (
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

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

// Tools is Claude Code's table; no prompt can be rewritten.
func Tools() []hooks.Tool {
	tools := hooks.ClaudeTools()
	for i := range tools {
		tools[i].Rewrites = false
	}
	return tools
}
