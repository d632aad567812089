//go:build linux

package guard_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestCommandLinesConfined runs the lines of TestCommandLinesAgainstTheShell through
// "conduct exec", which nobody has judged: each backend in turn. None may touch a
// sibling or the records. Where names are not hidden, contents are.
func TestCommandLinesConfined(t *testing.T) {
	conduct := filepath.Join(t.TempDir(), "conduct")
	out, err := exec.Command("go", "build", "-o", conduct, "github.com/seed6310be5c/conduct/cmd/conduct").CombinedOutput()
	require.NoError(t, err, string(out))
	backends := []string{"landlock"}
	if _, err := exec.LookPath("bwrap"); err == nil || os.Getenv("CONDUCT_TEST_NO_SKIP") == "1" {
		backends = append(backends, "bwrap")
	}
	n := lines(t, cases/2, func(t *testing.T) func(int, *lineGrammar) {
		b := map[string]*box{}
		for _, name := range backends {
			b[name] = newBox(t, conduct, name)
		}
		return func(i int, g *lineGrammar) { b[backends[i/workers%len(backends)]].line(i, g) }
	})
	t.Logf("%d lines ran confined by %s", n, strings.Join(backends, " and "))
}

// box is a workspace of lines with a dispatch whose commands run confined.
type box struct {
	*lineTree
	conduct, backend, id string
	records              map[string]string
}

func newBox(t *testing.T, conduct, backend string) *box {
	t.Helper()
	b := &box{lineTree: newLineTree(t, visible(t)), conduct: conduct, backend: backend}
	b.do("init", "--layout", "construction/units/{unit}")
	b.id, _, _ = strings.Cut(b.do("dispatch", "--unit", "U03", "--agent", "reviewer", "--opaque", "block"), "\n")
	if backend == "landlock" {
		// It hides neither names nor times (docs/sandbox.md).
		b.contents, b.ignored = true, unix.IN_ATTRIB
	}
	require.Equal(t, "confined\n", b.do("exec", "--dispatch", b.id, "--sandbox", backend, "--", "echo", "confined"))
	b.records = b.recorded()
	return b
}

// visible is a place that is the same in a sandbox.
func visible(t *testing.T) string {
	t.Helper()
	if os.Geteuid() == 0 {
		return "/var/lib"
	}
	dir, err := os.UserCacheDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	return dir
}

func (b *box) do(args ...string) string {
	b.t.Helper()
	cmd := exec.Command(b.conduct, args...)
	cmd.Dir = b.root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.home}
	out, err := cmd.Output()
	require.NoError(b.t, err, "%s", args)
	return string(out)
}

// line runs one line confined.
func (b *box) line(i int, g *lineGrammar) {
	cwd, line := g.whole(b.root)
	b.build()
	touched := b.run(cwd, line, b.conduct, "exec", "--dispatch", b.id, "--sandbox", b.backend, "--dir", b.root, "--", "bash", "-c", line)
	where := fmt.Sprintf("case %d, %s, in %s:\n%s", i, b.backend, strings.TrimPrefix(cwd, b.root), line)
	require.Empty(b.t, touched, where)
	if now := b.recorded(); !maps.Equal(b.records, now) {
		b.t.Fatalf("the records have changed: %s\n%v", where, slices.Sorted(maps.Keys(now)))
	}
}

// recorded are the records, by name, but for what conduct itself keeps beside them.
func (b *box) recorded() map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(b.root+"/.conduct", func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	require.NoError(b.t, err)
	return out
}
