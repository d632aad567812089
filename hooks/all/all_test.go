package all_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/all"
)

func TestByName(t *testing.T) {
	var names []string
	for _, c := range all.Clients() {
		names = append(names, c.Name())
		found, ok := all.ByName(c.Name())
		require.True(t, ok)
		require.Equal(t, c.Name(), found.Name())
	}
	require.Equal(t, []string{"claude-code", "codex", "gemini-cli", "qwen-code", "opencode", "copilot", "cursor", "kiro", "generic"}, names)
	for _, name := range []string{"", "Claude-Code", "claude", "Cursor"} {
		_, ok := all.ByName(name)
		require.False(t, ok, name)
	}
}

func TestVariables(t *testing.T) {
	session := map[string]string{
		"claude-code": "CLAUDE_CODE_SESSION_ID", "gemini-cli": "GEMINI_SESSION_ID", "qwen-code": "QWEN_CODE_SESSION_ID",
	}
	project := map[string][]string{
		"claude-code": {"CLAUDE_PROJECT_DIR"}, "generic": {"CLAUDE_PROJECT_DIR"},
		"gemini-cli": {"GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"},
		"copilot":    {"COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"},
		"cursor":     {"CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"},
		"qwen-code":  {"QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"},
	}
	for _, c := range all.Clients() {
		require.Equal(t, session[c.Name()], c.SessionVar())
		require.Equal(t, project[c.Name()], c.ProjectDirs())
		require.Equal(t, c.Name() != "cursor" && c.Name() != "kiro", hooks.Verified(c), c.Name())
	}
}
