package agents_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/agents"
)

const (
	one = "01HZXJ0000000000000000000A"
	two = "01HZXJ0000000000000000000B"
)

func put(t *testing.T, file, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

func TestName(t *testing.T) {
	for in, want := range map[[2]string]string{
		{"reviewer", "U03"}: "reviewer-u03", {"Code Reviewer", "packages/a.b"}: "code-reviewer-packages-a-b", {"r", "U_3-"}: "r-u-3",
	} {
		require.Equal(t, want, agents.Name(in[0], in[1]))
	}
}

func TestWriteAndSweep(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	put(t, root+"/.claude/agents/reviewer.md", "---\r\nname: reviewer\r\ntools: Read\r\n---\r\nReview.\r\n")
	put(t, home+"/.gemini/agents/reviewer.md", "---\ntools: Read\n---\nReview.")
	put(t, home+"/.qwen/agents/reviewer.md", "Review.\n")
	put(t, root+"/.opencode/agent/reviewer.md", "---\nmode: subagent\n---\nname: is text here\n")
	got, err := agents.Write(root, home, "reviewer", "reviewer-u03", one)
	require.NoError(t, err)
	end := "\n<!-- written by conduct for dispatch " + one + " -->\n"
	want := map[string]string{
		root + "/.claude/agents/reviewer-u03.md":  "---\r\nname: reviewer-u03\r\ntools: Read\r\n---\r\nReview." + end,
		home + "/.gemini/agents/reviewer-u03.md":  "---\ntools: Read\nname: reviewer-u03\n---\nReview." + end,
		home + "/.qwen/agents/reviewer-u03.md":    "---\nname: reviewer-u03\n---\nReview." + end,
		root + "/.opencode/agent/reviewer-u03.md": "---\nmode: subagent\n---\nname: is text here" + end,
	}
	require.Len(t, got, len(want))
	for file, expected := range want {
		require.Contains(t, got, file)
		require.Equal(t, expected, text(t, file))
	}
	_, err = agents.Write(root, home, "reviewer", "reviewer-u03", two)
	require.NoError(t, err, "a copy of ours is replaced")
	gone, err := agents.Sweep(root, home, func(id string) bool { return id == two })
	require.NoError(t, err)
	require.Empty(t, gone)
	gone, err = agents.Sweep(root, home, func(string) bool { return false })
	require.NoError(t, err)
	require.ElementsMatch(t, got, gone)
	require.FileExists(t, root+"/.claude/agents/reviewer.md")
	gone, err = agents.Sweep(root, home, func(string) bool { return false })
	require.NoError(t, err)
	require.Empty(t, gone)
}

func TestWriteLeavesWhatIsAnothers(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	put(t, root+"/.claude/agents/reviewer.md", "---\nname: reviewer\n---\n")
	put(t, home+"/.claude/agents/reviewer.md", "---\nname: reviewer\n---\n")
	mine := put(t, home+"/.claude/agents/reviewer-u03.md", "mine\n<!-- written by conduct for dispatch "+one+" -->\nand more\n")
	_, err := agents.Write(root, home, "reviewer", "reviewer-u03", one)
	require.ErrorIs(t, err, agents.ErrTaken)
	require.Contains(t, text(t, mine), "and more")
	require.NoFileExists(t, root+"/.claude/agents/reviewer-u03.md", "all or none")
	_, err = agents.Sweep(root, home, func(string) bool { return false })
	require.NoError(t, err)
	require.FileExists(t, mine)
}

// TestWriteFollowsNoLink keeps to the folder of the definitions.
func TestWriteFollowsNoLink(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	put(t, root+"/.claude/agents/reviewer.md", "---\nname: reviewer\n---\n")
	file := put(t, other+"/file", "kept")
	require.NoError(t, os.Symlink(file, root+"/.claude/agents/reviewer-u03.md"))
	_, err := agents.Write(root, "", "reviewer", "reviewer-u03", one)
	require.ErrorIs(t, err, agents.ErrTaken)
	require.Equal(t, "kept", text(t, file))
}

func TestFindTakesNoPath(t *testing.T) {
	root := t.TempDir()
	put(t, root+"/.claude/reviewer.md", "x")
	for _, name := range []string{"", "../reviewer", "a/b", ".hidden", "none"} {
		_, err := agents.Find(root, "", name)
		require.ErrorIs(t, err, agents.ErrTemplate, name)
	}
}
