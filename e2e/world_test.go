//go:build linux && e2e

package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// world is a workspace, a home, and conduct, of one run of a program.
type world struct {
	t               *testing.T
	root, home, bin string
}

// own and secret are what the files of a unit say.
func own(unit string) string    { return "OWN-OF-" + unit }
func secret(unit string) string { return "SECRET-OF-" + unit }

// units are those of a world. The first is the agents', in sessions of one agent.
func units() []string { return []string{"U03", "U04", "U05"} }

// files are in every unit. Some programs show a file that they have shown before as "unchanged".
func files() []string { return []string{"design.md", "plan.md"} }

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "conduct-e2e-")
	require.NoError(t, err)
	t.Cleanup(func() { removeAll(base) })
	w := &world{t: t, root: filepath.Join(base, "project"), home: filepath.Join(base, "home"), bin: filepath.Join(base, "bin")}
	for _, dir := range []string{w.root, w.home, w.bin} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	for _, name := range []string{"conduct", "conduct-guard", "conduct-mcp"} {
		data, err := os.ReadFile(filepath.Join(inside(t).Bin, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(w.bin, name), data, 0o755))
	}
	for _, u := range units() {
		for _, name := range files() {
			w.write("construction/units/"+u+"/"+name, "# "+u+"\nalpha\n"+own(u)+"\n"+secret(u)+"\n")
		}
		w.write("construction/units/"+u+"/design.ipynb", notebook)
	}
	w.write("docs/guide.md", "# Guide\nalpha SHARED-GUIDE\n")
	w.command("git", "init", "-q", ".")
	w.conduct("init", "--layout", "construction/units/{unit}")
	// For tools that change only what is there.
	for _, name := range []string{"notes.md", "notes.ipynb"} {
		w.write(".conduct/"+name, notebook)
	}
	return w
}

const notebook = `{"cells":[{"cell_type":"code","id":"c1","metadata":{},"source":["alpha"],"outputs":[],"execution_count":null}],` +
	`"metadata":{},"nbformat":4,"nbformat_minor":5}` + "\n"

// removeAll is for folders in which a program that is killed may still write.
func removeAll(dir string) {
	for range 10 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (w *world) write(name, text string) { w.put(filepath.Join(w.root, name), text) }

// put writes a file anywhere.
func (w *world) put(name, text string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(w.t, os.WriteFile(name, []byte(text), 0o644))
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

// design is a unit's file.
func (w *world) design(unit string) string {
	return w.path("construction/units/" + unit + "/design.md")
}

// env is all of the environment that anything gets.
func (w *world) env(more ...string) []string {
	node := nodePackage().module(w.t, nodePackage().name, "bin")
	return append([]string{
		"PATH=" + w.bin + ":" + node + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		"HOME=" + w.home, "TERM=xterm", "LANG=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1",
	}, more...)
}

// agents writes the agents' definitions into a folder of the home, with more lines at their heads.
func (w *world) agents(folder, more string) { w.agentFiles(folder, ".md", more) }

func (w *world) agentFiles(folder, ending, more string) {
	for _, a := range agentTypes() {
		w.put(filepath.Join(w.home, folder, a+ending),
			"---\nname: "+a+"\ndescription: Works on one unit.\n"+more+"---\nYou work on one unit only.\n")
	}
}

// command runs a program of ours to its end.
func (w *world) command(name string, args ...string) string {
	w.t.Helper()
	out, err := w.try(name, args...)
	require.NoError(w.t, err, "%s %s: %s", name, args, out)
	return out
}

func (w *world) try(name string, args ...string) (string, error) {
	if !strings.ContainsRune(name, '/') && name != "git" {
		name = filepath.Join(w.bin, name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.root, w.env()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *world) conduct(args ...string) string { return w.command("conduct", args...) }

// dispatch returns the launch line.
func (w *world) dispatch(unit, agent string) string {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, "conduct"), "dispatch", "--unit", unit, "--agent", agent)
	cmd.Dir, cmd.Env = w.root, w.env()
	out, err := cmd.Output() // what it warns of goes elsewhere
	require.NoError(w.t, err)
	lines := strings.Fields(string(out))
	require.Len(w.t, lines, 2)
	return lines[1]
}

// session is one run of a program with its model.
type session struct {
	*world
	p      program
	model  *model.Server
	output string
}

// limit is how long one run may take.
const limit = 8 * time.Minute

// run starts the program, with a model that plays the script, and waits for its end.
func (w *world) run(p program, script model.Script) *session {
	w.t.Helper()
	server, err := model.Start(p.protocol, script)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { server.Close() })
	p.settings(w, server.URL)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	argv, env := p.start(w, server.URL, model.Prompt("root", "do the scripted work"))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = w.root, w.env(env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err = cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	s := &session{world: w, p: p, model: server, output: out.String()}
	w.t.Logf("%s ran for %.1fs: %v", p.name, time.Since(began).Seconds(), err)
	w.t.Cleanup(s.explain)
	require.NoError(w.t, ctx.Err(), "%s took too long", p.name)
	require.Empty(w.t, server.Faults())
	require.Positive(w.t, server.Played("root"), "%s asked its model nothing:\n%s", p.name, s.output)
	return s
}

// explain keeps what was said where somebody wants that, and shows the end of it after a failure.
func (s *session) explain() {
	dir := os.Getenv("CONDUCT_E2E_LOGS")
	if dir == "" {
		if s.t.Failed() {
			s.t.Logf("output of %s:\n%s", s.p.name, tail(s.output, 4000))
			s.t.Log("CONDUCT_E2E_LOGS=FOLDER keeps everything that was said")
		}
		return
	}
	name := filepath.Join(dir, strings.ReplaceAll(s.t.Name(), "/", "_"))
	s.put(name+".output", s.output)
	s.put(name+".model", s.model.Bodies())
	log, err := s.try("conduct", "log")
	s.put(name+".log", log)
	s.t.Logf("kept %s.*: %v", name, err)
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
