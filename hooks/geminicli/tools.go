package geminicli

import (
	"slices"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// events has no start or end of a subagent: Gemini CLI reports none.
func events() []hooks.Event {
	return []hooks.Event{
		{Name: "BeforeTool", Event: guard.ToolCall},
		{Name: "AfterTool", Event: guard.LaunchDone},
		{Name: "BeforeAgent", Event: guard.TurnStart},
	}
}

// Tools is the table of the client's tools. The hook gets the name that the
// model used, so the names of earlier versions are in it too.
func Tools() []hooks.Tool { return slices.Clone(tools) }

// tools is data and never written to.
var tools = []hooks.Tool{
	// Files.
	{Name: "read_file", Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.ReadPath}, {Name: "absolute_path", Kind: hooks.ReadPath},
		{Name: "start_line"}, {Name: "end_line"}, {Name: "offset"}, {Name: "limit"},
	}},
	{Name: "write_file", Writes: true, Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.WritePath}, {Name: "content"},
	}},
	{Name: "replace", Writes: true, Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.EditPath}, {Name: "instruction"}, {Name: "old_string"}, {Name: "new_string"},
		{Name: "expected_replacements"}, {Name: "allow_multiple"},
	}},

	// Searches.
	{Name: "glob", Implied: guard.Search, Links: true, Fields: []hooks.Field{
		{Name: "pattern", Kind: hooks.Glob}, {Name: "dir_path", Kind: hooks.SearchRoot}, {Name: "path", Kind: hooks.SearchRoot},
		{Name: "case_sensitive"}, {Name: "respect_git_ignore"}, {Name: "respect_gemini_ignore"},
	}},
	{Name: "grep_search", Implied: guard.Search, Fields: grep},
	{Name: "search_file_content", Implied: guard.Search, Fields: grep},
	{Name: "list_directory", Implied: guard.List, Fields: []hooks.Field{
		{Name: "dir_path", Kind: hooks.ListRoot}, {Name: "path", Kind: hooks.ListRoot}, {Name: "ignore"},
		{Name: "respect_git_ignore"}, {Name: "file_filtering_options", Kind: hooks.Objects, Fields: filtering},
	}},
	{Name: "read_many_files", Implied: guard.Search, Links: true, Fields: []hooks.Field{
		{Name: "include", Kind: hooks.Glob}, {Name: "paths", Kind: hooks.Glob}, {Name: "exclude"}, {Name: "recursive"},
		{Name: "useDefaultExcludes"}, {Name: "file_filtering_options", Kind: hooks.Objects, Fields: filtering},
	}},

	// Programs.
	{Name: "run_shell_command", Fields: []hooks.Field{
		{Name: "command", Kind: hooks.Command}, {Name: "dir_path", Kind: hooks.CommandDir},
		{Name: "directory", Kind: hooks.CommandDir}, {Name: "description"}, {Name: "is_background"}, {Name: "delay_ms"},
	}},

	// Launches.
	{Name: "invoke_agent", Launch: true, Rewrites: true, Fields: []hooks.Field{
		{Name: "agent_name", Kind: hooks.AgentType}, {Name: "prompt", Kind: hooks.Prompt},
	}},

	// Addresses.
	{Name: "web_fetch", Fields: []hooks.Field{{Name: "prompt"}, {Name: "url", Kind: hooks.URL}}},
	{Name: "read_mcp_resource", Fields: []hooks.Field{{Name: "uri", Kind: hooks.URL}, {Name: "server_name"}}},

	// No paths.
	{Name: "activate_skill", NoPaths: true}, {Name: "ask_user", NoPaths: true}, {Name: "complete_task", NoPaths: true},
	{Name: "enter_plan_mode", NoPaths: true}, {Name: "google_web_search", NoPaths: true},
	{Name: "list_background_processes", NoPaths: true}, {Name: "list_mcp_resources", NoPaths: true},
	{Name: "read_background_output", NoPaths: true}, {Name: "save_memory", NoPaths: true},
	{Name: "update_topic", NoPaths: true}, {Name: "write_todos", NoPaths: true},
}

var grep = []hooks.Field{
	{Name: "pattern"}, {Name: "dir_path", Kind: hooks.SearchRoot}, {Name: "path", Kind: hooks.SearchRoot},
	{Name: "include_pattern", Kind: hooks.Filter}, {Name: "include", Kind: hooks.Filter}, {Name: "exclude_pattern"},
	{Name: "names_only"}, {Name: "max_matches_per_file"}, {Name: "total_max_matches"}, {Name: "case_sensitive"},
	{Name: "fixed_strings"}, {Name: "context"}, {Name: "before"}, {Name: "after"}, {Name: "no_ignore"},
}

var filtering = []hooks.Field{{Name: "respect_git_ignore"}, {Name: "respect_gemini_ignore"}}
