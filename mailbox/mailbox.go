// Package mailbox is how workers write to each other: by way of the conductor, who
// passes a text on (a relay), or opens a channel between two items for a time and a
// number of messages.
//
// What is written is data in an inbox. It is fetched by the worker that it is for,
// once, with where it came from beside it, and nothing here or elsewhere in this
// project puts it into a prompt or begins a turn with it.
//
// The package is pure: the box of two items is folded from its events, the time is
// an argument, and package mailbox/file is what keeps it.
package mailbox

import (
	"slices"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

// Schema is the version of an event's document.
const Schema = 1

// The bounds of mailboxes.
const (
	MaxText     = 500            // bytes of a message
	MaxTTL      = 24 * time.Hour // of a channel
	MaxMessages = 50             // of a channel
	MaxOpen     = 16             // channels of a board that are open
	MaxEvents   = 400            // of a box; see room
	MaxInbox    = 8              // messages that are fetched at once
)

// Pair is two items, in the order of their ids: who began says nothing.
type Pair struct{ A, B store.ID }

// NewPair returns the pair of two different items.
func NewPair(x, y store.ID) (Pair, error) {
	switch {
	case !x.Valid():
		return Pair{}, ledger.Unknown(x)
	case !y.Valid():
		return Pair{}, ledger.Unknown(y)
	case x == y:
		return Pair{}, ledger.Refuse(ledger.FieldInvalid, x, "to", "item %q cannot write to itself", string(x))
	case x > y:
		x, y = y, x
	}
	return Pair{x, y}, nil
}

// Name is the pair as a word: both ids, which were minted here.
func (p Pair) Name() string { return string(p.A) + "-" + string(p.B) }

// ParsePair reads what Name returned.
func ParsePair(name string) (Pair, bool) {
	a, b, ok := strings.Cut(name, "-")
	p, err := NewPair(store.ID(a), store.ID(b))
	return p, ok && err == nil && p.Name() == name
}

// Has says whether an item is one of the two.
func (p Pair) Has(item store.ID) bool { return item == p.A || item == p.B }

// Other is the other one of the two.
func (p Pair) Other(item store.ID) store.ID {
	if item == p.A {
		return p.B
	}
	return p.A
}

// Channel is the leave to write messages, in both directions.
type Channel struct {
	Opened time.Time // the zero time: there was none yet
	Until  time.Time
	Limit  int // messages in all
	Used   int
	Closed bool // by the conductor
}

// State says in one word whether a channel carries a message now.
func (c Channel) State(now time.Time) ChannelState {
	switch {
	case c.Opened.IsZero() || c.Closed:
		return ChannelNone
	case !now.Before(c.Until):
		return ChannelExpired
	case c.Used >= c.Limit:
		return ChannelExhausted
	}
	return ChannelOpen
}

// ChannelState is what has become of a channel.
type ChannelState string

// The states of a channel.
const (
	ChannelNone      ChannelState = "none"
	ChannelOpen      ChannelState = "open"
	ChannelExpired   ChannelState = "expired"
	ChannelExhausted ChannelState = "exhausted"
)

// Message is a text in the inbox of an item.
type Message struct {
	Seq       int // of the event that brought it
	From, To  store.ID
	Relayed   bool // the conductor passed it on
	Text      string
	At        time.Time
	Delivered time.Time // the zero time: it waits
}

// Box is what two items have written to each other, as its events have made it.
type Box struct {
	Pair
	Channel  Channel
	Messages []Message // oldest first
	Events   int
	Last     string // the key of the last event
}

// Unread counts the messages that wait for an item.
func (b *Box) Unread(item store.ID) int {
	n := 0
	for i := range b.Messages {
		if m := &b.Messages[i]; m.To == item && m.Delivered.IsZero() {
			n++
		}
	}
	return n
}

// waiting counts the messages that wait for either.
func (b *Box) waiting() int { return b.Unread(b.A) + b.Unread(b.B) }

// Next returns the messages that an item has not fetched from its boxes, the oldest
// first and at most MaxInbox, and how many more there are.
func Next(boxes []Box, item store.ID) (next []Message, left int) {
	when := map[*Message]time.Time{}
	var all []*Message
	for i := range boxes {
		var latest time.Time
		for k := range boxes[i].Messages {
			m := &boxes[i].Messages[k]
			if m.At.After(latest) {
				latest = m.At // a clock that was set back does not turn one pair's order around
			}
			if m.To == item && m.Delivered.IsZero() {
				all, when[m] = append(all, m), latest
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Message) int { return when[a].Compare(when[b]) })
	left = max(0, len(all)-MaxInbox)
	for _, m := range all[:len(all)-left] {
		next = append(next, *m)
	}
	return next, left
}

// Again returns the messages that an item fetched last, for one whose answer was lost.
func Again(boxes []Box, item store.ID) []Message {
	var out []Message
	var last time.Time
	for i := range boxes {
		for _, m := range boxes[i].Messages {
			switch {
			case m.To != item || m.Delivered.IsZero() || m.Delivered.Before(last):
				continue
			case m.Delivered.After(last):
				out, last = nil, m.Delivered
			}
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Message) int { return a.At.Compare(b.At) })
	return out
}
