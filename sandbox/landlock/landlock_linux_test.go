package landlock_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/sandbox"
	"github.com/seed6310be5c/conduct/sandbox/landlock"
	"github.com/seed6310be5c/conduct/sandbox/sandboxtest"
)

func maker(self string) sandbox.Backend { return landlock.New(self) }

func TestMain(m *testing.M) {
	if handled, exit := sandboxtest.Main(os.Args[1:], maker); handled {
		syscall.Exit(exit) // os.Exit waits for a second under the race detector
	}
	os.Exit(m.Run())
}

func backend(t *testing.T) *landlock.Backend {
	t.Helper()
	self, err := sandbox.Self()
	require.NoError(t, err)
	b := landlock.New(self)
	sandboxtest.Need(t, b)
	return b
}

func TestAttacks(t *testing.T) {
	sandboxtest.Attack(t, backend(t).Name(), "../sandboxtest/testdata/landlock.txt")
}

func TestBehaviour(t *testing.T) {
	backend(t)
	sandboxtest.Behave(t)
}
