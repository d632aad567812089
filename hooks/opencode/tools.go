package opencode

import (
	"slices"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// Events are those that the plugin sends.
func Events() []hooks.Event {
	return []hooks.Event{
		{Name: "tool.execute.before", Event: guard.ToolCall},
		{Name: "tool.execute.after", Event: guard.LaunchDone},
		{Name: "session.idle", Event: guard.AgentStop},
	}
}

// Tools is the table of the client's tools, those of earlier versions among them.
func Tools() []hooks.Tool { return slices.Clone(tools) }

// tools is data and never written to. Searches are ripgrep's, which follows no links
// here; a file that is read may be a folder, of which the entries are shown.
var tools = []hooks.Tool{
	// Files.
	{Name: "read", Fields: []hooks.Field{
		{Name: "filePath", Kind: hooks.ReadPath}, {Name: "offset"}, {Name: "limit"},
	}},
	{Name: "write", Writes: true, Fields: []hooks.Field{
		{Name: "filePath", Kind: hooks.WritePath}, {Name: "content"},
	}},
	{Name: "edit", Writes: true, Fields: edit},
	{Name: "multiedit", Writes: true, Fields: []hooks.Field{
		{Name: "filePath", Kind: hooks.EditPath}, {Name: "edits", Kind: hooks.Objects, Fields: edit},
	}},
	{Name: "apply_patch", Writes: true, Fields: patch},
	{Name: "patch", Writes: true, Fields: patch},

	// Searches.
	{Name: "glob", Implied: guard.Search, AnyDepth: true, Fields: []hooks.Field{
		{Name: "pattern", Kind: hooks.Glob}, {Name: "path", Kind: hooks.SearchRoot},
	}},
	{Name: "grep", Implied: guard.Search, Fields: []hooks.Field{
		{Name: "pattern"}, {Name: "path", Kind: hooks.SearchRoot}, {Name: "include", Kind: hooks.Filter},
	}},
	{Name: "list", Implied: guard.Search, Fields: []hooks.Field{
		{Name: "path", Kind: hooks.SearchRoot}, {Name: "ignore"},
	}},
	{Name: "lsp", Fields: []hooks.Field{
		{Name: "filePath", Kind: hooks.ReadPath}, {Name: "operation"}, {Name: "line"}, {Name: "character"}, {Name: "query"},
	}},

	// Programs.
	{Name: "bash", Fields: []hooks.Field{
		{Name: "command", Kind: hooks.Command}, {Name: "workdir", Kind: hooks.CommandDir}, {Name: "description"}, {Name: "timeout"},
	}},
	// Calls within a call: no hook fires for them, so that none of them may run unseen.
	{Name: "batch", Fields: []hooks.Field{{Name: "tool_calls", Kind: hooks.Unread}}},

	// Launches.
	{Name: "task", Launch: true, Rewrites: true, Fields: []hooks.Field{
		{Name: "prompt", Kind: hooks.Prompt}, {Name: "subagent_type", Kind: hooks.AgentType}, {Name: "description"},
		{Name: "task_id"}, {Name: "command"}, {Name: "background"}, {Name: "model"},
	}},

	// Addresses.
	{Name: "webfetch", Fields: []hooks.Field{{Name: "url", Kind: hooks.URL}, {Name: "format"}, {Name: "timeout"}}},
	{Name: "read_mcp_resource", Fields: []hooks.Field{{Name: "server"}, {Name: "uri", Kind: hooks.URL}}},

	// No paths.
	{Name: "codesearch", NoPaths: true}, {Name: "invalid", NoPaths: true}, {Name: "list_mcp_resources", NoPaths: true},
	{Name: "list_mcp_resource_templates", NoPaths: true}, {Name: "plan_enter", NoPaths: true}, {Name: "plan_exit", NoPaths: true},
	{Name: "question", NoPaths: true}, {Name: "skill", NoPaths: true}, {Name: "todoread", NoPaths: true},
	{Name: "todowrite", NoPaths: true}, {Name: "websearch", NoPaths: true},
}

var edit = []hooks.Field{
	{Name: "filePath", Kind: hooks.EditPath}, {Name: "oldString"}, {Name: "newString"}, {Name: "replaceAll"},
}

var patch = []hooks.Field{{Name: "patchText", Kind: hooks.Patch}}
