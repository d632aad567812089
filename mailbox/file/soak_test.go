package file

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/crashtest"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
)

// lane is a pair of items whose workers write to each other and fetch, and die at it.
type lane struct {
	pair mailbox.Pair

	mu    sync.Mutex
	sent  map[string]bool // a text, and whether its writer was told that it is kept
	got   []string        // the texts of each fetch, joined
	dead  int             // fetches of which nobody was told
	kills int
}

// write writes a text, and opens the channel when it is at its end. It says what went wrong.
func (l *lane) write(s *Store, do func(deed) answer, from store.ID, text string) error {
	for {
		a := do(deed{Verb: writes, Pair: l.pair, Item: from, Text: text})
		switch a.Code {
		case "", died:
			l.mu.Lock()
			defer l.mu.Unlock()
			l.sent[text] = a.Code == ""
			if a.Code == died {
				l.kills++
			}
			return nil
		case string(ledger.NoChannel), string(ledger.ChannelExhausted):
			if b := s.do(deed{Verb: opens, Pair: l.pair, Limit: 10}); b.Code != "" && b.Code != string(ledger.ChannelOpen) {
				return fmt.Errorf("open: %s", b.Code)
			}
		default:
			return fmt.Errorf("write: %s", a.Code)
		}
	}
}

// fetch fetches once, and says how many it got.
func (l *lane) fetch(do func(deed) answer, item store.ID) (int, error) {
	a := do(deed{Verb: fetches, Pair: l.pair, Item: item})
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case a.Code == died:
		l.dead++
	case a.Code != "":
		return 0, fmt.Errorf("fetch: %s", a.Code)
	case len(a.Texts) > 0:
		l.got = append(l.got, strings.Join(a.Texts, ","))
	}
	return len(a.Texts), nil
}

// check holds the events against what everybody was told. Each text that was acknowledged
// is there, once. Each is fetched by exactly one fetch, whose answer holds all that it took;
// only where the fetcher died, nobody was told.
func (l *lane) check(s *Store) error {
	events, err := s.Events(l.pair)
	if err != nil {
		return err
	}
	there := map[string]int{}
	open, dead := slices.Clone(l.got), l.dead
	before := mailbox.Box{Pair: l.pair}
	for _, e := range events {
		after := before
		if err := after.Apply(e); err != nil {
			return err
		}
		switch e.Kind {
		case mailbox.KindMessage:
			there[e.Text]++
		case mailbox.KindFetch:
			if at := slices.Index(open, taken(before, after)); at >= 0 {
				open = slices.Delete(open, at, at+1)
			} else if dead--; dead < 0 {
				return fmt.Errorf("nobody was told of %q", taken(before, after))
			}
		}
		before = after
	}
	if len(open) > 0 || before.Unread(l.pair.A)+before.Unread(l.pair.B) > 0 {
		return fmt.Errorf("fetched without being there: %q; %d and %d messages wait", open, before.Unread(l.pair.A), before.Unread(l.pair.B))
	}
	for text, told := range l.sent {
		if n := there[text]; n > 1 || n == 0 && told {
			return fmt.Errorf("%q is there %d times", text, n)
		}
	}
	return nil
}

// taken are the texts that a fetch took, joined.
func taken(before, after mailbox.Box) string {
	var out []string
	for i, m := range after.Messages {
		if !m.Delivered.IsZero() && before.Messages[i].Delivered.IsZero() {
			out = append(out, m.Text)
		}
	}
	return strings.Join(out, ",")
}

// crew is who works on a lane: two who write and three who fetch, two of them for the
// same item.
type crew struct {
	writers  [2]func(deed) answer
	fetchers [3]func(deed) answer
}

// each is how many texts a writer writes in a round.
const each = 20

// round has a crew write and fetch, all at once, until all is fetched.
func (l *lane) round(t *testing.T, s *Store, c crew) {
	var writing, fetching sync.WaitGroup
	done := make(chan struct{})
	for i, do := range c.writers {
		from := [2]store.ID{l.pair.A, l.pair.B}[i]
		writing.Go(func() {
			for n := range each {
				if err := l.write(s, do, from, fmt.Sprintf("%d-%d", i, n)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i, do := range c.fetchers {
		item := [3]store.ID{l.pair.A, l.pair.B, l.pair.B}[i]
		fetching.Go(func() {
			for {
				if _, err := l.fetch(do, item); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	fetching.Wait()
	for _, item := range []store.ID{l.pair.A, l.pair.B} {
		for n := 1; n > 0; {
			var err error
			if n, err = l.fetch(s.do, item); err != nil {
				t.Error(err)
			}
		}
	}
	if err := l.check(s); err != nil {
		t.Error(err)
	}
}

// TestSoak has writers and readers at the same boxes, each a process that is killed at any
// moment, again and again: what was acknowledged is fetched exactly once. A fetch whose
// process died when it was noted counts. CONDUCT_SOAK=60s makes it longer.
func TestSoak(t *testing.T) {
	s, dir := newStore(t)
	until := time.Now().Add(crashtest.Time(2 * time.Second))
	var wg sync.WaitGroup
	var mu sync.Mutex
	sent, kills := 0, 0
	for range 6 {
		var c crew
		for _, actors := range [][]func(deed) answer{c.writers[:], c.fetchers[:]} {
			for i := range actors {
				do, end := mortal(t, dir)
				t.Cleanup(end)
				actors[i] = do
			}
		}
		mine := openStore(t, dir)
		wg.Go(func() {
			for first := true; first || time.Now().Before(until) && !t.Failed(); first = false {
				l := &lane{pair: newPair(t), sent: map[string]bool{}}
				l.round(t, mine, c)
				if err := mine.Forget(context.Background(), l.pair.A); err != nil {
					t.Error(err)
				}
				mu.Lock()
				sent, kills = sent+len(l.sent), kills+l.kills+l.dead
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d messages, %d killed", sent, kills)
	require.NotZero(t, kills)
	boxes, err := s.Boxes("")
	require.NoError(t, err)
	require.Empty(t, boxes)
}

// What TestSoak looks for is found.
func TestSoakFindsLosses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(l *lane)
		want  string
	}{
		"nothing is wrong":           {func(*lane) {}, ""},
		"a message is lost":          {func(l *lane) { l.sent["x"] = true }, `"x" is there 0 times`},
		"one that died is not":       {func(l *lane) { l.sent["x"] = false }, ""},
		"a message is fetched twice": {func(l *lane) { l.got = append(l.got, "a") }, `fetched without being there: ["a"]`},
		"an answer lacks a message":  {func(l *lane) { l.got = []string{"a"} }, `nobody was told of "a,b"`},
		"the fetch died":             {func(l *lane) { l.got, l.dead = nil, 1 }, ""},
		"the fetch has no answer":    {func(l *lane) { l.got = nil }, `nobody was told of "a,b"`},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t)
			l := &lane{pair: newPair(t), sent: map[string]bool{}}
			for _, text := range []string{"a", "b"} {
				require.NoError(t, l.write(s, s.do, l.pair.A, text))
			}
			require.ErrorContains(t, l.check(s), "0 and 2 messages wait")
			_, err := l.fetch(s.do, l.pair.B)
			require.NoError(t, err)
			c.spoil(l)
			if err := l.check(s); c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}
