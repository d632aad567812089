package qwencode

import (
	"slices"

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

// callMarks are what separates an agent's type from the id of its launch: how
// the ids of tool calls begin in the services that Qwen Code talks to, then any dash.
func callMarks() []string {
	return []string{"-call_", "-chatcmpl-tool-", "-toolu_", "-tooluse_", "-fc_", "-"}
}

// Tools is the table of the client's tools.
func Tools() []hooks.Tool { return slices.Clone(tools) }

// tools is data and never written to. That a glob without a slash matches at
// every depth has not been measured here: it is the more careful reading.
var tools = []hooks.Tool{
	// Files.
	{Name: "read_file", Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.ReadPath}, {Name: "absolute_path", Kind: hooks.ReadPath},
		{Name: "offset"}, {Name: "limit"}, {Name: "pages"},
	}},
	{Name: "write_file", Writes: true, Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.WritePath}, {Name: "content"},
	}},
	{Name: "edit", Writes: true, Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.EditPath}, {Name: "old_string"}, {Name: "new_string"},
		{Name: "replace_all"}, {Name: "expected_replacements"},
	}},
	{Name: "notebook_edit", Writes: true, Fields: []hooks.Field{
		{Name: "notebook_path", Kind: hooks.EditPath}, {Name: "cell_id"}, {Name: "new_source"},
		{Name: "cell_type"}, {Name: "edit_mode"},
	}},
	{Name: "zoom_image", Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.ReadPath}, {Name: "x1"}, {Name: "y1"}, {Name: "x2"}, {Name: "y2"},
	}},

	// Searches.
	{Name: "glob", Implied: guard.Search, AnyDepth: true, Links: true, Fields: []hooks.Field{
		{Name: "pattern", Kind: hooks.Glob}, {Name: "path", Kind: hooks.SearchRoot},
	}},
	{Name: "grep_search", Implied: guard.Search, Fields: []hooks.Field{
		{Name: "pattern"}, {Name: "path", Kind: hooks.SearchRoot}, {Name: "glob", Kind: hooks.Filter},
		{Name: "include", Kind: hooks.Filter}, {Name: "limit"},
	}},
	{Name: "list_directory", Implied: guard.List, Fields: []hooks.Field{
		{Name: "path", Kind: hooks.ListRoot}, {Name: "ignore"},
		{Name: "file_filtering_options", Kind: hooks.Objects, Fields: filtering},
	}},
	{Name: "read_many_files", Implied: guard.Search, AnyDepth: true, Links: true, Fields: []hooks.Field{
		{Name: "paths", Kind: hooks.Glob}, {Name: "include", Kind: hooks.Glob}, {Name: "exclude"}, {Name: "recursive"},
		{Name: "useDefaultExcludes"}, {Name: "file_filtering_options", Kind: hooks.Objects, Fields: filtering},
	}},
	{Name: "lsp", Fields: []hooks.Field{
		{Name: "filePath", Kind: hooks.ReadPath}, {Name: "operation"}, {Name: "line"}, {Name: "character"},
		{Name: "endLine"}, {Name: "endCharacter"}, {Name: "includeDeclaration"}, {Name: "query"}, {Name: "serverName"}, {Name: "limit"},
	}},

	// Programs.
	{Name: "run_shell_command", Fields: []hooks.Field{
		{Name: "command", Kind: hooks.Command}, {Name: "directory", Kind: hooks.CommandDir}, {Name: "description"},
		{Name: "is_background"}, {Name: "timeout"},
	}},
	{Name: "monitor", Fields: []hooks.Field{
		{Name: "command", Kind: hooks.Command}, {Name: "directory", Kind: hooks.CommandDir}, {Name: "description"},
		{Name: "max_events"}, {Name: "idle_timeout_ms"},
	}},

	// Launches.
	{Name: "agent", Launch: true, Fields: []hooks.Field{
		{Name: "prompt", Kind: hooks.Prompt}, {Name: "subagent_type", Kind: hooks.AgentType},
		{Name: "working_dir", Kind: hooks.LaunchDir}, {Name: "description"}, {Name: "run_in_background"},
		{Name: "isolation", Kind: hooks.LaunchDir}, {Name: "name"}, {Name: "model"},
	}},
	{Name: "task", Launch: true, Fields: []hooks.Field{
		{Name: "prompt", Kind: hooks.Prompt}, {Name: "subagent_type", Kind: hooks.AgentType}, {Name: "description"},
	}},

	// Addresses.
	{Name: "web_fetch", Fields: []hooks.Field{{Name: "url", Kind: hooks.URL}, {Name: "prompt"}}},
	{Name: "read_mcp_resource", Fields: []hooks.Field{{Name: "uri", Kind: hooks.URL}, {Name: "server_name"}}},

	// No paths.
	{Name: "ask_user_question", NoPaths: true}, {Name: "cron_create", NoPaths: true}, {Name: "cron_delete", NoPaths: true},
	{Name: "cron_list", NoPaths: true}, {Name: "enter_plan_mode", NoPaths: true}, {Name: "exit_plan_mode", NoPaths: true},
	{Name: "save_memory", NoPaths: true}, {Name: "send_message", NoPaths: true}, {Name: "skill", NoPaths: true},
	{Name: "task_stop", NoPaths: true}, {Name: "todo_write", NoPaths: true}, {Name: "tool_search", NoPaths: true},
	{Name: "web_search", NoPaths: true}, {Name: "loop_wakeup", NoPaths: true}, {Name: "report_findings", NoPaths: true},
	{Name: "get_goal", NoPaths: true}, {Name: "update_goal", NoPaths: true}, {Name: "list_agents", NoPaths: true},
}

var filtering = []hooks.Field{{Name: "respect_git_ignore"}, {Name: "respect_qwen_ignore"}}
