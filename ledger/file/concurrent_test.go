package file

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

// Thirty-two workers report at once: nothing that was acknowledged is lost, nothing
// is there twice, and every reader sees whole items meanwhile.
func TestConcurrentReporters(t *testing.T) {
	s, dir := newBoard(t)
	const workers, each = 32, 6
	var items, by [workers]store.ID
	for i := range workers {
		items[i], by[i] = bound(t, s)
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		reader := openBoard(t, dir, records.Options{})
		for {
			select {
			case <-stop:
				return
			default:
			}
			b, err := reader.Board()
			if err != nil || len(b.Items) != workers {
				t.Errorf("%d items: %v", len(b.Items), err)
				return
			}
		}
	})
	var reporters sync.WaitGroup
	for i := range workers {
		mine := openBoard(t, dir, records.Options{LockWait: time.Minute})
		reporters.Go(func() {
			for n := range each {
				// Half of them to a worker's own item, half all to one: its worker is played by all.
				for k, at := range []int{i, 0} {
					text := fmt.Sprintf("%d-%d-%d", i, n, k)
					if _, err := tryReport(context.Background(), mine, items[at], by[at], ledger.Question, text); err != nil {
						if at == 0 && errors.Is(err, ledger.EventCapExceeded) {
							continue
						}
						t.Errorf("%s: %v", text, err)
					}
				}
			}
		})
	}
	reporters.Wait()
	close(stop)
	wg.Wait()
	for i := range workers {
		events, err := s.Events(items[i])
		require.NoError(t, err)
		times := map[string]int{}
		for _, e := range events[2:] {
			times[e.Text]++
		}
		for n := range each {
			text := fmt.Sprintf("%d-%d-0", i, n)
			if i > 0 {
				require.Equal(t, 1, times[text], text)
			}
		}
		for text, n := range times {
			require.Equal(t, 1, n, text)
		}
	}
	events, err := s.Events(items[0])
	require.NoError(t, err)
	require.Len(t, events, 192)
}

// Creators at once get no more items than there may be.
func TestConcurrentCreators(t *testing.T) {
	s, dir := newBoard(t)
	for range ledger.MaxOpen - 4 {
		create(t, s, "t")
	}
	var wg sync.WaitGroup
	made := make(chan error, 16)
	for range 16 {
		mine := openBoard(t, dir, records.Options{LockWait: time.Minute})
		wg.Go(func() {
			_, err := tryCreate(context.Background(), mine, newID(t), "t")
			made <- err
		})
	}
	wg.Wait()
	close(made)
	ok := 0
	for err := range made {
		if err == nil {
			ok++
		} else {
			require.ErrorIs(t, err, ledger.ItemCapExceeded)
		}
	}
	require.Equal(t, 4, ok)
}

// A writer waits for another one, but not for ever, and says who it is.
func TestLocked(t *testing.T) {
	s, dir := newBoard(t)
	item, by := bound(t, s)
	free, err := s.files.Lock(t.Context(), lockOf(item))
	require.NoError(t, err)
	short := openBoard(t, dir, records.Options{LockWait: 30 * time.Millisecond})
	_, err = tryReport(t.Context(), short, item, by, ledger.Done, "d")
	var locked *store.LockedError
	require.ErrorAs(t, err, &locked)
	_, err = short.Item(item)
	require.NoError(t, err, "readers take no lock")
	create(t, short, "another item's lock")
	free()
	report(t, short, item, by, ledger.Done, "d")
}

// Who binds a dispatch takes the board's lock, then the item's, and makes the link under
// both: writers that took them in another order would wait for each other.
func TestLockOrder(t *testing.T) {
	s, dir := newBoard(t)
	item := create(t, s, "a title").ID
	short := openBoard(t, dir, records.Options{LockWait: 10 * time.Millisecond})
	taken := func(key string) bool {
		free, err := short.files.Lock(context.Background(), key)
		if err == nil {
			free()
		}
		return errors.Is(err, store.ErrLocked)
	}
	both := false
	s.step = func(step string) {
		if step == "link" {
			both = taken(boardLock) && taken(lockOf(item))
		}
	}
	free, err := s.files.Lock(t.Context(), lockOf(item))
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := tryBind(context.Background(), s, newID(t), item)
		done <- err
	}()
	require.Eventually(t, func() bool { return taken(boardLock) }, 4*time.Second, time.Millisecond, "it waits for the item with the board's lock in its hand")
	free()
	require.NoError(t, <-done)
	require.True(t, both)
	require.False(t, taken(boardLock) || taken(lockOf(item)))
}
