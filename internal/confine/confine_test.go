package confine_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/internal/confine"
	"github.com/seed6310be5c/conduct/sandbox"
	"github.com/seed6310be5c/conduct/unit"
)

const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

func world(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(f)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, f), nil, 0o600))
	}
	return root
}

func request(t *testing.T, root string, g grants.Grant) confine.Request {
	t.Helper()
	return confine.Request{
		Dispatch: &dispatch.Dispatch{Record: dispatch.Record{ID: id}, Grant: &g}, Roots: unit.Roots{unit.Split(root)},
		Records: []string{root + "/.conduct"}, Cwd: root, TempDir: t.TempDir(), Now: time.Now(), FS: unit.NewDisk(),
		Env: []string{"A=b", "CLAUDE_CODE_MESSAGING_TOKEN=x", "CONDUCT_OFF=1"},
	}
}

func TestLayout(t *testing.T) {
	root := world(t, "a/s1/units/U03/x", "a/s1/units/U04/x", "a/s2/units/U09/x", "conduct.yaml", "docs/g.md")
	g := grants.Grant{
		Own: unit.Unit{Name: "U03", Paths: []string{"a/s1/units/U03"}}, Layouts: []string{"a/*/units/{unit}"},
		Opened: []grants.Opening{
			{Access: grants.AccessRead, Path: "a/s1/units/U04/x", Exact: true},
			{Access: grants.AccessWrite, Path: "a/s2/units/U09/x", Exact: true},
			{Access: grants.AccessRead, Path: "a/s2/units/U09/", Once: true},
			{Access: grants.AccessRead, Path: "a/s2/units/U09/", Until: time.Unix(1, 0)},
		},
	}
	p, err := confine.Policy(request(t, root, g))
	require.NoError(t, err)
	require.Equal(t, []string{root + "/a/s1/units", root + "/a/s2/units"}, p.Parents)
	require.Equal(t, []string{root + "/a/s1/units/U03"}, p.Own)
	require.Equal(t, []string{root + "/a/s1/units/U04/x"}, p.Reads, "neither one-call openings nor closed ones")
	require.Equal(t, []string{root + "/a/s2/units/U09/x"}, p.Writes)
	require.Equal(t, []string{root + "/conduct.yaml"}, p.Protected)
	require.Equal(t, []string{"A=b", "CONDUCT_DISPATCH=" + id, "CONDUCT_CONFINED=1"}, p.Env)
	require.Equal(t, []string{filepath.Dir(p.Temp)}, p.Hidden, "the temporary files of others")
}

func TestListed(t *testing.T) {
	root := world(t, "svc/a/x", "svc/b/x", "docs/b.md", "home/.claude/projects/p/s.jsonl", "home/.claude/settings.json", "home/.gitconfig")
	require.NoError(t, os.Symlink("svc/b", filepath.Join(root, "link")))
	own := unit.Unit{Name: "A", Paths: []string{"svc/a"}, Listed: true}
	g := grants.Grant{
		Own: own, Listed: []unit.Unit{own, {Name: "B", Paths: []string{"svc/b", "docs/b.md", "not/there"}, Listed: true}},
		Aliases: []unit.Alias{{Real: root + "/svc/a", At: "svc/a"}, {Real: root + "/svc/b", At: "link"}},
		Opened:  []grants.Opening{{Access: grants.AccessRead, Path: "docs/*.md"}},
	}
	q := request(t, root, g)
	q.Home = root + "/home"
	p, err := confine.Policy(q)
	require.NoError(t, err)
	require.Equal(t, []string{root + "/svc/b", root + "/docs/b.md", root + "/svc/b", root + "/home/.claude/projects", filepath.Dir(p.Temp)}, p.Hidden)
	require.Equal(t, []string{root + "/docs/b.md"}, p.Reads)
	require.Contains(t, p.Protected, root+"/home/.claude/settings.json")
	require.Contains(t, p.Protected, root+"/home/.gitconfig")
	q.Program = true
	p, err = confine.Policy(q)
	require.NoError(t, err)
	require.NotContains(t, p.Hidden, root+"/home/.claude/projects")
	require.Contains(t, p.Writes, root+"/home/.claude")
}

func TestTemp(t *testing.T) {
	base := t.TempDir()
	dir, err := confine.Temp(base, id)
	require.NoError(t, err)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	again, err := confine.Temp(base, id)
	require.NoError(t, err)
	require.Equal(t, dir, again)

	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	_, err = confine.Temp(base, id)
	require.ErrorIs(t, err, confine.ErrTemp, "others can look in")
	require.NoError(t, os.RemoveAll(filepath.Dir(dir)))
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Dir(dir)))
	_, err = confine.Temp(base, id)
	require.ErrorIs(t, err, confine.ErrTemp, "somebody made a link there")
}

func TestCwdThatIsGone(t *testing.T) {
	root := world(t, "units/U03/x")
	q := request(t, root, grants.Grant{Own: unit.Unit{Name: "U03", Paths: []string{"units/U03"}}, Layouts: []string{"units/{unit}"}})
	q.Cwd = root + "/gone"
	_, err := confine.Policy(q)
	require.ErrorIs(t, err, sandbox.ErrCwd)
}
