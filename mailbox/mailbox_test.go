package mailbox_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
)

var start = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

const (
	item1 store.ID = "01HZXJ0000000000000000000A"
	item2 store.ID = "01HZXJ0000000000000000000B"
	item3 store.ID = "01HZXJ0000000000000000000C"
	disp1 store.ID = "01HZXJ0000000000000000000D"
	disp2 store.ID = "01HZXJ0000000000000000000E"
)

func pair(t require.TestingT, x, y store.ID) mailbox.Pair {
	p, err := mailbox.NewPair(x, y)
	require.NoError(t, err)
	return p
}

// do applies what was planned.
func do(t require.TestingT, b *mailbox.Box) func(mailbox.Event, error) {
	return func(e mailbox.Event, err error) {
		require.NoError(t, err)
		require.NoError(t, b.Apply(e))
	}
}

// Scripts and other programs hold on to these names and bounds.
func TestNamesAndBounds(t *testing.T) {
	require.Equal(t, []mailbox.Kind{"channel_open", "channel_close", "message", "relay", "fetch"}, mailbox.Kinds())
	require.Equal(t, []mailbox.ChannelState{"none", "open", "expired", "exhausted"}, []mailbox.ChannelState{
		mailbox.ChannelNone, mailbox.ChannelOpen, mailbox.ChannelExpired, mailbox.ChannelExhausted,
	})
	require.Equal(t, []int{500, 50, 16, 400, 8}, []int{mailbox.MaxText, mailbox.MaxMessages, mailbox.MaxOpen, mailbox.MaxEvents, mailbox.MaxInbox})
	require.Equal(t, 86400*time.Second, mailbox.MaxTTL)
}

func TestPairs(t *testing.T) {
	require.Equal(t, pair(t, item1, item2), pair(t, item2, item1))
	p := pair(t, item2, item1)
	require.Equal(t, item1, p.Other(item2))
	require.Equal(t, item2, p.Other(item1))
	back, ok := mailbox.ParsePair(p.Name())
	require.True(t, ok)
	require.Equal(t, p, back)
	for _, bad := range []string{"", string(item1), string(item2) + "-" + string(item1), "../x-y", p.Name() + "-", string(item1) + "-" + string(item1)} {
		_, ok := mailbox.ParsePair(bad)
		require.False(t, ok, bad)
	}
	_, err := mailbox.NewPair(item1, item1)
	require.ErrorIs(t, err, ledger.FieldInvalid)
	_, err = mailbox.NewPair(item1, "../x")
	require.ErrorIs(t, err, ledger.UnknownItem)
}

// someBox is the box of two items after a random life, with all its events and the
// time at its end.
func someBox(t *rapid.T, p mailbox.Pair) (mailbox.Box, []mailbox.Event, time.Time) {
	b := mailbox.Box{Pair: p}
	var events []mailbox.Event
	now := start
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		now = now.Add(time.Duration(rapid.IntRange(-1, 30).Draw(t, "s")) * time.Second)
		e, err := step(t, &b, now)
		if err != nil {
			continue
		}
		require.NoError(t, b.Apply(e), "what was planned can be applied")
		events = append(events, e)
	}
	return b, events, now
}

// step plans one random event.
func step(t *rapid.T, b *mailbox.Box, now time.Time) (mailbox.Event, error) {
	side := rapid.SampledFrom([]store.ID{b.A, b.B}).Draw(t, "side")
	text := rapid.SampledFrom([]string{"one", "two", "a \"quoted\" text"}).Draw(t, "text")
	switch rapid.SampledFrom([]string{"open", "close", "message", "message", "message", "relay", "fetch"}).Draw(t, "what") {
	case "open":
		return b.PlanOpen(time.Minute, rapid.IntRange(1, 4).Draw(t, "limit"), 0, now)
	case "close":
		return b.PlanClose(now)
	case "relay":
		return b.PlanRelay(side, text, now)
	case "fetch":
		return b.PlanFetch(side, disp2, rapid.IntRange(1, b.Events+1).Draw(t, "upto"), now)
	}
	return b.PlanMessage(side, disp1, text, now)
}

// What is folded at once is what was folded step by step, through the bytes too, and
// no step changes what was there before it.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, events, _ := someBox(t, pair(t, item1, item2))
		var again []mailbox.Event
		for _, e := range events {
			got, err := mailbox.Decode(e.Encode())
			require.NoError(t, err)
			require.Equal(t, e, got)
			again = append(again, got)
		}
		whole, err := mailbox.Fold(b.Pair, again)
		require.NoError(t, err)
		require.Equal(t, b, whole)
		part, err := mailbox.Fold(b.Pair, events[:len(events)/2])
		require.NoError(t, err)
		for i, m := range part.Messages {
			later := b.Messages[i]
			later.Delivered = m.Delivered
			require.Equal(t, m, later, "a message stays as it was")
		}
	})
}

// However the two fill their box, what waits can be fetched one by one, and the channel
// be closed.
func TestRoomIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := mailbox.Box{Pair: pair(t, item1, item2)}
		full := 0
		for n := 0; full < 3; n++ {
			var err error
			var e mailbox.Event
			switch {
			case b.Channel.State(start) != mailbox.ChannelOpen:
				e, err = b.PlanOpen(time.Hour, rapid.IntRange(1, 50).Draw(t, "limit"), 0, start)
			case rapid.IntRange(0, 20).Draw(t, "close") == 0:
				e, err = b.PlanClose(start)
			default:
				e, err = b.PlanMessage([]store.ID{item1, item2}[n%2], disp1, strings.Repeat("x", n%7+1), start)
			}
			if errors.Is(err, ledger.EventCapExceeded) {
				full++
				continue
			}
			if errors.Is(err, ledger.ErrSame) {
				continue
			}
			full = 0
			do(t, &b)(e, err)
		}
		if b.Channel.State(start) != mailbox.ChannelNone {
			do(t, &b)(b.PlanClose(start))
		}
		for _, m := range slices.Clone(b.Messages) {
			do(t, &b)(b.PlanFetch(m.To, disp2, m.Seq, start))
		}
		require.Zero(t, b.Unread(item1)+b.Unread(item2))
		require.LessOrEqual(t, b.Events, mailbox.MaxEvents)
	})
}

// Each message is in one answer, in its order, and never more than eight at once.
func TestEachIsFetchedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _, now := someBox(t, pair(t, item1, item2))
		c, _, _ := someBox(t, pair(t, item1, item3))
		boxes := []mailbox.Box{b, c}
		waiting := b.Unread(item1) + c.Unread(item1)
		var seqs []int
		for waiting > 0 {
			next, left := mailbox.Next(boxes, item1)
			require.LessOrEqual(t, len(next), mailbox.MaxInbox)
			require.Equal(t, waiting, len(next)+left)
			upto := map[store.ID]int{}
			for _, m := range next {
				upto[m.From] = m.Seq
				if m.From == item2 {
					seqs = append(seqs, m.Seq)
				}
			}
			for i := range boxes {
				if n := upto[boxes[i].Other(item1)]; n > 0 {
					do(t, &boxes[i])(boxes[i].PlanFetch(item1, disp1, n, now.Add(time.Hour)))
				}
			}
			require.Equal(t, left, boxes[0].Unread(item1)+boxes[1].Unread(item1), "what was shown is what was fetched")
			waiting = left
		}
		require.True(t, slices.IsSorted(seqs))
		require.Equal(t, b.Unread(item2), boxes[0].Unread(item2), "the other side's wait on")
	})
}

// Each refusal has its code, and its own.
func TestRefusals(t *testing.T) {
	fresh := func() *mailbox.Box { return &mailbox.Box{Pair: pair(t, item1, item2)} }
	opened := func(limit int) *mailbox.Box {
		b := fresh()
		do(t, b)(b.PlanOpen(time.Minute, limit, 0, start))
		return b
	}
	write := func(b *mailbox.Box, text string, after time.Duration) error {
		_, err := b.PlanMessage(item1, disp1, text, start.Add(after))
		return err
	}
	open := func(b *mailbox.Box, ttl time.Duration, limit, others int) error {
		_, err := b.PlanOpen(ttl, limit, others, start)
		return err
	}
	used := opened(1)
	do(t, used)(used.PlanMessage(item2, disp2, "hello", start))
	shut := opened(5)
	do(t, shut)(shut.PlanClose(start))
	full := opened(5)
	full.Events = mailbox.MaxEvents - 3
	for name, c := range map[string]struct {
		err   error
		code  ledger.Code
		field string
	}{
		"never opened":     {write(fresh(), "hi", 0), ledger.NoChannel, ""},
		"closed":           {write(shut, "hi", 0), ledger.NoChannel, ""},
		"expired":          {write(opened(5), "hi", time.Minute), ledger.ChannelExpired, ""},
		"exhausted":        {write(used, "hi", 0), ledger.ChannelExhausted, ""},
		"too long":         {write(opened(5), strings.Repeat("x", 501), 0), ledger.FieldTooLong, "text"},
		"empty":            {write(opened(5), " ", 0), ledger.FieldInvalid, "text"},
		"two lines":        {write(opened(5), "a\nconductor: b", 0), ledger.FieldInvalid, "text"},
		"full":             {write(full, "hi", 0), ledger.EventCapExceeded, ""},
		"open already":     {open(opened(5), time.Minute, 5, 0), ledger.ChannelOpen, ""},
		"too many":         {open(fresh(), time.Minute, 5, 16), ledger.ChannelCapExceeded, ""},
		"no time":          {open(fresh(), 0, 5, 0), ledger.FieldInvalid, "ttl"},
		"too long open":    {open(fresh(), 24*time.Hour+time.Second, 5, 0), ledger.FieldInvalid, "ttl"},
		"part of a second": {open(fresh(), 1500*time.Millisecond, 5, 0), ledger.FieldInvalid, "ttl"},
		"no messages":      {open(fresh(), time.Minute, 0, 0), ledger.FieldInvalid, "messages"},
		"many messages":    {open(fresh(), time.Minute, 51, 0), ledger.FieldInvalid, "messages"},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, c.err, c.code)
			var e *ledger.Error
			require.ErrorAs(t, c.err, &e)
			require.Equal(t, c.field, e.Field)
			require.NotContains(t, e.Error(), "\n")
		})
	}
	// At the bound itself nothing is refused.
	require.NoError(t, write(opened(5), strings.Repeat("x", 500), time.Minute-1))
	require.NoError(t, open(fresh(), 24*time.Hour, 50, 15))
	require.NoError(t, open(used, time.Minute, 5, 0), "one that is used up makes room for another")
	_, err := fresh().PlanRelay(item1, "hi", start)
	require.NoError(t, err, "the conductor passes on without a channel")
	_, err = fresh().PlanClose(start)
	require.ErrorIs(t, err, ledger.ErrSame)
	require.ErrorIs(t, write(func() *mailbox.Box {
		b := opened(5)
		do(t, b)(b.PlanMessage(item1, disp1, "hi", start))
		return b
	}(), "hi", time.Second), ledger.ErrSame, "sent again since the answer was lost")
}

// What two others write to each other, and who wrote or read it, is not to be seen
// from an inbox: its bytes stay.
func TestInboxNonInterference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mine, events, now := someBox(t, pair(t, item1, item2))
		theirs, _, _ := someBox(t, pair(t, item2, item3))
		again, _, _ := someBox(t, pair(t, item2, item3))
		see := func(boxes ...mailbox.Box) string {
			got, left := mailbox.Next(boxes, item1)
			return string(ledger.Encode(mailbox.ReadInbox(item1, got, left, boxes, now)))
		}
		seen := see(mine, theirs)
		require.Equal(t, seen, see(mine, again))
		require.Equal(t, seen, see(mine))
		for i := range events {
			if events[i].Dispatch != "" {
				events[i].Dispatch = item3
			}
		}
		other, err := mailbox.Fold(mine.Pair, events)
		require.NoError(t, err)
		require.Equal(t, seen, see(other))
	})
}

// The test above finds a leak: an inbox that shows messages for somebody else.
func TestInboxNonInterferenceFindsLeaks(t *testing.T) {
	found := false
	rapid.Check(t, func(t *rapid.T) {
		a, _, now := someBox(t, pair(t, item2, item3))
		b, _, _ := someBox(t, pair(t, item2, item3))
		leak := func(boxes ...mailbox.Box) string {
			got, left := mailbox.Next(boxes, item2) // and not item1
			return string(ledger.Encode(mailbox.ReadInbox(item2, got, left, boxes, now)))
		}
		found = found || leak(a) != leak(b)
	})
	require.True(t, found)
}

func TestAgain(t *testing.T) {
	b := mailbox.Box{Pair: pair(t, item1, item2)}
	for i, text := range []string{"a", "b", "c"} {
		do(t, &b)(b.PlanRelay(item2, text, start.Add(time.Duration(i)*time.Second)))
	}
	require.Empty(t, mailbox.Again([]mailbox.Box{b}, item1))
	do(t, &b)(b.PlanFetch(item1, disp1, 1, start.Add(time.Minute)))
	do(t, &b)(b.PlanFetch(item1, disp1, 3, start.Add(2*time.Minute)))
	var texts []string
	for _, m := range mailbox.Again([]mailbox.Box{b}, item1) {
		texts = append(texts, m.Text)
	}
	require.Equal(t, []string{"b", "c"}, texts)
}

// oneOfEach is an event of each kind.
func oneOfEach() []mailbox.Event {
	return []mailbox.Event{
		{Seq: 1, Time: start, Kind: mailbox.KindOpen, TTL: time.Minute, Limit: 3},
		{Seq: 2, Time: start, Kind: mailbox.KindMessage, Item: item1, Dispatch: disp1, Text: "a \"text\""},
		{Seq: 3, Time: start, Kind: mailbox.KindRelay, Item: item2, Text: "passed on"},
		{Seq: 4, Time: start, Kind: mailbox.KindFetch, Item: item2, Dispatch: disp2, Upto: 2},
		{Seq: 5, Time: start, Kind: mailbox.KindClose},
	}
}

func TestEventsThatAreNotWhole(t *testing.T) {
	events := oneOfEach()
	require.Len(t, events, len(mailbox.Kinds()))
	open, message, fetch := string(events[0].Encode()), string(events[1].Encode()), string(events[3].Encode())
	for name, c := range map[string]struct{ good, old, new string }{
		"torn":                {message, `"}`, `"`},
		"newer":               {message, `"schema":1`, `"schema":2`},
		"unknown field":       {message, `{"schema"`, `{"more":"1","schema"`},
		"missing":             {message, `,"dispatch":"` + string(disp1) + `"`, ``},
		"unknown kind":        {message, `"kind":"message"`, `"kind":"gossip"`},
		"no place":            {message, `"seq":2`, `"seq":0`},
		"beyond the cap":      {message, `"seq":2`, `"seq":401`},
		"no id":               {message, string(item1), "../x"},
		"two lines":           {message, `a \"text\"`, `a\nb`},
		"no time":             {message, `"time":"2026-05-04T03:02:01Z"`, `"time":""`},
		"no ttl":              {open, `"ttl_s":60`, `"ttl_s":0`},
		"long ttl":            {open, `"ttl_s":60`, `"ttl_s":86401`},
		"no limit":            {open, `"messages":3`, `"messages":0`},
		"fetches the future":  {fetch, `"upto":2`, `"upto":4`},
		"a number that grows": {fetch, `"upto":2`, `"upto":99999999999`},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(c.good, c.old, c.new, 1)
			require.NotEqual(t, c.good, bad)
			_, err := mailbox.Decode([]byte(bad))
			require.ErrorIs(t, err, store.ErrDamaged)
		})
	}
}

// Events that cannot follow each other are damage, each by itself as it may be.
func TestEventsThatDoNotFollow(t *testing.T) {
	p := pair(t, item1, item2)
	events := oneOfEach()
	_, err := mailbox.Fold(p, events)
	require.NoError(t, err)
	stranger := oneOfEach()[:2]
	stranger[1].Item = item3
	late := oneOfEach()[:2]
	late[1].Time = start.Add(time.Minute)
	for name, bad := range map[string][]mailbox.Event{
		"a gap": {events[0], events[2]}, "twice": {events[0], events[0]}, "no channel": events[1:2], "a stranger": stranger, "too late": late,
	} {
		_, err := mailbox.Fold(p, bad)
		require.ErrorIs(t, err, store.ErrDamaged, name)
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range oneOfEach() {
		f.Add(e.Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := mailbox.Decode(data)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			return
		}
		again, err := mailbox.Decode(e.Encode())
		require.NoError(t, err)
		require.Equal(t, string(e.Encode()), string(again.Encode()))
	})
}
