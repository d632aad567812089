package qwencode_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
	"github.com/seed6310be5c/conduct/hooks/qwencode"
)

const fixtures = "../../testdata/hooks/qwen-code"

func TestClient(t *testing.T) { hooktest.Run(t, qwencode.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, qwencode.New()) }

func parent(tool, id string, c guard.Call) guard.Call {
	c.Client, c.Session, c.Tool, c.Cwd = qwencode.Name, "8fc82f24-795c-4a95-a91c-b516c0b4bdbd", tool, "/repo"
	c.CallID, c.Transcripts = id, "/home/dev/.qwen/projects/-repo/chats"
	c.Marks, c.PerSession = true, true
	if c.Event == guard.Other {
		c.Event = guard.ToolCall
	}
	return c
}

func child(tool, id string, c guard.Call) guard.Call {
	c = parent(tool, id, c)
	c.AgentID, c.AgentType, c.LaunchKey, c.Marked = "unit-worker-call_28", "unit-worker", "call_28", true
	return c
}

func TestDecode(t *testing.T) {
	target := func(t guard.Target) guard.Call { return guard.Call{Targets: []guard.Target{t}} }
	writes := func(op guard.Op, path string) guard.Call {
		return guard.Call{Targets: []guard.Target{{Op: op, Path: path}}, Writes: true}
	}
	edit := guard.Read | guard.Write
	hooktest.Decoded(t, qwencode.New(), os.DirFS(fixtures), map[string]guard.Call{
		"PreToolUse-read_file": parent("read_file", "toolu_1796056982043_i947ap5fp",
			target(guard.Target{Op: guard.Read, Path: "/repo/src/a.txt"})),
		"PreToolUse-read_file-subagent": child("read_file", "toolu_1796056989228_2b2cvt886",
			target(guard.Target{Op: guard.Read, Path: "/repo/lib/secret.txt"})),
		"PreToolUse-write_file":          parent("write_file", "toolu_1796056982272_kjzipakb0", writes(guard.Write, "/repo/src/new.txt")),
		"PreToolUse-write_file-subagent": child("write_file", "toolu_1796056989332_82m3sto3i", writes(guard.Write, "/repo/src/sub.txt")),
		"PreToolUse-edit":                parent("edit", "toolu_1796056982437_rhvgfq4hs", writes(edit, "/repo/src/a.txt")),
		"PreToolUse-edit-subagent":       child("edit", "toolu_1796056989407_2k5uiljkr", writes(edit, "/repo/src/a.txt")),
		"PreToolUse-notebook_edit":       parent("notebook_edit", "toolu_1796056982615_vzi83s2ev", writes(edit, "/repo/src/n.ipynb")),
		"PreToolUse-glob": parent("glob", "toolu_1796056982779_83qm31nr9",
			target(guard.Target{Op: guard.Search, Path: "/repo/lib", Pattern: "**/*.txt", AnyDepth: true})),
		"PreToolUse-glob-subagent": child("glob", "toolu_1796056989477_pujl4i2iu",
			target(guard.Target{Op: guard.Search, Implied: true, Pattern: "**/*.txt", AnyDepth: true})),
		"PreToolUse-grep_search": parent("grep_search", "toolu_1796056982910_89juo8pl7",
			target(guard.Target{Op: guard.Search, Path: "/repo/lib", Pattern: "*.txt", AnyDepth: true})),
		"PreToolUse-grep_search-subagent": child("grep_search", "toolu_1796056989482_2aff12h4r",
			target(guard.Target{Op: guard.Search, Path: "/repo/lib"})),
		"PreToolUse-run_shell_command": parent("run_shell_command", "toolu_1796056983402_vqctmb6qm",
			guard.Call{Commands: []guard.Command{{Text: "cat secret.txt; env | grep -c PARENT_ENV", Cwd: "/repo/lib"}}}),
		"PreToolUse-run_shell_command-subagent": child("run_shell_command", "toolu_1796056989492_9zt6x5y8u",
			guard.Call{Commands: []guard.Command{{Text: "cat lib/secret.txt"}}}),
		"PreToolUse-agent": parent("agent", "toolu_1796056988762_ais5mlprn", guard.Call{Launch: &guard.Launch{
			AgentType: "unit-worker", Prompt: "work on unit A @lib/secret.txt", Key: "call_28",
		}}),
		"PostToolUse-agent": parent("agent", "toolu_1796056989929_txo28g1hq", guard.Call{
			Event: guard.LaunchDone, Launch: &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit B", Key: "call_38"},
		}),
		"SubagentStart-subagent": child("", "", guard.Call{Event: guard.AgentStart}),
		"UserPromptSubmit":       parent("", "", guard.Call{Event: guard.TurnStart}),
	})
}

func TestAgentID(t *testing.T) {
	tests := []struct{ id, sentType, agentType, key string }{
		{"unit-worker-call_28", "", "unit-worker", "call_28"},
		{"rev-call_a-call_1", "", "rev-call_a", "call_1"},
		{"rev-call_0-9f-e1", "", "rev", "call_0-9f-e1"},
		{"rev-chatcmpl-tool-abc", "", "rev", "chatcmpl-tool-abc"},
		{"unit-worker-abc", "", "unit-worker", "abc"},
		{"unit-worker-a-b", "unit-worker", "unit-worker", "a-b"},
		{"other-a-b", "unit-worker", "unit-worker", ""},
		{"worker", "", "", ""},
		{"-call_1", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			c, err := qwencode.New().Decode([]byte(`{"hook_event_name":"PreToolUse","tool_name":"todo_write","agent_id":"` +
				tt.id + `","agent_type":"` + tt.sentType + `"}`))
			require.NoError(t, err)
			require.Equal(t, guard.Call{
				Client: qwencode.Name, Event: guard.ToolCall, AgentID: tt.id, AgentType: tt.agentType, LaunchKey: tt.key,
				Tool: "todo_write", Marks: true, Marked: true, PerSession: true,
			}, c)
		})
	}
}

func TestWorkingDirOfALaunch(t *testing.T) {
	c, err := qwencode.New().Decode([]byte(`{"hook_event_name":"PreToolUse","tool_name":"agent","tool_call_id":"call_1",` +
		`"tool_input":{"prompt":"p","subagent_type":"rev","working_dir":"/repo/wt"}}`))
	require.NoError(t, err)
	require.Equal(t, &guard.Launch{AgentType: "rev", Prompt: "p", Dir: "/repo/wt", Key: "call_1"}, c.Launch)
}
