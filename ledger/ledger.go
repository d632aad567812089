// Package ledger is the board of a conductor: items, one for each piece of
// work, each made by folding its append-only events; and the views, which are
// all that anybody gets to see of it.
//
// It is pure: what is on disk is package ledger/file's business, the time and
// who is alive are arguments. Each change is planned as an event first, and
// checked against every bound before anything is written: a text that is too
// long is refused, never cut.
package ledger

import (
	"slices"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
)

// Schema is the version of the documents of a board.
const Schema = 1

// The bounds of a board. Lengths are in bytes.
const (
	MaxOpen      = 32  // items that are not closed
	MaxStored    = 256 // items in all
	MaxEvents    = 200 // events of an item; see room
	MaxDepth     = 2   // an item, and items below it
	MaxGoal      = 1000
	MaxTitle     = 120
	MaxAccept    = 4000
	MaxDecision  = 1000
	MaxSummary   = 500
	MaxRequest   = 500
	MaxSession   = dispatch.MaxNote
	MaxReported  = 6  // artifacts of one report
	MaxArtifacts = 24 // different artifacts of an item
)

// StaleAfter is how long a worker may be silent before its item is stale.
const StaleAfter = 30 * time.Minute

// Status is what is known of an item's work, by its worker's word alone: a
// sibling sees it, so no judgement of the conductor's shows in it.
type Status string

// The statuses of an item.
const (
	StatusNew      Status = "new"      // nobody has been at it
	StatusWorking  Status = "working"  // bound, or progress was reported
	StatusBlocked  Status = "blocked"  // reported
	StatusQuestion Status = "question" // reported
	StatusDone     Status = "done"     // reported
	StatusClosed   Status = "closed"   // no more events
)

// State is where the conductor is with an item.
type State string

// The states of an item.
const (
	StateWaiting State = "waiting" // for a dispatch
	StateBound   State = "bound"   // to a dispatch that has no verdict
	StateJudged  State = "judged"  // there is a verdict since it was bound last
	StateClosed  State = "closed"
)

// ReportKind is what a worker's report says.
type ReportKind string

// The kinds of reports.
const (
	Progress ReportKind = "progress"
	Done     ReportKind = "done"
	Blocked  ReportKind = "blocked"
	Question ReportKind = "question"
)

// ReportKinds lists the kinds of reports.
func ReportKinds() []ReportKind { return []ReportKind{Progress, Done, Blocked, Question} }

// RequestKind is what a worker asks the conductor for.
type RequestKind string

// The kinds of requests.
const (
	AskRelay   RequestKind = "relay"   // pass this on to the worker of that item
	AskChannel RequestKind = "channel" // let me write to the worker of that item
)

// RequestKinds lists the kinds of requests.
func RequestKinds() []RequestKind { return []RequestKind{AskRelay, AskChannel} }

func (k ReportKind) status() Status {
	switch k {
	case Done:
		return StatusDone
	case Blocked:
		return StatusBlocked
	case Question:
		return StatusQuestion
	}
	return StatusWorking
}

// Item is one piece of work, as its events have made it. The zero value is one
// without events.
type Item struct {
	ID         store.ID
	Parent     store.ID // the item that it is a part of, or ""
	Depth      int      // 1 without a parent
	Title      string
	Acceptance string
	Status     Status
	State      State
	Round      int // how often it was bound
	Fails      int // rounds that were judged not-ready or blocked
	Decision   string
	Verdict    dispatch.Verdict // of this round, or ""
	JudgedFor  store.ID         // the dispatch that the verdict is about, or ""
	Summary    string
	Artifacts  []Pointer
	Dispatch   store.ID // the one bound last
	Session    string   // the conductor's, who made it; "" when it is not known
	CreatedAt  time.Time
	BoundAt    time.Time
	ReportedAt time.Time
	UpdatedAt  time.Time
	Events     int    // how many it has
	Last       string // the key of its last event
	// Bare says that the last event is a report of progress without artifacts:
	// another one takes its place.
	Bare bool
}

// Open says whether an item takes events.
func (it *Item) Open() bool { return it.State != StateClosed }

// Board is a goal and all items, oldest first.
type Board struct {
	Goal  string
	Items []Item
}

// Find returns the item with an id, or UnknownItem.
func (b *Board) Find(id store.ID) (*Item, error) {
	i := slices.IndexFunc(b.Items, func(it Item) bool { return it.ID == id })
	if i < 0 {
		return nil, Unknown(id)
	}
	return &b.Items[i], nil
}

// open counts the items that are not closed.
func (b *Board) open() int {
	n := 0
	for i := range b.Items {
		if b.Items[i].Open() {
			n++
		}
	}
	return n
}
