package file

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/mailbox"
	records "github.com/seed6310be5c/conduct/store/file"
)

// BenchmarkBox reads a box that is nearly full: messages, each fetched after a while.
func BenchmarkBox(b *testing.B) {
	folder := filepath.Join(b.TempDir(), ".conduct")
	require.NoError(b, records.Init(folder))
	files, err := records.Open(folder, records.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, files.Close()) })
	p, err := mailbox.NewPair(newID(b), newID(b))
	require.NoError(b, err)
	box, data := mailbox.Box{Pair: p}, []byte(nil)
	add := func(e mailbox.Event, err error) {
		require.NoError(b, err)
		require.NoError(b, box.Apply(e))
		data = append(append(data, e.Encode()...), '\n')
	}
	for n := 0; box.Events < mailbox.MaxEvents-10; n++ {
		add(box.PlanRelay(p.A, fmt.Sprintf("message number %d of this box", n), start))
		if n%mailbox.MaxInbox == 0 {
			add(box.PlanFetch(p.B, p.B, box.Events, start))
		}
	}
	_, err = files.Mkdir(dir)
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(folder, path(p)), data, 0o600))
	s := Open(files)
	for b.Loop() {
		got, err := s.Box(p)
		require.NoError(b, err)
		require.Equal(b, box.Events, got.Events)
	}
}
