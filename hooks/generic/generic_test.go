package generic_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/generic"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
)

const fixtures = "../../testdata/hooks/claude-code"

func TestClient(t *testing.T) { hooktest.Run(t, generic.New(), os.DirFS(fixtures)) }

func FuzzDecode(f *testing.F) { hooktest.Fuzz(f, generic.New()) }

func TestDecode(t *testing.T) {
	call := guard.Call{
		Client: generic.Name, Event: guard.ToolCall, Session: "2230f31f-88c8-42da-b58a-67a1955a0ed8",
		AgentID: "a99cfd2a308961e3a", AgentType: "unit-worker", Marks: true, Marked: true, Cwd: "/repo/lib",
		Transcripts: "/home/dev/.claude/projects/-repo",
	}
	read := call
	read.Tool, read.CallID = "Read", "toolu_fake0067"
	read.Targets = []guard.Target{{Op: guard.Read, Path: "/repo/lib/secret.txt"}}
	launch := call
	launch.Tool, launch.CallID = "Agent", "toolu_fake0079"
	launch.Launch = &guard.Launch{AgentType: "general-purpose", Prompt: "nested NESTED-TASK"}
	hooktest.Decoded(t, generic.New(), os.DirFS(fixtures), map[string]guard.Call{
		"PreToolUse-Read-subagent": read, "PreToolUse-Agent-subagent": launch,
	})
}

func TestEncode(t *testing.T) {
	tests := []struct {
		name   string
		answer hooks.Answer
		want   hooks.Response
	}{
		{"allowed", hooks.Answer{Decision: guard.Decision{Code: guard.Shared}, Event: guard.ToolCall},
			hooks.Response{Stdout: []byte(`{"decision":"allow","code":"shared","reason":""}` + "\n")}},
		{"blocked", hooks.Answer{Decision: guard.Decision{Code: guard.SiblingUnit, Reason: "no"}, Event: guard.ToolCall},
			hooks.Response{Stdout: []byte(`{"decision":"block","code":"sibling_unit","reason":"no"}` + "\n"), Stderr: []byte("no\n"), Exit: 2}},
		{"nothing decided", hooks.Answer{}, hooks.Response{
			Stdout: []byte(`{"decision":"block","code":"internal","reason":"` + hooks.NoReason + `"}` + "\n"),
			Stderr: []byte(hooks.NoReason + "\n"), Exit: 2,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, generic.New().Encode(tt.answer))
		})
	}
}
