package workspace_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/workspace"
)

const ours = `{"schema":1,"id":"W1","created":"2026-01-02T03:04:05Z"}`

// temp is a temp folder by its real path.
func temp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(path, 0o755))
}

// adopt makes dir a workspace.
func adopt(t *testing.T, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, ".conduct/workspace.json"), ours)
}

// roots of all that Find finds from start.
func found(t *testing.T, start string) []string {
	t.Helper()
	f, err := workspace.Find(start, workspace.Options{})
	require.NoError(t, err)
	var out []string
	for _, ws := range f.Workspaces {
		require.Equal(t, filepath.Join(ws.Root, ".conduct"), ws.Dir)
		require.Equal(t, "W1", ws.ID)
		out = append(out, ws.Root)
	}
	return out
}

func TestFindWalksUp(t *testing.T) {
	r := temp(t)
	adopt(t, r)
	adopt(t, r+"/a/b")
	write(t, r+"/a/b/c/file.txt", "x")
	require.NoError(t, os.Symlink(r+"/a/b/c", r+"/link"))
	require.NoError(t, os.Symlink(r+"/nowhere", r+"/a/dangling"))
	both := []string{r + "/a/b", r}
	for name, tt := range map[string]struct {
		start string
		want  []string
	}{
		"root":                {r, []string{r}},
		"nested":              {r + "/a/b", both},
		"below":               {r + "/a/b/c", both},
		"file":                {r + "/a/b/c/file.txt", both},
		"below a file":        {r + "/a/b/c/file.txt/x", both},
		"missing":             {r + "/a/b/no/such/folder", both},
		"not clean":           {r + "/a//b/./c/", both},
		"through a link":      {r + "/link", both},
		"dangling link":       {r + "/a/dangling/x", []string{r}},
		"dots after a link":   {r + "/link/..", both},
		"dots after nothing":  {r + "/no/../a/b", both},
		"only lexically so":   {r + "/a/b/../../a", []string{r}},
		"name of 300 letters": {r + "/a/b/" + string(make300()), both},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, found(t, tt.start)) })
	}
}

func make300() []byte {
	b := make([]byte, 300)
	for i := range b {
		b[i] = 'x'
	}
	return b
}

// A folder reached through a link belongs to the workspaces on both ways up.
func TestFindFollowsBothReadings(t *testing.T) {
	r := temp(t)
	adopt(t, r+"/real")
	adopt(t, r+"/spelt")
	mkdir(t, r+"/real/sub")
	require.NoError(t, os.Symlink(r+"/real/sub", r+"/spelt/link"))
	require.Equal(t, []string{r + "/real", r + "/spelt"}, found(t, r+"/spelt/link"))
}

func TestFindIgnoresForeignFolders(t *testing.T) {
	for name, text := range map[string]string{
		"another program's": `{}`,
		"no id":             `{"schema":1}`,
		"empty id":          `{"schema":1,"id":""}`,
		"id is a number":    `{"schema":1,"id":7}`,
		"no schema":         `{"id":"W1"}`,
		"schema is text":    `{"schema":"1","id":"W1"}`,
		"no object":         `[1]`,
		"torn":              `{"schema":1,"id":"W1"`,
		"more after it":     ours + ours,
		"repeated":          `{"schema":1,"id":"W1","id":"W2"}`,
		"empty":             ``,
		"too large":         ours + string(make([]byte, 5000)),
	} {
		t.Run(name, func(t *testing.T) {
			r := temp(t)
			write(t, r+"/.conduct/workspace.json", text)
			require.Empty(t, found(t, r))
		})
	}
	t.Run("newer schema and more members", func(t *testing.T) {
		r := temp(t)
		write(t, r+"/.conduct/workspace.json", `{"schema":99,"id":"W1","more":{"x":[1]}}`)
		require.Equal(t, []string{r}, found(t, r))
	})
	t.Run("without the marker", func(t *testing.T) {
		r := temp(t)
		write(t, r+"/.conduct/config.json", "{}")
		require.Empty(t, found(t, r))
	})
	t.Run("marker is a folder", func(t *testing.T) {
		r := temp(t)
		mkdir(t, r+"/.conduct/workspace.json")
		require.Empty(t, found(t, r))
	})
	t.Run("marker is a pipe", func(t *testing.T) {
		r := temp(t)
		mkdir(t, r+"/.conduct")
		require.NoError(t, syscall.Mkfifo(r+"/.conduct/workspace.json", 0o644))
		require.Empty(t, found(t, r))
	})
}

// What an agent can make in its own folder takes no workspace above it away.
func TestNearestHidesNothing(t *testing.T) {
	t.Run("marker with a second name", func(t *testing.T) {
		r := temp(t)
		adopt(t, r)
		mkdir(t, r+"/own/.conduct")
		require.NoError(t, os.Link(r+"/.conduct/workspace.json", r+"/own/.conduct/workspace.json"))
		require.Equal(t, []string{r + "/own", r}, found(t, r+"/own"))
	})
	t.Run("link to the true folder", func(t *testing.T) {
		r := temp(t)
		adopt(t, r)
		mkdir(t, r+"/own")
		require.NoError(t, os.Symlink("../.conduct", r+"/own/.conduct"))
		require.Equal(t, []string{r + "/own", r}, found(t, r+"/own"))
	})
	t.Run("git file that leads away", func(t *testing.T) {
		r := temp(t)
		adopt(t, r+"/ws")
		write(t, r+"/ws/own/.git", "gitdir: "+r+"/other/.git/worktrees/w\n")
		write(t, r+"/other/.git/worktrees/w/commondir", "../..\n")
		require.Equal(t, []string{r + "/ws"}, found(t, r+"/ws/own"))
	})
}

func TestFindNeedsAbsolutePaths(t *testing.T) {
	_, err := workspace.Find("a/b", workspace.Options{})
	require.ErrorIs(t, err, workspace.ErrNotAbsolute)
	_, err = workspace.Find("", workspace.Options{})
	require.ErrorIs(t, err, workspace.ErrNotAbsolute)
	_, err = workspace.Find("/", workspace.Options{Dir: "x/.conduct"})
	require.ErrorIs(t, err, workspace.ErrNotAbsolute)
}

func TestFindTheNamedFolder(t *testing.T) {
	r := temp(t)
	adopt(t, r+"/a")
	adopt(t, r+"/b")
	write(t, r+"/foreign/.conduct/config.json", "{}")
	require.NoError(t, os.Symlink("b", r+"/link"))

	f, err := workspace.Find(r+"/a", workspace.Options{Dir: r + "/link/.conduct/"})
	require.NoError(t, err)
	require.Equal(t, []workspace.Workspace{{Root: r + "/b", Dir: r + "/b/.conduct", ID: "W1"}}, f.Workspaces)

	for _, dir := range []string{"/foreign/.conduct", "/a", "/nowhere/.conduct"} {
		_, err = workspace.Find(r+"/a", workspace.Options{Dir: r + dir})
		require.ErrorIs(t, err, workspace.ErrNotOurs, dir)
		require.ErrorContains(t, err, `"`+r+dir+`"`)
	}
}

func TestFindAll(t *testing.T) {
	r := temp(t)
	for _, dir := range []string{"/a", "/a/b", "/c"} {
		adopt(t, r+dir)
	}
	f, err := workspace.FindAll([]string{r + "/a/x", r + "/c/y", r + "/a/b/z", r + "/a/x"}, workspace.Options{})
	require.NoError(t, err)
	var got []string
	for _, ws := range f.Workspaces {
		got = append(got, ws.Root)
	}
	require.Equal(t, []string{r + "/a/b", r + "/a", r + "/c"}, got)

	_, err = workspace.FindAll([]string{r, "relative"}, workspace.Options{})
	require.ErrorIs(t, err, workspace.ErrNotAbsolute)
	f, err = workspace.FindAll(nil, workspace.Options{})
	require.NoError(t, err)
	require.Equal(t, workspace.Found{}, f)
}

func TestFirst(t *testing.T) {
	r := temp(t)
	f, err := workspace.Find(r, workspace.Options{})
	require.NoError(t, err)
	_, err = f.First(r)
	var none *workspace.NoneError
	require.ErrorAs(t, err, &none)
	require.EqualError(t, err, `no workspace at or above "`+r+`"`)

	adopt(t, r)
	f, err = workspace.Find(r+"/x", workspace.Options{})
	require.NoError(t, err)
	ws, err := f.First(r)
	require.NoError(t, err)
	require.Equal(t, r, ws.Root)
}

func BenchmarkFind(b *testing.B) {
	r := b.TempDir()
	deep := r + "/construction/units/U03/src/a/b"
	require.NoError(b, os.MkdirAll(deep, 0o755))
	require.NoError(b, os.MkdirAll(r+"/.conduct", 0o755))
	require.NoError(b, os.WriteFile(r+"/.conduct/workspace.json", []byte(ours), 0o644))
	for b.Loop() {
		f, err := workspace.Find(deep, workspace.Options{})
		if err != nil || len(f.Workspaces) != 1 {
			b.Fatal(err, f)
		}
		if _, err := workspace.Roots(f.Workspaces[0]); err != nil {
			b.Fatal(err)
		}
	}
}
