package file

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

// fill makes a full board: as many items as there may be, 32 of them open, with as
// many events as workers and conductor have room for. It returns a dispatch of an open one.
func fill(b *testing.B) (*Store, store.ID) {
	dir := filepath.Join(b.TempDir(), ".conduct")
	require.NoError(b, records.Init(dir))
	files, err := records.Open(dir, records.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, files.Close()) })
	s := Open(files)
	for _, folder := range []string{eventsDir, openDir, closedDir, bindingsDir} {
		_, err := files.Mkdir(folder)
		require.NoError(b, err)
	}
	var by store.ID
	for n := range ledger.MaxStored {
		var made [2]store.ID
		for i := range made {
			made[i], err = mint.ULID(rand.Reader)(time.Now())
			require.NoError(b, err)
		}
		k := kept{Item: ledger.Item{ID: made[0]}}
		board := ledger.Board{}
		var events []ledger.Event
		add := func(e ledger.Event, err error) {
			require.NoError(b, err)
			require.NoError(b, k.Apply(e))
			events = append(events, e)
		}
		add(board.PlanCreate(ledger.New{Title: "a title of usual length", Acceptance: "what it takes"}, start))
		add(k.PlanBind(made[1], false, start))
		for i := range ledger.MaxEvents - 20 {
			add(k.PlanReport(made[1], ledger.Report{Kind: ledger.Question, Summary: fmt.Sprintf("report number %d of this item", i)}, start))
		}
		if n >= ledger.MaxOpen {
			add(k.PlanClose(start))
		}
		var data []byte
		for i := range events {
			data = append(append(data, events[i].Encode()...), '\n')
		}
		require.NoError(b, s.root.WriteFile(logPath(k.ID), data, 0o600))
		k.size, k.lines = int64(len(data)), len(events)
		path := openPath(k.ID)
		if !k.Open() {
			path = closedPath(k.ID)
		}
		require.NoError(b, s.root.WriteFile(path, k.encode(), 0o600))
		require.NoError(b, s.root.Symlink("="+string(k.ID), linkPath(made[1])))
		if n == 0 {
			by = made[1]
		}
	}
	return s, by
}

func BenchmarkBoard(b *testing.B) {
	s, _ := fill(b)
	for b.Loop() {
		got, err := s.Board()
		require.NoError(b, err)
		require.Len(b, got.Items, ledger.MaxStored)
	}
}

func BenchmarkBrief(b *testing.B) {
	s, by := fill(b)
	for b.Loop() {
		got, own, err := s.Brief(by)
		require.NoError(b, err)
		require.Len(b, got.Items, ledger.MaxOpen)
		_, err = got.Brief(own, ledger.Present{Unread: func(store.ID) int { return 0 }})
		require.NoError(b, err)
	}
}

func BenchmarkReport(b *testing.B) {
	s, by := fill(b)
	own, err := s.BoundItem(by)
	require.NoError(b, err)
	n := 0
	for b.Loop() {
		n++
		_, err := tryReport(b.Context(), s, own.ID, by, ledger.Progress, fmt.Sprint(n))
		require.NoError(b, err)
	}
}
