package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/approval"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

const (
	disp1 store.ID = "01HZXJ0000000000000000000A"
	disp2 store.ID = "01HZXJ0000000000000000000B"
)

func newStore(t *testing.T) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".conduct")
	require.NoError(t, records.Init(dir))
	return open(t, dir), dir
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	files, err := records.Open(dir, records.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, files.Close()) })
	return Open(files)
}

func question(id store.ID, n int) approval.Question {
	now := time.Now().UTC()
	return approval.Question{
		Key: store.Key("question", fmt.Sprint(n)), Dispatch: id, Unit: "U03", Agent: "reviewer", Tool: "Read",
		Parts: []approval.Part{{Code: "sibling_unit", Op: "read", Target: "../U04/a"}}, AskedAt: now, Deadline: now.Add(time.Hour),
	}
}

func yes() approval.Decision {
	return approval.Decision{Answer: approval.AllowedOnce, By: "me", At: time.Now().UTC()}
}

func TestJournal(t *testing.T) {
	s, dir := newStore(t)
	q := question(disp1, 1)
	kept, first, err := s.Ask(q)
	require.NoError(t, err)
	require.True(t, first)
	require.Equal(t, q, kept)
	again := q
	again.AskedAt = q.AskedAt.Add(time.Second)
	kept, first, err = s.Ask(again)
	require.NoError(t, err)
	require.False(t, first)
	require.Equal(t, q, kept, "as it was asked first")
	_, ok, err := s.Decided(q)
	require.NoError(t, err)
	require.False(t, ok)

	d := yes()
	got, err := s.Decide(q, d)
	require.NoError(t, err)
	require.Equal(t, d, got)
	got, err = s.Decide(q, approval.Decision{Answer: approval.Rejected, At: time.Now().UTC()})
	require.NoError(t, err)
	require.Equal(t, d, got, "the first counts")

	entries, err := os.ReadDir(filepath.Join(dir, "questions", string(disp1)))
	require.NoError(t, err)
	require.Len(t, entries, 2, "and nothing beside")
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
	for _, bad := range []approval.Question{
		{Key: "../x", Dispatch: disp1}, {Key: "k", Dispatch: "../x"}, {Key: "k", Dispatch: disp1}, {},
	} {
		_, _, err := s.Ask(bad)
		require.Error(t, err)
	}
}

// Many at once: one asks first, one decides, and all are told the same.
func TestOneDecides(t *testing.T) {
	s, dir := newStore(t)
	q := question(disp1, 1)
	const n = 16
	var all sync.WaitGroup
	firsts, answers := make([]bool, n), make([]approval.Decision, n)
	for i := range n {
		mine := open(t, dir)
		all.Go(func() {
			_, first, err := mine.Ask(q)
			d, derr := mine.Decide(q, approval.Decision{Answer: approval.Answers()[i%4], By: fmt.Sprint(i), At: time.Unix(int64(i), 0).UTC()})
			if err != nil || derr != nil {
				t.Errorf("%v, %v", err, derr)
			}
			firsts[i], answers[i] = first, d
		})
	}
	all.Wait()
	count := 0
	for i := range n {
		require.Equal(t, answers[0], answers[i])
		if firsts[i] {
			count++
		}
	}
	require.Equal(t, 1, count)
	got, err := s.Questions(disp1, time.Now())
	require.NoError(t, err)
	require.Len(t, got, 1)
}

func TestFind(t *testing.T) {
	s, _ := newStore(t)
	a, b := question(disp1, 1), question(disp2, 2)
	a.Key, b.Key = "abcd1111", "abcd2222"
	for _, q := range []approval.Question{b, a} {
		_, _, err := s.Ask(q)
		require.NoError(t, err)
	}
	now := time.Now()
	e, err := s.Find("ABCD1", now)
	require.NoError(t, err)
	require.Equal(t, a, e.Question)
	require.Nil(t, e.Decision)
	_, err = s.Find("abcd", now)
	require.ErrorIs(t, err, ErrSeveral)
	for _, key := range []string{"", "abc", "abcd3", "abcd11111", "../x"} {
		_, err = s.Find(key, now)
		require.ErrorIs(t, err, ErrUnknown, key)
	}
	d := yes()
	_, err = s.Answer(e, d)
	require.NoError(t, err)
	for _, again := range []approval.Decision{yes(), {Answer: approval.Rejected, At: now}} {
		got, err := s.Answer(e, again)
		require.ErrorIs(t, err, ErrDecided, "whoever looked before")
		require.Equal(t, d, got)
	}
	e, err = s.Find("abcd1111", now)
	require.NoError(t, err)
	require.Equal(t, &d, e.Decision)
}

// A question whose asker has died is unavailable when its time is up: readers say so
// and write nothing, the next who may writes it down.
func TestSettle(t *testing.T) {
	s, dir := newStore(t)
	q := question(disp1, 1)
	_, _, err := s.Ask(q)
	require.NoError(t, err)
	late := q.Deadline
	e, err := s.Find(q.Key, late)
	require.NoError(t, err)
	require.Equal(t, &approval.Decision{Answer: approval.Unavailable, At: q.Deadline}, e.Decision)
	_, ok, err := s.Decided(q)
	require.NoError(t, err)
	require.False(t, ok, "reading writes nothing")
	n, err := s.Settle(late.Add(-1))
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = s.Settle(late)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	d, ok, err := s.Decided(q)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, *e.Decision, d)
	n, err = s.Settle(late)
	require.NoError(t, err)
	require.Zero(t, n)

	// A yes that comes too late is none.
	q = question(disp1, 2)
	_, _, err = s.Ask(q)
	require.NoError(t, err)
	e, err = s.Find(q.Key, q.Deadline)
	require.NoError(t, err)
	_, err = s.Answer(e, yes())
	require.ErrorIs(t, err, ErrDecided)
	d, _, err = s.Decided(q)
	require.NoError(t, err)
	require.Equal(t, approval.Unavailable, d.Answer)

	require.NoError(t, s.Remove(disp1))
	require.NoError(t, s.Remove(disp1))
	require.Error(t, s.Remove("../live"))
	require.NoDirExists(t, filepath.Join(dir, "questions", string(disp1)))
}

func TestFull(t *testing.T) {
	s, dir := newStore(t)
	for n := range approval.MaxQuestions {
		q := question(disp1, n)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "questions", string(disp1)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path(q, asked)), q.Encode(), 0o600))
	}
	_, _, err := s.Ask(question(disp1, approval.MaxQuestions))
	require.ErrorIs(t, err, ErrFull)
	_, first, err := s.Ask(question(disp1, 0))
	require.NoError(t, err)
	require.False(t, first)
	_, _, err = s.Ask(question(disp2, 0))
	require.NoError(t, err, "another dispatch has its own")
}

// What is damaged allows nothing.
func TestDamage(t *testing.T) {
	for name, spoil := range map[string]func(dir string, q approval.Question) error{
		"asked, torn": func(dir string, q approval.Question) error {
			return os.WriteFile(filepath.Join(dir, path(q, asked)), q.Encode()[:40], 0o600)
		},
		"asked, another's": func(dir string, q approval.Question) error {
			other := question(disp2, 9)
			return os.WriteFile(filepath.Join(dir, path(q, asked)), other.Encode(), 0o600)
		},
		"decided, torn": func(dir string, q approval.Question) error {
			return os.WriteFile(filepath.Join(dir, path(q, decided)), []byte(`{"schema":1,"answer":"allowed-once"`), 0o600)
		},
		"decided, a link": func(dir string, q approval.Question) error {
			elsewhere := filepath.Join(dir, "elsewhere")
			d := yes()
			if err := os.WriteFile(elsewhere, d.Encode(), 0o600); err != nil {
				return err
			}
			return os.Symlink(elsewhere, filepath.Join(dir, path(q, decided)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newStore(t)
			q := question(disp1, 1)
			_, _, err := s.Ask(q)
			require.NoError(t, err)
			require.NoError(t, spoil(dir, q))
			a := &approval.Asker{Journal: s, Answerers: []approval.Answerer{approval.Elsewhere{Journal: s}}}
			require.Equal(t, approval.Unavailable, a.Request(t.Context(), q))
			_, err = s.All(time.Now())
			require.NoError(t, err)
			if strings.HasPrefix(name, "decided") {
				e, err := s.Find(q.Key, time.Now())
				require.NoError(t, err)
				require.Equal(t, approval.Unavailable, e.Decision.Answer)
			}
		})
	}
}

// What is damaged in the folder of one dispatch is no matter of another, whose questions
// are asked, answered and settled; who settles is told.
func TestDamagedFolder(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"a file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a link": func(path string) error { return os.Symlink(t.TempDir(), path) },
		"a FIFO": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newStore(t)
			q := question(disp2, 1)
			_, _, err := s.Ask(q)
			require.NoError(t, err)
			require.NoError(t, spoil(filepath.Join(dir, "questions", string(disp1))))
			a := &approval.Asker{Journal: s, Answerers: []approval.Answerer{approval.Elsewhere{Journal: s}}}
			require.Equal(t, approval.Unavailable, a.Request(t.Context(), question(disp1, 2)))
			e, err := s.Find(q.Key, time.Now())
			require.NoError(t, err)
			require.Nil(t, e.Decision)
			n, err := s.Settle(q.Deadline)
			require.ErrorIs(t, err, store.ErrDamaged)
			require.Equal(t, 1, n)
			_, err = s.Questions(disp1, time.Now())
			require.ErrorIs(t, err, store.ErrDamaged)
		})
	}
}
