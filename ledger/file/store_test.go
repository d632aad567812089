package file

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

var start = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

func newID(t require.TestingT) store.ID {
	id, err := mint.ULID(rand.Reader)(time.Now())
	require.NoError(t, err)
	return id
}

// newBoard is a board in a folder of its own, and that folder.
func newBoard(t *testing.T) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".conduct")
	require.NoError(t, records.Init(dir))
	return openBoard(t, dir, records.Options{}), dir
}

func openBoard(t *testing.T, dir string, o records.Options) *Store {
	t.Helper()
	files, err := records.Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, files.Close()) })
	return Open(files)
}

func create(t *testing.T, s *Store, title string) ledger.Item {
	t.Helper()
	it, err := tryCreate(t.Context(), s, newID(t), title)
	require.NoError(t, err)
	return it
}

func tryCreate(ctx context.Context, s *Store, id store.ID, title string) (ledger.Item, error) {
	return s.Create(ctx, id, func(b *ledger.Board) (ledger.Event, error) {
		return b.PlanCreate(ledger.New{Title: title, Acceptance: "it works"}, start)
	})
}

func tryBind(ctx context.Context, s *Store, id, to store.ID) (ledger.Item, error) {
	return s.Bind(ctx, id, to, func(it *ledger.Item) (ledger.Event, error) { return it.PlanBind(id, true, start) })
}

func bound(t *testing.T, s *Store) (item, by store.ID) {
	t.Helper()
	item, by = create(t, s, "a title").ID, newID(t)
	_, err := tryBind(t.Context(), s, by, item)
	require.NoError(t, err)
	return item, by
}

func tryReport(ctx context.Context, s *Store, item, by store.ID, kind ledger.ReportKind, text string) (ledger.Item, error) {
	return s.Change(ctx, item, func(it *ledger.Item) (ledger.Event, error) {
		return it.PlanReport(by, ledger.Report{Kind: kind, Summary: text}, start)
	})
}

func report(t *testing.T, s *Store, item, by store.ID, kind ledger.ReportKind, text string) {
	t.Helper()
	_, err := tryReport(t.Context(), s, item, by, kind, text)
	require.NoError(t, err)
}

func shut(t *testing.T, s *Store, item store.ID) {
	t.Helper()
	_, err := s.Change(t.Context(), item, func(it *ledger.Item) (ledger.Event, error) { return it.PlanClose(start) })
	require.NoError(t, err)
}

// content is every file below a folder with its bytes; lock files, which whoever
// takes them signs, are left out.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == "locks" {
			return fs.SkipDir
		}
		rel, _ := filepath.Rel(dir, name)
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[rel] = info.Mode().String()
		if d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			out[rel] += " " + string(data)
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(name)
			out[rel] += " " + to
			return err
		}
		return nil
	}))
	return out
}

func TestEmptyBoard(t *testing.T) {
	s, dir := newBoard(t)
	before := content(t, dir)
	b, err := s.Board()
	require.NoError(t, err)
	require.Equal(t, ledger.Board{}, b)
	id := newID(t)
	_, err = s.Item(id)
	require.ErrorIs(t, err, ledger.UnknownItem)
	_, err = s.Item("../../x")
	require.ErrorIs(t, err, ledger.UnknownItem)
	_, err = s.BoundItem(id)
	require.ErrorIs(t, err, ledger.NotBound)
	_, err = s.BoundItem("../../x")
	require.ErrorIs(t, err, ledger.NotBound)
	_, err = tryReport(t.Context(), s, id, id, ledger.Done, "d")
	require.ErrorIs(t, err, ledger.UnknownItem)
	require.ErrorIs(t, s.Remove(t.Context(), id), ledger.UnknownItem)
	require.Equal(t, before, content(t, dir), "reading makes nothing")
	locks, err := filepath.Glob(filepath.Join(dir, "locks", "board-*"))
	require.NoError(t, err)
	require.Empty(t, locks, "what is not there gets no lock")
}

// The life of an item, read anew each time, by another reader too.
func TestLife(t *testing.T) {
	s, dir := newBoard(t)
	item, by := bound(t, s)
	other := create(t, s, "another")
	report(t, s, item, by, ledger.Question, "which?")
	require.NoError(t, s.SetGoal(t.Context(), "ship it"))
	again := openBoard(t, dir, records.Options{})
	got, err := again.BoundItem(by)
	require.NoError(t, err)
	require.Equal(t, item, got.ID)
	require.Equal(t, ledger.StatusQuestion, got.Status)
	events, err := again.Events(item)
	require.NoError(t, err)
	require.Len(t, events, 3)
	folded, err := ledger.Fold(item, events)
	require.NoError(t, err)
	require.Equal(t, got, folded)
	b, own, err := again.Brief(by)
	require.NoError(t, err)
	require.Equal(t, item, own)
	require.Len(t, b.Items, 2)
	shut(t, s, other.ID)
	b, _, err = again.Brief(by)
	require.NoError(t, err)
	require.Len(t, b.Items, 1)
	b, err = again.Board()
	require.NoError(t, err)
	require.Equal(t, "ship it", b.Goal)
	require.Len(t, b.Items, 2)
	require.Equal(t, []store.ID{item, other.ID}, []store.ID{b.Items[0].ID, b.Items[1].ID}, "oldest first")
	for file, text := range content(t, filepath.Join(dir, "board")) {
		require.Regexp(t, `^(drwx------|-rw-------|Lrwxrwxrwx)`, text, file)
	}

	require.ErrorIs(t, s.Remove(t.Context(), item), ErrOpen)
	shut(t, s, item)
	require.NoError(t, s.Remove(t.Context(), item))
	_, err = s.BoundItem(by)
	require.ErrorIs(t, err, ledger.NotBound)
	_, err = s.Item(item)
	require.ErrorIs(t, err, ledger.UnknownItem)
	for file := range content(t, filepath.Join(dir, "board")) {
		require.NotContains(t, file, string(item))
		require.NotContains(t, file, string(by))
	}
}

// A refused write leaves every file as it was, to the byte.
func TestRefusedWritesChangeNothing(t *testing.T) {
	s, dir := newBoard(t)
	item, by := bound(t, s)
	other, by2 := bound(t, s)
	report(t, s, item, by, ledger.Done, "d")
	old := create(t, s, "old")
	shut(t, s, old.ID)
	for range ledger.MaxOpen - 2 {
		create(t, s, "more")
	}
	ctx, long := t.Context(), strings.Repeat("x", 501)
	before := content(t, dir)
	refused := func(code error, err error) {
		t.Helper()
		require.ErrorIs(t, err, code)
		require.Equal(t, before, content(t, dir))
	}
	_, err := tryCreate(ctx, s, newID(t), "one too many")
	refused(ledger.ItemCapExceeded, err)
	_, err = tryCreate(ctx, s, newID(t), "")
	refused(ledger.FieldInvalid, err)
	_, err = tryReport(ctx, s, item, by, ledger.Done, long)
	refused(ledger.FieldTooLong, err)
	_, err = tryReport(ctx, s, item, by2, ledger.Done, "d")
	refused(ledger.NotBound, err)
	_, err = tryReport(ctx, s, old.ID, "", ledger.Done, "d")
	refused(ledger.NotBound, err)
	_, err = tryReport(ctx, s, item, by, ledger.Done, "d")
	refused(ledger.ErrSame, err)
	_, err = tryBind(ctx, s, by, other)
	refused(ledger.AlreadyBound, err)
	_, err = tryBind(ctx, s, newID(t), item)
	refused(ledger.AlreadyBound, err)
	_, err = tryBind(ctx, s, newID(t), old.ID)
	refused(ledger.ItemClosed, err)
	_, err = tryBind(ctx, s, newID(t), newID(t))
	refused(ledger.UnknownItem, err)
	_, err = tryBind(ctx, s, "x", item)
	refused(ledger.NotBound, errors.Join(err, ledger.NotBound))
	require.Error(t, err)
	refused(ledger.FieldTooLong, s.SetGoal(ctx, strings.Repeat("x", 1001)))
	refused(ErrOpen, s.Remove(ctx, item))
}

// Whatever a writer leaves behind that dies is read as if it had finished, or not
// begun; and the next writer goes on from there.
func TestDiesAtEachStep(t *testing.T) {
	for name, c := range map[string]struct {
		do func(*Store, store.ID, store.ID) error
		// after says whether an item is as after the write.
		after func(*Store, store.ID, store.ID) bool
	}{
		"create": {
			func(s *Store, _, _ store.ID) error {
				_, err := tryCreate(context.Background(), s, newID(t), "new")
				return err
			},
			func(s *Store, _, _ store.ID) bool {
				b, err := s.Board()
				require.NoError(t, err)
				return len(b.Items) == 3
			},
		},
		"report": {
			func(s *Store, item, by store.ID) error {
				_, err := tryReport(context.Background(), s, item, by, ledger.Done, "new")
				if errors.Is(err, ledger.ErrSame) {
					err = nil
				}
				return err
			},
			func(s *Store, item, _ store.ID) bool {
				it, err := s.Item(item)
				require.NoError(t, err)
				return it.Summary == "new"
			},
		},
		"close": {
			func(s *Store, item, _ store.ID) error {
				_, err := s.Change(context.Background(), item, func(it *ledger.Item) (ledger.Event, error) { return it.PlanClose(start) })
				if errors.Is(err, ledger.ErrSame) {
					err = nil
				}
				return err
			},
			func(s *Store, item, _ store.ID) bool {
				it, err := s.Item(item)
				require.NoError(t, err)
				return !it.Open()
			},
		},
		"bind": {
			func(s *Store, _, by store.ID) error {
				b, err := s.Board()
				if err != nil {
					return err
				}
				next := store.ID(strings.Repeat("0", 26))
				_, err = tryBind(context.Background(), s, next, b.Items[1].ID)
				if errors.Is(err, ledger.ErrSame) {
					err = nil
				}
				return err
			},
			func(s *Store, _, _ store.ID) bool {
				_, err := s.BoundItem(store.ID(strings.Repeat("0", 26)))
				if err != nil {
					require.ErrorIs(t, err, ledger.NotBound)
				}
				return err == nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			steps := 0
			for at := 1; ; at++ {
				s, dir := newBoard(t)
				item, by := bound(t, s)
				create(t, s, "second")
				died := diesAt(s, at, func() { require.NoError(t, c.do(s, item, by)) })
				if !died {
					break
				}
				steps++
				again := openBoard(t, dir, records.Options{})
				read := content(t, dir)
				done := c.after(again, item, by)
				require.Equal(t, read, content(t, dir), "reading writes nothing")
				if name != "create" || !done {
					require.NoError(t, c.do(again, item, by), "step %d", at)
				}
				require.True(t, c.after(again, item, by))
				b, err := again.Board()
				require.NoError(t, err)
				for _, it := range b.Items {
					events, err := again.Events(it.ID)
					require.NoError(t, err)
					require.Len(t, events, it.Events)
				}
			}
			require.GreaterOrEqual(t, steps, 3)
		})
	}
}

// diesAt lets do die before its n-th step; it is false when there are fewer.
func diesAt(s *Store, n int, do func()) (died bool) {
	type death struct{}
	at := 0
	s.step = func(string) {
		if at++; at == n {
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

// A torn last line is ignored, and the next writer ends it.
func TestTornLine(t *testing.T) {
	s, dir := newBoard(t)
	item, by := bound(t, s)
	report(t, s, item, by, ledger.Question, "a?")
	log := filepath.Join(dir, logPath(item))
	whole, err := os.ReadFile(log)
	require.NoError(t, err)
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	line := bytes.Replace(whole[last:], []byte(`"seq":3`), []byte(`"seq":4`), 1)
	for cut := 1; cut < len(line); cut += 7 {
		require.NoError(t, os.WriteFile(log, append(bytes.Clone(whole), line[:cut]...), 0o600))
		it, err := s.Item(item)
		require.NoError(t, err)
		require.Equal(t, 3, it.Events)
	}
	report(t, s, item, by, ledger.Done, "b")
	it, err := s.Item(item)
	require.NoError(t, err)
	require.Equal(t, 4, it.Events)
	require.NoError(t, os.Remove(filepath.Join(dir, openPath(item))))
	it, err = s.Item(item)
	require.NoError(t, err)
	require.Equal(t, 4, it.Events, "from its events alone")
	require.Equal(t, "b", it.Summary)
	report(t, s, item, by, ledger.Blocked, "c")
	events, err := s.Events(item)
	require.NoError(t, err)
	require.Len(t, events, 5)
}

// Reports that were replaced do not let the log grow for ever, and leave nothing
// behind that would be folded otherwise.
func TestLogIsCompacted(t *testing.T) {
	s, dir := newBoard(t)
	item, by := bound(t, s)
	largest := 0
	for i := range 2*maxReplaced + 50 {
		report(t, s, item, by, ledger.Progress, fmt.Sprint(i))
		data, err := os.ReadFile(filepath.Join(dir, logPath(item)))
		require.NoError(t, err)
		largest = max(largest, bytes.Count(data, []byte("\n")))
	}
	require.Equal(t, 3+maxReplaced, largest)
	it, err := s.Item(item)
	require.NoError(t, err)
	require.Equal(t, 3, it.Events)
	require.NoError(t, os.Remove(filepath.Join(dir, openPath(item))))
	again, err := s.Item(item)
	require.NoError(t, err)
	require.Equal(t, it, again)
}

// A compaction whose writer died before it wrote down the item.
func TestCompactionDies(t *testing.T) {
	s, _ := newBoard(t)
	item, by := bound(t, s)
	for i := range maxReplaced + 1 {
		report(t, s, item, by, ledger.Progress, fmt.Sprint(i))
	}
	for at := 1; at <= 3; at++ {
		require.True(t, diesAt(s, at, func() { report(t, s, item, by, ledger.Progress, "new") }), "step %d", at)
		it, err := s.Item(item)
		require.NoError(t, err)
		require.Equal(t, 3, it.Events)
		require.Equal(t, at > 1, it.Summary == "new", "step %d", at)
		if at > 1 {
			break
		}
	}
	report(t, s, item, by, ledger.Done, "d")
	it, err := s.Item(item)
	require.NoError(t, err)
	require.Equal(t, 4, it.Events)
}

// The largest item that the bounds allow fits into its file.
func TestLargestItem(t *testing.T) {
	s, dir := newBoard(t)
	item, by := bound(t, s)
	text := strings.Repeat(`"`, ledger.MaxSummary-3)
	for i := 3; ; i++ {
		var ps []ledger.Pointer
		for k := range ledger.MaxReported {
			p, err := ledger.ParsePointer(fmt.Sprintf("url:https://example.org/%d/", k%4+6*(i%4)) + strings.Repeat("a", 480))
			require.NoError(t, err)
			ps = append(ps, p)
		}
		_, err := s.Change(t.Context(), item, func(it *ledger.Item) (ledger.Event, error) {
			return it.PlanReport(by, ledger.Report{Kind: ledger.Done, Summary: fmt.Sprintf("%03d%s", i, text), Artifacts: ps}, start)
		})
		if errors.Is(err, ledger.EventCapExceeded) {
			require.Equal(t, 193, i)
			break
		}
		require.NoError(t, err)
	}
	for i := range 7 {
		_, err := s.Change(t.Context(), item, func(it *ledger.Item) (ledger.Event, error) {
			return it.PlanDecision(fmt.Sprint(i)+strings.Repeat(`"`, ledger.MaxDecision-1), start)
		})
		require.NoError(t, err)
	}
	shut(t, s, item)
	info, err := os.Stat(filepath.Join(dir, logPath(item)))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(store.MaxSize))
	require.Greater(t, info.Size(), int64(store.MaxSize/2))
	events, err := s.Events(item)
	require.NoError(t, err)
	require.Len(t, events, ledger.MaxEvents)
}
