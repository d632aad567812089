package sandboxtest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/sandbox"
)

// open is a backend that confines nothing: every attack must get through it, or
// it is no attack.
type open struct{ self string }

func (open) Name() string { return "open" }
func (open) Key() string  { return "open" }

func (o open) Confine(argv []string, p sandbox.Policy) (sandbox.Plan, sandbox.Report, error) {
	return sandbox.Plan{
		Argv:  []string{o.self, sandbox.InitArg},
		Setup: sandbox.Setup{Argv: argv, Env: append(p.Env, "TMPDIR="+p.Temp), Dir: p.Cwd, Reap: true},
	}, sandbox.Report{Backend: "open"}, nil
}

func (open) Denied([]byte, sandbox.Policy) bool { return false }

func TestMain(m *testing.M) {
	maker := func(self string) sandbox.Backend { return open{self} }
	if handled, exit := Main(os.Args[1:], maker); handled {
		syscall.Exit(exit) // os.Exit waits for a second under the race detector
	}
	os.Exit(m.Run())
}

// heldAnyway are attacks that need root, and those that Run and Init hold
// whatever the backend.
var heldAnyway = []string{
	"move what holds it", "bind mount", "open by handle", "make a device", "open the disk", "chroot out", "write /proc/sys",
	"write /proc/sys in a user namespace", "open by handle in a user namespace", "enter another's namespaces",
	"leave a process", "inherited descriptor", "descriptors of process 1",
}

// A sandbox that confines nothing lets every attack through. It is tried as an
// ordinary user alone: root's attacks would hit the machine.
func TestAttacksAreSome(t *testing.T) {
	all := users(t)
	u := all[len(all)-1]
	var held []string
	for _, a := range attacks() {
		if a.name == "kill our own keeper" {
			continue // it would leave a process behind
		}
		_, err := tryAttack(t, u, a)
		if err == nil {
			held = append(held, a.name)
			continue
		}
		require.ErrorIs(t, err, errLeak)
	}
	require.ElementsMatch(t, heldAnyway, held)
}

const (
	tableStart = "<!-- table -->\n"
	tableEnd   = "<!-- end of table -->"
)

// The table in the docs is what the suites wrote down.
func TestTable(t *testing.T) {
	const doc = "../../docs/sandbox.md"
	data, err := os.ReadFile(doc)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(data), tableStart)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, tableEnd)
	require.True(t, ok)
	want := head + tableStart + table(t) + tableEnd + tail
	if os.Getenv(UpdateVariable) == "1" {
		require.NoError(t, os.WriteFile(doc, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(data), "run the tests of sandbox/… with %s=1", UpdateVariable)
}

// table joins the results of the backends by their rows.
func table(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| property | attack | bwrap, root | bwrap, user | landlock, root | landlock, user |\n|---|---|---|---|---|---|\n")
	bwrap, landlock := results(t, "bwrap"), results(t, "landlock")
	require.Len(t, landlock, len(bwrap))
	for i, row := range bwrap {
		require.Equal(t, row[:2], landlock[i][:2])
		fmt.Fprintf(&b, "| %s |\n", strings.Join(append(row, landlock[i][2:]...), " | "))
	}
	return b.String()
}

func results(t *testing.T, backend string) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + backend + ".txt")
	require.NoError(t, err)
	var out [][]string
	for line := range strings.Lines(string(data)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, row, 4, line)
		out = append(out, row)
	}
	require.Len(t, out, len(attacks()), "an attack has no result: run the suites with %s=1", UpdateVariable)
	return out
}
