package news_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/news"
	"github.com/seed6310be5c/conduct/store"
)

var start = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

const (
	item1 store.ID = "01HZXJ0000000000000000000A"
	item2 store.ID = "01HZXJ0000000000000000000B"
	disp1 store.ID = "01HZXJ0000000000000000000D"
)

// board is a board in memory, with what happened to it.
type board struct {
	t      require.TestingT
	now    time.Time
	live   bool
	items  map[store.ID]*ledger.Item
	events map[store.ID][]ledger.Event
	box    mailbox.Box
	mail   []mailbox.Event
	asked  []news.Question
}

func newBoard(t require.TestingT) *board {
	p, err := mailbox.NewPair(item1, item2)
	require.NoError(t, err)
	b := &board{t: t, now: start, live: true, items: map[store.ID]*ledger.Item{}, events: map[store.ID][]ledger.Event{}, box: mailbox.Box{Pair: p}}
	for _, id := range []store.ID{item1, item2} {
		b.items[id] = &ledger.Item{ID: id}
		b.do(id)((&ledger.Board{}).PlanCreate(ledger.New{Title: "t"}, start))
	}
	b.do(item1)(b.items[item1].PlanBind(disp1, false, start))
	return b
}

func (b *board) do(id store.ID) func(ledger.Event, error) {
	return func(e ledger.Event, err error) {
		require.NoError(b.t, err)
		require.NoError(b.t, b.items[id].Apply(e))
		b.events[id] = ledger.Compact(append(b.events[id], e))
	}
}

func (b *board) post(e mailbox.Event, err error) {
	require.NoError(b.t, err)
	require.NoError(b.t, b.box.Apply(e))
	b.mail = append(b.mail, e)
}

func (b *board) report(kind ledger.ReportKind, text string) {
	b.now = b.now.Add(time.Second)
	b.do(item1)(b.items[item1].PlanReport(disp1, ledger.Report{Kind: kind, Summary: text}, b.now))
}

func (b *board) see() news.Board {
	return news.Board{
		Items: []ledger.Item{*b.items[item1], *b.items[item2]},
		Present: ledger.Present{Now: b.now, Live: func(id store.ID) bool { return id == disp1 && b.live },
			Unread: func(store.ID) int { return 0 }},
		Events:    func(id store.ID) ([]ledger.Event, error) { return b.events[id], nil },
		Questions: b.asked, Pairs: []mailbox.Pair{b.box.Pair}, Written: func(mailbox.Pair) ([]mailbox.Event, error) { return b.mail, nil },
	}
}

// told says in short what is new, and moves the cursor.
func (b *board) told(c *news.Cursor, all bool) []string {
	entries, next, err := news.Since(*c, b.see(), all)
	require.NoError(b.t, err)
	*c = next
	var out []string
	for _, e := range entries {
		out = append(out, strings.Join(strings.Fields(string(e.Kind)+" "+e.Says+" "+e.Text), " "))
	}
	return out
}

func TestSince(t *testing.T) {
	b := newBoard(t)
	var c, all news.Cursor
	require.Empty(t, b.told(&c, false), "what the conductor did itself is no news")
	b.report(ledger.Progress, "half")
	require.Empty(t, b.told(&c, false), "progress asks nothing of it")
	require.Equal(t, []string{"report progress half"}, b.told(&all, true))
	b.report(ledger.Progress, "nearly")
	require.Equal(t, []string{"report progress nearly"}, b.told(&all, true), "it took the place of the one before")
	b.report(ledger.Question, "which?")
	b.do(item1)(b.items[item1].PlanRequest(disp1, ledger.Request{Kind: ledger.AskRelay, Text: "ask them"}, b.items[item2], b.now.Add(time.Second)))
	require.Equal(t, []string{"report question which?", "request relay ask them"}, b.told(&c, false))
	require.Empty(t, b.told(&c, false), "told once")
	b.do(item1)(b.items[item1].PlanDecision("so", b.now))
	require.Empty(t, b.told(&c, false))

	b.post(b.box.PlanOpen(time.Hour, 5, 0, b.now))
	b.post(b.box.PlanMessage(item1, disp1, "hello", b.now))
	require.Empty(t, b.told(&c, false), "workers write over a channel that the conductor opened")
	require.Contains(t, b.told(&all, true), "message hello")

	b.asked = []news.Question{{ID: "q1", Dispatch: disp1, Text: "Bash: make", At: b.now}}
	require.Equal(t, []string{"asked Bash: make"}, b.told(&c, false))
	require.Empty(t, b.told(&c, false), "told once, while it waits")
	b.asked = nil

	b.now = b.now.Add(time.Hour)
	b.report(ledger.Progress, "on")
	require.Empty(t, b.told(&c, false))
	b.now = b.now.Add(time.Hour)
	require.Equal(t, []string{"stale"}, b.told(&c, false))
	require.Empty(t, b.told(&c, false), "told once")
	b.live = false
	require.Equal(t, []string{"orphaned"}, b.told(&c, false))
	require.Empty(t, b.told(&c, false))
	b.do(item1)(b.items[item1].PlanVerdict("blocked", disp1, b.now))
	require.Empty(t, b.told(&c, false))
}

// Who heard that an item is done, or blocked, hears once that its worker goes on.
func TestTakenBack(t *testing.T) {
	for _, kind := range []ledger.ReportKind{ledger.Done, ledger.Blocked} {
		b := newBoard(t)
		var c news.Cursor
		b.report(kind, "so far")
		require.Equal(t, []string{"report " + string(kind) + " so far"}, b.told(&c, false))
		b.do(item1)(b.items[item1].PlanRequest(disp1, ledger.Request{Kind: ledger.AskRelay, Text: "ask them"}, b.items[item2], b.now.Add(time.Second)))
		b.told(&c, false)
		b.report(ledger.Progress, "not yet")
		seen := c
		require.Equal(t, []string{"report progress not yet"}, b.told(&c, false))
		entries, _, err := news.Since(seen, b.see(), false)
		require.NoError(t, err)
		require.Equal(t, string(kind), entries[0].Undoes)
		b.report(ledger.Progress, "nearly")
		require.Empty(t, b.told(&c, false), "it took the place of the one that was told")
		b.report(kind, "now")
		b.told(&c, false)
		b.do(item1)(b.items[item1].PlanDecision("once more", b.now.Add(time.Second)))
		b.report(ledger.Progress, "again")
		require.Empty(t, b.told(&c, false), "the conductor had it go on")
	}
}

// What cannot be read is an error, and the cursor stays.
func TestUnreadableIsNotNothing(t *testing.T) {
	b := newBoard(t)
	gone := errors.New("gone")
	bad := b.see()
	bad.Events = func(store.ID) ([]ledger.Event, error) { return nil, gone }
	_, c, err := news.Since(news.Cursor{}, bad, false)
	require.ErrorIs(t, err, gone)
	require.Equal(t, news.Cursor{}, c)
	bad = b.see()
	bad.Written = func(mailbox.Pair) ([]mailbox.Event, error) { return nil, gone }
	_, _, err = news.Since(news.Cursor{}, bad, false)
	require.ErrorIs(t, err, gone)
}

// However the telling is cut into pieces, each thing is told once.
func TestEachIsToldOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBoard(t)
		var c news.Cursor
		want, got := map[string]int{}, map[string]int{}
		for i := range rapid.IntRange(1, 30).Draw(t, "reports") {
			text := strings.Repeat("x", i+1)
			b.report(rapid.SampledFrom([]ledger.ReportKind{ledger.Done, ledger.Question, ledger.Blocked}).Draw(t, "kind"), text)
			want[text] = 1
			if rapid.Bool().Draw(t, "look") {
				data := c.Encode()
				back, err := news.DecodeCursor(data)
				require.NoError(t, err)
				for _, s := range b.told(&back, false) {
					got[s[strings.LastIndex(s, " ")+1:]]++
				}
				c = back
			}
		}
		for _, s := range b.told(&c, false) {
			got[s[strings.LastIndex(s, " ")+1:]]++
		}
		require.Equal(t, want, got)
	})
}

func someCursor() news.Cursor {
	return news.Cursor{
		Items: map[store.ID]news.Place{item1: {Seq: 3, Time: start}}, Boxes: map[string]int{string(item1) + "-" + string(item2): 2},
		Said: map[store.ID]news.Kind{disp1: news.Stale}, Asked: map[string]bool{"0a1b": true},
	}
}

func TestCursorsThatAreNotWhole(t *testing.T) {
	c := someCursor()
	good := string(c.Encode())
	back, err := news.DecodeCursor([]byte(good))
	require.NoError(t, err)
	require.Equal(t, c, back)
	for name, change := range map[string][2]string{
		"torn": {"}\n", ""}, "newer": {`"schema":1`, `"schema":2`}, "unknown": {`{"schema"`, `{"x":1,"schema"`}, "id": {string(disp1), "x"},
		"kind": {`"stale"`, `"fine"`}, "pair": {string(item1) + "-", ""}, "question": {`"0a1b"`, `"../x"`}, "number": {`"seq":2`, `"seq":-1`}, "item": {`"item":"` + string(item1), `"item":"../x`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		require.NotEqual(t, good, bad, name)
		_, err := news.DecodeCursor([]byte(bad))
		require.ErrorIs(t, err, store.ErrDamaged, name)
	}
}

func FuzzDecodeCursor(f *testing.F) {
	c := someCursor()
	f.Add(c.Encode())
	f.Add([]byte(`{"schema":1,"items":[],"boxes":[],"said":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := news.DecodeCursor(data)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			return
		}
		again, err := news.DecodeCursor(c.Encode())
		require.NoError(t, err)
		require.Equal(t, string(c.Encode()), string(again.Encode()))
	})
}
