package ledger

import (
	"errors"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
)

// ErrSame is returned by a plan whose event would say again what the item says
// already: nothing is to be written, and whoever asked has what it wanted. So a
// command can be repeated whose answer was lost.
var ErrSame = errors.New("the item says so already")

// New is what an item is made from.
type New struct {
	Title, Acceptance string
	Parent            store.ID // "" for none
	Session           string
}

// PlanCreate plans a new item of a board.
func (b *Board) PlanCreate(n New, now time.Time) (Event, error) {
	e := Event{Seq: 1, Time: stamp(now), Kind: KindCreate, Title: n.Title, Acceptance: n.Acceptance, Parent: n.Parent, Session: n.Session, Depth: 1}
	if n.Parent != "" {
		p, err := b.Find(n.Parent)
		if err != nil {
			return Event{}, err
		}
		if !p.Open() {
			return Event{}, closed(p.ID)
		}
		e.Depth = p.Depth + 1
	}
	if err := First(e.check()); err != nil {
		return Event{}, err
	}
	if n := b.open(); n >= MaxOpen {
		return Event{}, refuse(ItemCapExceeded, "%d items are open: at most %d", n, MaxOpen)
	}
	if n := len(b.Items); n >= MaxStored {
		return Event{}, refuse(ItemCapExceeded, "%d items are on the board: at most %d, closed ones too", n, MaxStored)
	}
	return e, nil
}

// Free says whether another dispatch could be bound to the item now: AlreadyBound
// while one is at it. busy says that the one bound last is still in force.
func (it *Item) Free(busy bool) error {
	switch {
	case !it.Open():
		return closed(it.ID)
	case busy && it.State == StateBound:
		return refuse(AlreadyBound, "item %q is bound to dispatch %q, which is in force", string(it.ID), string(it.Dispatch)).of(it.ID)
	case it.Events >= room(KindBind):
		return it.full(KindBind)
	}
	return nil
}

// PlanBind plans that a dispatch begins to work on the item. busy is as for Free.
func (it *Item) PlanBind(id store.ID, busy bool, now time.Time) (Event, error) {
	if it.Dispatch == id && it.Open() && it.State == StateBound {
		return Event{}, ErrSame
	}
	if err := it.Free(busy); err != nil {
		return Event{}, err
	}
	if it.Dispatch == id {
		return Event{}, refuse(AlreadyBound, "dispatch %q has had its verdict on item %q", string(id), string(it.ID)).of(it.ID)
	}
	return it.plan(Event{Kind: KindBind, Dispatch: id}, now)
}

// Report is what a worker says of its item.
type Report struct {
	Kind      ReportKind
	Summary   string
	Artifacts []Pointer
}

// PlanReport plans a report of the item's worker. One that says what the item's
// last event says is ErrSame.
func (it *Item) PlanReport(id store.ID, r Report, now time.Time) (Event, error) {
	if it.Dispatch != id || id == "" {
		return Event{}, Unbound(id)
	}
	e := Event{Kind: KindReport, Dispatch: id, Report: r.Kind, Text: r.Summary, Artifacts: r.Artifacts}
	if it.Open() && e.key() == it.Last {
		return Event{}, ErrSame
	}
	if n := len(union(it.Artifacts, r.Artifacts)); n > MaxArtifacts {
		return Event{}, refuse(ArtifactCapExceeded, "item %q would have %d artifacts: at most %d", string(it.ID), n, MaxArtifacts).of(it.ID)
	}
	return it.plan(e, now)
}

// Works says whether a dispatch may act for the item: NotBound, ItemClosed.
func (it *Item) Works(id store.ID) error {
	switch {
	case it.Dispatch != id || id == "":
		return Unbound(id)
	case !it.Open():
		return closed(it.ID)
	}
	return nil
}

// Request is what a worker asks the conductor for.
type Request struct {
	Kind RequestKind
	To   store.ID // an item of the board, of which nothing changes
	Text string
}

// PlanRequest plans a request of the item's worker. It is written on the item of
// who asks; to is the other one, and only looked at. One that says what the item's
// last event says is ErrSame.
func (it *Item) PlanRequest(id store.ID, r Request, to *Item, now time.Time) (Event, error) {
	if it.Dispatch != id || id == "" {
		return Event{}, Unbound(id)
	}
	if err := it.other(to); err != nil {
		return Event{}, err
	}
	return it.planUnlessSame(Event{Kind: KindRequest, Dispatch: id, Request: r.Kind, To: to.ID, Text: r.Text}, now)
}

// other says whether an item can be written to from this one.
func (it *Item) other(to *Item) error {
	if to.ID == it.ID {
		return refuse(FieldInvalid, "item %q is your own", string(to.ID)).in("to")
	}
	if !to.Open() {
		return closed(to.ID)
	}
	return nil
}

// PlanDecision plans an answer of the conductor's.
func (it *Item) PlanDecision(text string, now time.Time) (Event, error) {
	return it.planUnlessSame(Event{Kind: KindDecision, Text: text}, now)
}

// PlanVerdict plans a verdict. id is the dispatch whose release brought it, "" when
// the conductor gives it by itself.
func (it *Item) PlanVerdict(v dispatch.Verdict, id store.ID, now time.Time) (Event, error) {
	if it.Open() && it.State == StateJudged && it.Verdict == v && it.JudgedFor == id {
		return Event{}, ErrSame
	}
	return it.plan(Event{Kind: KindVerdict, Verdict: v, Dispatch: id}, now)
}

// PlanClose plans the end of the item.
func (it *Item) PlanClose(now time.Time) (Event, error) {
	if !it.Open() {
		return Event{}, ErrSame
	}
	return it.plan(Event{Kind: KindClose}, now)
}

func (it *Item) planUnlessSame(e Event, now time.Time) (Event, error) {
	if it.Open() && e.key() == it.Last {
		return Event{}, ErrSame
	}
	return it.plan(e, now)
}

// plan gives an event its place and checks it against all bounds.
func (it *Item) plan(e Event, now time.Time) (Event, error) {
	if !it.Open() {
		return Event{}, closed(it.ID)
	}
	e.Seq, e.Time = it.next(&e), stamp(now)
	if err := First(e.check()); err != nil {
		return Event{}, err
	}
	if e.Seq > room(e.Kind) {
		return Event{}, it.full(e.Kind)
	}
	return e, nil
}

func (it *Item) full(k Kind) error {
	return refuse(EventCapExceeded, "item %q has %d events: a %s may be number %d at most", string(it.ID), it.Events, k, room(k)).of(it.ID)
}

// room is up to which place an event of a kind may stand. A worker that fills its
// item with reports leaves the conductor room to answer, to judge and to close.
func room(k Kind) int {
	switch k {
	case KindClose:
		return MaxEvents
	case KindReport, KindRequest:
		return MaxEvents - 8
	}
	return MaxEvents - 1
}

func closed(id store.ID) error {
	return refuse(ItemClosed, "item %q is closed", string(id)).of(id)
}

// stamp is a time as it is stored.
func stamp(now time.Time) time.Time { return now.UTC().Round(0) }

// First is the first of joined errors: one refusal is enough to be told.
func First(err error) error {
	for {
		many, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return err
		}
		err = many.Unwrap()[0]
	}
}
