package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

// openBound makes a dispatch, and binds it to the item that the options name. One
// that could not be bound is ended again: it would work on something else than its
// conductor meant.
func (d *desk) openBound(ctx context.Context, o dispatchOptions, q dispatch.Request) (*dispatch.Dispatch, error) {
	to := store.ID(strings.ToUpper(o.item))
	got, err := d.book.Open(ctx, q)
	if err != nil {
		return nil, d.conflictHint(err)
	}
	if to == "" {
		return got, nil
	}
	if _, err := d.bind(ctx, got.ID, to); err != nil {
		_, rerr := d.book.Release(context.WithoutCancel(ctx), dispatch.Selector{ID: got.ID}, dispatch.VerdictAbandoned, d.receipt)
		return nil, boardHint(errors.Join(err, rerr))
	}
	return got, nil
}

// takes says whether an item can be bound, before anything is written.
func (d *desk) takes(item string) error {
	if item == "" {
		return nil
	}
	it, err := d.board().Item(store.ID(strings.ToUpper(item)))
	if err == nil {
		err = it.Free(d.inForce(it.Dispatch))
	}
	return boardHint(err)
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
