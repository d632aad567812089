package install_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/install"
)

func TestDetect(t *testing.T) {
	root, home, bin := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	require.Empty(t, install.Detect(root, home))
	require.Empty(t, install.Detect("", ""))

	require.NoError(t, os.MkdirAll(filepath.Join(root, ".gemini"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".config", "opencode"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".github", "workflows"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".qwen"), nil, 0o644), "a file is no folder of settings")
	program(t, bin+"/codex", "")
	program(t, bin+"/copilot", "")
	require.NoError(t, os.Chmod(bin+"/copilot", 0o644))
	got := map[string]string{}
	for _, f := range install.Detect(root, home) {
		got[f.Client.Name] = f.Why
	}
	require.Equal(t, map[string]string{"gemini-cli": root + "/.gemini", "opencode": home + "/.config/opencode", "codex": bin + "/codex"}, got)
}
