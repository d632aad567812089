package main_test

import (
	"bufio"
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal opens a new terminal: what is written to keys is typed at it.
func terminal(t *testing.T) (keys, tty *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { keys.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { tty.Close() })
	return keys, tty
}

// typing has a person say yes until stop is called: what comes at the moment of the
// prompt may still be forgotten.
func typing(keys *os.File) (stop func()) {
	done := make(chan struct{})
	var person sync.WaitGroup
	person.Go(func() {
		again := time.NewTicker(20 * time.Millisecond)
		defer again.Stop()
		for {
			_, _ = keys.WriteString("y\n")
			select {
			case <-done:
				return
			case <-again.C:
			}
		}
	})
	return func() { close(done); person.Wait() }
}

// What was typed before a question was shown is no answer to it, what is typed then is
// one, and an interrupt ends the watch while it asks.
func TestApproveAtATerminal(t *testing.T) {
	for _, end := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		b := newKillBench(t, "1m")
		keys, tty := terminal(t)
		_, err := keys.WriteString("y\ny\n")
		require.NoError(t, err)
		watch := b.verb("approve", "--watch")
		watch.Stdin = tty
		said, err := watch.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, watch.Start())
		t.Cleanup(func() { _ = watch.Process.Kill() })
		stuck := time.AfterFunc(30*time.Second, func() { _ = watch.Process.Kill() })
		defer stuck.Stop()
		prompt := bufio.NewReader(said)

		first, out := b.start(notAnswered + "first")
		_, err = prompt.ReadString('?')
		require.NoError(t, err)
		_, err = prompt.ReadString(']')
		require.NoError(t, err)
		require.Nil(t, b.asked(notAnswered+"first").Decision)
		stop := typing(keys)
		require.False(t, b.ended(first, out, notAnswered+"first"))
		stop()
		require.True(t, b.lived[notAnswered+"first"])

		second, _ := b.start(notAnswered + "second")
		_, err = prompt.ReadString('?')
		require.NoError(t, err)
		require.NoError(t, watch.Process.Signal(end))
		require.NoError(t, watch.Wait())
		require.Nil(t, b.asked(notAnswered+"second").Decision)
		require.NoError(t, second.Process.Kill())
		_ = second.Wait()
	}
}
