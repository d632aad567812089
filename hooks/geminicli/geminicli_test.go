package geminicli_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/geminicli"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
)

const fixtures = "../../testdata/hooks/gemini-cli"

func TestClient(t *testing.T) { hooktest.Run(t, geminicli.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, geminicli.New()) }

func call(tool string, c guard.Call) guard.Call {
	c.Client, c.Session, c.Tool, c.Cwd = geminicli.Name, "345b777c-5ec3-45f8-b753-fd697c334321", tool, "/repo"
	c.Transcripts = "/home/dev/.gemini/home/dev/.gemini/tmp/repo/chats"
	if c.Event == guard.Other {
		c.Event = guard.ToolCall
	}
	return c
}

func TestDecode(t *testing.T) {
	target := func(t guard.Target) guard.Call { return guard.Call{Targets: []guard.Target{t}} }
	writes := func(op guard.Op, path string) guard.Call {
		return guard.Call{Targets: []guard.Target{{Op: op, Path: path}}, Writes: true}
	}
	everything := guard.Read | guard.Write | guard.Search
	hooktest.Decoded(t, geminicli.New(), os.DirFS(fixtures), map[string]guard.Call{
		"BeforeTool-read_file":           call("read_file", target(guard.Target{Op: guard.Read, Path: "src/a.txt"})),
		"BeforeTool-read_file-subagent":  call("read_file", target(guard.Target{Op: guard.Read, Path: "lib/secret.txt"})),
		"BeforeTool-write_file":          call("write_file", writes(guard.Write, "/repo/src/new.txt")),
		"BeforeTool-write_file-subagent": call("write_file", writes(guard.Write, "/repo/src/sub.txt")),
		"BeforeTool-replace":             call("replace", writes(guard.Read|guard.Write, "/repo/src/a.txt")),
		"BeforeTool-replace-subagent":    call("replace", writes(guard.Read|guard.Write, "/repo/src/a.txt")),
		"BeforeTool-glob":                call("glob", target(guard.Target{Op: guard.Search, Path: "/repo", Pattern: "**/*.txt"})),
		"BeforeTool-glob-subagent":       call("glob", target(guard.Target{Op: guard.Search, Implied: true, Pattern: "**/*.txt"})),
		"BeforeTool-grep_search": call("grep_search",
			target(guard.Target{Op: guard.Search, Path: "/repo/lib", Pattern: "*.txt", AnyDepth: true})),
		"BeforeTool-grep_search-subagent":    call("grep_search", target(guard.Target{Op: guard.Search, Path: "/repo/lib"})),
		"BeforeTool-search_file_content":     call("search_file_content", target(guard.Target{Op: guard.Search, Implied: true})),
		"BeforeTool-list_directory":          call("list_directory", target(guard.Target{Op: guard.List, Path: "/repo/lib"})),
		"BeforeTool-list_directory-subagent": call("list_directory", target(guard.Target{Op: guard.List, Path: "/repo/lib"})),
		"BeforeTool-run_shell_command": call("run_shell_command", guard.Call{Commands: []guard.Command{
			{Text: "cat lib/secret.txt; env | grep -c PARENT_ENV", Cwd: "/repo", Rewrites: true},
		}}),
		"BeforeTool-run_shell_command-subagent": call("run_shell_command",
			guard.Call{Commands: []guard.Command{{Text: "cat lib/secret.txt", Rewrites: true}}}),
		"BeforeTool-mcp_fakemcp_fs_read": call("mcp_fakemcp_fs_read", guard.Call{Targets: []guard.Target{
			{Op: everything, Path: "path", Guess: true},
			{Op: everything, Path: "/repo/lib/secret.txt", Guess: true},
		}}),
		"BeforeTool-write_todos":            call("write_todos", guard.Call{}),
		"BeforeTool-complete_task-subagent": call("complete_task", guard.Call{}),
		"BeforeTool-invoke_agent": call("invoke_agent", guard.Call{
			Launch: &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit A", Rewrites: true},
		}),
		"AfterTool-invoke_agent": call("invoke_agent", guard.Call{
			Event: guard.LaunchDone, Launch: &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit B", Rewrites: true},
		}),
		"BeforeAgent": call("", guard.Call{Event: guard.TurnStart}),
	})
}

// The glob package expands a wildcard in front of others through linked folders.
func TestGlobsThatFollowLinks(t *testing.T) {
	tests := map[string]bool{
		"*.md": false, "**": false, "**/*.md": false, "src/*.go": false, "src/a.go": false,
		"*/x.md": true, "src/**": true, "src/**/*.go": true, "**/x/*.md": true, "s{rc,}/*": true, "u?/[ab]": true,
	}
	for pattern, follows := range tests {
		c, err := geminicli.New().Decode([]byte(
			`{"hook_event_name":"BeforeTool","tool_name":"glob","tool_input":{"pattern":"` + pattern + `"}}`))
		require.NoError(t, err)
		require.Equal(t, []guard.Target{{Op: guard.Search, Implied: true, Pattern: pattern, Follows: follows}}, c.Targets)
	}
}

func TestNothingMarksASubagent(t *testing.T) {
	c, err := geminicli.New().Decode([]byte(
		`{"hook_event_name":"BeforeTool","tool_name":"write_todos","agent_id":"a","agent_type":"b","tool_use_id":"c"}`))
	require.NoError(t, err)
	require.Equal(t, guard.Call{Client: geminicli.Name, Event: guard.ToolCall, Tool: "write_todos"}, c)
}

func TestEncode(t *testing.T) {
	r := geminicli.New().Encode(hooks.Answer{Decision: guard.Decision{Reason: "no"}})
	require.Equal(t, hooks.Response{Stdout: []byte("{\"decision\":\"deny\",\"reason\":\"no\"}\n")}, r)
}

// The input goes back whole: on one of its ways Gemini CLI takes it for all of the input, and
// a launch without its agent's name is refused, a command without its folder runs elsewhere.
func TestRewritesKeepTheRestOfTheInput(t *testing.T) {
	encode := func(payload string, a hooks.Answer) string {
		a.Decision, a.Event, a.Payload = guard.Decision{Code: guard.Idle}, guard.ToolCall, []byte(payload)
		return string(geminicli.New().Encode(a).Stdout)
	}
	require.Equal(t, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"agent_name":"a","prompt":"p"}}}`+"\n",
		encode(`{"tool_name":"invoke_agent","tool_input":{"agent_name":"a","prompt":"old"}}`, hooks.Answer{Prompt: "p"}))
	require.Equal(t, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"c","dir_path":"lib"}}}`+"\n",
		encode(`{"tool_name":"run_shell_command","tool_input":{"command":"old","dir_path":"lib"}}`, hooks.Answer{Command: "c"}))
	require.Contains(t, encode(`{}`, hooks.Answer{Command: "c"}), `"decision":"deny"`)
}
