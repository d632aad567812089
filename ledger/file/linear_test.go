package file

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/crashtest"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

// state is what an item is by the model, which knows nothing of events, files or locks.
type state struct {
	square
	last deed // what its last event says
}

// after is what an item is when a deed was done alone, and the code of the answer.
func (was state) after(d deed) (next state, code string) {
	next = was
	switch is := func(v ...verb) bool { return slices.Contains(v, d.Verb) }; {
	case d.Verb == makes && was.Events > 0:
		return was, exists
	case d.Verb == makes:
		next.Events, next.Status, next.State, next.last = 1, ledger.StatusNew, ledger.StateWaiting, d
		return next, ""
	case was.Events == 0:
		return was, string(ledger.UnknownItem)
	case is(looks, recounts):
		return was, ""
	case d.Verb == reports && d.By != was.By:
		return was, string(ledger.NotBound)
	case was.State == ledger.StateClosed && d.Verb == closes, was.State != ledger.StateClosed && was.says(d):
		return was, same
	case was.State == ledger.StateClosed:
		return was, string(ledger.ItemClosed)
	case d.Verb == binds && d.By == was.By:
		return was, string(ledger.AlreadyBound)
	}
	return was.grown(d), ""
}

// says tells whether an open item says already what a deed would.
func (was state) says(d deed) bool {
	switch d.Verb {
	case binds:
		return was.By == d.By && was.State == ledger.StateBound
	case judges:
		return was.State == ledger.StateJudged && was.Verdict == d.Verdict
	}
	return was.last == d
}

// grown is an item with one more event, which may take the place of the last one.
func (was state) grown(d deed) state {
	next := was
	next.last, next.Bare = d, false
	if !was.Bare || d.Verb != reports || d.Kind != ledger.Progress {
		next.Events++
	}
	switch d.Verb {
	case binds:
		next.By, next.Status, next.State, next.Verdict = d.By, ledger.StatusWorking, ledger.StateBound, ""
		next.Round++
	case reports:
		next.Summary, next.Status, next.Bare = d.Text, ledger.Status(d.Kind), d.Kind == ledger.Progress
		if d.Kind == ledger.Progress {
			next.Status = ledger.StatusWorking
		}
	case decides:
		next.Decision = d.Text
	case judges:
		next.Verdict, next.State = d.Verdict, ledger.StateJudged
	case closes:
		next.Status, next.State = ledger.StatusClosed, ledger.StateClosed
	}
	return next
}

// board is the model: deeds are done one after the other. One whose process was killed
// was done before that, or never is.
func board() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: byItem,
		Init:      func() []any { return []any{state{}} },
		Step: func(was, in, out any) []any {
			a := out.(answer)
			next, code := was.(state).after(in.(deed))
			switch {
			case a.Code == died && code == "":
				return []any{was, next}
			case a.Code == died:
				return []any{was}
			case a.Code != code, (code == "" || code == same) && a.Square != next.square:
				return nil
			}
			return []any{next}
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v: %+v", in, out) },
	}
	return m.ToModel()
}

// byItem parts a history by items: one is linearizable when the history of each item is.
func byItem(all []porcupine.Operation) [][]porcupine.Operation {
	of := map[store.ID][]porcupine.Operation{}
	for _, op := range all {
		id := op.Input.(deed).Item
		of[id] = append(of[id], op)
	}
	var out [][]porcupine.Operation
	for _, ops := range of {
		out = append(out, ops)
	}
	return out
}

// play is some items with what may happen to them.
type play struct {
	items   []store.ID
	workers map[store.ID][]store.ID
}

func newPlay(t *testing.T) play {
	p := play{workers: map[store.ID][]store.ID{}}
	for range 3 {
		id := newID(t)
		p.items = append(p.items, id)
		p.workers[id] = []store.ID{newID(t), newID(t)}
	}
	return p
}

// deed is what somebody wants next. Texts are few, so that some are said again.
func (p play) deed() deed {
	id := p.items[rand.IntN(len(p.items))]
	d := deed{Item: id, By: p.workers[id][rand.IntN(2)], Text: fmt.Sprint(rand.IntN(40))}
	switch n := rand.IntN(100); {
	case n < 4:
		return deed{Verb: makes, Item: id}
	case n < 14:
		return deed{Verb: binds, Item: id, By: d.By}
	case n < 20:
		return deed{Verb: decides, Item: id, Text: d.Text}
	case n < 24:
		return deed{Verb: judges, Item: id, Verdict: dispatch.Verdicts()[rand.IntN(2)]}
	case n < 25:
		return deed{Verb: closes, Item: id}
	case n < 45:
		return deed{Verb: looks, Item: id}
	case n < 55:
		return deed{Verb: recounts, Item: id}
	}
	d.Verb, d.Kind = reports, ledger.ReportKinds()[rand.IntN(4)]
	return d
}

// asked has somebody do deeds, and notes them.
func asked(h *crashtest.History, client, deeds int, next func() deed, do func(deed) answer) {
	for range deeds {
		d := next()
		call := h.Now()
		h.Add(client, call, d, do(d))
	}
}

// glance reads the whole board. Each item in it is as it was at one moment of the
// reading, not all of them at the same one: readers take no lock.
func glance(t *testing.T, h *crashtest.History, client int, p play, s *Store) {
	call := h.Now()
	b, err := s.Board()
	if err != nil {
		t.Errorf("the board: %v", err)
		return
	}
	for _, id := range p.items {
		a := answer{Code: string(ledger.UnknownItem)}
		if it, err := b.Find(id); err == nil {
			a = answer{Square: squareOf(*it)}
		}
		h.Add(client, call, deed{Verb: looks, Item: id}, a)
	}
}

// history has stores of this process, processes that are killed and a reader of the
// board do deeds on one board, all at once.
func history(t *testing.T, deeds int) []porcupine.Operation {
	s, dir := newBoard(t)
	h, p := crashtest.NewHistory(), newPlay(t)
	for _, id := range p.items[1:] {
		asked(h, 0, 1, func() deed { return deed{Verb: makes, Item: id} }, s.do)
		asked(h, 0, 1, func() deed { return deed{Verb: binds, Item: id, By: p.workers[id][0]} }, s.do)
	}
	var wg sync.WaitGroup
	for client := range 3 {
		mine := openBoard(t, dir, records.Options{LockWait: time.Minute})
		wg.Go(func() { asked(h, client, deeds, p.deed, mine.do) })
	}
	for client := 3; client < 6; client++ {
		wg.Go(func() {
			do, end := mortal(t, dir)
			defer end()
			asked(h, client, deeds, p.deed, do)
		})
	}
	reader := openBoard(t, dir, records.Options{})
	wg.Go(func() {
		for range deeds {
			glance(t, h, 6, p, reader)
		}
	})
	wg.Wait()
	return h.Operations()
}

// Whatever is done to a board at once, and whoever is killed meanwhile, comes out as if
// it had been done one after the other.
func TestLinearizable(t *testing.T) {
	until := time.Now().Add(crashtest.Time(0))
	for {
		ops := history(t, 60)
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(board(), ops, time.Minute))
		seen := map[string]int{}
		for _, op := range ops {
			seen[op.Output.(answer).Code]++
		}
		require.Greater(t, seen[""], 100, "%v", seen)
		require.NotZero(t, seen[died], "nobody was killed: %v", seen)
		if !time.Now().Before(until) {
			t.Logf("%d operations in the last round: %v", len(ops), seen)
			return
		}
	}
}

// A checker that finds nothing is none: locks that hold nobody off are found, since
// somebody deletes their files, and a reader that looks only once.
func TestLinearizableFindsBugs(t *testing.T) {
	for name, plant := range map[string]func(s *Store, dir string, p play) func(deed) answer{
		"locks that hold nobody off": func(s *Store, dir string, p play) func(deed) answer {
			s.step = func(string) {
				for _, id := range p.items {
					_ = os.Remove(filepath.Join(dir, "locks", lockOf(id)+".lock"))
				}
			}
			return s.do
		},
		"a reader that looks only once": func(s *Store, _ string, _ play) func(deed) answer {
			had := map[store.ID]answer{}
			return func(d deed) answer {
				a, ok := had[d.Item]
				if d.Verb == looks && ok {
					return a
				}
				a = s.do(d)
				if d.Verb == looks {
					had[d.Item] = a
				}
				return a
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for round := 0; ; round++ {
				require.Less(t, round, 50, "it is not found")
				_, dir := newBoard(t)
				h, p := crashtest.NewHistory(), newPlay(t)
				var wg sync.WaitGroup
				for client := range 6 {
					do := plant(openBoard(t, dir, records.Options{LockWait: time.Minute}), dir, p)
					wg.Go(func() { asked(h, client, 40, p.deed, do) })
				}
				wg.Wait()
				if porcupine.CheckOperationsTimeout(board(), h.Operations(), time.Minute) == porcupine.Illegal {
					return
				}
			}
		})
	}
}
