// Package sandboxtest attacks a sandbox: every known escape, each run inside as
// root and as an ordinary user, and what must go on working there.
package sandboxtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/sandbox"
)

// Secret is what no confined command may read; Visible is what it must.
const (
	Secret  = "secret-of-U0004"
	Visible = "seen-by-all"
)

// World is a workspace to attack, known by its folder alone: the attack is
// another process.
type World string

func (w World) at(rel string) string { return filepath.Join(string(w), rel) }

// The places of a world.
func (w World) self() string       { return w.at("bin/self") }
func (w World) root() string       { return w.at("ws") }
func (w World) parent() string     { return w.at("ws/construction/units") }
func (w World) own() string        { return w.at("ws/construction/units/U0003") }
func (w World) sibling() string    { return w.at("ws/construction/units/U0004") }
func (w World) secret() string     { return w.at("ws/construction/units/U0004/secret.txt") }
func (w World) records() string    { return w.at("ws/.conduct") }
func (w World) temp() string       { return w.at("temp") }
func (w World) home() string       { return w.at("home") }
func (w World) alias() string      { return w.at("alias") }
func (w World) linked() string     { return w.at("ws/src/linked.txt") }
func (w World) settings() string   { return w.at("ws/.claude/settings.json") }
func (w World) pathSocket() string { return w.at("home/server.sock") }
func (w World) abstract() string   { return "@" + w.at("abstract") }

// files are what a world holds, by path.
func files() map[string]string {
	return map[string]string{
		"ws/.conduct/workspace.json":              Secret,
		"ws/.conduct/records/one.json":            Secret,
		"ws/.git/HEAD":                            "ref: refs/heads/main\n",
		"ws/.git/config":                          "[core]\n\trepositoryformatversion = 0\n",
		"ws/.git/objects/aa/bb":                   Secret,
		"ws/.git/refs/heads/.keep":                "",
		"ws/.claude/settings.json":                "{}",
		"ws/conduct.yaml":                         "layout: construction/units/{unit}\n",
		"ws/src/shared.txt":                       Visible,
		"ws/top.txt":                              Visible,
		"ws/construction/notes.txt":               Visible,
		"ws/construction/units/README.md":         Visible,
		"ws/construction/units/U0003/own.txt":     Visible,
		"ws/construction/units/U0003/deep/x.txt":  Visible,
		"ws/construction/units/U0004/secret.txt":  Secret,
		"ws/construction/units/U0005/secret2.txt": Secret,
		"ws/listed/sib/code.txt":                  Secret,
		"home/.npm/keep":                          "",
		"home/.cache/go-build/keep":               "",
		"home/go/pkg/mod/keep":                    "",
		"home/.cargo/registry/keep":               "",
		"home/.cargo/bin/keep":                    "",
		"home/.bashrc":                            "",
		"temp/keep":                               "",
	}
}

// user is who runs an attack.
type user struct {
	name string
	id   int
}

// ordinary is the id that an attack runs under as an ordinary user.
const ordinary = 65534

// users are who the attacks run as: root and an ordinary user where we are root.
func users(t *testing.T) []user {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Log("not root: the attacks run as an ordinary user only")
		return []user{{"user", os.Geteuid()}}
	}
	return []user{{"root", 0}, {"user", ordinary}}
}

// build makes a world that belongs to a user, with a server and a victim in it.
func build(t *testing.T, u user) World {
	t.Helper()
	base, err := os.MkdirTemp(worldsIn(t), "sandboxtest-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(base)) })
	base, err = filepath.EvalSymlinks(base)
	require.NoError(t, err)
	w := World(base)
	require.NoError(t, os.Chmod(base, 0o755))
	for name, content := range files() {
		require.NoError(t, os.MkdirAll(filepath.Dir(w.at(name)), 0o755))
		require.NoError(t, os.WriteFile(w.at(name), []byte(content), 0o644))
	}
	require.NoError(t, os.Chmod(w.temp(), 0o700))
	require.NoError(t, os.Link(w.secret(), w.linked()))
	require.NoError(t, os.Mkdir(w.alias(), 0o755))
	copySelf(t, w)
	noteHandle(t, w)
	require.NoError(t, filepath.WalkDir(base, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, u.id, u.id)
	}))
	mountAlias(t, w)
	w.serve(t, u, w.pathSocket())
	w.serve(t, u, w.abstract())
	w.victim(t, u)
	return w
}

// worldsIn is where worlds are made. In the temp folder, which is private in a
// sandbox, half of the attacks would find nothing to attack.
func worldsIn(t *testing.T) string {
	t.Helper()
	if os.Geteuid() == 0 {
		return "/var/lib" // an ordinary user must reach it too
	}
	dir, err := os.UserCacheDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	return dir
}

// copySelf puts the test's own program where an ordinary user can run it.
func copySelf(t *testing.T, w World) {
	t.Helper()
	self, err := sandbox.Self()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(w.at("bin"), 0o755))
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.self(), data, 0o755))
}

// serve answers everyone who connects with the secret.
func (w World) serve(t *testing.T, u user, address string) {
	t.Helper()
	l, err := net.Listen("unix", address)
	require.NoError(t, err)
	if !strings.HasPrefix(address, "@") {
		require.NoError(t, os.Chown(address, u.id, u.id))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer(l)
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
}

func answer(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Write([]byte(Secret)) // the attack may have gone
		c.Close()
	}
}

// victim is another agent's process: it sits in the sibling's folder.
func (w World) victim(t *testing.T, u user) {
	t.Helper()
	cmd := exec.Command(w.self(), victimArg, Secret)
	cmd.Dir = w.sibling()
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(u.id), Gid: uint32(u.id)}
	}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // an attack that got through has killed it
	})
	require.NoError(t, os.WriteFile(w.at("victim.pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o644))
}

func (w World) victimPid() int {
	data, err := os.ReadFile(w.at("victim.pid"))
	if err != nil {
		return -1
	}
	n, err := strconv.Atoi(string(data))
	if err != nil {
		return -1
	}
	return n
}

// policy is the grant of the agent of U0003.
func (w World) policy(mode string) sandbox.Policy {
	p := sandbox.Policy{
		Root: w.root(), Parents: []string{w.parent()}, Hidden: []string{w.at("ws/listed/sib")}, Own: []string{w.own()},
		Records: []string{w.records()}, Protected: []string{w.settings(), w.at("ws/conduct.yaml"), w.at("ws/absent.json")},
		Temp: w.temp(), Cwd: w.own(),
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin", "HOME=" + w.home(), "LANG=C"},
	}
	switch mode {
	case "read-only":
		p.ReadOnly = true
	case "shared-read":
		p.SharedRead = true
	case "no-network":
		p.NoNetwork = true
	case "git":
		p.Git = true
	case "cwd-sibling":
		p.Cwd = w.sibling()
	case "cwd-root":
		p.Cwd = w.root()
	case "opened":
		p.Reads = []string{w.at("ws/construction/units/U0005/secret2.txt")}
	}
	return p
}
