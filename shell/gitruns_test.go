package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const canary = "canary-of-a-sibling"

// Every line of testdata/git.txt is run for real, in a checkout with changes in two
// units. One that shows or changes something of the other unit must have a fact
// that reaches it. The hash in the lines is that of a commit, of the sibling's
// folder and of a file of it in turn.
func TestGitFactsCoverWhatGitDoes(t *testing.T) {
	t.Parallel()
	template := gitWorld(t)
	for _, c := range entries(t, "testdata/git.txt") {
		hashes := []string{"HEAD~1"}
		if strings.Contains(c.line, "abc1234") {
			hashes = []string{"HEAD~1^{commit}", "HEAD:construction/units/U04", "HEAD:construction/units/U04/secret.txt"}
		}
		for _, h := range hashes {
			t.Run(c.line+" "+h, func(t *testing.T) {
				t.Parallel()
				heldRun(t, template, c.line, h)
			})
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME="+filepath.Dir(dir), "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// gitWorld makes the checkout that the runs begin with.
func gitWorld(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	w := filepath.Join(base, "w")
	files := map[string]string{
		"README.md": "readme\n", "docs/guide.md": "guide\n", "construction/units/U03/design.md": "mine\n",
		"construction/units/U03/x": "mine too\n", "construction/units/U03/sub/notes.md": "notes\n",
		"construction/units/U04/secret.txt": canary + "\n", "construction/units/U04/x": canary + " x\n",
	}
	put := func(name, text string) {
		p := filepath.Join(w, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o700))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o600))
	}
	for name, text := range files {
		put(name, text)
	}
	git(t, w, "init", "-q", "-b", "main")
	git(t, w, "config", "user.email", "a@example.invalid")
	git(t, w, "config", "user.name", "a")
	for _, more := range []string{"one", "two"} {
		put("construction/units/U04/secret.txt", canary+" "+more+"\n")
		put("construction/units/U03/design.md", "mine "+more+"\n")
		git(t, w, "add", "-A")
		git(t, w, "commit", "-qm", more)
	}
	git(t, w, "branch", "x", "HEAD~1")
	git(t, w, "tag", "v1")
	put("construction/units/U04/secret.txt", canary+" stashed\n")
	git(t, w, "stash", "-q")
	put("construction/units/U04/secret.txt", canary+" changed\n")
	put("construction/units/U03/design.md", "mine changed\n")
	put("construction/units/U03/x.diff", "--- a/construction/units/U03/x\n+++ b/construction/units/U03/x\n@@ -1 +1 @@\n-mine too\n+mine now\n")
	return base
}

func heldRun(t *testing.T, template, line, rev string) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	out, err := exec.Command("cp", "-a", template+"/.", base).CombinedOutput()
	require.NoError(t, err, string(out))
	w := filepath.Join(base, "w")
	own := filepath.Join(w, "construction/units/U03")
	hash := git(t, w, "rev-parse", rev)
	line = strings.NewReplacer("abc1234", hash, "def5678", hash, "/tmp/", base+"/").Replace(line)

	a, err := Analyze(line, Env{Cwd: own, Home: base, Top: w, Exists: isThere, Link: isLink})
	require.NoError(t, err)
	before := siblingState(t, w)
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = own
	cmd.Env = append(os.Environ(), "HOME="+base, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_ALLOW_PROTOCOL=file")
	shown, _ := cmd.CombinedOutput() // a run may fail: what it has shown counts
	reached := strings.Contains(string(shown), canary) || siblingState(t, w) != before || carried(t, base)
	if reached {
		require.True(t, reaches(a, w), "it reaches the sibling, and no fact says so: %v\n%s", said(a), shown)
	}
}

func isThere(abs string) (isDir, exists bool) {
	info, err := os.Stat(abs)
	return err == nil && info.IsDir(), err == nil
}

// siblingState is all of the other unit that a run can change.
func siblingState(t *testing.T, w string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w, "construction/units/U04/secret.txt"))
	if err != nil {
		text = []byte(err.Error())
	}
	unit := "construction/units/U04"
	return string(text) + git(t, w, "ls-files", "-s", "--", unit) + git(t, w, "status", "--porcelain", "--", unit)
}

// carried says whether content of the other unit lies elsewhere now.
func carried(t *testing.T, base string) bool {
	t.Helper()
	found := false
	require.NoError(t, filepath.WalkDir(base, func(p string, d os.DirEntry, err error) error {
		if err != nil || found {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || strings.HasSuffix(p, "/w/construction/units/U04")) {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			text, err := os.ReadFile(p)
			found = err == nil && strings.Contains(string(text), canary)
		}
		return nil
	}))
	return found
}

// reaches says whether an analysis says that the other unit is reached, or that it
// cannot tell.
func reaches(a Analysis, w string) bool {
	if len(a.Opaque) > 0 {
		return true
	}
	unit := filepath.Join(w, "construction/units/U04")
	for _, f := range a.Facts {
		dirs := f.Cwds
		if f.Top || len(dirs) == 0 {
			dirs = []string{w}
		}
		for _, dir := range dirs {
			p := filepath.Clean(joinPath(dir, f.Path))
			if p == unit || strings.HasPrefix(p, unit+"/") || (f.Op == Search || f.Op == Write) && strings.HasPrefix(unit, p+"/") {
				return true
			}
		}
	}
	return false
}

func isLink(abs string) bool {
	info, err := os.Lstat(abs)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
