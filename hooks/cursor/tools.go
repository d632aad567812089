package cursor

import (
	"slices"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// Events are those that the guard acts on. A call may be reported twice; both
// reports have one id. The start of a subagent says nothing of its conversation.
func Events() []hooks.Event {
	return []hooks.Event{{Name: "preToolUse", Event: guard.ToolCall}}
}

// Tools is the table of the client's tools.
func Tools() []hooks.Tool { return slices.Clone(tools) }

// tools is data and never written to. Of a tool whose fields are not documented,
// both names that are in use are listed; others are judged as an unknown tool's.
var tools = []hooks.Tool{
	// Files.
	{Name: "Read", Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.ReadPath}, {Name: "path", Kind: hooks.ReadPath}, {Name: "offset"}, {Name: "limit"},
		{Name: "content"},
	}},
	{Name: "Write", Writes: true, Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.EditPath}, {Name: "path", Kind: hooks.EditPath}, {Name: "content"}, {Name: "contents"},
		{Name: "old_string"}, {Name: "new_string"},
		{Name: "edits", Kind: hooks.Objects, Fields: []hooks.Field{{Name: "old_string"}, {Name: "new_string"}}},
	}},
	{Name: "Delete", Writes: true, Fields: []hooks.Field{
		{Name: "file_path", Kind: hooks.WritePath}, {Name: "path", Kind: hooks.WritePath},
	}},

	// Searches. How a pattern reaches is not documented: the more careful reading.
	{Name: "Grep", Implied: guard.Search, Fields: []hooks.Field{
		{Name: "pattern"}, {Name: "file_path", Kind: hooks.SearchRoot}, {Name: "path", Kind: hooks.SearchRoot},
		{Name: "glob", Kind: hooks.Filter}, {Name: "type"}, {Name: "output_mode"}, {Name: "head_limit"}, {Name: "multiline"},
		{Name: "case_insensitive"}, {Name: "-A"}, {Name: "-B"}, {Name: "-C"}, {Name: "-i"},
	}},
	{Name: "Glob", Implied: guard.Search, AnyDepth: true, Links: true, Fields: []hooks.Field{
		{Name: "pattern", Kind: hooks.Glob}, {Name: "glob_pattern", Kind: hooks.Glob},
		{Name: "path", Kind: hooks.SearchRoot}, {Name: "target_directory", Kind: hooks.SearchRoot},
	}},
	{Name: "LS", Implied: guard.List, Fields: []hooks.Field{
		{Name: "path", Kind: hooks.ListRoot}, {Name: "target_directory", Kind: hooks.ListRoot}, {Name: "ignore_globs"},
	}},

	// Programs.
	{Name: "Shell", Fields: []hooks.Field{
		{Name: "command", Kind: hooks.Command}, {Name: "cwd", Kind: hooks.CommandDir},
		{Name: "working_directory", Kind: hooks.CommandDir}, {Name: "timeout"}, {Name: "description"}, {Name: "is_background"},
	}},

	// Launches.
	{Name: "Task", Launch: true, Fields: []hooks.Field{
		{Name: "prompt", Kind: hooks.Prompt}, {Name: "task", Kind: hooks.Prompt}, {Name: "subagent_type", Kind: hooks.AgentType},
		{Name: "description"}, {Name: "model"}, {Name: "readonly"}, {Name: "run_in_background"}, {Name: "resume"},
	}},
}
