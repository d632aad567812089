package mailbox

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

// Apply makes the next event part of a box. An event that cannot follow is an error,
// and the box stays as it was. Copies of the box stay as they are in any case.
func (b *Box) Apply(e Event) error {
	b.Messages = slices.Clone(b.Messages)
	if err := b.apply(&e); err != nil {
		return err
	}
	b.Last = e.key()
	return nil
}

// apply is the fold but for Last. It changes the messages in their place.
func (b *Box) apply(e *Event) error {
	switch {
	case e.Seq != b.Events+1:
		return fmt.Errorf("event %d follows event %d", e.Seq, b.Events)
	case e.Item != "" && !b.Has(e.Item):
		return fmt.Errorf("item %q is none of the two", e.Item)
	case e.Kind == KindMessage && b.Channel.State(e.Time) != ChannelOpen:
		return errors.New("a message without an open channel")
	}
	switch e.Kind {
	case KindOpen:
		b.Channel = Channel{Opened: e.Time, Until: e.Time.Add(e.TTL), Limit: e.Limit}
	case KindClose:
		b.Channel.Closed = true
	case KindMessage:
		b.Channel.Used++
		b.Messages = append(b.Messages, b.message(e))
	case KindRelay:
		b.Messages = append(b.Messages, b.message(e))
	case KindFetch:
		for i := range b.Messages {
			if m := &b.Messages[i]; m.To == e.Item && m.Seq <= e.Upto && m.Delivered.IsZero() {
				m.Delivered = e.Time
			}
		}
	}
	b.Events = e.Seq
	return nil
}

func (b *Box) message(e *Event) Message {
	return Message{Seq: e.Seq, From: e.Item, To: b.Other(e.Item), Relayed: e.Kind == KindRelay, Text: e.Text, At: e.Time}
}

// Fold makes a box of all its events.
func Fold(p Pair, events []Event) (Box, error) {
	b := Box{Pair: p}
	for i := range events {
		if err := b.apply(&events[i]); err != nil { // nobody has a copy
			return Box{}, fmt.Errorf("box %q: %w: %w", p.Name(), store.ErrDamaged, err)
		}
	}
	if n := len(events); n > 0 {
		b.Last = events[n-1].key()
	}
	return b, nil
}

// PlanOpen plans a channel. others is how many of the board's other pairs have one
// that is open.
func (b *Box) PlanOpen(ttl time.Duration, limit, others int, now time.Time) (Event, error) {
	switch {
	case b.Channel.State(now) == ChannelOpen:
		return Event{}, ledger.Refuse(ledger.ChannelOpen, b.A, "", "items %q and %q have a channel, open until %s for %d more messages",
			string(b.A), string(b.B), b.Channel.Until.UTC().Format(time.RFC3339), b.Channel.Limit-b.Channel.Used)
	case others >= MaxOpen:
		return Event{}, ledger.Refuse(ledger.ChannelCapExceeded, "", "", "%d channels are open: at most %d", others, MaxOpen)
	}
	return b.plan(Event{Kind: KindOpen, TTL: ttl, Limit: limit}, now)
}

// PlanClose plans the end of a channel; of none that could carry a message it is
// ledger.ErrSame.
func (b *Box) PlanClose(now time.Time) (Event, error) {
	if b.Channel.State(now) == ChannelNone {
		return Event{}, ledger.ErrSame
	}
	return b.plan(Event{Kind: KindClose}, now)
}

// PlanMessage plans a message of the worker of a dispatch, from its item to the
// other one. One that says what the last event says is ledger.ErrSame.
func (b *Box) PlanMessage(from, by store.ID, text string, now time.Time) (Event, error) {
	e := Event{Kind: KindMessage, Item: from, Dispatch: by, Text: text}
	if b.Events > 0 && e.key() == b.Last {
		return Event{}, ledger.ErrSame
	}
	if err := ledger.CheckLine("text", text, MaxText); err != nil {
		return Event{}, err
	}
	to := string(b.Other(from))
	switch b.Channel.State(now) {
	case ChannelNone:
		return Event{}, ledger.Refuse(ledger.NoChannel, b.Other(from), "", "there is no channel to item %q", to)
	case ChannelExpired:
		return Event{}, ledger.Refuse(ledger.ChannelExpired, b.Other(from), "", "the channel to item %q was open until %s", to,
			b.Channel.Until.UTC().Format(time.RFC3339))
	case ChannelExhausted:
		return Event{}, ledger.Refuse(ledger.ChannelExhausted, b.Other(from), "", "the channel to item %q has carried its %d messages", to, b.Channel.Limit)
	}
	return b.plan(e, now)
}

// PlanRelay plans a text that the conductor passes on from one item to the other. One
// that says what the last event says is ledger.ErrSame.
func (b *Box) PlanRelay(from store.ID, text string, now time.Time) (Event, error) {
	e := Event{Kind: KindRelay, Item: from, Text: text}
	if b.Events > 0 && e.key() == b.Last {
		return Event{}, ledger.ErrSame
	}
	return b.plan(e, now)
}

// PlanFetch plans that a worker gets the messages for its item, up to an event; of
// none it is ledger.ErrSame.
func (b *Box) PlanFetch(item, by store.ID, upto int, now time.Time) (Event, error) {
	if !slices.ContainsFunc(b.Messages, func(m Message) bool { return m.To == item && m.Seq <= upto && m.Delivered.IsZero() }) {
		return Event{}, ledger.ErrSame
	}
	return b.plan(Event{Kind: KindFetch, Item: item, Dispatch: by, Upto: upto}, now)
}

// plan gives an event its place and checks it against all bounds.
func (b *Box) plan(e Event, now time.Time) (Event, error) {
	e.Seq, e.Time = b.Events+1, now.UTC().Round(0)
	if err := e.check(); err != nil {
		return Event{}, ledger.First(err)
	}
	if e.Seq > b.room(e.Kind) {
		return Event{}, ledger.Refuse(ledger.EventCapExceeded, b.A, "", "items %q and %q have written to each other %d times: a %s has no room",
			string(b.A), string(b.B), b.Events, e.Kind)
	}
	return e, nil
}

// room is up to which place an event of a kind may stand. Whatever waits can be
// fetched, message by message, and the channel can be closed.
func (b *Box) room(k Kind) int {
	switch k {
	case KindClose:
		return MaxEvents
	case KindFetch:
		return MaxEvents - 1
	case KindOpen:
		return MaxEvents - 4 - b.waiting() // so that a message has room in it
	}
	return MaxEvents - 3 - b.waiting()
}
