//go:build linux && e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// newcomer are the commands that README.md promises: at most five from "git clone"
// to a call that is blocked in a real program, and what they end with.
func newcomer(t *testing.T) (commands []string, output string) {
	t.Helper()
	data, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(data), "<!-- run: skip-because=agent -->\n```sh\n")
	require.True(t, ok, "README.md has no commands that start an agent program")
	block, rest, ok := strings.Cut(rest, "```\n")
	require.True(t, ok)
	_, rest, _ = strings.Cut(rest, "```text\n")
	output, _, ok = strings.Cut(rest, "```\n")
	require.True(t, ok)
	return strings.Split(strings.TrimSpace(block), "\n"), output
}

// TestNewcomer runs them in a home and a repository in which conduct has never been.
func TestNewcomer(t *testing.T) {
	need(t, geminiPackage(), nodePackage())
	commands, output := newcomer(t)
	require.LessOrEqual(t, len(commands), 5)
	require.Contains(t, commands[0], "git clone")

	w := newWorld(t)
	for _, name := range []string{".conduct", "conduct.yaml"} {
		require.NoError(t, os.RemoveAll(w.path(name)))
	}
	for _, name := range []string{"conduct", "conduct-guard"} {
		require.NoError(t, os.Remove(filepath.Join(w.bin, name)))
	}
	read := call("read_file", "file_path", w.design("U04")).As("read")
	server, err := model.Start(model.Gemini(), model.Script{"": {{Calls: []model.Call{read}}, {Text: "It is blocked."}}})
	require.NoError(t, err)
	defer server.Close()
	p := gemini()
	p.settings(w, server.URL)
	argv, env := p.start(w, server.URL, "")
	w.put(filepath.Join(w.bin, "gemini"), "#!/bin/sh\nexec '"+strings.Join(argv[:2], "' '")+"' \"$@\"\n")
	require.NoError(t, os.Chmod(filepath.Join(w.bin, "gemini"), 0o755))

	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euc", strings.Join(commands, "\n"))
	cmd.Dir = w.root
	cmd.Env = append(w.env(env...), goEnv(t, w)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, part := range strings.Split(output, "…\n") {
		require.Contains(t, strings.ReplaceAll(string(out), w.root, "/home/you/project"), part)
	}
	told, _ := server.Result("", "read")
	require.Contains(t, told, "belongs to unit U04")
	require.False(t, server.Saw("", secret("U04")))
}

// goEnv lets Go build from this machine's module cache, and git clone this checkout.
func goEnv(t *testing.T, w *world) []string {
	t.Helper()
	top, err := filepath.Abs("..")
	require.NoError(t, err)
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE", "GOROOT").Output()
	require.NoError(t, err)
	dirs := strings.Fields(string(out))
	require.Len(t, dirs, 3)
	return []string{
		"PATH=" + filepath.Join(dirs[2], "bin") + ":" + filepath.Join(w.home, "go/bin") + ":" + w.bin + ":/usr/local/bin:/usr/bin:/bin",
		"GOMODCACHE=" + dirs[0], "GOCACHE=" + dirs[1], "GOPROXY=off", "GOTOOLCHAIN=local",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=url." + top + ".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/seed6310be5c/conduct",
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*",
	}
}
