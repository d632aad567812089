package install_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/install"
)

// ws is a workspace with settings in a scope.
type ws struct {
	t    *testing.T
	opts install.Options
	file string
}

func newWS(t *testing.T, scope install.Scope, settings string) ws {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	opts := install.Options{Client: "claude-code", Scope: scope, Root: root, Home: root, Guard: "/p/bin/conduct-guard"}
	file, err := install.Settings(opts)
	require.NoError(t, err)
	if settings != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(settings), 0o640))
	}
	return ws{t, opts, file}
}

func (w ws) apply(plan func(install.Options) (install.Change, error)) install.Change {
	w.t.Helper()
	c, err := plan(w.opts)
	require.NoError(w.t, err)
	require.NoError(w.t, c.Apply())
	return c
}

func (w ws) text() string {
	w.t.Helper()
	b, err := os.ReadFile(w.file)
	require.NoError(w.t, err)
	return string(b)
}

// settings of the shapes that people have.
func settings() map[string]string {
	own := `{"matcher": "Bash", "hooks": [{"type": "command", "command": "node /opt/conduct-notes/hook.js"}]}`
	return map[string]string{
		"odd":                  "{\n   \"model\": \"x\",\n \"hooks\": {\"PreToolUse\": [ " + own + " ]}\n}\n",
		"no hooks":             "{\n  \"model\": \"x\"\n}\n",
		"no hooks, tabs":       "{\n\t\"model\": \"x\",\n\t\"permissions\": {\n\t\t\"allow\": []\n\t}\n}",
		"one line":             `{"model":"x","b":[1,2]}`,
		"one line, one member": `{"model":"x"}`,
		"empty":                "{}",
		"empty, roomy":         " {\n\n}\n\n",
		"empty hooks":          "{\"hooks\":{}}\n",
		"empty hooks, roomy":   "{\n  \"hooks\": {\n  }\n}\n",
		"empty event":          "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"PostToolUse\": [ ]\n  }\n}\n",
		"other event":          "{\n  \"hooks\": {\n    \"Stop\": [\n      " + own + "\n    ]\n  },\n  \"model\": \"x\"\n}\n",
		"several of an event":  "{\"hooks\": {\"PreToolUse\": [\n" + own + ",\n\n" + own + "\n]  , \"Stop\":[]}   }",
		"windows":              "{\r\n    \"model\": \"x\",\r\n    \"hooks\": {\r\n        \"PreToolUse\": [\r\n            " + own + "\r\n        ]\r\n    }\r\n}\r\n",
		"hooks first":          "{\"hooks\": {\"UserPromptSubmit\": [" + own + "], \"SubagentStop\": []}, \"z\": \"\\u00e9\\/ü\", \"n\": 1.0e5}",
		"every event":          "{\"hooks\":{\"PreToolUse\":[],\"PostToolUse\":[" + own + "],\"SubagentStart\":[],\"SubagentStop\":[],\"UserPromptSubmit\":[]}}",
	}
}

func TestRemoveGivesBackTheBytes(t *testing.T) {
	for name, before := range settings() {
		t.Run(name, func(t *testing.T) {
			for _, scope := range []install.Scope{install.Local, install.Project, install.User} {
				w := newWS(t, scope, before)
				put := w.apply(install.Plan)
				require.False(t, put.Created)
				require.Equal(t, before, string(put.Before))
				requireInstalled(t, w)
				st, err := os.Stat(w.file)
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o640), st.Mode())

				again, err := install.Plan(w.opts)
				require.NoError(t, err)
				require.False(t, again.Changed(), "a second time")
				require.Empty(t, again.Diff())

				require.False(t, w.apply(install.Remove).Removed)
				require.Equal(t, before, w.text())
				none, err := install.Remove(w.opts)
				require.NoError(t, err)
				require.False(t, none.Changed())
			}
		})
	}
}

// requireInstalled holds that each event has the hook once and that the file is
// JSON to others too, with everything that it had.
func requireInstalled(t *testing.T, w ws) {
	t.Helper()
	var parsed struct {
		Hooks map[string][]struct {
			Matcher *string
			Hooks   []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(w.text()), &parsed), w.text())
	want := map[string]string{"PreToolUse": "*", "PostToolUse": "Agent|Task", "SubagentStart": "*", "SubagentStop": "*"}
	for event, matcher := range want {
		n := 0
		for _, group := range parsed.Hooks[event] {
			for _, h := range group.Hooks {
				line := install.Notice(w.opts)
				if event == "PreToolUse" {
					line = install.Command(w.opts)
				}
				if h.Command != line {
					continue
				}
				n++
				require.Equal(t, "command", h.Type)
				require.Equal(t, 60, h.Timeout)
				require.Equal(t, matcher, *group.Matcher)
			}
		}
		require.Equal(t, 1, n, event)
	}
}

func TestNewFile(t *testing.T) {
	w := newWS(t, install.Local, "")
	c := w.apply(install.Plan)
	require.True(t, c.Created)
	requireInstalled(t, w)
	hook := func(command string) string {
		quoted, err := json.Marshal(command)
		require.NoError(t, err)
		raw := strings.NewReplacer(`\u0026`, "&", `\u003e`, ">").Replace(string(quoted))
		return `"hooks": [{"type": "command", "command": ` + raw + `, "timeout": 60}]}`
	}
	judge, notice := hook(install.Command(w.opts)), hook(install.Notice(w.opts))
	require.Equal(t, `{
  "hooks": {
    "PreToolUse": [
      {"matcher": "*", `+judge+`
    ],
    "PostToolUse": [
      {"matcher": "Agent|Task", `+notice+`
    ],
    "SubagentStart": [
      {"matcher": "*", `+notice+`
    ],
    "SubagentStop": [
      {"matcher": "*", `+notice+`
    ]
  }
}
`, w.text())

	c = w.apply(install.Remove)
	require.True(t, c.Removed)
	require.NoDirExists(t, filepath.Dir(w.file))

	t.Run("other files stay", func(t *testing.T) {
		w := newWS(t, install.Local, "")
		w.apply(install.Plan)
		require.NoError(t, os.WriteFile(w.opts.Root+"/.claude/CLAUDE.md", nil, 0o644))
		w.apply(install.Remove)
		require.NoFileExists(t, w.file)
		require.FileExists(t, w.opts.Root+"/.claude/CLAUDE.md")
	})
	t.Run("what was added later stays", func(t *testing.T) {
		w := newWS(t, install.Local, "")
		w.apply(install.Plan)
		require.NoError(t, os.WriteFile(w.file, []byte(strings.Replace(w.text(), "{\n", "{\n  \"model\": \"x\",\n", 1)), 0o644))
		require.False(t, w.apply(install.Remove).Removed)
		require.Equal(t, "{\n  \"model\": \"x\"\n}\n", w.text())
	})
	t.Run("nothing there to remove", func(t *testing.T) {
		w := newWS(t, install.Local, "")
		require.False(t, w.apply(install.Remove).Changed())
		require.NoDirExists(t, filepath.Dir(w.file))
	})
}

// Only the command line is replaced when the guard moves.
func TestUpdateInPlace(t *testing.T) {
	for name, before := range settings() {
		t.Run(name, func(t *testing.T) {
			w := newWS(t, install.Local, before)
			w.apply(install.Plan)
			first := w.text()
			w.opts.Guard = "/other place/conduct-guard"
			w.apply(install.Plan)
			requireInstalled(t, w)
			require.Equal(t, strings.ReplaceAll(first, "/p/bin/conduct-guard", "/other place/conduct-guard"), w.text())
			w.apply(install.Remove)
			require.Equal(t, before, w.text())
		})
	}
}

// A client that prints its settings anew does not keep the hook from being known.
func TestRemoveAfterAnotherLayout(t *testing.T) {
	w := newWS(t, install.Local, "{\n  \"model\": \"x\"\n}\n")
	w.apply(install.Plan)
	var any map[string]any
	require.NoError(t, json.Unmarshal([]byte(w.text()), &any))
	printed, err := json.MarshalIndent(any, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.file, printed, 0o644))
	c, err := install.Plan(w.opts)
	require.NoError(t, err)
	require.False(t, c.Changed())
	w.apply(install.Remove)
	require.Equal(t, "{\n  \"model\": \"x\"\n}", w.text())
}

func TestOnlyOursIsTakenOut(t *testing.T) {
	theirs := []string{
		"node /opt/conduct-notes/hook.js",
		"my-conduct-guard-notes --client claude-code",
		"conduct-guard --client claude-code",
		": conduct-hook; echo conduct-guard --client claude-code",
		": conduct-hook; my-conduct-guard --client claude-code x",
		"/p/bin/conduct-guard-old --client claude-code",
		"if then",
	}
	w := newWS(t, install.Local, "{}")
	w.apply(install.Plan)
	var hooks []string
	for _, c := range append(theirs, install.Command(w.opts)) {
		text, err := json.Marshal(c)
		require.NoError(t, err)
		hooks = append(hooks, `{"type":"command","command":`+string(text)+`}`)
	}
	ours := len(hooks) - 1
	group := func(h ...string) string { return `{"hooks":[` + strings.Join(h, ",") + `]}` }
	file := func(groups ...string) string { return `{"hooks":{"PreToolUse":[` + strings.Join(groups, " , ") + `]}}` }
	for name, tt := range map[string]struct{ before, after string }{
		"in one group, last":   {file(group(hooks...)), file(group(hooks[:ours]...))},
		"in one group, first":  {file(group(hooks[ours], hooks[0], hooks[1])), file(group(hooks[0], hooks[1]))},
		"in one group, middle": {file(group(hooks[0], hooks[ours], hooks[1])), file(group(hooks[0], hooks[1]))},
		"first of groups":      {file(group(hooks[ours]), group(hooks[0]), group(hooks[1])), file(group(hooks[0]), group(hooks[1]))},
		"first two of groups":  {file(group(hooks[ours]), group(hooks[ours]), group(hooks[1])), file(group(hooks[1]))},
		"middle of groups":     {file(group(hooks[0]), group(hooks[ours]), group(hooks[1])), file(group(hooks[0]), group(hooks[1]))},
		"group with one more":  {file(group(hooks[ours]), group(hooks[2], hooks[ours])), file(group(hooks[2]))},
		"none":                 {file(group(hooks[:ours]...)), file(group(hooks[:ours]...))},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			require.NoError(t, os.WriteFile(w.file, []byte(tt.before), 0o644))
			w.apply(install.Remove)
			require.Equal(t, tt.after, w.text())
		})
	}
}

func TestRefusesWhatItCannotParse(t *testing.T) {
	for name, text := range map[string]string{
		"comment":          "{\n  /* mine\n  \"model\": \"x\"\n}\n",
		"comment as value": `{"a": /* 1 */}`,
		"lone slash":       `{"a": 1 / 2}`,
		"two commas":       `{"a":1,,}`,
		"only a comma":     `{,}`,
		"torn":             `{"a":`,
		"no object":        `[]`,
		"two values":       `{}{}`,
		"repeated name":    `{"hooks":{},"hooks":{}}`,
		"not utf-8":        "{\"a\":\"\xff\"}",
		"two marks":        "\ufeff\ufeff{}",
		"hooks a list":     `{"hooks":[]}`,
		"hooks a null":     `{"hooks":null}`,
		"event an object":  `{"hooks":{"Stop":{}}}`,
		"deep":             `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWS(t, install.Local, text)
			for _, plan := range []func(install.Options) (install.Change, error){install.Plan, install.Remove} {
				_, err := plan(w.opts)
				require.ErrorIs(t, err, install.ErrSettings)
				require.ErrorContains(t, err, fmt.Sprintf("%q", w.file))
				require.NotContains(t, err.Error(), "\n")
			}
			_, err := install.Find(w.opts.Root, "")
			if !strings.Contains(text, "hooks") || name == "repeated name" {
				require.ErrorIs(t, err, install.ErrSettings)
			}
			require.Equal(t, text, w.text())
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []install.Options{
		{Scope: install.Local, Root: "/r", Guard: "conduct-guard"},
		{Scope: install.Local, Root: "r", Guard: "/p/conduct-guard"},
		{Scope: install.Local, Root: "/\xff", Guard: "/p/conduct-guard"},
		{Scope: install.User, Home: "/h"},
	} {
		o.Client = "claude-code"
		_, err := install.Plan(o)
		require.ErrorContains(t, err, "must be absolute and UTF-8", o)
	}
	_, err := install.Plan(install.Options{Client: "claude-code", Scope: "global"})
	require.ErrorIs(t, err, install.ErrScope)
}

func TestApplyNeedsWhatWasPlannedOn(t *testing.T) {
	w := newWS(t, install.Local, "{}")
	c, err := install.Plan(w.opts)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.file, []byte(`{"a":1}`), 0o644))
	require.ErrorIs(t, c.Apply(), install.ErrChanged)
	require.Equal(t, `{"a":1}`, w.text())
	require.NoError(t, os.Remove(w.file))
	require.ErrorIs(t, c.Apply(), install.ErrChanged)

	c, err = install.Plan(w.opts)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.file, []byte(`{"a":1}`), 0o644))
	require.ErrorIs(t, c.Apply(), install.ErrChanged)
}

// Settings that are a link stay one.
func TestLinkedSettings(t *testing.T) {
	w := newWS(t, install.User, "{}")
	dots := w.opts.Root + "/dotfiles"
	require.NoError(t, os.Rename(filepath.Dir(w.file), dots))
	require.NoError(t, os.Mkdir(filepath.Dir(w.file), 0o755))
	require.NoError(t, os.Symlink("../dotfiles/settings.json", w.file))
	c := w.apply(install.Plan)
	require.Equal(t, dots+"/settings.json", c.File)
	st, err := os.Lstat(w.file)
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, st.Mode().Type())
	requireInstalled(t, w)
}

// Whatever JSON the file holds and however it is spaced, its bytes come back.
func TestRemoveUndoesPlan(t *testing.T) {
	dir := t.TempDir()
	opts := install.Options{Client: "claude-code", Scope: install.Project, Root: dir}
	file := dir + "/.claude/settings.json"
	require.NoError(t, os.Mkdir(dir+"/.claude", 0o755))
	rapid.Check(t, func(t *rapid.T) {
		before := []byte(object(t, "top"))
		require.NoError(t, os.WriteFile(file, before, 0o644))
		c, err := install.Plan(opts)
		require.NoError(t, err)
		plain, err := install.Plain(c.After)
		require.NoError(t, err)
		require.True(t, json.Valid(plain), "%s", c.After)
		require.NoError(t, os.WriteFile(file, c.After, 0o644))
		again, err := install.Plan(opts)
		require.NoError(t, err)
		require.False(t, again.Changed())
		c, err = install.Remove(opts)
		require.NoError(t, err)
		require.False(t, c.Removed)
		require.Equal(t, string(before), string(c.After))
	})
}

// object draws a settings file.
func object(t *rapid.T, label string) string {
	space := func() string {
		return rapid.SampledFrom([]string{"", " ", "\n", "\n  ", "\t", "\r\n    ", "/* c */", " // c \n", "\n// \"c\n  "}).Draw(t, "space")
	}
	list := func(open, end string, items []string) string {
		out := open + space()
		for i, s := range items {
			if i > 0 {
				out += space() + "," + space()
			}
			out += s
		}
		if len(items) > 0 {
			out += rapid.SampledFrom([]string{"", "", ",", " /* c */ ,"}).Draw(t, "trailing")
		}
		return out + space() + end
	}
	value := rapid.SampledFrom([]string{`1`, `"x"`, `{}`, `[ 1,2 ]`, `{"hooks": {"PreToolUse": []}}`, `null`})
	group := rapid.SampledFrom([]string{`{"hooks":[{"type":"command","command":"x"}]}`, `{}`, `{"matcher":"*","hooks":[]}`, `1`})
	some := func(names []string, make func() string) []string {
		var out []string
		for _, n := range rapid.Permutation(names).Draw(t, "names")[:rapid.IntRange(0, len(names)).Draw(t, "n")] {
			v := ""
			if n == "hooks" {
				var events []string
				for _, e := range rapid.Permutation([]string{"PreToolUse", "Stop", "SubagentStop", "UserPromptSubmit"}).Draw(t, "events")[:rapid.IntRange(0, 4).Draw(t, "m")] {
					events = append(events, `"`+e+`"`+space()+":"+space()+list("[", "]", rapid.SliceOfN(group, 0, 3).Draw(t, "groups")))
				}
				v = list("{", "}", events)
			} else {
				v = make()
			}
			out = append(out, `"`+n+`"`+space()+":"+space()+v)
		}
		return out
	}
	return space() + list("{", "}", some([]string{"model", "hooks", "z"}, func() string { return value.Draw(t, label) })) + space()
}

func TestFind(t *testing.T) {
	w := newWS(t, install.Local, "")
	w.apply(install.Plan)
	project := w.opts
	project.Scope = install.Project
	w.opts = project
	c := w.apply(install.Plan)
	require.NoError(t, os.WriteFile(c.File, []byte(strings.Replace(w.textOf(c.File), `"SubagentStop": [
      {"matcher": "*", "hooks": [`, `"SubagentStop": [
      {"matcher": "*", "hooks": [{"type":"command","command":"sh -x"},{"type":"command","command":"/x/conduct-guard --client claude-code","timeout":3},`, 1)), 0o644))

	got, err := install.Find(w.opts.Root, w.opts.Root)
	require.NoError(t, err)
	require.Len(t, got, 9)
	require.Equal(t, install.Installed{
		Client: "claude-code", Scope: install.Local, File: w.opts.Root + "/.claude/settings.local.json", Event: "PreToolUse", Matcher: "*", Timeout: 60, Path: "/p/bin/conduct-guard", Ours: true,
		Command: install.Command(install.Options{Client: "claude-code", Scope: install.Local, Root: w.opts.Root, Guard: "/p/bin/conduct-guard"}),
	}, got[0])
	require.Equal(t, "conduct-guard", got[4].Path)
	require.Equal(t, install.Installed{
		Client: "claude-code", Scope: install.Project, Place: 1, File: c.File, Event: "SubagentStop", Matcher: "*", Command: "/x/conduct-guard --client claude-code", Timeout: 3, Path: "/x/conduct-guard",
	}, got[7])

	others, err := install.Others(w.opts.Root, "")
	require.NoError(t, err)
	require.Empty(t, others, "sh -x runs at another event")
}

func (w ws) textOf(file string) string { w.file = file; return w.text() }

func TestOthers(t *testing.T) {
	w := newWS(t, install.Project, settings()["odd"])
	w.apply(install.Plan)
	got, err := install.Others(w.opts.Root, "")
	require.NoError(t, err)
	require.Equal(t, []install.Installed{{Client: "claude-code", Scope: install.Project, File: w.file, Event: "PreToolUse", Matcher: "Bash", Command: "node /opt/conduct-notes/hook.js"}}, got)

	require.NoError(t, os.WriteFile(w.opts.Root+"/.claude/settings.local.json", []byte("{"), 0o644))
	got, err = install.Others(w.opts.Root, "")
	require.ErrorIs(t, err, install.ErrSettings)
	require.Len(t, got, 1)
}

func TestDiff(t *testing.T) {
	c := install.Change{File: "/f", Before: []byte("1\n2\n3\n4\nold\n5\n6\n7\n8"), After: []byte("1\n2\n3\n4\nnew\n5\nmore\n6\n7\n8\n")}
	require.Equal(t, "--- /f\n+++ /f\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-old\n+new\n 5\n+more\n 6\n 7\n-8\n\\ No newline at end of file\n+8\n", c.Diff())
	require.Equal(t, "--- /dev/null\n+++ /f\n@@ -0,0 +1,1 @@\n+{}\n", install.Change{File: "/f", After: []byte("{}\n"), Created: true}.Diff())
	require.Equal(t, "--- /f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-{}\n", install.Change{File: "/f", Before: []byte("{}\n"), Removed: true}.Diff())
	require.Empty(t, install.Change{File: "/f", Before: []byte("{}"), After: []byte("{}")}.Diff())
}
