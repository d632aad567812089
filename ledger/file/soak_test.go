package file

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/crashtest"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/wire"
)

// sent is a report with what its worker was told.
type sent struct {
	deed
	told bool // that it is kept
}

// lane is a worker that reports, dies and begins anew, with the item that it is at. After
// a while the item is closed, removed, and followed by another one.
type lane struct {
	t     *testing.T
	s     *Store
	do    func(deed) answer
	name  string
	item  store.ID
	by    store.ID
	sent  []sent
	kept  int // reports that were acknowledged, of all items
	kills int
}

func (l *lane) begin() {
	l.sent, l.item, l.by = nil, newID(l.t), newID(l.t)
	for _, d := range []deed{{Verb: makes, Item: l.item}, {Verb: binds, Item: l.item, By: l.by}} {
		if a := l.s.do(d); a.Code != "" {
			l.t.Errorf("%s: %s: %s", l.name, d.Verb, a.Code)
		}
	}
}

// renewal is after how many reports a lane begins with another item.
const renewal = 12

// report reports once, and says whether it could.
func (l *lane) report(n int) bool {
	if n%renewal == renewal-1 {
		l.renew()
	}
	d := deed{Verb: reports, Item: l.item, By: l.by, Kind: ledger.ReportKinds()[rand.IntN(4)], Text: fmt.Sprintf("%s-%d", l.name, n)}
	switch a := l.do(d); a.Code {
	case "":
		l.sent, l.kept = append(l.sent, sent{d, true}), l.kept+1
	case died:
		l.sent, l.kills = append(l.sent, sent{d, false}), l.kills+1
	default:
		l.t.Errorf("%s: %s", l.name, a.Code)
		return false
	}
	return true
}

// renew leaves the item and begins with another one.
func (l *lane) renew() {
	if err := l.check(); err != nil {
		l.t.Error(err)
	}
	if a := l.s.do(deed{Verb: closes, Item: l.item}); a.Code != "" {
		l.t.Errorf("%s: close: %s", l.name, a.Code)
	}
	if err := l.s.Remove(l.t.Context(), l.item); err != nil {
		l.t.Errorf("%s: %v", l.name, err)
	}
	l.begin()
}

// check compares the events with what was sent: what was acknowledged is there, once and
// in its place; of the rest what is there is in its place too. Progress that other
// progress followed is replaced, whoever was told of it.
func (l *lane) check() error {
	events, err := l.s.Events(l.item)
	if err != nil {
		return fmt.Errorf("lane %s: %w", l.name, err)
	}
	there := map[string]bool{}
	var got []string
	for _, e := range events[2:] {
		got = append(got, e.Text)
		there[e.Text] = true
	}
	var want []string
	replaces := false
	for _, r := range l.sent {
		if !r.told && !there[r.Text] {
			continue
		}
		if replaces && r.Kind == ledger.Progress {
			want = want[:len(want)-1]
		}
		want, replaces = append(want, r.Text), r.Kind == ledger.Progress
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("lane %s: the events are\n%v, and should be\n%v", l.name, got, want)
	}
	return nil
}

// readers reads all views again and again until stop, and counts.
func readers(t *testing.T, dir string, stop <-chan struct{}) (views int) {
	s := openBoard(t, dir, records.Options{})
	for {
		select {
		case <-stop:
			return views
		default:
		}
		b, err := s.Board()
		if err != nil {
			t.Errorf("the board: %v", err)
			return views
		}
		p := ledger.Present{Now: start, Live: func(store.ID) bool { return true }, Unread: func(store.ID) int { return 0 }, Unit: func(store.ID) string { return "" }}
		parses(t, ledger.Encode(b.Conductor(p)))
		parses(t, ledger.Encode(b.Page(p)))
		views += 2
		for i := range b.Items {
			// It may be gone, or closed, since.
			seen, own, err := s.Brief(b.Items[i].Dispatch)
			if err != nil {
				continue
			}
			v, err := seen.Brief(own, p)
			if err != nil {
				t.Errorf("a brief: %v", err)
				return views
			}
			parses(t, ledger.Encode(v))
			views++
		}
	}
}

func parses(t *testing.T, view []byte) {
	r := wire.NewReader(view)
	if err := r.Skip(); err != nil {
		t.Errorf("a view: %v: %s", err, view)
	}
	if err := r.End(); err != nil {
		t.Errorf("a view: %v: %s", err, view)
	}
}

// TestSoak has as many workers as there may be report at once, each a process that is
// killed at any moment, again and again: what they were told is kept is there, once and in
// order, and every view can be read meanwhile. CONDUCT_SOAK=60s makes it longer.
func TestSoak(t *testing.T) {
	_, dir := newBoard(t)
	lanes := make([]*lane, ledger.MaxOpen)
	stop := make(chan struct{})
	var reading, working sync.WaitGroup
	for i := range lanes {
		do, end := mortal(t, dir)
		t.Cleanup(end)
		lanes[i] = &lane{t: t, s: openBoard(t, dir, records.Options{LockWait: time.Minute}), do: do, name: fmt.Sprint(i)}
		lanes[i].begin()
	}
	views := 0
	reading.Go(func() { views = readers(t, dir, stop) })
	for _, l := range lanes {
		working.Go(func() {
			l.report(0) // its program has started
			until := time.Now().Add(crashtest.Time(2 * time.Second))
			for n := 1; time.Now().Before(until) && l.report(n); n++ {
			}
		})
	}
	working.Wait()
	close(stop)
	reading.Wait()
	kept, kills := 0, 0
	for _, l := range lanes {
		require.NoError(t, l.check())
		kept, kills = kept+l.kept, kills+l.kills
	}
	t.Logf("%d reports acknowledged, %d killed, %d views read", kept, kills, views)
	require.Greater(t, kept, len(lanes))
	require.NotZero(t, kills)
	require.NotZero(t, views)
}

// What TestSoak looks for is found: a report that is lost, one that is there twice, two
// in the wrong order.
func TestSoakFindsLosses(t *testing.T) {
	for name, lie := range map[string]func(s *Store, d deed) answer{
		"lost": func(*Store, deed) answer { return answer{} },
		"twice": func(s *Store, d deed) answer {
			s.do(d)
			s.do(deed{Verb: reports, Item: d.Item, By: d.By, Kind: ledger.Done, Text: "between"})
			return s.do(d)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newBoard(t)
			l := &lane{t: t, s: s, do: s.do, name: "lane"}
			l.begin()
			require.True(t, l.report(0))
			require.NoError(t, l.check())
			l.do = func(d deed) answer { return lie(s, d) }
			require.True(t, l.report(1))
			require.ErrorContains(t, l.check(), "the events are")
		})
	}
	s, _ := newBoard(t)
	l := &lane{t: t, s: s, do: s.do}
	l.begin()
	for n, kind := range []ledger.ReportKind{ledger.Done, ledger.Blocked} {
		d := deed{Verb: reports, Item: l.item, By: l.by, Kind: kind, Text: fmt.Sprint(n)}
		require.Empty(t, s.do(d).Code)
		l.sent = slices.Insert(l.sent, 0, sent{d, true})
	}
	require.ErrorContains(t, l.check(), "the events are")
}
