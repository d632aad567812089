package unit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/unit"
)

func TestSplit(t *testing.T) {
	for in, want := range map[string]string{
		"/": "/", "": "/", "/a/b": "/a/b", "//a///b/": "/a/b", "/a/./b/.": "/a/b", "/a/../b": "/b",
		"/../..": "/", "/a/b/../../..": "/", "/..a/b..": "/..a/b..", "a/b": "/a/b",
	} {
		require.Equal(t, want, unit.Split(in).String(), in)
	}
}

func TestUnder(t *testing.T) {
	for _, c := range []struct {
		p, dir string
		fold   bool
		want   bool
	}{
		{"/u/U03/a", "/u/U03", false, true}, {"/u/U03", "/u/U03", false, true}, {"/u/U03-old/a", "/u/U03", false, false},
		{"/u", "/u/U03", false, false}, {"/u/U03", "/", false, true}, {"/u/u03/a", "/u/U03", false, false},
		{"/u/u03/a", "/U/U03", true, true}, {"/", "/", false, true},
	} {
		require.Equal(t, c.want, split(c.p).Under(split(c.dir), c.fold), "%s under %s", c.p, c.dir)
	}
}

func TestResolve(t *testing.T) {
	f := newFake(tree{
		"/ws/own/a.md": "text", "/ws/own/sub/deep": "", "/ws/sib/s.md": "text", "/ws/docs": "",
		"/ws/own/file": "->a.md", "/ws/own/abs": "->/ws/sib", "/ws/own/rel": "->../sib", "/ws/own/chain": "->rel",
		"/ws/own/down": "->sub/deep", "/ws/own/dangling": "->../sib/new", "/ws/own/nowhere": "->../gone/new", "/ws/own/loop": "->loop",
		"/ws/own/ping": "->pong", "/ws/own/pong": "->ping", "/ws/own/up": "->..", "/ws/own/dots": "->./sub/../../sib/.", "/ws/own/slash": "->/ws/sib/",
		"/ws/own/top": "->/", "/ws/own/empty": "->", "/ln": "->/ws",
	})
	for in, want := range map[string]struct {
		real, lexical string
		missing       bool
		via           []string
	}{
		"/":                      {real: "/", lexical: "/"},
		"/ws/own/a.md":           {real: "/ws/own/a.md", lexical: "/ws/own/a.md"},
		"//ws/./own//a.md":       {real: "/ws/own/a.md", lexical: "/ws/own/a.md"},
		"/ws/own/sub/..":         {real: "/ws/own", lexical: "/ws/own"},
		"/../../ws":              {real: "/ws", lexical: "/ws"},
		"/ws/own/file":           {real: "/ws/own/a.md", lexical: "/ws/own/file", via: []string{"/ws/own/file"}},
		"/ws/own/rel/s.md":       {real: "/ws/sib/s.md", lexical: "/ws/own/rel/s.md", via: []string{"/ws/own/rel"}},
		"/ws/own/abs/s.md":       {real: "/ws/sib/s.md", lexical: "/ws/own/abs/s.md", via: []string{"/ws/own/abs"}},
		"/ws/own/chain/s.md":     {real: "/ws/sib/s.md", lexical: "/ws/own/chain/s.md", via: []string{"/ws/own/chain", "/ws/own/rel"}},
		"/ws/own/dots/s.md":      {real: "/ws/sib/s.md", lexical: "/ws/own/dots/s.md", via: []string{"/ws/own/dots"}},
		"/ws/own/slash/s.md":     {real: "/ws/sib/s.md", lexical: "/ws/own/slash/s.md", via: []string{"/ws/own/slash"}},
		"/ws/own/rel/../docs":    {real: "/ws/docs", lexical: "/ws/own/docs", via: []string{"/ws/own/rel"}},
		"/ws/own/down/../x":      {real: "/ws/own/sub/x", lexical: "/ws/own/x", missing: true, via: []string{"/ws/own/down"}},
		"/ws/own/up/sib":         {real: "/ws/sib", lexical: "/ws/own/up/sib", via: []string{"/ws/own/up"}},
		"/ws/own/top/ws/sib":     {real: "/ws/sib", lexical: "/ws/own/top/ws/sib", via: []string{"/ws/own/top"}},
		"/ws/own/new":            {real: "/ws/own/new", lexical: "/ws/own/new", missing: true},
		"/ws/own/new/x/y":        {real: "/ws/own/new/x/y", lexical: "/ws/own/new/x/y", missing: true},
		"/ws/own/new/../a.md":    {real: "/ws/own/a.md", lexical: "/ws/own/a.md"},
		"/ws/own/new/../rel":     {real: "/ws/sib", lexical: "/ws/own/rel", via: []string{"/ws/own/rel"}},
		"/ws/own/n/e/w/../../..": {real: "/ws/own", lexical: "/ws/own"},
		"/ws/own/a.md/x":         {real: "/ws/own/a.md/x", lexical: "/ws/own/a.md/x", missing: true},
		"/ws/own/dangling":       {real: "/ws/sib/new", lexical: "/ws/own/dangling", missing: true, via: []string{"/ws/own/dangling"}},
		"/ws/own/nowhere":        {real: "/ws/gone/new", lexical: "/ws/own/nowhere", missing: true, via: []string{"/ws/own/nowhere"}},
		"/ln/own/rel/s.md":       {real: "/ws/sib/s.md", lexical: "/ln/own/rel/s.md", via: []string{"/ln", "/ws/own/rel"}},
	} {
		t.Run(in, func(t *testing.T) {
			got, err := unit.Resolve(f, in)
			require.NoError(t, err)
			require.Equal(t, want.real, got.Real.String())
			require.Equal(t, want.lexical, got.Lexical.String())
			require.Equal(t, want.missing, got.Missing)
			require.Equal(t, want.via, strs(got.Via))
			require.Equal(t, want.missing, got.Info.Ino == 0, "what is there is described, what is not is not")
		})
	}
}

func TestUnresolvable(t *testing.T) {
	f := newFake(tree{"/ws/loop": "->loop", "/ws/ping": "->pong", "/ws/pong": "->ping", "/ws/empty": "->", "/ws/shut/x": "text", "/proc/7/cwd": "->/ws", "/proc/self": "->7"})
	f.shut["/ws/shut"] = true
	for i := range 41 {
		f.nodes[fmt.Sprintf("/c/%d", i)] = fmt.Sprintf("->%d", i+1)
	}
	f.nodes["/c"], f.nodes["/c/41"] = "", "text"
	for name, p := range map[string]string{
		"no path": "", "relative": "ws/a", "a loop": "/ws/loop/x", "two links in a circle": "/ws/ping", "a link to nothing": "/ws/empty",
		"a folder that is shut": "/ws/shut/x", "too long a name": "/ws/" + strings.Repeat("x", 256), "too long a path": strings.Repeat("/x", 2049),
		"41 links": "/c/0", "another process": "/proc/7/cwd/a", "itself": "/proc/self/cwd/../x",
		"a descriptor to come": "/proc/self/fd/7/../x", "a process to come": "/proc/8/cwd/x",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := unit.Resolve(f, p)
			require.ErrorIs(t, err, unit.ErrUnresolvable)
			require.Zero(t, got)
		})
	}
	for name, p := range map[string]string{
		"40 links": "/c/1", "255 bytes": "/ws/" + strings.Repeat("x", 255), "4096 bytes": strings.Repeat("/x", 2048), "a process's folder": "/proc/self",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := unit.Resolve(f, p)
			require.NoError(t, err)
		})
	}
}

// TestResolveAgreesWithTheKernel compares with realpath(3) on a real disk.
func TestResolveAgreesWithTheKernel(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(top+"/a/b/c", 0o755))
	require.NoError(t, os.WriteFile(top+"/a/f", []byte("x"), 0o600))
	for at, to := range map[string]string{"l": "a/b", "a/b/m": "../../l/c", "a/n": top + "/l", "self": ".", "o": "a/n/../b"} {
		require.NoError(t, os.Symlink(to, top+"/"+at))
	}
	for _, p := range []string{"l/c", "l/..", "l/../f", "a/b/m/../m", "a/n/c/../../f", "self/self/l/m", "o/c", "o/../../l", "a//b/./c/.."} {
		want, err := filepath.EvalSymlinks(top + "/" + p)
		require.NoError(t, err, p)
		got, err := unit.Resolve(unit.NewDisk(), top+"/"+p)
		require.NoError(t, err, p)
		require.Equal(t, want, got.Real.String(), p)
		st, err := os.Stat(top + "/" + p)
		require.NoError(t, err)
		require.Equal(t, st.Mode(), got.Info.Mode, p)
	}
}

func TestReadings(t *testing.T) {
	f := newFake(tree{"/ws/own/l": "->../sib", "/ws/sib/s": "text", "/mnt/s": "text", "/ws/m/s": "text"})
	f.points["/mnt"], f.points["/ws/m"] = true, true
	f.table = []unit.Mount{
		{Dev: "8:1", Root: "/", Point: "/"},
		{Dev: "8:1", Root: "/ws/sib", Point: "/mnt"},
		{Dev: "8:2", Root: "/", Point: "/other"},
		{Dev: "8:1", Root: "/ws/sib", Point: "/ws/m"},
	}
	read := func(p string) []string {
		pl, err := unit.Resolve(f, p)
		require.NoError(t, err)
		return strs(pl.Readings(f, split("/ws")))
	}
	require.Equal(t, []string{"/ws/sib/s"}, read("/ws/sib/s"))
	require.Equal(t, []string{"/ws/sib/s", "/ws/own/l/s", "/ws/own/l"}, read("/ws/own/l/s"))
	require.ElementsMatch(t, []string{"/mnt/s", "/ws/sib/s", "/ws/m/s"}, read("/mnt/s"), "a bind mount of a sibling")
	require.ElementsMatch(t, []string{"/ws/m/s", "/ws/sib/s", "/mnt/s"}, read("/ws/m/s"), "one inside of the workspace")
	require.Equal(t, []string{"/ws/sib"}, read("/ws/m/../sib"), "left again")
}

// FuzzResolve walks links that the input makes: it ends, and what it finds is clean
// and agrees with what the kernel says.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"l/a", "l/../a", "../x", "l/l/l", "a/b/../..", "loop", "./l/./..//a", strings.Repeat("a/", 50)} {
		f.Add(s, "a/b")
		f.Add(s, "..")
		f.Add(s, "l/a")
	}
	f.Fuzz(func(t *testing.T, p, to string) {
		if to == "" || len(to) > 200 || len(p) > 1000 || strings.ContainsRune(p+to, 0) {
			return
		}
		top, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(top+"/w/a/b", 0o755))
		require.NoError(t, os.Symlink(to, top+"/w/l"))
		require.NoError(t, os.Symlink("../l", top+"/w/a/l"))
		got, err := unit.Resolve(unit.NewDisk(), top+"/w/"+p)
		if err != nil {
			require.ErrorIs(t, err, unit.ErrUnresolvable)
			_, err := os.Stat(top + "/w/" + p)
			if err == nil && !strings.Contains(to+p, "proc") {
				require.Fail(t, "the kernel finds it", "%q with the link to %q", p, to)
			}
			return
		}
		for _, c := range got.Real {
			require.NotContains(t, []string{"", ".", ".."}, c)
			require.NotContains(t, c, "/")
		}
		st, err := os.Stat(top + "/w/" + p)
		if err != nil {
			return
		}
		require.False(t, got.Missing)
		real, err := os.Lstat(got.Real.String())
		require.NoError(t, err)
		require.True(t, os.SameFile(st, real), "%q with the link to %q: the kernel finds another file than %s", p, to, got.Real)
	})
}
