package sandboxtest

import (
	"os"
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
