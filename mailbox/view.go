package mailbox

import (
	"time"

	"github.com/seed6310be5c/conduct/store"
)

// The views are allow-lists, as those of package ledger are, and encoded by it.

// Letter is a message as the worker that it is for sees it. Its text is data.
type Letter struct {
	From store.ID  `view:"from"`
	Via  string    `view:"via"` // "channel", or "relay" when the conductor passed it on
	At   time.Time `view:"at"`
	Text string    `view:"text"`
}

// Line is an open channel, as the worker of one of its ends sees it.
type Line struct {
	Item  store.ID  `view:"item"` // the other end
	Until time.Time `view:"until"`
	Left  int       `view:"left"` // messages
}

// Inbox is what a worker gets to see of its mailboxes.
type Inbox struct {
	Messages []Letter `view:"messages"`
	Left     int      `view:"left"` // messages that wait for the next call
	Channels []Line   `view:"channels"`
}

// ReadInbox makes the view of an item's inbox: of messages that were fetched for it,
// how many are left, and the channels that are open among the boxes.
func ReadInbox(item store.ID, got []Message, left int, boxes []Box, now time.Time) Inbox {
	v := Inbox{Left: left}
	for _, m := range got {
		if m.To == item {
			v.Messages = append(v.Messages, Letter{From: m.From, Via: m.via(), At: m.At, Text: m.Text})
		}
	}
	for i := range boxes {
		b := &boxes[i]
		if c := b.Channel; b.Has(item) && c.State(now) == ChannelOpen {
			v.Channels = append(v.Channels, Line{Item: b.Other(item), Until: c.Until, Left: c.Limit - c.Used})
		}
	}
	return v
}

func (m *Message) via() string {
	if m.Relayed {
		return "relay"
	}
	return "channel"
}

// PairView is a box as the conductor sees it.
type PairView struct {
	A        store.ID     `view:"a"`
	B        store.ID     `view:"b"`
	Channel  ChannelState `view:"channel"`
	Until    time.Time    `view:"until"`
	Messages int          `view:"messages"` // of the channel's bound
	Used     int          `view:"used"`
	Waiting  int          `view:"waiting"` // messages that were not fetched
	Events   int          `view:"events"`
}

// PairsView lists boxes.
type PairsView struct {
	Channels []PairView `view:"channels"`
}

// Conductor is the view of boxes for the conductor.
func Conductor(boxes []Box, now time.Time) PairsView {
	var v PairsView
	for i := range boxes {
		b := &boxes[i]
		v.Channels = append(v.Channels, PairView{
			A: b.A, B: b.B, Channel: b.Channel.State(now), Until: b.Channel.Until, Messages: b.Channel.Limit, Used: b.Channel.Used,
			Waiting: b.waiting(), Events: b.Events,
		})
	}
	return v
}
