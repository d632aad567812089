package hooks

import (
	"slices"

	"github.com/seed6310be5c/conduct/guard"
)

// ClaudeTools is the table of Claude Code's tools (2.1.332, and those of earlier
// and later versions that are documented). Other programs send the same names.
func ClaudeTools() []Tool { return slices.Clone(claudeTools) }

// claudeTools is data and never written to.
var claudeTools = []Tool{
	// Files.
	{Name: "Read", Fields: []Field{
		{Name: "file_path", Kind: ReadPath}, {Name: "offset"}, {Name: "limit"}, {Name: "pages"},
	}},
	{Name: "Write", Writes: true, Fields: []Field{
		{Name: "file_path", Kind: WritePath}, {Name: "content"},
	}},
	{Name: "Edit", Writes: true, Fields: []Field{
		{Name: "file_path", Kind: EditPath}, {Name: "old_string"}, {Name: "new_string"}, {Name: "replace_all"},
	}},
	{Name: "MultiEdit", Writes: true, Fields: []Field{
		{Name: "file_path", Kind: EditPath},
		{Name: "edits", Kind: Objects, Fields: []Field{
			{Name: "file_path", Kind: EditPath}, {Name: "old_string"}, {Name: "new_string"}, {Name: "replace_all"},
		}},
	}},
	{Name: "NotebookRead", Fields: []Field{
		{Name: "notebook_path", Kind: ReadPath}, {Name: "cell_id"},
	}},
	{Name: "NotebookEdit", Writes: true, Fields: []Field{
		{Name: "notebook_path", Kind: EditPath}, {Name: "cell_id"}, {Name: "new_source"},
		{Name: "cell_type"}, {Name: "edit_mode"}, {Name: "cell_number"},
	}},
	{Name: "SendUserFile", Fields: []Field{
		{Name: "files", Kind: ReadPath}, {Name: "caption"}, {Name: "status"},
	}},

	// Searches. Without links followed: they are ripgrep's.
	{Name: "Glob", Implied: guard.Search, AnyDepth: true, Fields: []Field{
		{Name: "pattern", Kind: Glob}, {Name: "path", Kind: SearchRoot},
	}},
	{Name: "Grep", Implied: guard.Search, Fields: []Field{
		{Name: "pattern"}, {Name: "path", Kind: SearchRoot}, {Name: "glob", Kind: Filter}, {Name: "type"},
		{Name: "output_mode"}, {Name: "-A"}, {Name: "-B"}, {Name: "-C"}, {Name: "-n"}, {Name: "-i"}, {Name: "-o"},
		{Name: "context"}, {Name: "head_limit"}, {Name: "offset"}, {Name: "multiline"},
	}},
	{Name: "LS", Implied: guard.List, Fields: []Field{
		{Name: "path", Kind: ListRoot}, {Name: "ignore"},
	}},
	{Name: "LSP", Fields: []Field{
		{Name: "filePath", Kind: ReadPath}, {Name: "operation"}, {Name: "line"}, {Name: "character"}, {Name: "query"},
	}},

	// Programs.
	{Name: "Bash", Fields: []Field{
		{Name: "command", Kind: Command}, {Name: "description"}, {Name: "timeout"},
		{Name: "run_in_background"}, {Name: "dangerouslyDisableSandbox"},
	}},
	{Name: "Monitor", Fields: []Field{
		{Name: "command", Kind: Command}, {Name: "description"}, {Name: "timeout_ms"}, {Name: "persistent"},
	}},
	{Name: "PowerShell", Foreign: true, Fields: []Field{
		{Name: "command", Kind: Command}, {Name: "description"}, {Name: "timeout"}, {Name: "run_in_background"},
	}},
	{Name: "REPL", Foreign: true, Fields: []Field{
		{Name: "code", Kind: Command}, {Name: "description"}, {Name: "timeout"},
	}},

	// Launches. Agent is what Task was called before.
	{Name: "Agent", Launch: true, Rewrites: true, Fields: claudeLaunch},
	{Name: "Task", Launch: true, Rewrites: true, Fields: claudeLaunch},
	{Name: "Workflow", Launch: true, Script: true, Fields: []Field{
		{Name: "script", Kind: Prompt}, {Name: "scriptPath", Kind: ReadPath}, {Name: "name"}, {Name: "description"},
		{Name: "title"}, {Name: "args"}, {Name: "resumeFromRunId"},
	}},

	// Addresses.
	{Name: "WebFetch", Fields: []Field{{Name: "url", Kind: URL}, {Name: "prompt"}}},
	{Name: "ReadMcpResourceTool", Fields: []Field{{Name: "server"}, {Name: "uri", Kind: URL}}},

	// No paths.
	{Name: "AskUserQuestion", NoPaths: true}, {Name: "BashOutput", Fields: []Field{{Name: "bash_id", Kind: TaskID}, {Name: "task_id", Kind: TaskID}, {Name: "filter"}}},
	{Name: "CronCreate", NoPaths: true}, {Name: "CronDelete", NoPaths: true}, {Name: "CronList", NoPaths: true},
	{Name: "EnterPlanMode", NoPaths: true}, {Name: "ExitPlanMode", NoPaths: true},
	{Name: "KillBash", NoPaths: true}, {Name: "KillShell", NoPaths: true},
	{Name: "ListAgents", NoPaths: true}, {Name: "ListMcpResourcesTool", NoPaths: true},
	{Name: "ReportFindings", NoPaths: true}, {Name: "ScheduleWakeup", NoPaths: true},
	{Name: "SendMessage", NoPaths: true}, {Name: "Skill", NoPaths: true}, {Name: "SlashCommand", NoPaths: true},
	{Name: "TaskCreate", NoPaths: true}, {Name: "TaskGet", NoPaths: true}, {Name: "TaskList", NoPaths: true},
	{Name: "TaskOutput", Fields: []Field{{Name: "task_id", Kind: TaskID}, {Name: "block"}, {Name: "timeout"}}}, {Name: "TaskStop", NoPaths: true}, {Name: "TaskUpdate", NoPaths: true},
	{Name: "TodoRead", NoPaths: true}, {Name: "TodoWrite", NoPaths: true},
	{Name: "ToolSearch", NoPaths: true}, {Name: "WebSearch", NoPaths: true},
}

var claudeLaunch = []Field{
	{Name: "prompt", Kind: Prompt}, {Name: "subagent_type", Kind: AgentType}, {Name: "cwd", Kind: LaunchDir},
	{Name: "description"}, {Name: "run_in_background"}, {Name: "isolation"}, {Name: "model"},
	{Name: "name"}, {Name: "team_name"}, {Name: "mode"}, {Name: "resume"}, {Name: "max_turns"},
}
