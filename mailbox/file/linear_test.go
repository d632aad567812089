package file

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/crashtest"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
)

// state is what a box is by the model, which knows nothing of events, files or locks.
type state struct {
	events int
	open   bool   // the conductor did not close the channel, if there was one
	left   int    // messages that it would carry
	toA    string // what waits for the first item of the pair: texts, each ended by a comma
	toB    string
	last   deed // what the last event says
}

// waits is what waits for an item.
func (was *state) waits(d deed) *string {
	if d.Item == d.Pair.A {
		return &was.toA
	}
	return &was.toB
}

// after is what a box may be when a deed was done alone, and the answer was a.
func (was state) after(d deed, a answer) []state {
	if d.Verb == fetches {
		return was.fetched(d, a)
	}
	next, want := was.changed(d)
	switch {
	case a.Code == died && want.Code == "":
		return []state{was, next}
	case a.Code != died && (a.Code != want.Code || a.Unread != want.Unread || a.Events != want.Events):
		return nil
	}
	return []state{next}
}

// changed is a box after a deed that is no fetch, and the answer.
func (was state) changed(d deed) (next state, want answer) {
	next = was
	switch carries := was.open && was.left > 0; {
	case d.Verb == counts:
		return was, answer{Unread: strings.Count(*was.waits(d), ","), Events: was.events}
	case d.Verb == opens && carries:
		return was, answer{Code: string(ledger.ChannelOpen)}
	case d.Verb == opens:
		next.open, next.left = true, d.Limit
	case d.Verb == closes && !was.open, was.last == d:
		return was, answer{Code: same, Events: was.events}
	case d.Verb == closes:
		next.open = false
	case !was.open:
		return was, answer{Code: string(ledger.NoChannel)}
	case !carries:
		return was, answer{Code: string(ledger.ChannelExhausted)}
	default:
		next.left--
		to := deed{Pair: d.Pair, Item: d.Pair.Other(d.Item)}
		*next.waits(to) += d.Text + ","
	}
	next.last = d
	next.events++
	return next, answer{Events: next.events}
}

// fetched are the boxes after a fetch. One worker fetches for an item at a time, and gets
// the oldest messages, at most so many; of those that came while it was at it not all.
func (was state) fetched(d deed, a answer) []state {
	waiting := strings.SplitAfter(*was.waits(d), ",")
	waiting = waiting[:len(waiting)-1]
	took := func(n int) state {
		next := was
		*next.waits(d) = strings.Join(waiting[n:], "")
		if n > 0 {
			next.last = d
			next.events++
		}
		return next
	}
	if a.Code == died {
		var out []state
		for n := range min(len(waiting), mailbox.MaxInbox) + 1 {
			out = append(out, took(n))
		}
		return out
	}
	n := len(a.Texts)
	if a.Code != "" || n > min(len(waiting), mailbox.MaxInbox) || n == 0 && len(waiting) > 0 {
		return nil
	}
	for i, text := range a.Texts {
		if waiting[i] != text+"," {
			return nil
		}
	}
	return []state{took(n)}
}

// box is the model: deeds are done one after the other. One whose process was killed was
// done before that, or never is.
func box() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: byPair,
		Init:      func() []any { return []any{state{}} },
		Step: func(was, in, out any) (next []any) {
			for _, s := range was.(state).after(in.(deed), out.(answer)) {
				next = append(next, s)
			}
			return next
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v: %+v", in, out) },
	}
	return m.ToModel()
}

// byPair parts a history by boxes: one is linearizable when the history of each box is.
func byPair(all []porcupine.Operation) (out [][]porcupine.Operation) {
	of := map[mailbox.Pair][]porcupine.Operation{}
	for _, op := range all {
		p := op.Input.(deed).Pair
		of[p] = append(of[p], op)
	}
	for _, ops := range of {
		out = append(out, ops)
	}
	return out
}

// writing is what somebody wants next of one of the boxes who does not fetch. Texts are
// few, so that some are said again.
func writing(pairs []mailbox.Pair) deed {
	p := pairs[rand.IntN(len(pairs))]
	d := deed{Pair: p, Item: p.A}
	if rand.IntN(2) == 0 {
		d.Item = p.B
	}
	switch n := rand.IntN(100); {
	case n < 10:
		return deed{Verb: opens, Pair: p, Limit: 1 + rand.IntN(12)}
	case n < 13:
		return deed{Verb: closes, Pair: p}
	case n < 30:
		d.Verb = counts
	default:
		d.Verb, d.Text = writes, fmt.Sprint(rand.IntN(40))
	}
	return d
}

// asked has somebody do deeds, and notes them.
func asked(h *crashtest.History, client int, next func() deed, do func(deed) answer) {
	for range 60 {
		d := next()
		call := h.Now()
		h.Add(client, call, d, do(d))
	}
}

// history has several write and fetch, in the same boxes and all at once. actor makes the
// next of them.
func history(t *testing.T, actor func(client int, dir string) (do func(deed) answer, end func())) []porcupine.Operation {
	s, dir := newStore(t)
	h, pairs := crashtest.NewHistory(), []mailbox.Pair{newPair(t), newPair(t)}
	for _, p := range pairs {
		d := deed{Verb: opens, Pair: p, Limit: 20}
		h.Add(0, h.Now(), d, s.do(d))
	}
	wishes := slices.Repeat([]func() deed{func() deed { return writing(pairs) }}, 4)
	wishes = append(wishes,
		func() deed { p := pairs[rand.IntN(2)]; return deed{Verb: fetches, Pair: p, Item: p.A} },
		func() deed { p := pairs[rand.IntN(2)]; return deed{Verb: fetches, Pair: p, Item: p.B} })
	var wg sync.WaitGroup
	for client, next := range wishes {
		do, end := actor(client, dir)
		wg.Go(func() {
			defer end()
			asked(h, client, next, do)
		})
	}
	wg.Wait()
	return h.Operations()
}

// Whatever stores of this process and others do at once, and whoever of these is killed
// meanwhile, comes out as if it had been done one after the other.
func TestLinearizable(t *testing.T) {
	until := time.Now().Add(crashtest.Time(0))
	for {
		ops := history(t, func(client int, dir string) (func(deed) answer, func()) {
			if client < 3 {
				return openStore(t, dir).do, func() {}
			}
			return mortal(t, dir)
		})
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(box(), ops, time.Minute))
		seen, got := map[string]int{}, 0
		for _, op := range ops {
			a := op.Output.(answer)
			seen[a.Code]++
			got += len(a.Texts)
		}
		require.Greater(t, seen[""], 100, "%v", seen)
		require.Greater(t, got, 20)
		require.NotZero(t, seen[died], "nobody was killed: %v", seen)
		if !time.Now().Before(until) {
			t.Logf("%d operations in the last round, %d messages fetched: %v", len(ops), got, seen)
			return
		}
	}
}

// A checker that finds nothing is none: locks that hold nobody off are found, since
// somebody deletes their files, and a reader that counts only once.
func TestLinearizableFindsBugs(t *testing.T) {
	for name, plant := range map[string]func(s *Store, dir string) func(deed) answer{
		"locks that hold nobody off": func(s *Store, dir string) func(deed) answer {
			return func(d deed) answer {
				s.step = func(string) { _ = os.Remove(filepath.Join(dir, "locks", lockOf(d.Pair)+".lock")) }
				return s.do(d)
			}
		},
		"a reader that counts only once": func(s *Store, _ string) func(deed) answer {
			had := map[deed]answer{}
			return func(d deed) answer {
				a, ok := had[d]
				if !ok {
					a = s.do(d)
				}
				if d.Verb == counts {
					had[d] = a
				}
				return a
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for round := 0; ; round++ {
				require.Less(t, round, 20, "it is not found")
				ops := history(t, func(_ int, dir string) (func(deed) answer, func()) { return plant(openStore(t, dir), dir), func() {} })
				if porcupine.CheckOperationsTimeout(box(), ops, time.Minute) == porcupine.Illegal {
					return
				}
			}
		})
	}
}
