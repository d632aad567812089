package install_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/install"
)

// every is a client in a scope, in a workspace whose path is odd.
type every struct {
	install.Client
	opts install.Options
	file string
}

func newEvery(t *testing.T, c install.Client, scope install.Scope) every {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	e := every{Client: c, opts: install.Options{
		Client: c.Name, Scope: scope, Root: filepath.Join(top, "a b's"), Home: filepath.Join(top, "home"), Guard: "/p q/bin/conduct-guard",
	}}
	if c.Agents {
		e.opts.Agent = "rev"
	}
	if c.Plugin {
		e.opts.Plugin = "export const Conduct = 1\n"
	}
	e.file, err = install.Settings(e.opts)
	require.NoError(t, err)
	return e
}

func (e every) write(t *testing.T, text []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(e.file), 0o755))
	require.NoError(t, os.WriteFile(e.file, text, 0o600))
}

func (e every) do(t *testing.T, plan func(install.Options) (install.Change, error)) install.Change {
	t.Helper()
	c, err := plan(e.opts)
	require.NoError(t, err)
	require.NoError(t, c.Apply())
	return c
}

func (e every) text(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(e.file)
	require.NoError(t, err)
	return string(b)
}

// requireHooks holds that each event has our hook once, and nothing else is ours.
func (e every) requireHooks(t *testing.T) {
	t.Helper()
	got, err := install.Find(e.opts.Root, e.opts.Home)
	require.NoError(t, err)
	want := e.Events()
	if e.Plugin {
		want = []string{""}
	}
	require.Len(t, got, len(want))
	for i, event := range want {
		at := 0
		for at < len(got) && got[at].Event != event {
			at++
		}
		require.Less(t, at, len(got), event)
		h := got[at]
		require.True(t, h.Ours)
		require.Equal(t, e.file, h.File)
		require.Equal(t, i == 0, h.Judges(), event)
		if e.Plugin {
			continue
		}
		require.EqualValues(t, 60, h.Timeout)
		line := install.Notice(e.opts)
		if h.Judges() {
			line = install.Command(e.opts)
		}
		require.Equal(t, line, h.Command)
	}
}

func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/settings/*.json")
	require.NoError(t, err)
	out := map[string][]byte{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		out[strings.TrimSuffix(filepath.Base(name), ".json")] = text
	}
	require.Greater(t, len(out), 30)
	for name, holds := range map[string]string{"crlf": "\r\n", "bom": "\ufeff{", "tabs": "\n\t", "trailing-commas": ",\n}"} {
		require.Contains(t, string(out[name]), holds, "the file must keep its bytes in a checkout")
	}
	return out
}

// Whatever stands in a client's settings, putting in and taking out leaves it to the byte.
func TestEveryClientGivesBackTheBytes(t *testing.T) {
	files := corpus(t)
	for i, c := range install.Clients() {
		scope := []install.Scope{install.Local, install.Project, install.User}[i%3]
		t.Run(c.Name+" "+string(scope), func(t *testing.T) {
			t.Parallel()
			e := newEvery(t, c, scope)
			for name, before := range files {
				e.write(t, before)
				if c.Plugin {
					e.refuses(t, name, before)
					continue
				}
				e.givesBack(t, name, before)
			}
		})
	}
}

func (e every) givesBack(t *testing.T, name string, before []byte) {
	t.Helper()
	put := e.do(t, install.Plan)
	require.True(t, put.Changed(), name)
	e.requireHooks(t)
	requireValid(t, name, []byte(e.text(t)))
	saved, err := os.ReadFile(put.Backup())
	require.NoError(t, err)
	require.Equal(t, before, saved, name)
	st, err := os.Stat(put.Backup())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode())

	again, err := install.Plan(e.opts)
	require.NoError(t, err)
	require.False(t, again.Changed(), "%s: a second time", name)

	if scope := e.opts.Scope; scope != install.Project {
		moved := e
		moved.opts.Guard = "/elsewhere/conduct-guard"
		require.True(t, moved.do(t, install.Plan).Changed())
		moved.requireHooks(t)
	}

	took := e.do(t, install.Remove)
	require.False(t, took.Removed, name)
	require.Equal(t, string(before), e.text(t), name)
	require.NoFileExists(t, put.Backup(), name)
	none, err := install.Remove(e.opts)
	require.NoError(t, err)
	require.False(t, none.Changed(), name)
}

// requireValid holds that others can read it too: what is JSON but for comments,
// trailing commas and a byte order mark still is.
func requireValid(t *testing.T, name string, text []byte) {
	t.Helper()
	plain, err := install.Plain(text)
	require.NoError(t, err)
	require.True(t, json.Valid(plain), "%s\n%s", name, text)
	require.Len(t, plain, len(text))
}

// refuses holds that a file of somebody else's is left alone where ours should be.
func (e every) refuses(t *testing.T, name string, before []byte) {
	t.Helper()
	if len(before) == 0 {
		return
	}
	_, err := install.Plan(e.opts)
	require.ErrorIs(t, err, install.ErrSettings, name)
	c, err := install.Remove(e.opts)
	require.NoError(t, err)
	require.False(t, c.Changed())
	require.Equal(t, string(before), e.text(t))
}

// What was not there before is not there afterwards, folders included.
func TestEveryClientNewFile(t *testing.T) {
	for _, c := range install.Clients() {
		t.Run(c.Name, func(t *testing.T) {
			for _, scope := range []install.Scope{install.Local, install.Project, install.User} {
				e := newEvery(t, c, scope)
				require.NoError(t, os.MkdirAll(e.opts.Root, 0o755))
				require.NoError(t, os.MkdirAll(e.opts.Home, 0o755))
				if c.Agents {
					_, err := install.Plan(e.opts)
					require.ErrorIs(t, err, os.ErrNotExist, "an agent without a file")
					continue
				}
				put := e.do(t, install.Plan)
				require.True(t, put.Created)
				e.requireHooks(t)
				require.NoFileExists(t, put.Backup())
				if !c.Plugin {
					require.True(t, json.Valid([]byte(e.text(t))))
				}
				require.True(t, e.do(t, install.Remove).Removed)
				require.NoFileExists(t, e.file)
				for _, dir := range []string{e.opts.Root, e.opts.Home} {
					left, err := filepath.Glob(dir + "/.*/*")
					require.NoError(t, err)
					for _, l := range left {
						require.NotContains(t, l, "conduct")
					}
				}
				_, err := os.Stat(filepath.Dir(e.file))
				require.ErrorIs(t, err, os.ErrNotExist)
			}
		})
	}
}

// What a person changed after the installation stays, and so does the backup then.
func TestBackupStaysWhenTheFileIsAnother(t *testing.T) {
	for _, c := range install.Clients() {
		if c.Plugin {
			continue
		}
		e := newEvery(t, c, install.Local)
		e.write(t, []byte("{\n  \"model\": \"x\"\n}\n"))
		put := e.do(t, install.Plan)
		e.write(t, bytes.Replace([]byte(e.text(t)), []byte(`"x"`), []byte(`"y"`), 1))
		e.do(t, install.Remove)
		require.Equal(t, "{\n  \"model\": \"y\"\n}\n", e.text(t), c.Name)
		require.FileExists(t, put.Backup())
	}
}

// A link stays one, also one to a file that is not there yet.
func TestEveryClientKeepsLinks(t *testing.T) {
	for _, c := range install.Clients() {
		for _, there := range []bool{true, false} {
			if c.Agents && !there {
				continue
			}
			e := newEvery(t, c, install.User)
			dots := filepath.Join(e.opts.Home, "dot files")
			require.NoError(t, os.MkdirAll(dots, 0o755))
			require.NoError(t, os.MkdirAll(filepath.Dir(e.file), 0o755))
			rel, err := filepath.Rel(filepath.Dir(e.file), dots+"/hooks.json")
			require.NoError(t, err)
			require.NoError(t, os.Symlink(rel, e.file))
			before := []byte("{\n  \"a\": 1\n}\n")
			if c.Plugin {
				before = nil
			}
			if there {
				require.NoError(t, os.WriteFile(dots+"/hooks.json", before, 0o640))
			}
			put := e.do(t, install.Plan)
			require.Equal(t, dots+"/hooks.json", put.File)
			e.requireHooks(t)
			st, err := os.Lstat(e.file)
			require.NoError(t, err)
			require.Equal(t, os.ModeSymlink, st.Mode().Type())
			e.do(t, install.Remove)
			if there && !c.Plugin {
				require.Equal(t, string(before), e.text(t))
			}
		}
	}
}

// One scope after another in the same file leaves one hook.
func TestScopesOfOneFile(t *testing.T) {
	for _, c := range install.Clients() {
		if !c.Shares() {
			continue
		}
		e := newEvery(t, c, install.Local)
		if c.Agents {
			e.write(t, []byte("{}"))
		}
		e.do(t, install.Plan)
		e.opts.Scope = install.Project
		e.do(t, install.Plan)
		e.requireHooks(t)
		require.NotContains(t, e.text(t), "/p q/", c.Name)
	}
}

func TestAgents(t *testing.T) {
	for name, ok := range map[string]bool{
		"rev": true, "my reviewer": true, "": false, "a/b": false, `a\b`: false, "..": false, ".x": false, "*": false, "a?": false, "\xff": false,
	} {
		e := newEvery(t, byName(t, "kiro"), install.Local)
		e.opts.Agent = name
		_, err := install.Plan(e.opts)
		require.Error(t, err)
		require.Equal(t, ok, !isAgentError(err), "%q: %v", name, err)
	}
	e := newEvery(t, byName(t, "codex"), install.Local)
	e.opts.Agent = "rev"
	_, err := install.Plan(e.opts)
	require.ErrorIs(t, err, install.ErrAgent)

	e = newEvery(t, byName(t, "kiro"), install.Local)
	require.Contains(t, install.Command(e.opts), " --client kiro --agent 'rev' --dir ")
	_, err = install.ByName("emacs")
	require.ErrorIs(t, err, install.ErrClient)
	require.EqualError(t, err, `no settings known for client "emacs"`)
}

func isAgentError(err error) bool { return err != nil && strings.Contains(err.Error(), "no agent") }

func byName(t *testing.T, name string) install.Client {
	t.Helper()
	c, err := install.ByName(name)
	require.NoError(t, err)
	return c
}

// How each client writes its judged hook.
func TestForms(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": `"PreToolUse": [\n      {"matcher": "*", "hooks": [{"type": "command", "command": LINE, "timeout": 60}]}`,
		"codex":       `"PreToolUse": [\n      {"matcher": ".*", "hooks": [{"type": "command", "command": LINE, "timeout": 60}]}`,
		"gemini-cli":  `"BeforeTool": [\n      {"matcher": "*", "hooks": [{"name": "conduct", "type": "command", "command": LINE, "timeout": 60000}]}`,
		"qwen-code":   `"PreToolUse": [\n      {"matcher": "*", "hooks": [{"name": "conduct", "type": "command", "command": LINE, "timeout": 60}]}`,
		"copilot":     `"preToolUse": [\n      {"type": "command", "bash": LINE, "timeoutSec": 60}`,
		"cursor":      `"preToolUse": [\n      {"command": LINE, "timeout": 60, "failClosed": true}`,
		"kiro":        `"preToolUse": [\n      {"matcher": "*", "command": LINE, "timeout_ms": 60000}`,
	} {
		e := newEvery(t, byName(t, name), install.Local)
		if name == "kiro" {
			e.write(t, []byte("{\n  \"name\": \"rev\"\n}\n"))
		}
		e.do(t, install.Plan)
		line, err := json.Marshal(install.Command(e.opts))
		require.NoError(t, err)
		plain := strings.NewReplacer(`\u0026`, "&", `\u003e`, ">").Replace(string(line))
		require.Contains(t, e.text(t), strings.ReplaceAll(strings.ReplaceAll(want, `\n`, "\n"), "LINE", plain), name)
		require.Equal(t, name == "copilot" || name == "cursor", strings.HasSuffix(e.text(t), "},\n  \"version\": 1\n}\n"), name)
	}
}
