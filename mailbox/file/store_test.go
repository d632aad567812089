package file

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

var start = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

func newID(t require.TestingT) store.ID {
	id, err := mint.ULID(rand.Reader)(time.Now())
	require.NoError(t, err)
	return id
}

// newStore is a folder of records with mailboxes in it.
func newStore(t *testing.T) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".conduct")
	require.NoError(t, records.Init(dir))
	return openStore(t, dir), dir
}

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	files, err := records.Open(dir, records.Options{LockWait: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, files.Close()) })
	return Open(files)
}

func newPair(t *testing.T) mailbox.Pair {
	t.Helper()
	p, err := mailbox.NewPair(newID(t), newID(t))
	require.NoError(t, err)
	return p
}

func open(t *testing.T, s *Store, p mailbox.Pair) {
	t.Helper()
	_, err := s.OpenChannel(t.Context(), p, time.Hour, mailbox.MaxMessages, start)
	require.NoError(t, err)
}

func write(s *Store, p mailbox.Pair, from store.ID, text string) error {
	_, err := s.Change(context.Background(), p, func(b *mailbox.Box) (mailbox.Event, error) { return b.PlanMessage(from, from, text, start) })
	return err
}

// texts fetches what waits for an item.
func texts(t *testing.T, s *Store, item store.ID) (out []string) {
	t.Helper()
	got, _, err := s.Fetch(t.Context(), item, item, start)
	require.NoError(t, err)
	for _, m := range got {
		out = append(out, m.Text)
	}
	return out
}

// files is every regular file below a folder with its bytes, but for locks.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(name, "/locks/") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		out[name] = info.Mode().String() + string(data)
		return err
	}))
	return out
}

func TestLife(t *testing.T) {
	s, dir := newStore(t)
	p := newPair(t)
	before := files(t, dir)
	box, err := s.Box(p)
	require.NoError(t, err)
	require.Equal(t, mailbox.Box{Pair: p}, box)
	require.ErrorIs(t, write(s, p, p.A, "hi"), ledger.NoChannel)
	require.Equal(t, before, files(t, dir), "a refused write makes nothing")

	open(t, s, p)
	require.NoError(t, write(s, p, p.A, "one"))
	require.NoError(t, write(s, p, p.B, "two"))
	again := openStore(t, dir)
	require.Equal(t, 1, again.Unread(p.A))
	require.Equal(t, []string{"one"}, texts(t, again, p.B))
	require.Empty(t, texts(t, s, p.B))
	require.Equal(t, []string{"two"}, texts(t, s, p.A))
	events, err := again.Events(p)
	require.NoError(t, err)
	require.Len(t, events, 5)
	folded, err := mailbox.Fold(p, events)
	require.NoError(t, err)
	box, err = again.Box(p)
	require.NoError(t, err)
	require.Equal(t, folded, box)
	for name, text := range files(t, filepath.Join(dir, "board")) {
		require.True(t, strings.HasPrefix(text, "-rw-------"), name)
	}
	before = files(t, dir)
	require.ErrorIs(t, write(s, p, p.A, strings.Repeat("x", 501)), ledger.FieldTooLong)
	require.Equal(t, before, files(t, dir))

	other, err := mailbox.NewPair(p.A, newID(t))
	require.NoError(t, err)
	open(t, s, other)
	boxes, err := s.Boxes(p.A)
	require.NoError(t, err)
	require.Len(t, boxes, 2)
	boxes, err = s.Boxes(p.B)
	require.NoError(t, err)
	require.Len(t, boxes, 1)
	require.NoError(t, s.Forget(t.Context(), p.B))
	boxes, err = s.Boxes("")
	require.NoError(t, err)
	require.Len(t, boxes, 1)
}

// No more channels are open at once than there may be, whoever opens them.
func TestChannelCap(t *testing.T) {
	s, dir := newStore(t)
	first := newPair(t)
	open(t, s, first)
	for range mailbox.MaxOpen - 4 {
		open(t, s, newPair(t))
	}
	errs := make(chan error, 12)
	var wg sync.WaitGroup
	for range cap(errs) {
		mine, p := openStore(t, dir), newPair(t)
		wg.Go(func() {
			_, err := mine.OpenChannel(context.Background(), p, time.Hour, 1, start)
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	opened := 0
	for err := range errs {
		if err == nil {
			opened++
			continue
		}
		require.ErrorIs(t, err, ledger.ChannelCapExceeded)
	}
	require.Equal(t, 3, opened)
	_, err := s.Change(t.Context(), first, func(b *mailbox.Box) (mailbox.Event, error) { return b.PlanClose(start) })
	require.NoError(t, err)
	open(t, s, newPair(t))
}

// Writers and readers at once: each message is fetched by exactly one, in order.
func TestConcurrent(t *testing.T) {
	s, dir := newStore(t)
	item := newID(t)
	const writers, each = 6, 20
	var writing, reading sync.WaitGroup
	for range writers {
		from := newID(t)
		p, err := mailbox.NewPair(item, from)
		require.NoError(t, err)
		open(t, s, p)
		mine := openStore(t, dir)
		writing.Go(func() {
			for n := range each {
				if err := write(mine, p, from, fmt.Sprintf("%s-%02d", from, n)); err != nil {
					t.Errorf("%s %d: %v", from, n, err)
				}
			}
		})
	}
	done := make(chan struct{})
	var mu sync.Mutex
	got := map[string]int{}
	for range 4 {
		mine := openStore(t, dir)
		reading.Go(func() {
			for last := false; ; {
				ms, _, err := mine.Fetch(context.Background(), item, item, start)
				if err != nil {
					t.Errorf("fetch: %v", err)
					return
				}
				mu.Lock()
				for _, m := range ms {
					got[m.Text]++
				}
				mu.Unlock()
				if last && len(ms) == 0 {
					return
				}
				select {
				case <-done:
					last = true
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	require.Len(t, got, writers*each)
	for text, n := range got {
		require.Equal(t, 1, n, text)
	}
}

// A writer that dies at any step leaves a box that reads as before or as after, and
// takes the next message.
func TestDies(t *testing.T) {
	for name, do := range map[string]func(*Store, mailbox.Pair) error{
		"the first event": func(s *Store, p mailbox.Pair) error {
			other, err := mailbox.NewPair(p.A, newID(t))
			if err == nil {
				_, err = s.OpenChannel(context.Background(), other, time.Hour, 1, start)
			}
			return err
		},
		"a message": func(s *Store, p mailbox.Pair) error {
			if err := write(s, p, p.A, "new"); !errors.Is(err, ledger.ErrSame) {
				return err
			}
			return nil
		},
		"a fetch": func(s *Store, p mailbox.Pair) error {
			_, _, err := s.Fetch(context.Background(), p.B, p.B, start)
			return err
		},
		"the end": func(s *Store, p mailbox.Pair) error { return s.Forget(context.Background(), p.A) },
	} {
		t.Run(name, func(t *testing.T) {
			for at := 1; ; at++ {
				s, dir := newStore(t)
				p := newPair(t)
				open(t, s, p)
				require.NoError(t, write(s, p, p.A, "old"))
				died := diesAt(s, at, func() { require.NoError(t, do(s, p)) })
				again := openStore(t, dir)
				require.NoError(t, do(again, p), "step %d", at)
				if name != "the end" {
					require.NoError(t, write(again, p, p.B, "after"))
					require.Equal(t, []string{"after"}, texts(t, again, p.A))
				}
				if !died {
					require.Greater(t, at, 1)
					return
				}
			}
		})
	}
}

// diesAt lets do die before its n-th step; it is false when there are fewer.
func diesAt(s *Store, n int, do func()) (died bool) {
	type death struct{}
	s.step = func(string) {
		if n--; n == 0 {
			panic(death{})
		}
	}
	defer func() {
		s.step = func(string) {}
		if r := recover(); r != nil {
			if _, ok := r.(death); !ok {
				panic(r)
			}
			died = true
		}
	}()
	do()
	return false
}

// A torn line was never acknowledged; anything else that is wrong is damage, which a
// fetch tells and a count does not.
func TestDamage(t *testing.T) {
	s, dir := newStore(t)
	p := newPair(t)
	open(t, s, p)
	require.NoError(t, write(s, p, p.A, "one"))
	name := filepath.Join(dir, path(p))
	good, err := os.ReadFile(name)
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(name, append(good, `{"schema":1,"seq":3`...), 0o600))
	require.Equal(t, 1, s.Unread(p.B))
	require.NoError(t, write(s, p, p.A, "two"))
	require.Equal(t, []string{"one", "two"}, texts(t, s, p.B))

	for what, bad := range map[string]string{
		"a gap":        strings.Join(strings.SplitAfter(string(good), "\n")[1:], ""),
		"not an event": string(good) + "{}\n",
		"another one":  strings.ReplaceAll(string(good), string(p.A), string(newID(t))),
	} {
		require.NoError(t, os.WriteFile(name, []byte(bad), 0o600))
		require.Zero(t, s.Unread(p.B), what)
		_, _, err := s.Fetch(t.Context(), p.B, p.B, start)
		require.ErrorIs(t, err, store.ErrDamaged, what)
		require.ErrorIs(t, write(s, p, p.A, "three"), store.ErrDamaged, what)
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, bad, string(data), "%s: it stays for a person to look at", what)
	}
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.Symlink("/etc/passwd", name))
	_, err = s.Box(p)
	require.Error(t, err)
}
