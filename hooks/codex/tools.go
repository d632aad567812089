package codex

import (
	"slices"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

func events() []hooks.Event {
	return []hooks.Event{
		{Name: "PreToolUse", Event: guard.ToolCall},
		{Name: "PostToolUse", Event: guard.LaunchDone},
		{Name: "SubagentStart", Event: guard.AgentStart},
		{Name: "SubagentStop", Event: guard.AgentStop},
		{Name: "UserPromptSubmit", Event: guard.TurnStart},
	}
}

// Tools is the table of the client's tools. The names of tools in a namespace
// are joined to it without a separator.
func Tools() []hooks.Tool { return slices.Clone(tools) }

// tools is data and never written to.
var tools = []hooks.Tool{
	{Name: "Bash", Fields: []hooks.Field{{Name: "command", Kind: hooks.Command}}},
	// No hook fires for it today. What a running program does with a line is not known.
	{Name: "write_stdin", Foreign: true, Fields: []hooks.Field{
		{Name: "chars", Kind: hooks.Command}, {Name: "session_id"}, {Name: "yield_time_ms"}, {Name: "max_output_tokens"},
	}},
	{Name: "apply_patch", Writes: true, Fields: []hooks.Field{
		{Name: "command", Kind: hooks.Patch}, {Name: "input", Kind: hooks.Patch}, {Name: "patch", Kind: hooks.Patch},
	}},
	{Name: "view_image", Fields: []hooks.Field{{Name: "path", Kind: hooks.ReadPath}, {Name: "detail"}}},
	{Name: "read_mcp_resource", Fields: []hooks.Field{{Name: "server"}, {Name: "uri", Kind: hooks.URL}}},

	// Launches.
	{Name: "spawn_agent", Launch: true, Fields: launch},
	{Name: "multi_agent_v1spawn_agent", Launch: true, Fields: launch},
	{Name: "collaborationspawn_agent", Launch: true, Fields: launch},

	// No paths: other agents, plans, questions.
	{Name: "multi_agent_v1wait_agent", NoPaths: true}, {Name: "collaborationwait_agent", NoPaths: true},
	{Name: "wait_agent", NoPaths: true}, {Name: "wait", NoPaths: true},
	{Name: "multi_agent_v1send_input", NoPaths: true}, {Name: "send_input", NoPaths: true},
	{Name: "collaborationsend_message", NoPaths: true}, {Name: "collaborationsend_input", NoPaths: true},
	{Name: "collaborationfollowup_task", NoPaths: true}, {Name: "collaborationinterrupt_agent", NoPaths: true},
	{Name: "multi_agent_v1close_agent", NoPaths: true}, {Name: "collaborationclose_agent", NoPaths: true},
	{Name: "close_agent", NoPaths: true},
	{Name: "multi_agent_v1resume_agent", NoPaths: true}, {Name: "resume_agent", NoPaths: true},
	{Name: "collaborationlist_agents", NoPaths: true}, {Name: "list_agents", NoPaths: true},
	{Name: "list_mcp_resources", NoPaths: true}, {Name: "list_mcp_resource_templates", NoPaths: true},
	{Name: "update_plan", NoPaths: true}, {Name: "request_user_input", NoPaths: true}, {Name: "web_search", NoPaths: true},
	{Name: "create_goal", NoPaths: true}, {Name: "get_goal", NoPaths: true}, {Name: "update_goal", NoPaths: true},
	{Name: "tool_search", NoPaths: true},
}

var launch = []hooks.Field{
	{Name: "message", Kind: hooks.Prompt}, {Name: "agent_type", Kind: hooks.AgentType},
	{Name: "task_name"}, {Name: "fork_context"}, {Name: "fork_turns"}, {Name: "model"}, {Name: "reasoning_effort"},
	{Name: "items", Kind: hooks.Objects, Fields: []hooks.Field{
		{Name: "text", Kind: hooks.Prompt}, {Name: "type"}, {Name: "name"}, {Name: "image_url", Kind: hooks.URL},
		{Name: "path", Kind: hooks.ReadPath},
	}},
}
