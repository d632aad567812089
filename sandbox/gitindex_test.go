package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gitRun runs git in a folder, away from anyone's settings.
func gitRun(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// indexRepo makes a repository with siblings.
func indexRepo(t testing.TB, init ...string) string {
	t.Helper()
	dir := t.TempDir()
	gitRun(t, dir, append([]string{"init", "-q"}, init...)...)
	for _, name := range []string{"a", "units/U03/x", "units/U03/deep/y", "units/U04/secret", "units/U04/sub/more", "units/U05/z", "zz-a-longer-name"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
	}
	gitRun(t, dir, "add", ".")
	gitRun(t, dir, "commit", "-qm", "x")
	return dir
}

func hiddenUnits(path string) bool {
	return strings.HasPrefix(path, "units/U04/") || strings.HasPrefix(path, "units/U05/")
}

func readIndex(t testing.TB, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ".git/index"))
	require.NoError(t, err)
	return data
}

// TestSkipHidden has git itself read what is made of its index, while the siblings
// are not there.
func TestSkipHidden(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ init, then []string }{
		"version 2":      {},
		"version 3":      {then: []string{"update-index", "--skip-worktree", "a"}},
		"version 4":      {then: []string{"update-index", "--index-version", "4"}},
		"sha256":         {init: []string{"--object-format=sha256"}},
		"untracked":      {then: []string{"update-index", "--force-untracked-cache"}},
		"no checksum":    {then: []string{"-c", "index.skipHash=true", "update-index", "--force-write-index"}},
		"one is gone":    {then: []string{"rm", "-q", "--cached", "a"}},
		"offset table":   {then: []string{"-c", "index.threads=4", "update-index", "--force-write-index"}},
		"an empty index": {then: []string{"rm", "-rq", "--cached", "."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := indexRepo(t, c.init...)
			if c.then != nil {
				gitRun(t, dir, c.then...)
			}
			staged := gitRun(t, dir, "ls-files", "-s")
			status := gitRun(t, dir, "status", "--short", "--untracked-files=no")
			got, err := skipHidden(readIndex(t, dir), hiddenUnits)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, ".git/index"), got, 0o644))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "units/U04")))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "units/U05")))
			require.Equal(t, staged, gitRun(t, dir, "ls-files", "-s"))
			require.Equal(t, status, gitRun(t, dir, "status", "--short", "--untracked-files=no"))
			for line := range strings.Lines(gitRun(t, dir, "ls-files", "-v")) {
				if hiddenUnits(strings.TrimSpace(line[2:])) {
					require.Equal(t, "S", line[:1], line)
				}
			}
			gitRun(t, dir, "fsck")
		})
	}
}

func TestSkipHiddenRefuses(t *testing.T) {
	t.Parallel()
	dir := indexRepo(t)
	whole := readIndex(t, dir)
	for n := range len(whole) {
		if _, err := skipHidden(whole[:n], hiddenUnits); err == nil {
			t.Fatalf("the first %d of %d bytes are taken for an index", n, len(whole))
		}
	}
	newer := bytes.Clone(whole)
	newer[7] = 5
	_, err := skipHidden(newer, hiddenUnits)
	require.ErrorIs(t, err, errIndex)
	gitRun(t, dir, "update-index", "--split-index")
	_, err = skipHidden(readIndex(t, dir), hiddenUnits)
	require.ErrorIs(t, err, errIndex)
}

func FuzzSkipHidden(f *testing.F) {
	const sum = 20
	dir := indexRepo(f)
	for _, version := range []string{"2", "4"} {
		gitRun(f, dir, "update-index", "--index-version", version)
		data := readIndex(f, dir)
		f.Add(data[:len(data)-sum])
	}
	f.Add([]byte("DIRC"))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = append(data, make([]byte, sum)...) // no checksum, which no input would have by luck
		got, err := skipHidden(data, hiddenUnits)
		if err != nil {
			require.ErrorIs(t, err, errIndex)
			return
		}
		again, err := skipHidden(got, hiddenUnits)
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

// TestOpenGit lays out where git is and what of it is seen, for a workspace that is a
// folder of its repository, and for a linked worktree.
func TestOpenGit(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(indexRepo(t))
	require.NoError(t, err)
	linked := filepath.Join(t.TempDir(), "linked")
	gitRun(t, top, "worktree", "add", "-q", linked)
	linked, err = filepath.EvalSymlinks(linked)
	require.NoError(t, err)
	for name, c := range map[string]struct{ root, parent, index string }{
		"a folder of it": {top + "/units", top + "/units", top + "/.git/index"},
		"its top":        {top, top + "/units", top + "/.git/index"},
		"a worktree":     {linked, linked + "/units", top + "/.git/worktrees/linked/index"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temp, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			p := Policy{
				Root: c.root, Parents: []string{c.parent}, Own: []string{c.parent + "/U03"}, Cwd: c.parent + "/U03", Temp: temp, Git: true,
			}
			if c.root == linked {
				p.Roots = []string{top} // every checkout is one
			}
			l, err := Lay([]string{"true"}, p, "/bin/true")
			require.NoError(t, err)
			require.Equal(t, Read, l.access(filepath.Dir(c.index)+"/objects"))
			got, err := skipHidden(l.Indexes[c.index], func(string) bool { return false })
			require.NoError(t, err)
			require.Equal(t, l.Indexes[c.index], got)
			marked := gitRun(t, filepath.Dir(c.parent), "-c", "core.bare=false", "--git-dir", filepath.Dir(c.index), "ls-files", "-v")
			require.NotContains(t, marked, "S ", "the real one is as it was")
			require.ElementsMatch(t, []Gap{{ReadSiblings, "git is allowed: its objects hold what siblings have committed"}}, l.Gaps)
			require.False(t, l.Git)
			entries := listIndex(t, got)
			require.Contains(t, entries, "S units/U04/secret")
			require.Contains(t, entries, "H units/U03/x")
		})
	}
}

// TestOpenGitOpensNothingHidden has a pointer lead to a sibling or to the records, as a
// confined command can make it where there was no repository.
func TestOpenGitOpensNothingHidden(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(t *testing.T, ws, target string){
		"a file": func(t *testing.T, ws, target string) {
			require.NoError(t, os.WriteFile(ws+"/.git", []byte("gitdir: "+target+"\n"), 0o600))
		},
		"a link": func(t *testing.T, ws, target string) { require.NoError(t, os.Symlink(target, ws+"/.git")) },
		"by way of another": func(t *testing.T, ws, target string) {
			require.NoError(t, os.WriteFile(ws+"/.git", []byte("gitdir: own\n"), 0o600))
			require.NoError(t, os.Mkdir(ws+"/own", 0o700))
			require.NoError(t, os.WriteFile(ws+"/own/commondir", []byte(target+"\n"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			for _, dir := range []string{"/units/U03", "/units/U04", "/.conduct", "/temp"} {
				require.NoError(t, os.MkdirAll(ws+dir, 0o700))
			}
			for _, target := range []string{ws + "/units/U04", ws + "/.conduct"} {
				require.NoError(t, os.RemoveAll(ws+"/.git"))
				require.NoError(t, os.RemoveAll(ws+"/own"))
				forge(t, ws, target)
				l, err := Lay([]string{"true"}, Policy{
					Root: ws, Parents: []string{ws + "/units"}, Own: []string{ws + "/units/U03"}, Records: []string{ws + "/.conduct"},
					Cwd: ws, Temp: ws + "/temp", Git: true,
				}, "/bin/true")
				require.NoError(t, err)
				require.False(t, l.Visible(target), target)
			}
		})
	}
}

// listIndex lists an index as "git ls-files -v" does.
func listIndex(t *testing.T, index []byte) string {
	t.Helper()
	dir := t.TempDir()
	gitRun(t, dir, "init", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git/index"), index, 0o600))
	return gitRun(t, dir, "ls-files", "-v")
}
