package copilot

import (
	"slices"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

const (
	called   = "preToolUse"
	ended    = "postToolUse"
	prompted = "userPromptSubmitted"
)

// Events are those that the guard acts on, under both kinds of names.
func Events() []hooks.Event {
	return []hooks.Event{
		{Name: called, Event: guard.ToolCall},
		{Name: ended, Event: guard.LaunchDone},
		{Name: "subagentStart", Event: guard.AgentStart},
		{Name: "subagentStop", Event: guard.AgentStop},
		// A subagent's first prompt. That of a person begins a turn.
		{Name: prompted, Event: guard.AgentStart},

		{Name: "PreToolUse", Event: guard.ToolCall},
		{Name: "PostToolUse", Event: guard.LaunchDone},
		{Name: "SubagentStart", Event: guard.AgentStart},
		{Name: "SubagentStop", Event: guard.AgentStop},
	}
}

// Tools is the table of the client's tools.
func Tools() []hooks.Tool { return slices.Clone(tools) }

// tools is data and never written to. The second half has the names that hooks under
// Claude Code's event names get; the fields are the same. Searches follow no links
// (measured), and a folder that is viewed shows its entries.
var tools = []hooks.Tool{
	// Files.
	{Name: "view", Fields: view},
	{Name: "create", Writes: true, Fields: create},
	{Name: "edit", Writes: true, Fields: edit},
	{Name: "apply_patch", Writes: true, Fields: patch},

	// Searches.
	{Name: "glob", Implied: guard.Search, AnyDepth: true, Fields: glob},
	{Name: "grep", Implied: guard.Search, Fields: grep},
	{Name: "rg", Implied: guard.Search, Fields: grep},

	// Programs. What a running program does with a line is not known.
	{Name: "bash", Fields: bash},
	{Name: "write_bash", Foreign: true, Fields: []hooks.Field{
		{Name: "input", Kind: hooks.Command}, {Name: "shellId"}, {Name: "sessionId"}, {Name: "delay"},
	}},
	{Name: "powershell", Foreign: true, Fields: bash},

	// Launches.
	{Name: "task", Launch: true, Rewrites: true, Fields: launch},

	// Addresses.
	{Name: "web_fetch", Fields: []hooks.Field{
		{Name: "url", Kind: hooks.URL}, {Name: "max_length"}, {Name: "start_index"}, {Name: "raw"},
	}},

	// What other agents have done, in this session and in all others.
	{Name: "read_agent", Fields: []hooks.Field{
		{Name: "agent_id", Kind: hooks.Unread}, {Name: "since_turn"}, {Name: "wait"}, {Name: "timeout"},
	}},
	{Name: "session_store_sql", Fields: []hooks.Field{{Name: "query", Kind: hooks.Unread}, {Name: "description"}, {Name: "source"}}},

	// No paths.
	{Name: "ask_user", NoPaths: true}, {Name: "exit_plan_mode", NoPaths: true}, {Name: "list_agents", NoPaths: true},
	{Name: "fetch_copilot_cli_documentation", NoPaths: true}, {Name: "tool_search_tool", NoPaths: true},
	{Name: "list_bash", NoPaths: true}, {Name: "read_bash", NoPaths: true},
	{Name: "report_intent", NoPaths: true}, {Name: "skill", NoPaths: true}, {Name: "sql", NoPaths: true}, {Name: "stop_bash", NoPaths: true},
	{Name: "store_memory", NoPaths: true}, {Name: "task_complete", NoPaths: true}, {Name: "update_todo", NoPaths: true},
	{Name: "web_search", NoPaths: true}, {Name: "write_agent", NoPaths: true},

	// Under Claude Code's names.
	{Name: "Read", Fields: view},
	{Name: "Write", Writes: true, Fields: create},
	{Name: "Edit", Writes: true, Fields: append(slices.Clone(edit), patch...)},
	{Name: "Glob", Implied: guard.Search, AnyDepth: true, Fields: glob},
	{Name: "Grep", Implied: guard.Search, Fields: grep},
	{Name: "Bash", Fields: bash},
	{Name: "Agent", Launch: true, Fields: launch},
	{Name: "Task", Launch: true, Fields: launch},
	{Name: "WebFetch", Fields: []hooks.Field{{Name: "url", Kind: hooks.URL}, {Name: "max_length"}, {Name: "start_index"}, {Name: "raw"}}},
	{Name: "TodoWrite", NoPaths: true},
}

var view = []hooks.Field{{Name: "path", Kind: hooks.ReadPath}, {Name: "view_range"}, {Name: "forceReadLargeFiles"}}

var create = []hooks.Field{{Name: "path", Kind: hooks.WritePath}, {Name: "file_text"}}

var edit = []hooks.Field{{Name: "path", Kind: hooks.EditPath}, {Name: "old_str"}, {Name: "new_str"}}

var patch = []hooks.Field{{Name: "input", Kind: hooks.Patch}, {Name: "patch", Kind: hooks.Patch}}

var glob = []hooks.Field{
	{Name: "pattern", Kind: hooks.Glob}, {Name: "paths", Kind: hooks.SearchRoot}, {Name: "path", Kind: hooks.SearchRoot},
}

var grep = []hooks.Field{
	{Name: "pattern"}, {Name: "paths", Kind: hooks.SearchRoot}, {Name: "path", Kind: hooks.SearchRoot},
	{Name: "glob", Kind: hooks.Filter}, {Name: "type"}, {Name: "output_mode"}, {Name: "-A"}, {Name: "-B"}, {Name: "-C"},
	{Name: "-n"}, {Name: "-i"}, {Name: "head_limit"}, {Name: "multiline"},
}

var bash = []hooks.Field{
	{Name: "command", Kind: hooks.Command}, {Name: "description"}, {Name: "mode"}, {Name: "initial_wait"},
	{Name: "shellId"}, {Name: "sessionId"}, {Name: "timeout"}, {Name: "detach"},
}

var launch = []hooks.Field{
	{Name: "prompt", Kind: hooks.Prompt}, {Name: "agent_type", Kind: hooks.AgentType}, {Name: "description"},
	{Name: "name"}, {Name: "mode"}, {Name: "model"},
}
