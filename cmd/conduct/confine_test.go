package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRewrittenCommand runs what the hook makes of commands that are not
// understood: the same output and exit code as before, and nothing of a sibling.
func TestRewrittenCommand(t *testing.T) {
	if _, err := exec.LookPath("bwrap"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no bubblewrap here; CI has it")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "github.com/seed6310be5c/conduct/cmd/conduct", "github.com/seed6310be5c/conduct/cmd/conduct-guard")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	// Not below the folder for temporary files, which a sandbox hides.
	base, err := os.MkdirTemp("/var/tmp", "conduct-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(base)) })
	root, home := filepath.Join(base, "it's a place"), filepath.Join(base, "home")
	require.NoError(t, os.Mkdir(home, 0o700))
	for name, text := range map[string]string{"units/U03/own.md": "own\n", "units/U04/design.md": "CANARY\n", "docs/g.md": "shared\n"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	cwd := filepath.Join(root, "units/U03")
	env := append(os.Environ(), "HOME="+home, "CONDUCT_DIR=", "CONDUCT_DISPATCH=", "CLAUDE_PROJECT_DIR="+root)
	conduct := func(args ...string) {
		cmd := exec.Command(filepath.Join(bin, "conduct"), args...)
		cmd.Dir, cmd.Env = root, env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	conduct("init", "--layout", "units/{unit}")
	conduct("dispatch", "--unit", "U03", "--agent", "rev")

	rewritten := 0
	rewrite := func(command string) string {
		payload, err := json.Marshal(map[string]any{
			"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Bash", "agent_id": "a1", "agent_type": "rev",
			"tool_input": map[string]any{"command": command, "description": "d"}, "tool_use_id": command,
		})
		require.NoError(t, err)
		cmd := exec.Command(filepath.Join(bin, "conduct-guard"), "--client", "claude-code", "--dir", root)
		cmd.Dir, cmd.Env, cmd.Stdin = cwd, env, bytes.NewReader(payload)
		out, err := cmd.Output()
		require.NoError(t, err)
		if len(out) == 0 {
			return command // understood, and allowed as it is
		}
		rewritten++
		var a struct {
			Out struct {
				Decision string         `json:"permissionDecision"`
				Input    map[string]any `json:"updatedInput"`
			} `json:"hookSpecificOutput"`
		}
		require.NoError(t, json.Unmarshal(out, &a), "%s", out)
		require.Empty(t, a.Out.Decision, command)
		require.Equal(t, "d", a.Out.Input["description"])
		return a.Out.Input["command"].(string)
	}
	run := func(command string) (string, int) {
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir, cmd.Env = cwd, env
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			require.NoError(t, err)
			return string(out), 0
		}
		return string(out), exit.ExitCode()
	}
	for _, same := range []string{
		`python3 -c 'print(open("own.md").read() + "it'"'"'s")'`,
		`x=$(cat own.md); echo "$x" 'a  b' "\$x" ; (exit 3)`,
		"for i in 1 2; do printf '%s\\n' \"$i\" >&$i; done; pwd; unknown_thing_$$ 2>/dev/null; exit 7",
		`python3 -c 'import os; print(os.getcwd()); raise SystemExit(5)'`,
	} {
		want, code := run(same)
		changed := rewrite(same)
		got, gotCode := run(changed)
		require.Equal(t, want, got, same)
		require.Equal(t, code, gotCode, same)
	}
	for _, leak := range []string{
		`$F; echo '; cat ../U04/design.md; '`,
		`python3 -c 'import os; print(open(os.sep.join(["..", "U"+"04", "design.md"])).read())'`,
		`eval "$(printf 'cat ../U0%s/design.md' 4)"`,
		`'$(cat ../U0'"$F"'4/design.md)' ; bash -c "$(echo Y2F0IC4uL1UwNC9kZXNpZ24ubWQK | base64 -d)"`,
	} {
		got, _ := run(rewrite(leak))
		require.NotContains(t, strings.ReplaceAll(got, leak, ""), "CANARY", leak)
	}
	require.Equal(t, 7, rewritten, "the second one is understood")
}
