package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

// openBound makes a dispatch, and binds it to the item that the options name, or to a
// new one. One that could not be bound is ended again: it would work on something else
// than its conductor meant.
func (d *desk) openBound(ctx context.Context, o dispatchOptions, q dispatch.Request) (*dispatch.Dispatch, error) {
	got, err := d.book.Open(ctx, q)
	if err != nil {
		return nil, d.conflictHint(err)
	}
	if o.item == "" && o.board == "" {
		return got, nil
	}
	if err := d.bindTo(ctx, got.ID, o, q.Conductor); err != nil {
		_, rerr := d.book.Release(context.WithoutCancel(ctx), dispatch.Selector{ID: got.ID}, dispatch.VerdictAbandoned, d.receipt)
		return nil, boardHint(errors.Join(err, rerr))
	}
	return got, nil
}

// bindTo binds a dispatch to the item of the options, which is made where it is new.
func (d *desk) bindTo(ctx context.Context, id store.ID, o dispatchOptions, session string) error {
	to := store.ID(strings.ToUpper(o.item))
	if to == "" {
		it, err := d.create(ctx, ledger.New{Title: o.board, Acceptance: o.acceptance, Session: session})
		if err != nil {
			return err
		}
		to = it.ID
	}
	_, err := d.bind(ctx, id, to)
	return err
}

// takes says whether the item of the options can be bound, or made, before anything is
// written.
func (d *desk) takes(o dispatchOptions) error {
	switch {
	case o.item != "" && o.board != "":
		return usageError{errors.New("--item and --board exclude each other")}
	case o.acceptance != "" && o.board == "":
		return usageError{errors.New("--acceptance needs --board")}
	case o.item != "":
		it, err := d.board().Item(store.ID(strings.ToUpper(o.item)))
		if err == nil {
			err = it.Free(d.inForce(it.Dispatch))
		}
		return boardHint(err)
	case o.board != "":
		b, err := d.board().Board()
		if err == nil {
			_, err = b.PlanCreate(ledger.New{Title: o.board, Acceptance: o.acceptance}, d.env.Clock.Now())
		}
		return boardHint(err)
	}
	return nil
}

// item is the item that a dispatch is bound to, "" for none.
func (d *desk) item(id store.ID) store.ID {
	it, err := d.board().BoundItem(id)
	if err != nil {
		return ""
	}
	return it.ID
}

// judge writes the verdict of a release to the item of its dispatch. The release
// stands whatever comes of that, so a failure is said beside its receipt.
func (d *desk) judge(ctx context.Context, got *dispatch.Dispatch) {
	it, err := d.board().BoundItem(got.ID)
	if errors.Is(err, ledger.NotBound) {
		return
	}
	if err == nil && !it.Open() && it.Verdict != got.Verdict {
		d.env.warn("item %s is closed, so the verdict of dispatch %s is not on the board", it.ID, got.ID)
	}
	if err == nil && it.Open() {
		_, err = d.board().Change(ctx, it.ID, func(it *ledger.Item) (ledger.Event, error) {
			if it.Dispatch != got.ID {
				return ledger.Event{}, ledger.ErrSame // another round has begun
			}
			return it.PlanVerdict(got.Verdict, got.ID, d.env.Clock.Now())
		})
	}
	if err != nil && !errors.Is(err, ledger.ErrSame) {
		d.env.warn("dispatch %s is released, its verdict is not on the board: %s (conduct board verdict)", got.ID, oneLine(err.Error()))
	}
}

// items are those that dispatches are bound to. Without any, their column is not shown.
type items map[store.ID]store.ID

func (d *desk) itemsOf(list []*dispatch.Dispatch) items {
	out := items{}
	for _, got := range list {
		if it := d.item(got.ID); it != "" {
			out[got.ID] = it
		}
	}
	return out
}

func (m items) head() string {
	if len(m) == 0 {
		return ""
	}
	return "\tITEM"
}

func (m items) cell(id store.ID) string {
	if len(m) == 0 {
		return ""
	}
	return "\t" + dash(string(m[id]))
}
