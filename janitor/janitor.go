// Package janitor tidies the records: what is past its time goes, what is
// damaged is kept aside. Nothing that is in force is ever taken.
package janitor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
)

// Options narrows a run. The zero value looks at everything.
type Options struct {
	// Retention is how long ended dispatches are kept; 0 is DefaultRetention.
	Retention time.Duration
	// Limit is how many records of each kind are looked at; 0 is all.
	Limit int
	// DryRun changes nothing and reports what would be done.
	DryRun bool
}

// DefaultRetention is how long an ended dispatch is kept, so that a late call
// of its agent is still known.
const DefaultRetention = 7 * 24 * time.Hour

// grace is the age from which a grant without a record is taken for a leftover;
// younger, its record may be about to be written.
const grace = time.Minute

// Report says what was done.
type Report struct {
	Expired  []store.ID // ended since their time was up
	Deleted  int        // past the retention time
	SetAside []store.ID // damaged, moved out of the way
	Swept    int        // leftovers of writers that died
}

// Questions is what the janitor asks of the questions of dispatches.
// *approval/file.Store is one.
type Questions interface {
	// Settle notes what nobody decided in time, and says of how many.
	Settle(now time.Time) (int, error)
	// Dispatches lists the dispatches that have questions.
	Dispatches() ([]store.ID, error)
	// Remove deletes the questions of a dispatch; none is no error.
	Remove(id store.ID) error
}

// Janitor tidies one workspace.
type Janitor struct {
	Book *dispatch.Book
	Log  *audit.Log
	// Questions go with their dispatch; nil is that there are none.
	Questions Questions
}

// Run does what is due.
func (j *Janitor) Run(ctx context.Context, o Options) (Report, error) {
	if o.Retention <= 0 {
		o.Retention = DefaultRetention
	}
	var r Report
	if err := j.live(ctx, o, &r); err != nil {
		return r, err
	}
	if err := j.ended(ctx, o, &r); err != nil {
		return r, err
	}
	limit := 1 // a step: Sweep looks at several things for one
	if o.Limit == 0 {
		limit = 1 << 30
	}
	n, err := j.Book.Store.Sweep(ctx, grace, limit, o.DryRun)
	r.Swept = n
	if err != nil {
		return r, fmt.Errorf("cannot sweep: %w", err)
	}
	if o.Limit == 0 {
		return r, errors.Join(j.marks(o, &r), j.questions(o, &r))
	}
	return r, nil
}

// questions settles what nobody decided, and removes what a janitor left that died.
func (j *Janitor) questions(o Options, r *Report) error {
	if j.Questions == nil || o.DryRun {
		return nil
	}
	n, failed := j.Questions.Settle(j.Book.Clock.Now())
	r.Swept += n
	ids, err := j.Questions.Dispatches()
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, id := range ids {
		if _, err := j.Book.Store.Read(id); !errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err := j.Questions.Remove(id); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		r.Swept++
	}
	return failed
}

// live ends what is expired and sets aside what is damaged.
func (j *Janitor) live(ctx context.Context, o Options, r *Report) error {
	n := 0
	for id, err := range j.Book.Store.Live() {
		if err != nil {
			return err
		}
		if n++; o.Limit > 0 && n > o.Limit {
			return nil
		}
		d, err := j.Book.Read(id)
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrForeign):
			continue
		case errors.Is(err, store.ErrDamaged):
			err = j.setAside(ctx, o, r, id)
		case err == nil && d.Now == dispatch.Expired:
			err = j.expire(ctx, o, r, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *Janitor) setAside(ctx context.Context, o Options, r *Report, id store.ID) error {
	for dam, err := range j.Book.Store.Damaged() {
		if err != nil {
			return err
		}
		if dam.ID == id && dam.Aside {
			return nil
		}
	}
	r.SetAside = append(r.SetAside, id)
	if o.DryRun {
		return nil
	}
	return j.Book.Store.SetAside(ctx, id)
}

func (j *Janitor) expire(ctx context.Context, o Options, r *Report, d *dispatch.Dispatch) error {
	r.Expired = append(r.Expired, d.ID)
	if o.DryRun {
		return nil
	}
	err := j.Book.Expire(ctx, d)
	if errors.Is(err, store.ErrGeneration) || errors.Is(err, store.ErrEnded) {
		return nil // renewed or released in the meantime
	}
	return err
}

// ended deletes what is past the retention time.
func (j *Janitor) ended(ctx context.Context, o Options, r *Report) error {
	n := 0
	before := j.Book.Clock.Now().Add(-o.Retention)
	var due []*dispatch.Dispatch
	streams, asked := sync.OnceValue(j.Log.Streams), sync.OnceValues(j.asked)
	all := j.Book.Store.Ended
	if o.Limit > 0 {
		all = j.Book.Store.Archived // a step must not cost more where more is live
	}
	for id, err := range all() {
		if err != nil {
			return err
		}
		if n++; o.Limit > 0 && n > o.Limit {
			break
		}
		d, err := j.Book.Read(id)
		if err != nil || d.Live() || !d.Ended().Before(before) {
			continue
		}
		r.Deleted++
		if o.DryRun {
			continue
		}
		if due = append(due, d); len(due) == batch {
			if err := j.remove(ctx, due, streams, asked); err != nil {
				return err
			}
			due = due[:0]
		}
	}
	return j.remove(ctx, due, streams, asked)
}

// asked are the dispatches that have questions: few of all.
func (j *Janitor) asked() (map[store.ID]bool, error) {
	out := map[store.ID]bool{}
	if j.Questions == nil {
		return out, nil
	}
	ids, err := j.Questions.Dispatches()
	for _, id := range ids {
		out[id] = true
	}
	return out, err
}

// batch is how many dispatches are removed at once: enough to share the locks
// of units, few enough not to hold one for long.
const batch = 4096

// remove deletes dispatches and then their audit and questions.
func (j *Janitor) remove(
	ctx context.Context, due []*dispatch.Dispatch, streams func() map[string][]int, asked func() (map[store.ID]bool, error),
) error {
	if len(due) == 0 {
		return nil
	}
	if err := j.Book.Remove(ctx, due...); err != nil {
		return err
	}
	some, err := asked()
	if err != nil {
		return err
	}
	for _, d := range due {
		if err := j.Log.Remove(string(d.ID), streams()[string(d.ID)]); err != nil {
			return err
		}
		if !some[d.ID] {
			continue
		}
		if err := j.Questions.Remove(d.ID); err != nil {
			return err
		}
	}
	return nil
}

// marks removes the small facts about dispatches that are gone.
func (j *Janitor) marks(o Options, r *Report) error {
	for _, k := range []store.Kind{store.Bind, store.Seen, store.Launch, store.Window, store.Session, store.Told} {
		var gone []string
		for key, value := range j.Book.Store.Marks(k) {
			id := dispatch.Marked(k, key, value)
			if _, err := j.Book.Store.Read(id); errors.Is(err, store.ErrNotFound) {
				gone = append(gone, key)
			}
		}
		r.Swept += len(gone)
		for _, key := range gone {
			if o.DryRun {
				continue
			}
			if err := j.Book.Store.Unmark(k, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// Nothing says that there was nothing to do.
func (r Report) Nothing() bool {
	return len(r.Expired)+r.Deleted+len(r.SetAside)+r.Swept == 0
}
