package sandboxtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/sandbox"
)

// run runs a command in a world's sandbox as a user, and returns what it wrote
// to its standard output and error.
func run(t *testing.T, u user, w World, mode string, argv ...string) (outcome, string, string) {
	t.Helper()
	o, out, stderr, err := tryRun(u, w, mode, argv...)
	require.NoError(t, err)
	return o, out, stderr
}

// patience is how long pipes are waited for once a command has ended.
const patience = 10 * time.Second

func command(u user, w World, mode string, argv ...string) *exec.Cmd {
	cmd := exec.Command(w.self(), append([]string{runArg, mode, string(w)}, argv...)...)
	cmd.Dir = "/"
	cmd.WaitDelay = patience // an attack that got through may hold the pipes
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(u.id), Gid: uint32(u.id)}
	}
	return cmd
}

func tryRun(u user, w World, mode string, argv ...string) (outcome, string, string, error) {
	cmd := command(u, w, mode, argv...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return outcome{}, "", "", fmt.Errorf("%w: %s%s", err, out.String(), stderr.String())
	}
	o, before, ok := parseOutcome(out.String())
	if !ok {
		return o, "", "", fmt.Errorf("no outcome in %q", out.String())
	}
	return o, before, stderr.String(), nil
}

// Need fails where a backend does not work here and CI is set, and skips
// elsewhere, saying why.
func Need(t *testing.T, b sandbox.Backend) {
	t.Helper()
	err := sandbox.Probe(t.Context(), b)
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s does not work here: %v", b.Name(), err)
	}
	t.Skipf("%s does not work here: %v", b.Name(), err)
}

// Attack runs every attack against a backend, as every user. A property that
// the backend's report claims must hold; one that it gives up must have an
// attack that gets through, or the report is out of date. The results go to
// resultsFile when it is not "" and the tests are told to write it.
func Attack(t *testing.T, name, resultsFile string) {
	t.Helper()
	results := map[string]string{}
	var order []string
	for _, u := range users(t) {
		leaks, given := map[sandbox.Property]bool{}, map[sandbox.Property]bool{}
		for _, a := range attacks() {
			t.Run(u.name+"/"+strings.ReplaceAll(a.name, "/", "_"), func(t *testing.T) {
				partial, got := tryAttack(t, u, a)
				key := fmt.Sprintf("%s\t%s", a.property, a.name)
				if !slices.Contains(order, key) {
					order = append(order, key)
				}
				results[u.name+"\t"+key] = "held"
				if slices.Contains(partial, string(a.property)) {
					given[a.property] = true
				}
				if got != nil {
					results[u.name+"\t"+key] = "through"
					leaks[a.property] = true
					require.True(t, given[a.property], "%s, which %s claims to hold: %v", a.property, name, got)
				}
			})
		}
		for p := range given {
			require.True(t, leaks[p], "%s gives up %s, and no attack got through as %s", name, p, u.name)
		}
	}
	writeResults(t, resultsFile, order, results)
}

func tryAttack(t *testing.T, u user, a attack) ([]string, error) {
	t.Helper()
	w := build(t, u)
	if a.before != nil {
		a.before(w)
	}
	t.Cleanup(func() { os.Remove(w.strangerFile()) })
	o, out, stderr := run(t, u, w, a.mode, w.self(), attackArg, a.name, string(w))
	require.Empty(t, o.err, stderr)
	require.Contains(t, []int{exitHeld, exitLeaked}, o.exit, "%s%s", out, stderr)
	var err error
	if o.exit == exitLeaked {
		err = fmt.Errorf("%w: %s", errLeak, out)
	}
	if a.after != nil {
		if later := a.after(w); later != nil {
			require.ErrorIs(t, later, errLeak)
			err = later
		}
	}
	return o.partial, err
}

// UpdateVariable, set to 1, has the suites write their results down, from which
// the table in the docs is made.
const UpdateVariable = "SANDBOXTEST_UPDATE"

func writeResults(t *testing.T, file string, order []string, results map[string]string) {
	t.Helper()
	if file == "" || os.Getenv(UpdateVariable) != "1" || os.Geteuid() != 0 {
		return
	}
	var b strings.Builder
	for _, key := range order {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", key, results["root\t"+key], results["user\t"+key])
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
}
