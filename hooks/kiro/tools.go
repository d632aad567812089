package kiro

import (
	"slices"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// Events are those that the guard acts on, as an agent's file and as a file of hooks
// spells them.
func Events() []hooks.Event {
	return []hooks.Event{
		{Name: "preToolUse", Event: guard.ToolCall},
		{Name: "PreToolUse", Event: guard.ToolCall},
	}
}

// Tools is the table of the client's tools, each under all of its names. A tool of
// an MCP server is called @server/tool.
func Tools() []hooks.Tool { return slices.Clone(tools) }

// tools is data and never written to.
var tools = []hooks.Tool{
	// Files.
	{Name: "fs_read", Fields: read},
	{Name: "read", Fields: read},
	{Name: "fs_write", Writes: true, Fields: write},
	{Name: "write", Writes: true, Fields: write},

	// Searches. How a pattern reaches is not documented: the more careful readings.
	{Name: "glob", Implied: guard.Search, AnyDepth: true, Links: true, Fields: []hooks.Field{
		{Name: "pattern", Kind: hooks.Glob}, {Name: "path", Kind: hooks.SearchRoot}, {Name: "limit"}, {Name: "max_depth"},
	}},
	{Name: "grep", Implied: guard.Search, Fields: []hooks.Field{
		{Name: "pattern"}, {Name: "path", Kind: hooks.SearchRoot}, {Name: "include", Kind: hooks.Filter},
		{Name: "case_sensitive"}, {Name: "output_mode"}, {Name: "max_matches_per_file"}, {Name: "max_files"},
		{Name: "max_total_lines"}, {Name: "max_depth"},
	}},

	// Programs.
	{Name: "execute_bash", Fields: shell},
	{Name: "shell", Fields: shell},

	// Launches.
	{Name: "use_subagent", Launch: true, Fields: launch},
	{Name: "subagent", Launch: true, Fields: launch},
	{Name: "delegate", Launch: true, Fields: launch},

	// Addresses.
	{Name: "web_fetch", Fields: []hooks.Field{{Name: "url", Kind: hooks.URL}, {Name: "mode"}, {Name: "search_terms"}}},

	// No paths.
	{Name: "introspect", NoPaths: true}, {Name: "report_issue", NoPaths: true}, {Name: "thinking", NoPaths: true},
	{Name: "todo_list", NoPaths: true}, {Name: "web_search", NoPaths: true},
}

var read = []hooks.Field{
	{Name: "operations", Kind: hooks.Objects, Fields: operation},
	// Earlier versions send one operation, without a list.
	{Name: "mode"}, {Name: "path", Kind: hooks.ReadPath}, {Name: "paths", Kind: hooks.ReadPath},
	{Name: "image_paths", Kind: hooks.ReadPath}, {Name: "depth", Kind: hooks.Depth}, {Name: "pattern"}, {Name: "start_line"},
	{Name: "end_line"}, {Name: "context_lines"}, {Name: "summary"},
}

var operation = []hooks.Field{
	{Name: "mode"}, {Name: "path", Kind: hooks.ReadPath}, {Name: "paths", Kind: hooks.ReadPath},
	{Name: "image_paths", Kind: hooks.ReadPath}, {Name: "depth", Kind: hooks.Depth}, {Name: "pattern"},
	{Name: "start_line"}, {Name: "end_line"}, {Name: "context_lines"}, {Name: "max_entries"}, {Name: "exclude_patterns"},
}

var write = []hooks.Field{
	{Name: "path", Kind: hooks.EditPath}, {Name: "command"}, {Name: "file_text"}, {Name: "content"}, {Name: "old_str"},
	{Name: "new_str"}, {Name: "insert_line"}, {Name: "summary"},
}

var shell = []hooks.Field{
	{Name: "command", Kind: hooks.Command}, {Name: "working_dir", Kind: hooks.CommandDir}, {Name: "summary"},
}

var launch = []hooks.Field{
	{Name: "command"}, {Name: "prompt", Kind: hooks.Prompt}, {Name: "query", Kind: hooks.Prompt}, {Name: "task", Kind: hooks.Prompt},
	{Name: "agent", Kind: hooks.AgentType}, {Name: "agent_name", Kind: hooks.AgentType}, {Name: "relevant_context", Kind: hooks.Prompt},
	{Name: "content", Kind: hooks.Objects, Fields: []hooks.Field{{Name: "subagents", Kind: hooks.Objects, Fields: []hooks.Field{
		{Name: "query", Kind: hooks.Prompt}, {Name: "agent_name", Kind: hooks.AgentType}, {Name: "relevant_context", Kind: hooks.Prompt},
	}}}},
}
