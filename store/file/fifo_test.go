package file

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/storetest"
)

// A FIFO in the place of a folder is no folder, for readers and writers. Nobody waits
// until somebody writes to it.
func TestFIFOsAreNotWaitedFor(t *testing.T) {
	for _, sub := range []string{liveDir, endedDir, grantsDir, claimsDir, namesDir, marksDir + "/" + string(store.Bind), asideDir, "questions"} {
		t.Run(sub, func(t *testing.T) {
			s, dir := newStore(t)
			require.NoError(t, s.Create(t.Context(), storetest.Entry("U03", "rev")))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, sub)))
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, sub)), 0o700))
			require.NoError(t, unix.Mkfifo(filepath.Join(dir, sub), 0o600))
			done := make(chan struct{})
			go func() {
				defer close(done)
				for _, err := range s.Names(sub) {
					if err == nil {
						t.Error("it has names")
					}
				}
				for range s.Live() {
				}
				for range s.Ended() {
				}
				for range s.Marks(store.Bind) {
				}
				_ = s.Create(t.Context(), storetest.Entry("U04", "rev"))
				if s.Sync(sub) == nil {
					t.Error("it can be synced")
				}
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				t.Fatal("somebody waits")
			}
		})
	}
}
