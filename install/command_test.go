package install_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/install"
)

// odd is a folder's name that a careless command line falls over.
const odd = "it's \"odd\" $HOME `x` \\ ü;#"

// answer is what the client's shell gives back.
type answer struct {
	exit        int
	out, stderr string
}

// shell runs a command line as a client does. Without more in env nothing can be
// found on the PATH: what is not built into the shell fails.
func shell(t *testing.T, sh, command, dir string, env ...string) answer {
	t.Helper()
	bin, err := exec.LookPath(sh)
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), bin, "-c", command)
	c.Dir, c.Env = dir, append([]string{"PATH=/nonexistent", "HOME=/nonexistent"}, env...)
	c.Stdin = strings.NewReader("the payload")
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return answer{c.ProcessState.ExitCode(), out.String(), stderr.String()}
}

// program writes a guard that is a shell script.
func program(t *testing.T, path, script string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func shells(t *testing.T, run func(t *testing.T, sh string)) {
	for _, sh := range []string{"sh", "bash"} {
		t.Run(sh, func(t *testing.T) { run(t, sh) })
	}
}

func failed(exit string) string {
	return "conduct: blocked, since the guard is missing or has failed (exit " + exit + "): run conduct doctor\n"
}

// ending is how a guard can end, and what the client then gets in a workspace.
// A shell may add lines of its own before ours.
type ending struct {
	name, script string
	missing      bool
	exit         int
	out, stderr  string
}

func endings() []ending {
	return []ending{
		{name: "silent", script: "exit 0"},
		{name: "answers", script: `echo '{"a":1}'`, out: "{\"a\":1}\n"},
		{name: "reads the payload", script: "read -r x; echo \"$x\"", out: "the payload\n"},
		{name: "missing", missing: true, exit: 2, stderr: failed("1")},
		{name: "killed", script: "kill -KILL $$", exit: 2, stderr: failed("137")},
		{name: "exit 1", script: "echo oops; exit 1", exit: 2, out: "oops\n", stderr: failed("1")},
		{name: "exit 3", script: "exit 3", exit: 2, stderr: failed("3")},
		{name: "silent exit 2", script: "exit 2", exit: 2, stderr: "conduct: blocked\n"},
		{name: "exit 2", script: "echo no >&2; exit 2", exit: 2, stderr: "no\nconduct: blocked\n"},
	}
}

func TestCommandOfAWorkspace(t *testing.T) {
	shells(t, func(t *testing.T, sh string) {
		for _, e := range endings() {
			t.Run(e.name, func(t *testing.T) {
				top := filepath.Join(t.TempDir(), odd)
				guard := filepath.Join(top, "bin", "conduct-guard")
				if !e.missing {
					program(t, guard, e.script)
				}
				root := filepath.Join(top, "ws")
				require.NoError(t, os.MkdirAll(root+"/.conduct", 0o755))
				command := install.Command(install.Options{Client: "claude-code", Scope: install.Local, Root: root, Guard: guard})

				got := shell(t, sh, command, "/")
				require.Equal(t, e.exit, got.exit, got.stderr)
				require.Equal(t, e.out, got.out)
				require.True(t, strings.HasSuffix(got.stderr, e.stderr), got.stderr)
				require.LessOrEqual(t, len(e.stderr), 400)

				require.NoError(t, os.Remove(root+"/.conduct"))
				require.Equal(t, answer{}, shell(t, sh, command, "/"), "without .conduct nothing is started")
				for _, set := range []string{"CONDUCT_DIR=/x", "CONDUCT_DISPATCH=x"} {
					require.Equal(t, e.exit, shell(t, sh, command, "/", set).exit, set)
				}
			})
		}
	})
}

func TestCommandPassesItsArguments(t *testing.T) {
	shells(t, func(t *testing.T, sh string) {
		top := filepath.Join(t.TempDir(), odd)
		guard := filepath.Join(top, "conduct-guard")
		program(t, guard, `for a in "$@"; do echo "$a"; done`)
		require.NoError(t, os.MkdirAll(top+"/.conduct", 0o755))
		got := shell(t, sh, install.Command(install.Options{Client: "claude-code", Scope: install.Local, Root: top, Guard: guard}), "/")
		require.Equal(t, "--client\nclaude-code\n--dir\n"+top+"\n", got.out)
		got = shell(t, sh, install.Command(install.Options{Client: "claude-code", Scope: install.User, Guard: guard}), "/")
		require.Equal(t, "--client\nclaude-code\n", got.out)
	})
}

func TestEmptyGuardIsNoGuard(t *testing.T) {
	top := t.TempDir()
	require.NoError(t, os.WriteFile(top+"/conduct-guard", nil, 0o755))
	require.NoError(t, os.MkdirAll(top+"/.conduct", 0o755))
	require.NoError(t, os.WriteFile(top+"/.conduct/workspace.json", nil, 0o644))
	for _, scope := range []install.Scope{install.Local, install.User} {
		got := shell(t, "sh", install.Command(install.Options{Client: "claude-code", Scope: scope, Root: top, Guard: top + "/conduct-guard"}), top)
		require.Equal(t, answer{exit: 2, stderr: failed("1")}, got)
	}
}

// The lines that hold no workspace: a failing guard blocks in and below one only.
func TestCommandOfAnyFolder(t *testing.T) {
	for _, scope := range []install.Scope{install.User, install.Project} {
		t.Run(string(scope), func(t *testing.T) {
			shells(t, func(t *testing.T, sh string) {
				for _, e := range endings() {
					t.Run(e.name, func(t *testing.T) { anyFolder(t, sh, scope, e) })
				}
			})
		})
	}
}

func anyFolder(t *testing.T, sh string, scope install.Scope, e ending) {
	if e.missing {
		e.stderr = "run conduct doctor\n" // shells differ in the number
	}
	top := filepath.Join(t.TempDir(), odd)
	require.NoError(t, os.MkdirAll(top+"/bin", 0o755))
	guard := filepath.Join(top, "bin", "conduct-guard")
	if !e.missing {
		program(t, guard, e.script)
	}
	require.NoError(t, os.MkdirAll(top+"/ws/a/b", 0o755))
	require.NoError(t, os.MkdirAll(top+"/other/.conduct", 0o755))
	command := install.Command(install.Options{Client: "claude-code", Scope: scope, Guard: guard})
	path := "PATH=" + top + "/bin"
	run := func(dir string, env ...string) answer { return shell(t, sh, command, dir, append(env, path)...) }

	// Outside of a workspace only the guard's own word blocks.
	outside := run(top + "/other")
	require.Equal(t, e.out, outside.out)
	if strings.HasSuffix(e.stderr, "conduct: blocked\n") {
		require.Equal(t, 2, outside.exit)
	} else {
		require.Equal(t, 0, outside.exit, outside.stderr)
		require.NotContains(t, outside.stderr, "conduct:")
	}
	if e.missing {
		require.Empty(t, outside.stderr)
	}

	require.NoError(t, os.MkdirAll(top+"/ws/.conduct", 0o755))
	require.NoError(t, os.WriteFile(top+"/ws/.conduct/workspace.json", nil, 0o644))
	for _, got := range []answer{
		run(top + "/ws"),
		run(top + "/ws/a/b"),
		run("/", "CLAUDE_PROJECT_DIR="+top+"/ws/a"),
		run(top+"/ws", "CLAUDE_PROJECT_DIR=relative"),
		run("/", "CONDUCT_DISPATCH=x"),
		run("/", "CONDUCT_DIR=x"),
	} {
		require.Equal(t, e.exit, got.exit, got.stderr)
		require.Equal(t, e.out, got.out)
		require.True(t, strings.HasSuffix(got.stderr, e.stderr), got.stderr)
	}
}

func TestProjectCommandNamesNobody(t *testing.T) {
	a := install.Command(install.Options{Client: "claude-code", Scope: install.Project, Root: "/home/a/p", Guard: "/home/a/bin/conduct-guard"})
	b := install.Command(install.Options{Client: "claude-code", Scope: install.Project})
	require.Equal(t, b, a)
	require.NotContains(t, a, "/home/a")
}

// A desktop's short PATH is helped out.
func TestProjectCommandFindsUsualPlaces(t *testing.T) {
	home := t.TempDir()
	program(t, home+"/.local/bin/conduct-guard", "echo found")
	got := shell(t, "sh", install.Command(install.Options{Client: "claude-code", Scope: install.Project}), "/", "HOME="+home, "PATH=/nonexistent")
	require.Equal(t, answer{out: "found\n"}, got)
}

// TestNoticeStopsNobody: what judges nothing is silent when the guard is not there.
func TestNoticeStopsNobody(t *testing.T) {
	for _, scope := range []install.Scope{install.Local, install.Project, install.User} {
		root := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(root, ".conduct"), 0o700))
		line := install.Notice(install.Options{Client: "claude-code", Scope: scope, Root: root, Guard: filepath.Join(root, "conduct-guard")})
		for _, body := range []string{"", "#!/bin/sh\nexit 1\n", "#!/bin/sh\nkill -9 $$\n", "#!/bin/sh\nexit 2\n"} {
			if body != "" {
				require.NoError(t, os.WriteFile(filepath.Join(root, "conduct-guard"), []byte(body), 0o700))
			}
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir, cmd.Env = root, []string{"PATH=/usr/bin:/bin", "HOME=" + root}
			require.NoError(t, cmd.Run(), "%s %q", scope, body)
		}
	}
}

// What each program takes for a block when its hook gives no answer of its own:
// an exit code, and whether a text has to come with it. Measured, but for Cursor
// and Kiro, which are documented so.
func blocks() map[string]block {
	return map[string]block{
		"claude-code": {2, false}, "codex": {2, true}, "gemini-cli": {2, true}, "qwen-code": {2, true},
		"copilot": {2, false}, "cursor": {2, false}, "kiro": {2, true},
	}
}

type block struct {
	exit int
	text bool
}

// A guard that is gone, cut short, killed or no program at all is each program's block.
func TestEveryClientsLineBlocks(t *testing.T) {
	broken := map[string]func(path string) error{
		"removed":        os.Remove,
		"emptied":        func(p string) error { return os.WriteFile(p, nil, 0o755) },
		"not executable": func(p string) error { return os.Chmod(p, 0o644) },
		"a folder":       func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o755)) },
		"garbage":        func(p string) error { return os.WriteFile(p, []byte("\x7fELF\x00\x01garbage\x00"), 0o755) },
		"text":           func(p string) error { return os.WriteFile(p, []byte("<html>not found</html>\n"), 0o755) },
		"another's":      func(p string) error { return os.WriteFile(p, []byte("#!/nonexistent/sh\n"), 0o755) },
		"killed":         func(p string) error { return os.WriteFile(p, []byte("#!/bin/sh\nkill -KILL $$\n"), 0o755) },
		"aborted": func(p string) error {
			return os.WriteFile(p, []byte("#!/bin/sh\necho '{\"hook'\nkill -ABRT $$\n"), 0o755)
		},
		"fails":    func(p string) error { return os.WriteFile(p, []byte("#!/bin/sh\nexit 1\n"), 0o755) },
		"silent 2": func(p string) error { return os.WriteFile(p, []byte("#!/bin/sh\nexit 2\n"), 0o755) },
	}
	top := filepath.Join(t.TempDir(), odd)
	guard := filepath.Join(top, "bin", "conduct-guard")
	require.NoError(t, os.MkdirAll(top+"/ws/.conduct", 0o755))
	require.NoError(t, os.WriteFile(top+"/ws/.conduct/workspace.json", nil, 0o644))
	for _, c := range install.Clients() {
		if c.Plugin {
			continue // its file starts the guard itself
		}
		want, ok := blocks()[c.Name]
		require.True(t, ok, c.Name)
		opts := install.Options{Client: c.Name, Root: top + "/ws", Guard: guard}
		if c.Agents {
			opts.Agent = "it's"
		}
		for how, spoil := range broken {
			for _, opts.Scope = range []install.Scope{install.Local, install.User, install.Project} {
				require.NoError(t, os.RemoveAll(guard))
				program(t, guard, "exit 0")
				require.NoError(t, spoil(guard))
				got := shell(t, c.Shell, install.Command(opts), top+"/ws", "PATH="+top+"/bin")
				require.Equal(t, want.exit, got.exit, "%s, %s, %s: %s", c.Name, how, opts.Scope, got.stderr)
				require.True(t, !want.text || strings.Contains(got.stderr, "conduct: blocked"), got.stderr)
			}
		}
	}
}
