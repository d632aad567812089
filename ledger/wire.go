package ledger

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// itemFields is how many fields an item has when it is written.
const itemFields = 23

// Write writes an item as an object named name.
func (it *Item) Write(w *wire.Writer, name string) {
	w.Object(name).Int("schema", Schema).String("id", string(it.ID)).String("parent", string(it.Parent)).
		Int("depth", int64(it.Depth)).String("title", it.Title).String("acceptance", it.Acceptance).
		String("status", string(it.Status)).String("state", string(it.State)).Int("round", int64(it.Round)).
		Int("fails", int64(it.Fails)).String("decision", it.Decision).String("verdict", string(it.Verdict)).
		String("judged_for", string(it.JudgedFor)).String("summary", it.Summary)
	writePointers(w, it.Artifacts)
	w.String("dispatch", string(it.Dispatch)).String("session", it.Session).Time("created_at", it.CreatedAt).
		Time("bound_at", it.BoundAt).Time("reported_at", it.ReportedAt).Time("updated_at", it.UpdatedAt).
		Int("events", int64(it.Events)).String("last", it.Last).Bool("bare", it.Bare).End()
}

// ReadItem reads what Write wrote of the item with an id. What is not exactly one
// is store.ErrDamaged.
func ReadItem(r *wire.Reader, id store.ID) (Item, error) {
	var it Item
	fields, schema := 0, int64(0)
	err := r.Object(func(name string) (err error) {
		fields++
		if name == "schema" {
			fields--
			schema, err = r.Int()
			return err
		}
		return it.field(r, name)
	})
	switch {
	case err != nil:
	case schema != Schema:
		err = fmt.Errorf("schema %d, this program knows %d", schema, Schema)
	case it.ID != id:
		err = errors.New("it is another item")
	case fields != itemFields || it.Events < 1 || it.Events > MaxEvents:
		err = errors.New("a field is missing")
	case !slices.Contains(Statuses(), it.Status), !slices.Contains(States(), it.State),
		it.Verdict != "" && !slices.Contains(dispatch.Verdicts(), it.Verdict):
		err = fmt.Errorf("unknown status %q, state %q or verdict %q", it.Status, it.State, it.Verdict)
	}
	if err != nil {
		return Item{}, fmt.Errorf("item %q: %w: %w", id, store.ErrDamaged, err)
	}
	return it, nil
}

// Statuses lists the statuses of an item.
func Statuses() []Status {
	return []Status{StatusNew, StatusWorking, StatusBlocked, StatusQuestion, StatusDone, StatusClosed}
}

// States lists the states of an item.
func States() []State { return []State{StateWaiting, StateBound, StateJudged, StateClosed} }

func (it *Item) field(r *wire.Reader, name string) (err error) {
	switch name {
	case "depth":
		it.Depth, err = number(r)
	case "round":
		it.Round, err = number(r)
	case "fails":
		it.Fails, err = number(r)
	case "events":
		it.Events, err = number(r)
	case "created_at":
		it.CreatedAt, err = r.Time()
	case "bound_at":
		it.BoundAt, err = r.Time()
	case "reported_at":
		it.ReportedAt, err = r.Time()
	case "updated_at":
		it.UpdatedAt, err = r.Time()
	case "artifacts":
		it.Artifacts, err = readPointers(r)
	case "bare":
		it.Bare, err = r.Bool()
	default:
		to := it.text(name)
		if to == nil {
			return fmt.Errorf("unknown field %q", name)
		}
		*to, err = r.String()
	}
	return err
}

func (it *Item) text(name string) *string {
	switch name {
	case "id":
		return (*string)(&it.ID)
	case "parent":
		return (*string)(&it.Parent)
	case "title":
		return &it.Title
	case "acceptance":
		return &it.Acceptance
	case "status":
		return (*string)(&it.Status)
	case "state":
		return (*string)(&it.State)
	case "decision":
		return &it.Decision
	case "verdict":
		return (*string)(&it.Verdict)
	case "judged_for":
		return (*string)(&it.JudgedFor)
	case "summary":
		return &it.Summary
	case "dispatch":
		return (*string)(&it.Dispatch)
	case "session":
		return &it.Session
	case "last":
		return &it.Last
	}
	return nil
}
