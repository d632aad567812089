package audit_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A FIFO in the place of a stream, or of all, is none. No reader waits until somebody
// writes to it.
func TestFIFOsAreNotWaitedFor(t *testing.T) {
	for _, place := range []string{"audit/" + id + ".jsonl", "audit"} {
		l, dir := newLog(t)
		require.NoError(t, l.Append(id, line("c1", "")))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, place)))
		require.NoError(t, unix.Mkfifo(filepath.Join(dir, place), 0o600))
		done := make(chan error, 1)
		go func() {
			l.Streams()
			_, _ = l.Tail().Next(every)
			_, err := l.Raw(id)
			done <- err
		}()
		select {
		case err := <-done:
			require.Error(t, err)
		case <-time.After(10 * time.Second):
			t.Fatal("somebody waits")
		}
	}
}
