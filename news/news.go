// Package news is what has happened on a board that its conductor has not been told:
// what a command waits for, so that nothing is asked of a model meanwhile.
//
// It is pure. A Cursor says how far the conductor was told; package cli keeps it.
package news

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
)

// Kind is what an entry tells.
type Kind string

// The kinds of entries.
const (
	Report   Kind = "report"
	Request  Kind = "request"
	Message  Kind = "message"
	Asked    Kind = "asked"    // a call waits for an answer (conduct approve)
	Stale    Kind = "stale"    // a worker has said nothing for long
	Orphaned Kind = "orphaned" // a dispatch is over, and its item has no verdict
)

// Entry is one thing that the conductor is told. Its text is a worker's: data.
type Entry struct {
	Time      time.Time        `view:"time"`
	Item      store.ID         `view:"item"`
	Kind      Kind             `view:"kind"`
	Says      string           `view:"says"` // report: its kind; request: what is asked for
	To        store.ID         `view:"to"`   // request, message: the other item
	Text      string           `view:"text"`
	Artifacts []ledger.Pointer `view:"artifacts"`
	Undoes    string           `view:"undoes"` // report of progress: the kind of the report that it takes back
	Dispatch  store.ID         `view:"dispatch"`
	Question  string           `view:"question"` // asked: its id
}

// calls says whether an entry wants something of the conductor. Progress, and what
// workers write to each other over a channel that it opened itself, do not. But who was
// told that an item is done, or blocked, acts on it, and must hear that it is not so.
func (e *Entry) calls() bool {
	return !(e.Kind == Message || e.Kind == Report && e.Says == string(ledger.Progress) && e.Undoes == "")
}

// Place is how far somebody was told of an item's events.
type Place struct {
	Seq  int
	Time time.Time // a report of progress takes the place of the one before
}

// Cursor is how far a conductor was told. The zero value is: of nothing.
type Cursor struct {
	Items map[store.ID]Place
	Boxes map[string]int // by the name of a pair
	// Said are the dispatches of which it was said that they are stale or orphaned.
	Said map[store.ID]Kind
	// Asked are the open questions that were told.
	Asked map[string]bool
}

// Question is one that waits for an answer.
type Question struct {
	ID       string
	Dispatch store.ID
	Text     string
	At       time.Time
}

// Board is what there is to be told.
type Board struct {
	Items   []ledger.Item
	Present ledger.Present
	// Events reads the events of an item. It is asked for items only of which there
	// is something new.
	Events func(store.ID) ([]ledger.Event, error)
	Pairs  []mailbox.Pair
	// Written reads the events of a pair's mailbox.
	Written func(mailbox.Pair) ([]mailbox.Event, error)
	// Questions are those that are open.
	Questions []Question
}

// Since returns what has happened since a cursor, in the order of its time, and the
// cursor after it. With all it is also what asks nothing of the conductor. What
// cannot be read is an error, never "nothing".
func Since(c Cursor, b Board, all bool) ([]Entry, Cursor, error) {
	next := newCursor()
	var out []Entry
	for i := range b.Items {
		it := &b.Items[i]
		was := c.Items[it.ID]
		next.Items[it.ID] = Place{it.Events, it.UpdatedAt}
		if was != next.Items[it.ID] {
			events, err := b.Events(it.ID)
			if err != nil {
				return nil, c, err
			}
			out = append(out, ofItem(it.ID, was, events)...)
		}
		out = append(out, silent(it, b.Present, c.Said, next.Said)...)
	}
	for _, p := range b.Pairs {
		events, err := b.Written(p)
		if err != nil {
			return nil, c, err
		}
		next.Boxes[p.Name()] = len(events)
		for k := min(c.Boxes[p.Name()], len(events)); k < len(events); k++ {
			if e := &events[k]; e.Kind == mailbox.KindMessage {
				out = append(out, Entry{Time: e.Time, Item: e.Item, Kind: Message, To: p.Other(e.Item), Text: e.Text, Dispatch: e.Dispatch})
			}
		}
	}
	for _, q := range b.Questions {
		if next.Asked[q.ID] = true; !c.Asked[q.ID] {
			out = append(out, Entry{Time: q.At, Item: b.itemOf(q.Dispatch), Kind: Asked, Text: q.Text, Dispatch: q.Dispatch, Question: q.ID})
		}
	}
	if !all {
		out = slices.DeleteFunc(out, func(e Entry) bool { return !e.calls() })
	}
	slices.SortStableFunc(out, func(x, y Entry) int {
		return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Item, y.Item))
	})
	return out, next, nil
}

// itemOf is the item that a dispatch was bound to last, "" for none.
func (b *Board) itemOf(id store.ID) store.ID {
	for i := range b.Items {
		if b.Items[i].Dispatch == id {
			return b.Items[i].ID
		}
	}
	return ""
}

// before says whether an event came after a place.
func (p Place) before(e *ledger.Event) bool {
	return e.Seq > p.Seq || e.Seq == p.Seq && !e.Time.Equal(p.Time)
}

// ofItem is what the events of an item tell since a place: what its worker did.
func ofItem(id store.ID, was Place, events []ledger.Event) []Entry {
	var out []Entry
	stands := "" // done or blocked, where nothing has come of it yet
	for i := range events {
		e := &events[i]
		n := Entry{Time: e.Time, Item: id, Text: e.Text, Dispatch: e.Dispatch}
		switch e.Kind {
		case ledger.KindReport:
			n.Kind, n.Says, n.Artifacts = Report, string(e.Report), e.Artifacts
			if e.Report == ledger.Progress && e.Seq > was.Seq {
				n.Undoes = stands
			}
			if stands = ""; e.Report == ledger.Done || e.Report == ledger.Blocked {
				stands = string(e.Report)
			}
		case ledger.KindRequest:
			n.Kind, n.Says, n.To = Request, string(e.Request), e.To
		default:
			stands = "" // the conductor has answered
			continue
		}
		if was.before(e) {
			out = append(out, n)
		}
	}
	return out
}

// silent tells once of each dispatch that it is stale, and once that it is gone: who
// waits for its report waits in vain.
func silent(it *ledger.Item, p ledger.Present, said, next map[store.ID]Kind) []Entry {
	kind := Kind("")
	switch {
	case it.Orphaned(p):
		kind = Orphaned
	case it.Stale(p):
		kind = Stale
	default:
		return nil
	}
	next[it.Dispatch] = kind
	if said[it.Dispatch] == kind {
		return nil
	}
	return []Entry{{Time: p.Now, Item: it.ID, Kind: kind, Dispatch: it.Dispatch}}
}
