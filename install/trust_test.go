package install_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/install"
)

func TestTrustOf(t *testing.T) {
	home := t.TempDir()
	h := install.Installed{Client: "codex", File: `/w/it's "odd"/.codex/hooks.json`, Event: "PreToolUse", Group: 1, Scope: install.User}
	require.Equal(t, install.TrustUnneeded, install.TrustOf(install.Installed{Client: "claude-code"}, home))
	require.Equal(t, install.TrustUnknown, install.TrustOf(h, home), "no config.toml")

	require.NoError(t, os.Mkdir(home+"/.codex", 0o700))
	key := `[hooks.state."/w/it's \"odd\"/.codex/hooks.json:pre_tool_use:1:0"]`
	for name, tt := range map[string]struct {
		text string
		want install.Trust
	}{
		"nothing":            {"model = \"x\"\n", install.TrustNever},
		"trusted":            {"[hooks.state]\n\n" + key + "\ntrusted_hash = \"sha256:ab\"\n", install.TrustOnce},
		"on":                 {key + "\nenabled = true\ntrusted_hash = \"sha256:ab\"\n[other]\nenabled = false\n", install.TrustOnce},
		"off":                {key + "\ntrusted_hash = \"sha256:ab\"\nenabled = false\n", install.TrustOff},
		"an empty hash":      {key + "\ntrusted_hash = \"\"\n", install.TrustNever},
		"another place":      {"[hooks.state.\"/w/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:ab\"\n", install.TrustNever},
		"behind another":     {key + "\n[hooks.state.x]\ntrusted_hash = \"sha256:ab\"\n", install.TrustNever},
		"torn":               {"[hooks.state.\n[\n[hooks.state.\"\n", install.TrustNever},
		"not a hook's state": {"[projects.\"/w\"]\ntrust_level = \"trusted\"\n", install.TrustNever},
	} {
		require.NoError(t, os.WriteFile(home+"/.codex/config.toml", []byte(tt.text), 0o600))
		require.Equal(t, tt.want, install.TrustOf(h, home), name)
	}

	h.File = "/w/.codex/hooks.json"
	require.NoError(t, os.WriteFile(home+"/.codex/config.toml", []byte("[hooks.state.'/w/.codex/hooks.json:pre_tool_use:1:0']\ntrusted_hash = \"sha256:ab\"\n"), 0o600))
	require.Equal(t, install.TrustOnce, install.TrustOf(h, home))

	// A project's hooks count where the project, or a folder above it, is trusted.
	h.Scope = install.Local
	require.Equal(t, install.TrustNoProject, install.TrustOf(h, home))
	for text, want := range map[string]install.Trust{
		"[projects.\"/w\"]\ntrust_level = \"trusted\"\n":                                                install.TrustNever,
		"[projects.\"/w\"]\ntrust_level = \"untrusted\"\n[projects.\"/\"]\ntrust_level = \"trusted\"\n": install.TrustNoProject,
		"[projects.\"/\"]\ntrust_level = \"trusted\"\n":                                                 install.TrustNever,
		"[projects.\"/other\"]\ntrust_level = \"trusted\"\n":                                            install.TrustNoProject,
	} {
		require.NoError(t, os.WriteFile(home+"/.codex/config.toml", []byte(text), 0o600))
		require.Equal(t, want, install.TrustOf(h, home), text)
	}
}
