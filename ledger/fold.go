package ledger

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
)

// Apply makes the next event part of an item. It is the whole fold: an item is
// what Apply makes of its events, one after the other. An event that cannot
// follow is an error, and the item stays as it was.
func (it *Item) Apply(e Event) error {
	if err := it.follows(&e); err != nil {
		return err
	}
	switch e.Kind {
	case KindCreate:
		it.Parent, it.Depth, it.Title, it.Acceptance, it.Session = e.Parent, e.Depth, e.Title, e.Acceptance, e.Session
		it.Status, it.State, it.CreatedAt = StatusNew, StateWaiting, e.Time
	case KindBind:
		it.Status, it.State, it.Dispatch, it.BoundAt = StatusWorking, StateBound, e.Dispatch, e.Time
		it.Verdict, it.JudgedFor = "", ""
		it.Round++
	case KindReport:
		it.Status, it.Summary, it.ReportedAt = e.Report.status(), e.Text, e.Time
		it.Artifacts = union(it.Artifacts, e.Artifacts)
	case KindDecision:
		it.Decision = e.Text
	case KindVerdict:
		it.Fails += failed(e.Verdict) - failed(it.Verdict) // a round counts by what it was judged last
		it.State, it.Verdict, it.JudgedFor = StateJudged, e.Verdict, e.Dispatch
	case KindClose:
		it.Status, it.State = StatusClosed, StateClosed
	}
	it.Events, it.UpdatedAt, it.Last, it.Bare = e.Seq, e.Time, e.key(), e.bare()
	return nil
}

// failed is 1 for the verdict of a round that failed, else 0.
func failed(v dispatch.Verdict) int {
	if v == dispatch.VerdictNotReady || v == dispatch.VerdictBlocked {
		return 1
	}
	return 0
}

// follows says whether an event can be the next one.
func (it *Item) follows(e *Event) error {
	switch {
	case (it.Events == 0) != (e.Kind == KindCreate):
		return errors.New("an item begins with its creation, and has one")
	case e.Seq != it.next(e):
		return fmt.Errorf("event %d follows event %d", e.Seq, it.Events)
	case it.Events > 0 && !it.Open():
		return errors.New("an event follows the close")
	case (e.Kind == KindReport || e.Kind == KindRequest) && e.Dispatch != it.Dispatch:
		return fmt.Errorf("a %s of dispatch %q, which is not bound", e.Kind, e.Dispatch)
	case e.Kind == KindRequest && e.To == it.ID:
		return errors.New("a request about the item itself")
	case e.Kind == KindReport && len(union(it.Artifacts, e.Artifacts)) > MaxArtifacts:
		return errors.New("too many artifacts")
	}
	return nil
}

// next is the place that an event gets: that of the last one when both are
// progress and nothing was between them.
func (it *Item) next(e *Event) int {
	if it.Bare && e.Kind == KindReport && e.Report == Progress && e.Dispatch == it.Dispatch {
		return it.Events
	}
	return it.Events + 1
}

// union adds to a list what is not in it; the list itself is left alone.
func union(have, more []Pointer) []Pointer {
	out := slices.Clip(have)
	for _, p := range more {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// Fold makes an item of all its events.
func Fold(id store.ID, events []Event) (Item, error) {
	it := Item{ID: id}
	for _, e := range events {
		if err := it.Apply(e); err != nil {
			return Item{}, fmt.Errorf("item %q: %w: %w", id, store.ErrDamaged, err)
		}
	}
	if it.Events == 0 {
		return Item{}, Unknown(id)
	}
	return it, nil
}

// Compact leaves out the events whose place another one has taken. The fold of
// what is left is the same.
func Compact(events []Event) []Event {
	var out []Event
	for _, e := range events {
		if n := len(out); n > 0 && out[n-1].Seq == e.Seq {
			out[n-1] = e
			continue
		}
		out = append(out, e)
	}
	return out
}
