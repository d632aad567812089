package conduct_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shellMechanism is one file of testdata/attacks/shell.
type shellMechanism struct {
	Name     string         `json:"name"`
	Why      string         `json:"why"`
	Attempts []shellAttempt `json:"attempts"`
}

// shellAttempt is one or more command lines, each a call of its own, that reach a
// sibling or a record unless the guard or the sandbox is there.
type shellAttempt struct {
	Name     string            `json:"name"`
	OS       string            `json:"os"`
	Needs    string            `json:"needs"` // a command that fails where the kernel lacks something
	Tree     map[string]string `json:"tree"`
	Git      bool              `json:"git"`
	Dispatch [][]string        `json:"dispatch"`
	Setup    []step            `json:"setup"`
	Cwd      *string           `json:"cwd"`
	Command  string            `json:"command"`
	Commands []string          `json:"commands"`
	// Codes are what the guard alone says of each command; one of several ("a|b") where
	// it depends on what else there is on the machine.
	Codes []string `json:"codes"`
}

func (a shellAttempt) lines() []string {
	if a.Command != "" {
		return []string{a.Command}
	}
	return a.Commands
}

func readShellMechanisms(t *testing.T) []shellMechanism {
	t.Helper()
	return readAttacks(t, "testdata/attacks/shell/*.json", func(m shellMechanism) string { return m.Name })
}

// The corpus is broad here too.
func TestShellAttacksAreManyAndDistinct(t *testing.T) {
	all := readShellMechanisms(t)
	require.GreaterOrEqual(t, len(all), 15)
	seen, n := map[string]string{}, 0
	for _, m := range all {
		require.NotEmpty(t, m.Why, m.Name)
		require.NotEmpty(t, m.Attempts, m.Name)
		require.LessOrEqual(t, len(m.Attempts), 5, m.Name)
		for _, a := range m.Attempts {
			id := m.Name + "/" + a.Name
			require.NotEmpty(t, a.Name, m.Name)
			require.Len(t, a.Codes, len(a.lines()), id)
			key := strings.Join(a.lines(), "\n")
			require.Empty(t, seen[key], "%s is there already", id)
			seen[key] = id
			n++
		}
	}
	require.GreaterOrEqual(t, n, 60)
}

// Every attempt is tried three times, each in a workspace of its own: with the
// guard alone, with the sandbox alone, and with neither.
func TestShellAttacks(t *testing.T) {
	bin := buildPrograms(t)
	for _, m := range readShellMechanisms(t) {
		t.Run(m.Name, func(t *testing.T) {
			for _, a := range m.Attempts {
				t.Run(a.Name, func(t *testing.T) {
					t.Parallel()
					if a.OS != "" && a.OS != runtime.GOOS {
						t.Skipf("the attempt needs %s", a.OS)
					}
					if a.Needs != "" && exec.Command("bash", "-c", a.Needs).Run() != nil {
						t.Skipf("this kernel does not let us run %s", a.Needs)
					}
					t.Run("off", func(t *testing.T) { newRaid(t, bin, a).off() })
					t.Run("guard", func(t *testing.T) { newRaid(t, bin, a).guarded() })
					if runtime.GOOS == "linux" {
						t.Run("sandbox", func(t *testing.T) { newRaid(t, bin, a).confined() })
					}
				})
			}
		})
	}
}

// raid is one attempt in one workspace.
type raid struct {
	*site
	a shellAttempt
	// clean is what is there before the attempt, records too; spoil is where
	// siblings' texts are already.
	clean, spoil map[string]string
	// out is what the agent has seen.
	out strings.Builder
}

func newRaid(t *testing.T, bin string, a shellAttempt) *raid {
	t.Helper()
	plain := attempt{Tree: a.Tree, Git: a.Git, Dispatch: a.Dispatch, Setup: a.Setup}
	if plain.Dispatch == nil {
		plain.Dispatch = [][]string{{"--unit", "U03", "--agent", "reviewer", "--opaque", "block"}}
	}
	plain.Input = a.lines() // they say whether the programs are attacked
	r := &raid{site: newSiteIn(t, openFolder(t), bin, plain), a: a}
	for _, st := range a.Setup {
		r.step(st)
	}
	r.mark()
	return r
}

// openFolder is a folder for a workspace which is not where programs keep temporary
// files: those are private in a sandbox, and half of the attempts would find nothing.
func openFolder(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(cache, 0o700))
	dir, err := os.MkdirTemp(cache, "conduct-attacks-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// mark takes down what must not change and where siblings' texts are.
func (r *raid) mark() {
	r.clean, r.spoil = prints(r.watched(nil)), r.spoils()
}

// spoils are the files outside of siblings and records that hold a sibling's text,
// or a name of its files.
func (r *raid) spoils() map[string]string {
	kept := []string{r.text("$U/U04"), r.text("$U/U05"), r.text("$U/U03-old"), r.text("$R/.conduct"), r.text("$R/.git")}
	out := map[string]string{}
	_ = filepath.WalkDir(r.vars["BASE"], func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // gone meanwhile
		case e.IsDir() && slices.Contains(kept, p):
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(p)
		if err == nil && (bytes.Contains(data, []byte(r.vars["C"])) || bytes.Contains(data, []byte(r.vars["N"]))) {
			out[p] = string(data)
		}
		return nil
	})
	return out
}

// reached says whether the attempt has got what it wanted.
func (r *raid) reached() bool {
	return strings.Contains(r.out.String(), r.vars["C"]) || strings.Contains(r.out.String(), r.vars["N"]) ||
		!maps.Equal(r.clean, prints(r.watched(nil))) || !maps.Equal(r.spoil, r.spoils())
}

func (r *raid) call(line string) call {
	return call{Cwd: r.a.Cwd, Tool: "Bash", Input: map[string]any{"command": line, "description": "x"}}
}

// off runs the commands with nobody in between: they must reach something, or there
// is nothing to stop.
func (r *raid) off() {
	for _, line := range r.a.lines() {
		r.out.WriteString(r.perform(r.call(line)))
	}
	require.Eventually(r.t, r.reached, 5*time.Second, 20*time.Millisecond, "nothing was reached: %s", &r.out)
}

// guarded asks the guard about each command, and runs those that pass.
func (r *raid) guarded() {
	var codes, reasons []string
	for _, line := range r.a.lines() {
		code, reason := r.guard(r.call(line), "")
		codes, reasons = append(codes, code), append(reasons, reason)
		if reason != "" {
			continue
		}
		// The guard has written to the records.
		r.mark()
		r.out.WriteString(r.perform(r.call(line)))
		require.False(r.t, r.reached(), "%s reaches: %s", line, &r.out)
	}
	require.Len(r.t, codes, len(r.a.Codes))
	for i, want := range r.a.Codes {
		require.Contains(r.t, strings.Split(want, "|"), codes[i], reasons)
	}
	require.NotEmpty(r.t, strings.Join(reasons, ""), "nothing is blocked")
}

// confined runs each command as "conduct exec" does, with nobody to ask.
func (r *raid) confined() {
	// Whether the sandbox works is found out once, and noted beside the records.
	out, err := r.exec("echo ran")
	require.NoError(r.t, err, out)
	require.Equal(r.t, "begun\nran\n", out)
	r.mark()
	for _, line := range r.a.lines() {
		out, err := r.exec(r.text(line))
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			require.NoError(r.t, err)
		}
		require.Contains(r.t, out, "begun\n", "the command was not run")
		r.out.WriteString(out)
	}
	require.False(r.t, r.reached(), "%s%v", &r.out, changed(r.clean, prints(r.watched(nil))))
}

// noSandbox is conduct's exit code when the sandbox could not be started.
const noSandbox = 8

// exec runs a line under the dispatch. What belongs to other tests (a socket that is
// gone by the time it would be covered) can keep the sandbox from starting: then
// nothing ran, and it is tried again.
func (r *raid) exec(line string) (out string, err error) {
	for range 5 {
		out, err = r.execOnce(line)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != noSandbox || !strings.Contains(out, "nothing ran") {
			break
		}
	}
	return out, err
}

func (r *raid) execOnce(line string) (string, error) {
	cmd := exec.Command(r.vars["BIN"]+"/conduct", "exec", "--dispatch", r.vars["D1"], "--dir", r.vars["R"], "--", "bash", "-c", "echo begun\n"+line)
	cmd.Dir, cmd.Env = r.cwd(r.call(line)), r.env(nil)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// changed names what differs.
func changed(before, after map[string]string) []string {
	var out []string
	for p, v := range after {
		if before[p] != v {
			out = append(out, p)
		}
	}
	for p := range before {
		if _, ok := after[p]; !ok {
			out = append(out, p+" (gone)")
		}
	}
	return out
}
