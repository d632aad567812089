package copilot_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/copilot"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
)

const fixtures = "../../testdata/hooks/copilot"

func TestClient(t *testing.T) { hooktest.Run(t, copilot.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, copilot.New()) }

const (
	session    = "e0513430-5f11-479b-8a18-ef5fb15bcd23"
	subagent   = "c5ac3074-f416-443b-a125-37e78d7fdd07"
	everything = guard.Read | guard.Write | guard.Search
)

// parent fills in what every call of the captured main session has.
func parent(tool string, c guard.Call) guard.Call {
	c.Client, c.Session, c.Tool, c.Cwd, c.Marks = copilot.Name, session, tool, "/repo", true
	if c.Event == guard.Other {
		c.Event = guard.ToolCall
	}
	return c
}

// child does so for a captured subagent.
func child(tool string, c guard.Call) guard.Call {
	c = parent(tool, c)
	c.Session, c.AgentID, c.AgentType, c.Marked = subagent, subagent, "unit-worker", true
	return c
}

func target(t ...guard.Target) guard.Call { return guard.Call{Targets: t} }

// viewed is what showing a file or folder may touch.
func viewed(path string) guard.Call {
	return target(guard.Target{Op: guard.Read, Path: path})
}

func writes(op guard.Op, path string) guard.Call {
	return guard.Call{Targets: []guard.Target{{Op: op, Path: path}}, Writes: true}
}

func command(text string) guard.Call {
	return guard.Call{Commands: []guard.Command{{Text: text, Rewrites: true}}}
}

func TestDecode(t *testing.T) {
	edit := guard.Read | guard.Write
	secret := target(
		guard.Target{Op: everything, Path: "path", Guess: true},
		guard.Target{Op: everything, Path: "/repo/lib/secret.txt", Guess: true},
	)
	start := child("", guard.Call{Event: guard.AgentStart})
	start.Session, start.Transcripts = session, "/home/dev/.copilot/session-state/"+session
	stop := start
	stop.Event = guard.AgentStop
	launched := &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit A @lib/secret.txt", Rewrites: true}
	hooktest.Decoded(t, copilot.New(), os.DirFS(fixtures), map[string]guard.Call{
		"preToolUse-view":            parent("view", viewed("/repo/src/a.txt")),
		"preToolUse-view-subagent":   child("view", viewed("/repo/lib/secret.txt")),
		"preToolUse-create":          parent("create", writes(guard.Write, "/repo/src/new.txt")),
		"preToolUse-create-subagent": child("create", writes(guard.Write, "/repo/src/sub.txt")),
		"preToolUse-edit":            parent("edit", writes(edit, "/repo/src/a.txt")),
		"preToolUse-edit-subagent":   child("edit", writes(edit, "/repo/src/a.txt")),
		"preToolUse-glob": parent("glob",
			target(guard.Target{Op: guard.Search, Path: "/repo/lib", Pattern: "**/*.txt", AnyDepth: true})),
		"preToolUse-glob-subagent": child("glob",
			target(guard.Target{Op: guard.Search, Implied: true, Pattern: "**/*.txt", AnyDepth: true})),
		"preToolUse-grep":                     parent("grep", target(guard.Target{Op: guard.Search, Path: "/repo/lib"})),
		"preToolUse-grep-subagent":            child("grep", target(guard.Target{Op: guard.Search, Path: "/repo/lib"})),
		"preToolUse-bash":                     parent("bash", command("cd lib && cat secret.txt; env | grep -c PARENT_ENV")),
		"preToolUse-bash-subagent":            child("bash", command("cat lib/secret.txt")),
		"preToolUse-fakemcp-fs_read":          parent("fakemcp-fs_read", secret),
		"preToolUse-fakemcp-fs_read-subagent": child("fakemcp-fs_read", secret),
		"preToolUse-write_bash": parent("write_bash", guard.Call{
			Commands: []guard.Command{{Text: "hello{enter}", Foreign: true}},
		}),
		"preToolUse-task":              parent("task", guard.Call{Launch: launched}),
		"postToolUse-task":             parent("task", guard.Call{Event: guard.LaunchDone, Launch: launched}),
		"subagentStart-subagent":       start,
		"subagentStop-subagent":        stop,
		"userPromptSubmitted":          parent("", guard.Call{Event: guard.TurnStart}),
		"userPromptSubmitted-subagent": child("", guard.Call{Event: guard.AgentStart, Opening: "work on unit A @lib/secret.txt"}),
	})
}

func decode(t *testing.T, payload string) guard.Call {
	t.Helper()
	call, err := copilot.New().Decode([]byte(payload))
	require.NoError(t, err)
	return call
}

// A hook under Claude Code's event names gets its tool names, but not its fields.
func TestClaudeNames(t *testing.T) {
	edited := decode(t, `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"path":"a","old_str":"/x","new_str":"/y"}}`)
	require.Equal(t, []guard.Target{{Op: guard.Read | guard.Write, Path: "a"}}, edited.Targets)
	data, err := os.ReadFile(fixtures + "/pascal/PreToolUse-Edit.json")
	require.NoError(t, err)
	require.Equal(t, []guard.Target{{Op: guard.Write, Path: "lib/p.txt"}}, decode(t, string(data)).Targets)

	data, err = os.ReadFile(fixtures + "/pascal/PreToolUse-Agent.json")
	require.NoError(t, err)
	require.Equal(t, &guard.Launch{AgentType: "unit-worker", Prompt: "work on unit A"}, decode(t, string(data)).Launch)
	require.False(t, decode(t, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"}}`).Commands[0].Rewrites)

	// It reads Claude Code's form of a denial.
	r := copilot.New().Encode(hooks.Answer{Payload: data, Event: guard.ToolCall, Decision: guard.Decision{Reason: "no"}})
	require.Equal(t, hooks.DenyTool("no"), r)
}

func TestEvents(t *testing.T) {
	tests := []struct {
		name, payload string
		event         guard.Event
	}{
		{"call", `{"toolName":"view","toolArgs":{}}`, guard.ToolCall},
		{"call without arguments", `{"toolName":"view"}`, guard.ToolCall},
		{"call of nothing known", `{"toolName":"unheard","toolArgs":{"path":"a/b"}}`, guard.ToolCall},
		{"a call's arguments are no members", `{"toolName":"view","toolArgs":{"toolResult":{},"error":"x"}}`, guard.ToolCall},
		{"end of a launch", `{"toolName":"task","toolArgs":{},"toolResult":{}}`, guard.LaunchDone},
		{"launch that failed", `{"toolName":"task","toolArgs":{},"error":"x"}`, guard.LaunchDone},
		{"end of another tool", `{"toolName":"view","toolArgs":{},"toolResult":{}}`, guard.Other},
		{"question to the person", `{"hookName":"permissionRequest","toolName":"view","toolInput":{}}`, guard.Other},
		{"nothing", `{}`, guard.Other},
		{"a person's prompt", `{"sessionId":"s","prompt":"x"}`, guard.TurnStart},
		{"an agent's first prompt", `{"sessionId":"s","prompt":"x","agentId":"s"}`, guard.AgentStart},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.event, decode(t, tt.payload).Event) })
	}
}

func TestEncode(t *testing.T) {
	c := copilot.New()
	a := hooks.Answer{
		Decision: guard.Decision{Code: guard.NoTarget}, Event: guard.ToolCall, Command: "conduct exec",
		Payload: []byte(`{"toolName":"bash","toolArgs":{"command":"make","mode" : "sync"}}`),
	}
	require.Equal(t, `{"modifiedArgs":{"command":"conduct exec","mode":"sync"}}`+"\n", string(c.Encode(a).Stdout))
	a.Payload = []byte(`{"toolName":"bash","toolArgs":{}}`)
	require.Contains(t, string(c.Encode(a).Stdout), `{"permissionDecision":"deny","permissionDecisionReason":"conduct `)
	require.True(t, hooks.Verified(c))
}
