package confine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/confine"
	"github.com/seed6310be5c/conduct/unit"
)

// Only settings that were not there are set aside, and what a link leads to is
// left alone.
func TestSettingsMadeMeanwhileAreSetAside(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(root+"/.claude/settings.local.json", "before")
	write(root+"/elsewhere/config.toml", "anybody's")
	require.NoError(t, os.MkdirAll(home+"/dots/gemini", 0o700))
	require.NoError(t, os.Symlink("dots/gemini", home+"/.gemini"))

	s := confine.NewSettings(unit.Roots{unit.Split(root)}, home)
	made, err := s.SetAside(".x")
	require.NoError(t, err)
	require.Empty(t, made)

	write(root+"/.claude/settings.json", `{"disableAllHooks":true}`)
	require.NoError(t, os.Symlink("elsewhere", root+"/.codex"))
	write(home+"/.gemini/settings.json", "through a link that was there")
	write(root+"/.mcp.json", "{}")

	made, err = s.SetAside(".x")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{root + "/.claude/settings.json", root + "/.codex", home + "/.gemini/settings.json", root + "/.mcp.json"}, made)
	require.FileExists(t, root+"/.claude/settings.json.x")
	require.NoFileExists(t, root+"/.claude/settings.json")
	require.FileExists(t, root+"/.claude/settings.local.json")
	require.NoFileExists(t, root+"/.codex")
	require.FileExists(t, root+"/elsewhere/config.toml")
	require.FileExists(t, home+"/dots/gemini/settings.json.x")
	require.FileExists(t, root+"/.mcp.json.x")
}
