package sandboxtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/sandbox"
)

// Behave runs what must go on working in a backend's sandbox, as every user.
func Behave(t *testing.T) {
	t.Helper()
	goCache, err := os.MkdirTemp(worldsIn(t), "sandboxtest-go-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(goCache)) })
	all := users(t)
	slices.Reverse(all) // what an ordinary user puts into the cache of Go, root can use
	require.NoError(t, os.Chown(goCache, all[0].id, all[0].id))
	for _, u := range all {
		t.Run(u.name+"/go", func(t *testing.T) { behaveGo(t, u, goCache) })
		for name, test := range map[string]func(*testing.T, user){
			"files": behaveFiles, "exits": behaveExits, "refusals": behaveRefusals, "caches": behaveCaches,
			"network": behaveNetwork, "git": behaveGit, "git-allowed": behaveGitAllowed, "signals": behaveSignals, "denials": behaveDenials,
			"npm": behaveNpm, "pytest": behavePytest, "background": behaveBackground, "temp": behaveTemp, "sockets": behaveSockets,
		} {
			t.Run(u.name+"/"+name, func(t *testing.T) { test(t, u) })
		}
	}
}

// shell runs a script inside that must succeed, and returns what it printed.
func shell(t *testing.T, u user, w World, mode, script string) string {
	t.Helper()
	o, out, stderr := run(t, u, w, mode, "/bin/sh", "-euc", script)
	require.Equal(t, outcome{partial: o.partial}, o, "%s%s", out, stderr)
	return out
}

func behaveFiles(t *testing.T, u user) {
	w := build(t, u)
	out := shell(t, u, w, "", `
		cat own.txt ../README.md `+w.at("ws/src/shared.txt")+`
		echo one > new.txt; mkdir sub; mv new.txt sub/moved.txt; ln -s moved.txt sub/link
		echo two > `+w.at("ws/src/new.txt")+`
		echo three >> ../README.md
		pwd`)
	require.Equal(t, strings.Repeat(Visible, 3)+w.own()+"\n", out)
	for name, want := range map[string]string{
		"ws/construction/units/U0003/sub/link": "one\n", "ws/src/new.txt": "two\n", "ws/construction/units/README.md": Visible + "three\n",
	} {
		data, err := os.ReadFile(w.at(name))
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
	require.Equal(t, Secret, shell(t, u, w, "opened", "cat ../U0005/secret2.txt"))
}

func behaveExits(t *testing.T, u user) {
	w := build(t, u)
	for script, want := range map[string]int{
		"exit 0": 0, "exit 1": 1, "exit 8": 8, "exit 70": 70, "exit 93": 93, "exit 126": 126, "exit 255": 255,
		"kill -TERM $$": 143, "kill -KILL $$": 137,
	} {
		o, _, _ := run(t, u, w, "", "/bin/sh", "-c", script)
		require.Equal(t, outcome{exit: want, partial: o.partial}, o, script)
	}
	o, _, _ := run(t, u, w, "", "no-such-program")
	require.Equal(t, 127, o.exit)
	o, _, _ = run(t, u, w, "", "./own.txt")
	require.Equal(t, 126, o.exit)
}

func behaveRefusals(t *testing.T, u user) {
	w := build(t, u)
	o, _, _ := run(t, u, w, "cwd-sibling", "/bin/true")
	require.Contains(t, o.err, sandbox.ErrCwd.Error())
	require.NoError(t, os.Rename(w.own(), w.own()+"-gone"))
	o, _, _ = run(t, u, w, "cwd-root", "/bin/true")
	require.Contains(t, o.err, "does not exist")
	require.NoError(t, os.Symlink("U0004", w.own()))
	o, _, _ = run(t, u, w, "cwd-root", "/bin/true")
	require.Contains(t, o.err, sandbox.ErrMoved.Error())
}

func behaveCaches(t *testing.T, u user) {
	w := build(t, u)
	out := shell(t, u, w, "", `
		for d in .npm .cache/go-build go/pkg/mod .cargo/registry; do echo x > "$HOME/$d/new"; done
		echo "$PIP_CACHE_DIR"; mkdir -p "$PIP_CACHE_DIR"`)
	require.Equal(t, filepath.Join(w.temp(), "cache/pip_cache_dir")+"\n", out)
	require.FileExists(t, filepath.Join(w.home(), ".cargo/registry/new"))
}

func behaveNetwork(t *testing.T, u user) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go answer(l)
	w := build(t, u)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	connect := "exec 3<>/dev/tcp/127.0.0.1/" + port + "; cat <&3"
	o, out, stderr := run(t, u, w, "", "/bin/bash", "-c", connect)
	require.Equal(t, Secret, out, stderr)
	require.Equal(t, 0, o.exit)
	o, out, _ = run(t, u, w, "no-network", "/bin/bash", "-c", connect)
	require.Equal(t, 1, o.exit)
	require.Empty(t, out)
}

// A socket in the private folder can be talked to, as whoever confined the command serves
// one there; one beside it cannot.
func behaveSockets(t *testing.T, u user) {
	w := build(t, u)
	served := filepath.Join(w.temp(), "served.sock")
	w.serve(t, u, served)
	o, out, stderr := run(t, u, w, "", w.self(), dialerArg, served)
	require.Equal(t, 0, o.exit, stderr)
	require.Equal(t, Secret, out)
	o, out, _ = run(t, u, w, "", w.self(), dialerArg, w.pathSocket())
	if !slices.Contains(o.partial, string(sandbox.PathSockets)) {
		require.NotEqual(t, 0, o.exit)
		require.Empty(t, out)
	}
}

func behaveGit(t *testing.T, u user) {
	w := build(t, u)
	o, out, stderr := run(t, u, w, "", "/usr/bin/git", "status", "--short")
	require.Equal(t, 128, o.exit)
	require.Empty(t, out)
	if !strings.Contains(strings.Join(o.partial, ","), string(sandbox.GitHint)) {
		require.Contains(t, stderr, "git-is-hidden-in-a-confined-command--run-git-as-a-command-of-its-own")
		require.True(t, o.denied)
	}
	o, _, _ = run(t, u, w, "", "/bin/sh", "-c", "git add -A && git commit -m x")
	require.NotEqual(t, 0, o.exit)
	data, err := os.ReadFile(w.at("ws/.git/HEAD"))
	require.NoError(t, err)
	require.Equal(t, "ref: refs/heads/main\n", string(data))
	// A repository of the command's own works.
	shell(t, u, w, "", `cd "$TMPDIR"; git init -q r; cd r; touch f; git add f; git -c user.name=a -c user.email=a@b commit -qm x`)
}

// behaveGitAllowed runs git where the policy opens it: it reads everything and
// takes nothing that is hidden for deleted.
func behaveGitAllowed(t *testing.T, u user) {
	w := build(t, u)
	repository(t, u, w)
	index, err := os.ReadFile(w.at("ws/.git/index"))
	require.NoError(t, err)
	o, _, stderr := run(t, u, w, "git", "/bin/true")
	require.Equal(t, 0, o.exit, stderr)
	require.Contains(t, o.partial, string(sandbox.ReadSiblings))
	require.Equal(t, "1 commit\n", shell(t, u, w, "git", `echo "$(git log --oneline | wc -l) commit"`))
	status := shell(t, u, w, "git", "git status --short")
	require.NotContains(t, status, "D", "what is hidden is not deleted")
	if mounts := !slices.Contains(o.partial, string(sandbox.GitHint)); mounts {
		require.Empty(t, status)
	}
	require.Equal(t, Secret, shell(t, u, w, "git", "git show HEAD:construction/units/U0004/secret.txt"))
	require.Contains(t, shell(t, u, w, "git", "echo more >> own.txt; git status --short"), " M own.txt\n")
	for _, script := range []string{
		"git add -A", "git commit -qam x", "git stash", "git reset -q --hard", "git update-index --no-skip-worktree ../U0004/secret.txt",
		"git config core.pager x", "echo x > ../../../.git/hooks/pre-commit", "mv ../../../.git ../../../git", "rm -f ../../../.git/index",
	} {
		o, _, _ := run(t, u, w, "git", "/bin/sh", "-c", script)
		require.NotEqual(t, 0, o.exit, script)
	}
	now, err := os.ReadFile(w.at("ws/.git/index"))
	require.NoError(t, err)
	require.Equal(t, index, now)
	require.NoFileExists(t, w.at("ws/.git/hooks/pre-commit"))
	require.FileExists(t, w.secret())
}

// repository makes the workspace a repository with one commit.
func repository(t *testing.T, u user, w World) {
	t.Helper()
	require.NoError(t, os.RemoveAll(w.at("ws/.git")))
	cmd := exec.Command("/bin/sh", "-euc", `git init -q; printf '.conduct\n' > .git/info/exclude; git add -A; git -c user.name=a -c user.email=a@b commit -qm x`)
	cmd.Dir, cmd.Env = w.root(), []string{"PATH=/usr/bin:/bin", "HOME=" + w.home()}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(u.id), Gid: uint32(u.id)}
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func behaveGo(t *testing.T, u user, cache string) {
	w := build(t, u)
	require.NoError(t, os.RemoveAll(w.at("home/.cache/go-build")))
	require.NoError(t, os.Symlink(cache, w.at("home/.cache/go-build")))
	for name, content := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.21\n", "main.go": "package main\n\nfunc main() {}\n",
		"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestMain2(t *testing.T) { main() }\n",
	} {
		path := filepath.Join(w.own(), name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		require.NoError(t, os.Chown(path, u.id, u.id))
	}
	shell(t, u, w, "", "go build ./... && go test ./... && go build -o prog . && ./prog")
}

// needs says whether a program is here; where CI is set it must be.
func needs(t *testing.T, name string, try ...string) bool {
	t.Helper()
	if exec.Command(try[0], try[1:]...).Run() == nil {
		return true
	}
	require.NotEqual(t, "true", os.Getenv("CI"), "%s is not installed", name)
	t.Logf("%s is not installed: not tried", name)
	return false
}

func behaveNpm(t *testing.T, u user) {
	if !needs(t, "npm", "/usr/bin/npm", "--version") {
		return
	}
	w := build(t, u)
	path := filepath.Join(w.own(), "package.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"name":"m","version":"1.0.0","scripts":{"test":"echo tested"}}`), 0o644))
	require.Contains(t, shell(t, u, w, "", "npm test"), "tested")
}

func behavePytest(t *testing.T, u user) {
	if !needs(t, "pytest", "/usr/bin/python3", "-m", "pytest", "--version") {
		return
	}
	w := build(t, u)
	path := filepath.Join(w.own(), "test_m.py")
	require.NoError(t, os.WriteFile(path, []byte("def test_m():\n    assert True\n"), 0o644))
	require.Contains(t, shell(t, u, w, "", "/usr/bin/python3 -m pytest -q"), "1 passed")
}

func behaveSignals(t *testing.T, u user) {
	w := build(t, u)
	cmd := command(u, w, "", "/bin/sh", "-c", `mkfifo fifo; trap 'echo trapped; exit 7' TERM; exec 9<>fifo; echo ready; read -r x <&9`)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	buf := make([]byte, 6)
	_, err = out.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "ready\n", string(buf))
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	var rest strings.Builder
	for {
		n, err := out.Read(buf)
		rest.Write(buf[:n])
		if err != nil {
			break
		}
	}
	require.NoError(t, cmd.Wait())
	o, before, ok := parseOutcome(rest.String())
	require.True(t, ok, rest.String())
	require.Equal(t, 7, o.exit)
	require.Equal(t, "trapped\n", before)
}

func behaveDenials(t *testing.T, u user) {
	w := build(t, u)
	// A failure of the command's own, with a word that reads like a denial.
	o, _, _ := run(t, u, w, "", "/bin/sh", "-c", "echo 'Permission denied' >&2; exit 1")
	require.False(t, o.denied)
	o, _, stderr := run(t, u, w, "read-only", "/bin/sh", "-c", "echo x > "+w.parent()+"/README.md")
	require.NotEqual(t, 0, o.exit)
	require.True(t, o.denied, stderr)
}

// A job that is left in the background ends with the call, and the call does not
// wait for it.
func behaveBackground(t *testing.T, u user) {
	w := build(t, u)
	o, out, _ := run(t, u, w, "", "/bin/sh", "-c", "mkfifo never; (read -r x < never; echo late) & echo done")
	require.Equal(t, 0, o.exit)
	require.Equal(t, "done\n", out)
}

func behaveTemp(t *testing.T, u user) {
	w := build(t, u)
	shell(t, u, w, "", `f=$(mktemp); echo x > "$f"; echo y > "$TMPDIR/kept"`)
	require.Equal(t, "y\n", shell(t, u, w, "", `cat "$TMPDIR/kept"`))
}
