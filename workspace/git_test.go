package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/workspace"
)

// git runs git in dir, away from the settings of whoever runs the test.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%v: %s", args, out)
}

// repo makes a repository with a unit in it.
func repo(t *testing.T, dir string) {
	t.Helper()
	write(t, dir+"/units/U03/a.md", "x")
	write(t, dir+"/sub/units/U04/a.md", "x")
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "x")
}

// only is the one workspace that Find finds from start.
func only(t *testing.T, start string) workspace.Workspace {
	t.Helper()
	f, err := workspace.Find(start, workspace.Options{})
	require.NoError(t, err)
	require.Len(t, f.Workspaces, 1)
	require.Empty(t, f.Missing)
	return f.Workspaces[0]
}

func roots(t *testing.T, ws workspace.Workspace) []string {
	t.Helper()
	out, err := workspace.Roots(ws)
	require.NoError(t, err)
	return out
}

func TestLinkedWorktree(t *testing.T) {
	r := temp(t)
	repo(t, r+"/repo")
	adopt(t, r+"/repo")
	git(t, r+"/repo", "worktree", "add", "-q", r+"/wt", "HEAD")
	git(t, r+"/repo", "worktree", "add", "-q", r+"/repo/.claude/worktrees/w2", "HEAD")
	git(t, r+"/repo", "worktree", "add", "-q", r+"/gone", "HEAD")
	require.NoError(t, os.RemoveAll(r+"/gone"))
	checkouts := []string{r + "/repo", r + "/wt", r + "/repo/.claude/worktrees/w2"}

	for start, here := range map[string]string{
		r + "/repo":              "",
		r + "/repo/units/U03":    "",
		r + "/wt":                r + "/wt",
		r + "/wt/units/U03/a.md": r + "/wt",
		r + "/wt/not/there":      r + "/wt",
		r + "/repo/.claude/worktrees/w2/units/U03": r + "/repo/.claude/worktrees/w2",
	} {
		ws := only(t, start)
		require.Equal(t, workspace.Workspace{Root: r + "/repo", Dir: r + "/repo/.conduct", ID: "W1", Here: here}, ws, start)
		require.Equal(t, r+"/repo", roots(t, ws)[0])
		require.ElementsMatch(t, checkouts, roots(t, ws), start)
	}

	t.Run("from several worktrees", func(t *testing.T) {
		f, err := workspace.FindAll([]string{r + "/wt/units", r + "/wt", r + "/repo/.claude/worktrees/w2"}, workspace.Options{})
		require.NoError(t, err)
		require.Len(t, f.Workspaces, 1)
		require.ElementsMatch(t, checkouts, roots(t, f.Workspaces[0]))
	})
	t.Run("moved by hand", func(t *testing.T) {
		require.NoError(t, os.Rename(r+"/wt", r+"/moved"))
		ws := only(t, r+"/moved/units")
		require.Equal(t, r+"/moved", ws.Here)
		require.ElementsMatch(t, []string{r + "/repo", r + "/moved", r + "/repo/.claude/worktrees/w2"}, roots(t, ws))
	})
}

// The workspace may lie below the top of its checkout, or above it.
func TestWorktreeOfALargerRepository(t *testing.T) {
	r := temp(t)
	repo(t, r+"/home/repo")
	git(t, r+"/home/repo", "worktree", "add", "-q", r+"/wt", "HEAD")

	t.Run("below", func(t *testing.T) {
		adopt(t, r+"/home/repo/sub")
		ws := only(t, r+"/wt/sub/units/U04")
		require.Equal(t, r+"/home/repo/sub", ws.Root)
		require.Equal(t, r+"/wt/sub", ws.Here)
		require.Equal(t, []string{r + "/home/repo/sub", r + "/wt/sub"}, roots(t, ws))
		require.Empty(t, found(t, r+"/wt/units"))
		f, err := workspace.FindAll([]string{r + "/wt", r + "/wt/units", r + "/wt/sub"}, workspace.Options{})
		require.NoError(t, err)
		require.Equal(t, []workspace.Workspace{ws}, f.Workspaces)
	})
	t.Run("a stray .git in between", func(t *testing.T) {
		git(t, r+"/home/repo/sub", "init", "-q")
		ws := only(t, r+"/home/repo/sub")
		require.Equal(t, []string{r + "/home/repo/sub", r + "/wt/sub"}, roots(t, ws))
	})
	t.Run("not in every checkout", func(t *testing.T) {
		ws := only(t, r+"/home/repo/sub")
		require.NoError(t, os.RemoveAll(r+"/wt/sub"))
		require.Equal(t, []string{r + "/home/repo/sub"}, roots(t, ws))
	})
	t.Run("above", func(t *testing.T) {
		require.NoError(t, os.RemoveAll(r+"/home/repo/sub"))
		adopt(t, r+"/home")
		ws := only(t, r+"/wt/units")
		require.Equal(t, r+"/home", ws.Root)
		require.Empty(t, ws.Here)
		require.Equal(t, []string{r + "/home"}, roots(t, ws))
	})
}

func TestWorkspaceInALinkedWorktree(t *testing.T) {
	r := temp(t)
	repo(t, r+"/repo")
	git(t, r+"/repo", "worktree", "add", "-q", r+"/wt", "HEAD")
	git(t, r+"/repo", "worktree", "add", "-q", r+"/wt2", "HEAD")
	adopt(t, r+"/wt/sub")
	ws := only(t, r+"/wt/sub")
	got := roots(t, ws)
	require.Equal(t, r+"/wt/sub", got[0])
	require.ElementsMatch(t, []string{r + "/wt/sub", r + "/repo/sub", r + "/wt2/sub"}, got)
}

func TestBareRepository(t *testing.T) {
	r := temp(t)
	repo(t, r+"/repo")
	git(t, r, "clone", "-q", "--bare", r+"/repo", r+"/p/bare.git")
	git(t, r+"/p/bare.git", "worktree", "add", "-q", r+"/p/w1", "HEAD")
	git(t, r+"/p/bare.git", "worktree", "add", "-q", r+"/p/w2", "HEAD")
	adopt(t, r+"/p/w1")
	require.Equal(t, []string{r + "/p/w1", r + "/p/w2"}, roots(t, only(t, r+"/p/w1")))
}

func TestSubmodule(t *testing.T) {
	r := temp(t)
	repo(t, r+"/lib")
	repo(t, r+"/repo")
	git(t, r+"/repo", "submodule", "add", "-q", r+"/lib", "lib")
	git(t, r+"/repo", "commit", "-qm", "lib")
	adopt(t, r+"/repo/lib")
	ws := only(t, r+"/repo/lib/units")
	require.Empty(t, ws.Here)
	require.Equal(t, []string{r + "/repo/lib"}, roots(t, ws))

	git(t, r+"/repo/lib", "worktree", "add", "-q", r+"/libwt", "HEAD")
	require.Equal(t, []string{r + "/repo/lib", r + "/libwt"}, roots(t, ws))
}

// Newer versions of git can write both pointers relative to where they stand.
func TestRelativePointers(t *testing.T) {
	r := temp(t)
	adopt(t, r+"/repo")
	write(t, r+"/wt/.git", "gitdir: ../repo/.git/worktrees/w\r\n")
	write(t, r+"/repo/.git/worktrees/w/commondir", "../..\n")
	write(t, r+"/repo/.git/worktrees/w/gitdir", "../../../../wt/.git\n")
	ws := only(t, r+"/wt")
	require.Equal(t, r+"/wt", ws.Here)
	require.Equal(t, []string{r + "/repo", r + "/wt"}, roots(t, ws))
}

func TestMissingMainCheckout(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"absolute":         {"gitdir: /nowhere/repo/.git/worktrees/w\n", []string{"/nowhere/repo"}},
		"no space":         {"gitdir:/nowhere/repo/.git/worktrees/w", []string{"/nowhere/repo"}},
		"bare":             {"gitdir: /nowhere/repo.git/worktrees/w\n", []string{"/nowhere/repo.git"}},
		"submodule":        {"gitdir: /nowhere/repo/.git/modules/lib\n", nil},
		"repository apart": {"gitdir: /nowhere/repo.git\n", nil},
		"no pointer":       {"/nowhere/repo/.git/worktrees/w\n", nil},
		"empty":            {"gitdir: \n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := temp(t)
			write(t, r+"/w/.git", tt.text)
			mkdir(t, r+"/w/units")
			f, err := workspace.Find(r+"/w/units", workspace.Options{})
			require.NoError(t, err)
			require.Empty(t, f.Workspaces)
			require.Equal(t, tt.want, f.Missing)
		})
	}
	t.Run("relative", func(t *testing.T) {
		r := temp(t)
		write(t, r+"/w/.git", "gitdir: ../repo/.git/worktrees/w\n")
		f, err := workspace.Find(r+"/w", workspace.Options{})
		require.NoError(t, err)
		require.Equal(t, []string{r + "/repo"}, f.Missing)
		_, err = f.First(r + "/w")
		require.EqualError(t, err, `this is a linked worktree of "`+r+`/repo", which is not visible here`)
	})
}

// Main checkouts that point at each other end the search all the same.
func TestWorktreesInACircle(t *testing.T) {
	r := temp(t)
	for _, x := range [][2]string{{"a", "b"}, {"b", "a"}} {
		write(t, r+"/"+x[0]+"/.git", "gitdir: "+r+"/admin/"+x[0]+"\n")
		write(t, r+"/admin/"+x[0]+"/commondir", r+"/"+x[1]+"/.git\n")
	}
	adopt(t, r)
	require.Equal(t, []string{r}, found(t, r+"/a"))
}

// Pointers that lead into each other must not keep the hook busy for ever: that
// they were too many is said, since the caller may have missed a workspace.
func TestTooManyPointers(t *testing.T) {
	r := temp(t)
	adopt(t, r)
	dir := r
	for i := range 10 {
		dir += "/x"
		admin := fmt.Sprintf("%s/admin/%d", r, i)
		write(t, dir+"/.git", "gitdir: "+admin+"\n")
		write(t, admin+"/commondir", fmt.Sprintf("%s/%d/.git\n", dir, i))
	}
	f, err := workspace.Find(dir, workspace.Options{})
	require.ErrorIs(t, err, workspace.ErrTooMany)
	require.Len(t, f.Workspaces, 1)
}

func TestTooManyWorktrees(t *testing.T) {
	r := temp(t)
	adopt(t, r+"/repo")
	mkdir(t, r+"/wt")
	link := func(i int) {
		write(t, fmt.Sprintf("%s/repo/.git/worktrees/w%d/gitdir", r, i), r+"/wt/.git\n")
	}
	for i := range 1000 {
		link(i)
	}
	ws := only(t, r+"/repo")
	require.Equal(t, []string{r + "/repo", r + "/wt"}, roots(t, ws))
	link(1000)
	got, err := workspace.Roots(ws)
	require.ErrorIs(t, err, workspace.ErrTooMany)
	require.Equal(t, []string{r + "/repo", r + "/wt"}, got)
}
