package opencode_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/hooks/opencode"
	"github.com/seed6310be5c/conduct/internal/guardcmd"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
)

// programs is a folder with the guard and an empty conduct beside it, which is looked
// for where a command would have to run confined.
var programs = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "opencode-")
	if err != nil {
		return "", err
	}
	return dir, errors.Join(os.WriteFile(filepath.Join(dir, "conduct-guard"), data, 0o700), os.WriteFile(filepath.Join(dir, "conduct"), nil, 0o700))
})

// TestMain makes this binary the guard when it is called as one.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "conduct-guard" {
		os.Exit(guardcmd.Main(os.Args[1:]))
	}
	code := m.Run()
	if dir, err := programs(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// stage is a workspace with a plugin, a guard, and two units.
type stage struct {
	t           *testing.T
	root, guard string
	book        *dispatch.Book
	store       *file.Store
	env         []string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := programs()
	require.NoError(t, err)
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range []string{"units/U03/a.txt", "units/U04/secret.txt", "docs/guide.md"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(f)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, f), []byte("x\n"), 0o600))
	}
	return &stage{t: t, root: root, guard: filepath.Join(dir, "conduct-guard")}
}

// records makes the workspace ours.
func (s *stage) records() *stage {
	s.t.Helper()
	require.NoError(s.t, file.Init(filepath.Join(s.root, ".conduct")))
	st, err := file.Open(filepath.Join(s.root, ".conduct"), file.Options{})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = st.Close() })
	s.store, s.book = st, &dispatch.Book{Store: st, Clock: &system.Clock{}, Mint: mint.ULID(rand.Reader)}
	return s
}

func (s *stage) dispatch(name, agent string) *dispatch.Dispatch {
	s.t.Helper()
	d, err := s.book.Open(context.Background(), dispatch.Request{
		Unit: unit.Unit{Name: name, Paths: []string{"units/" + name}}, Agent: agent, TTL: time.Hour,
		Grant: grants.Grant{Layouts: []string{"units/{unit}"}, Opaque: grants.OpaqueConfine, Sandbox: "bwrap"},
	})
	require.NoError(s.t, err)
	return d
}

// scene is what the fake program does.
type scene struct {
	Directory string                    `json:"directory"`
	Lookup    string                    `json:"lookup"`
	Apart     bool                      `json:"apart"` // each plugin in a program of its own
	Sessions  map[string]map[string]any `json:"sessions"`
	Steps     []step                    `json:"steps"`
}

type step struct {
	Hook   string         `json:"hook"`
	Input  map[string]any `json:"input"`
	Output map[string]any `json:"output,omitempty"`
}

type result struct {
	Threw *string        `json:"threw"`
	Args  map[string]any `json:"args"`
}

// before is a tool call of a session.
func before(session, tool string, args map[string]any) step {
	return step{"tool.execute.before", map[string]any{"tool": tool, "sessionID": session, "callID": "c1"}, map[string]any{"args": args}}
}

// play runs the steps against plugins as they are written to disk.
func (s *stage) play(sc scene, plugins ...string) []result {
	s.t.Helper()
	if sc.Directory == "" {
		sc.Directory = s.root
	}
	if sc.Sessions == nil {
		sc.Sessions = map[string]map[string]any{
			"ses_main": {"id": "ses_main", "agent": "build", "directory": sc.Directory},
			"ses_sub":  {"id": "ses_sub", "parentID": "ses_main", "agent": "reviewer", "directory": sc.Directory},
		}
	}
	var files []string
	for i, text := range plugins {
		name := filepath.Join(s.t.TempDir(), "p"+strconv.Itoa(i)+".mjs")
		require.NoError(s.t, os.WriteFile(name, []byte(text), 0o600))
		files = append(files, name)
	}
	in, err := json.Marshal(sc)
	require.NoError(s.t, err)
	cmd := exec.Command("node", append([]string{"testdata/play.mjs"}, files...)...)
	cmd.Stdin, cmd.Env = bytes.NewReader(in), append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.t.TempDir()}, s.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(s.t, err, stderr.String())
	var results []result
	require.NoError(s.t, json.Unmarshal(out, &results), string(out))
	want := len(sc.Steps)
	if sc.Apart {
		want *= len(plugins)
	}
	require.Len(s.t, results, want)
	return results
}

func read(session, path string) step {
	return before(session, "read", map[string]any{"filePath": path})
}

func TestPluginBlocksASubagent(t *testing.T) {
	s := newStage(t).records()
	s.dispatch("U03", "reviewer")
	for scope, root := range map[string]string{"one workspace": s.root, "a person's": ""} {
		t.Run(scope, func(t *testing.T) {
			got := s.play(scene{Steps: []step{
				read("ses_sub", "units/U04/secret.txt"), read("ses_sub", "units/U03/a.txt"), read("ses_main", "units/U04/secret.txt"),
				before("ses_sub", "todowrite", map[string]any{}),
			}}, opencode.Plugin(s.guard, root))
			require.NotNil(t, got[0].Threw)
			require.Contains(t, *got[0].Threw, `conduct: "units/U04/secret.txt" belongs to unit U04, you work on unit U03.`)
			for _, r := range got[1:] {
				require.Nil(t, r.Threw)
			}
		})
	}
}

// The line of the only dispatch that fits is put into the prompt in place, and what the
// child opens with is then an exact link, whatever it is called.
func TestPluginLinksALaunchToItsAgent(t *testing.T) {
	s := newStage(t).records()
	d, other := s.dispatch("U03", "reviewer"), s.dispatch("U04", "other")
	launch := before("ses_main", "task", map[string]any{"prompt": "look", "subagent_type": "reviewer", "description": "x"})
	got := s.play(scene{Steps: []step{launch}}, opencode.Plugin(s.guard, s.root))
	require.Nil(t, got[0].Threw)
	require.Equal(t, map[string]any{
		"prompt": dispatch.Token(d.ID) + "\nlook", "subagent_type": "reviewer", "description": "x",
	}, got[0].Args)

	said := func(id string, parts ...map[string]any) step {
		return step{"chat.message", map[string]any{"sessionID": id}, map[string]any{"parts": parts}}
	}
	info := map[string]any{"id": "ses_new", "parentID": "ses_main", "agent": "other", "directory": s.root}
	got = s.play(scene{Lookup: "fails", Steps: []step{
		{"event", map[string]any{"event": map[string]any{"type": "session.created", "properties": map[string]any{"info": info}}}, nil},
		said("ses_new", map[string]any{"type": "text", "text": dispatch.Token(d.ID)},
			map[string]any{"type": "text", "synthetic": true, "text": dispatch.Token(other.ID)}),
		read("ses_new", "units/U04/secret.txt"), read("ses_new", "units/U03/a.txt"),
		{"event", map[string]any{"event": map[string]any{"type": "session.idle", "properties": map[string]any{"sessionID": "ses_new"}}}, nil},
	}}, opencode.Plugin(s.guard, s.root))
	require.NotNil(t, got[2].Threw)
	require.Nil(t, got[3].Threw)
	var events []string
	for line, err := range audit.Open(s.store.Root()).Read(string(d.ID)) {
		require.NoError(t, err)
		events = append(events, line.Code+line.Event)
	}
	require.Equal(t, []string{"sibling_unit", "own_unit", "agent_stop"}, events)
}

// The result of a launch names its session, for one that runs in the background.
func TestPluginTellsWhatALaunchStarted(t *testing.T) {
	s := newStage(t).records()
	d := s.dispatch("U03", "reviewer")
	s.dispatch("U04", "other")
	prompt := dispatch.Token(d.ID) + " look"
	args := map[string]any{"prompt": prompt, "subagent_type": "other"}
	after := step{
		"tool.execute.after", map[string]any{"tool": "task", "sessionID": "ses_main", "callID": "c1", "args": args},
		map[string]any{"metadata": map[string]any{"sessionId": "ses_bg"}},
	}
	got := s.play(scene{
		Sessions: map[string]map[string]any{"ses_main": {"id": "ses_main"}, "ses_bg": {"id": "ses_bg", "parentID": "ses_main", "agent": "other"}},
		Steps:    []step{before("ses_main", "task", args), after, read("ses_bg", "units/U04/secret.txt")},
	}, opencode.Plugin(s.guard, s.root))
	require.Nil(t, got[0].Threw)
	require.NotNil(t, got[2].Threw)
}

func TestPluginBlocksMentions(t *testing.T) {
	s := newStage(t).records()
	s.dispatch("U03", "reviewer")
	launch := func(prompt string) step {
		return before("ses_main", "task", map[string]any{"prompt": prompt, "subagent_type": "reviewer"})
	}
	got := s.play(scene{Steps: []step{
		launch("compare with @units/U04/secret.txt, then stop"), launch("see @units/U04"), launch("see @units/U03/a.txt and @docs/guide.md."),
	}}, opencode.Plugin(s.guard, s.root))
	for _, r := range got[:2] {
		require.NotNil(t, r.Threw)
		require.Contains(t, *r.Threw, "in the prompt would be put into the context of an agent of unit U03")
	}
	require.Nil(t, got[2].Threw)
}

// A command that is not understood is replaced in place; where the plugin is installed
// twice, once.
func TestPluginRewritesOnce(t *testing.T) {
	s := newStage(t).records()
	d := s.dispatch("U03", "reviewer")
	run := before("ses_sub", "bash", map[string]any{"command": "make all", "workdir": s.root + "/units/U03", "description": "x"})
	want := s.guard[:len(s.guard)-len("-guard")] + " exec --dispatch " + string(d.ID) + " --dir " + s.root + " -- bash -c 'make all'"
	for _, plugins := range [][]string{
		{opencode.Plugin(s.guard, s.root)}, {opencode.Plugin(s.guard, s.root), opencode.Plugin(s.guard, "")},
	} {
		got := s.play(scene{Steps: []step{run}}, plugins...)
		require.Nil(t, got[0].Threw)
		require.Equal(t, map[string]any{"command": want, "workdir": s.root + "/units/U03", "description": "x"}, got[0].Args)
	}
}

// A call of one of our own tools that names no dispatch gets the caller's; that of
// another one is blocked.
func TestPluginNamesTheDispatch(t *testing.T) {
	s := newStage(t).records()
	d := s.dispatch("U03", "reviewer")
	for _, args := range []map[string]any{{"summary": "x"}, {"summary": "x", "dispatch": nil}} {
		for _, plugins := range [][]string{
			{opencode.Plugin(s.guard, s.root)}, {opencode.Plugin(s.guard, s.root), opencode.Plugin(s.guard, "")},
		} {
			got := s.play(scene{Steps: []step{before("ses_sub", "conduct_work_report", args)}}, plugins...)
			require.Nil(t, got[0].Threw)
			require.Equal(t, map[string]any{"summary": "x", "dispatch": string(d.ID)}, got[0].Args)
		}
	}
	other := before("ses_sub", "conduct_work_report", map[string]any{"summary": "x", "dispatch": "01ARZ3NDEKTSV4RRFFQ69G5FAV"})
	require.NotNil(t, s.play(scene{Steps: []step{other}}, opencode.Plugin(s.guard, s.root))[0].Threw)
}

// script makes a program in place of the guard.
func (s *stage) script(text string) string {
	s.t.Helper()
	name := filepath.Join(s.t.TempDir(), "guard")
	require.NoError(s.t, os.WriteFile(name, []byte(text), 0o700))
	return name
}

// A guard that is missing or fails blocks where a call may belong to a dispatch, and is
// nothing to anybody elsewhere.
func TestPluginFailsClosed(t *testing.T) {
	s := newStage(t)
	const loop = "#!/bin/sh\ncat >/dev/null\n"
	guards := map[string]string{
		"missing":               filepath.Join(t.TempDir(), "none"),
		"empty":                 s.script(""),
		"no program":            s.script("hello"),
		"fails":                 s.script(loop + "exit 1\n"),
		"a block's exit code":   s.script(loop + "echo no >&2; exit 2\n"),
		"killed":                s.script(loop + "kill -9 $$\n"),
		"text":                  s.script(loop + "echo blocked\n"),
		"half an answer":        s.script(loop + `echo '{"decision":"bl'` + "\n"),
		"a list":                s.script(loop + "echo '[]'\n"),
		"null":                  s.script(loop + "echo null\n"),
		"an unknown decision":   s.script(loop + `echo '{"decision":"allow"}'` + "\n"),
		"a block for nothing":   s.script(loop + `echo '{"decision":"block","reason":" "}'` + "\n"),
		"a change of nothing":   s.script(loop + `echo '{"args":{}}'` + "\n"),
		"a change of no text":   s.script(loop + `echo '{"args":{"filePath":7}}'` + "\n"),
		"a change beside it":    s.script(loop + `echo '{"args":{"other":"x"}}'` + "\n"),
		"a dispatch of no text": s.script(loop + `echo '{"args":{"dispatch":7}}'` + "\n"),
		"too slow":              s.script("#!/bin/sh\nexec sleep 60\n"),
		"reads nothing, fails":  s.script("#!/bin/sh\nexit 3\n"),
	}
	names := slices.Sorted(maps.Keys(guards))
	everywhere := newStage(t).records()
	named := *s
	named.env = []string{"CONDUCT_DISPATCH=01ARZ3NDEKTSV4RRFFQ69G5FAV"}
	tests := []struct {
		name    string
		stage   *stage
		root    string
		blocked bool
	}{
		{"a workspace", everywhere, everywhere.root, true},
		{"a person's, in a workspace", everywhere, "", true},
		{"no workspace any more", s, s.root, false},
		{"a person's, elsewhere", s, "", false},
		{"elsewhere, for a dispatch that is named", &named, s.root, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var plugins []string
			for _, name := range names {
				plugins = append(plugins, opencode.PluginWaiting(guards[name], tt.root, 1500))
			}
			stage := *tt.stage
			stage.t = t
			got := stage.play(scene{Apart: true, Steps: []step{read("ses_sub", "docs/guide.md")}}, plugins...)
			for i, name := range names {
				require.Equal(t, tt.blocked, got[i].Threw != nil, name)
				if tt.blocked {
					require.Regexp(t, `^conduct: blocked, since the guard is missing or has failed \(.+\): run conduct doctor$`, *got[i].Threw, name)
				}
			}
		})
	}
}

// A call whose session cannot be found is nobody's: blocked while a dispatch is in force.
func TestPluginWithoutASession(t *testing.T) {
	s := newStage(t).records()
	for _, lookup := range []string{"fails", "hangs"} {
		sc := scene{Lookup: lookup, Steps: []step{read("ses_sub", "docs/guide.md")}}
		require.Nil(t, s.play(sc, opencode.PluginWaiting(s.guard, s.root, 1500))[0].Threw)
	}
	s.dispatch("U03", "reviewer")
	for _, lookup := range []string{"fails", "hangs"} {
		got := s.play(scene{Lookup: lookup, Steps: []step{read("ses_sub", "docs/guide.md")}}, opencode.PluginWaiting(s.guard, s.root, 1500))
		require.NotNil(t, got[0].Threw, lookup)
	}
}

// Names with quotes, back-slashes and line ends stay what they are.
func TestPluginText(t *testing.T) {
	s := newStage(t)
	odd := filepath.Join(t.TempDir(), "a\"b\\c\n${x}`d'%ROOT%\u2028")
	require.NoError(t, os.MkdirAll(filepath.Join(odd, ".conduct"), 0o700))
	got := s.play(scene{Steps: []step{read("ses_sub", "docs/guide.md")}}, opencode.Plugin(filepath.Join(odd, "none"), odd))
	require.NotNil(t, got[0].Threw, "it has found the folder")
	require.NotContains(t, opencode.Plugin("/g", "/r"), "%")
}
