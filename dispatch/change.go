package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/store"
)

// Selector picks one dispatch: by ID, or by unit and agent among those in force.
type Selector struct {
	ID    store.ID
	Unit  string // name of the unit, or one of its paths; "" is any unit
	Agent string
	// AnyAgent leaves Agent out of account.
	AnyAgent bool
	// Generation, if not 0, must be the dispatch's.
	Generation uint64
	// Expired takes dispatches whose time is up, where none in force fits.
	Expired bool
}

// SeveralError lists the dispatches that a selector fits.
type SeveralError struct{ Dispatches []*Dispatch }

func (e *SeveralError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d dispatches fit:", len(e.Dispatches))
	for _, d := range e.Dispatches {
		fmt.Fprintf(&b, " %s (unit %q, agent %q)", d.ID, d.Unit, d.Agent)
	}
	return b.String()
}

// Is makes a SeveralError an ErrConflict.
func (e *SeveralError) Is(target error) bool { return target == ErrConflict }

// Find returns the one dispatch that a selector fits: ErrNone, or ErrConflict for several.
func (b *Book) Find(s Selector) (*Dispatch, error) {
	if s.ID != "" {
		return b.byID(s)
	}
	fit := func(all []*Dispatch, want func(*Dispatch) bool) (out []*Dispatch) {
		for _, d := range all {
			if want(d) && s.fits(d) && (s.AnyAgent || d.Agent == s.Agent) {
				out = append(out, d)
			}
		}
		return out
	}
	live, err := b.List(false)
	if err != nil {
		return nil, err
	}
	got := fit(live.Dispatches, (*Dispatch).Live)
	if len(got) == 0 && s.Expired {
		got = fit(live.Dispatches, func(d *Dispatch) bool { return d.Now == Expired })
	}
	if len(got) == 0 && s.Expired && s.Unit != "" {
		all, err := b.List(true)
		if err != nil {
			return nil, err
		}
		got = fit(all.Dispatches, func(d *Dispatch) bool { return d.Now == Expired })
	}
	switch {
	case len(got) == 1:
		return got[0], nil
	case len(got) > 1:
		return nil, &SeveralError{got}
	case len(live.Damaged) > 0:
		return nil, fmt.Errorf("%w that can be read, and %w: %q", ErrNone, store.ErrDamaged, live.Damaged[0].File)
	}
	return nil, fmt.Errorf("%w in force%s", ErrNone, s.describe())
}

func (s Selector) fits(d *Dispatch) bool {
	return s.Unit == "" || d.Unit == s.Unit || slices.Contains(d.Grant.Own.Paths, strings.TrimSuffix(s.Unit, "/"))
}

func (s Selector) describe() string {
	out := ""
	if s.Unit != "" {
		out += fmt.Sprintf(" for unit %q", s.Unit)
	}
	if !s.AnyAgent {
		out += fmt.Sprintf(" with agent %q", s.Agent)
	}
	return out
}

// byID reads the dispatch with the selector's id. What else is said of it must be so: who
// is wrong about one of the two may be so about the other.
func (b *Book) byID(s Selector) (*Dispatch, error) {
	if !s.ID.Valid() {
		return nil, fmt.Errorf("%w: %q", ErrNone, s.ID)
	}
	d, err := b.Read(s.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, fmt.Errorf("%w: %q", ErrNone, s.ID)
	case err == nil && (!s.fits(d) || s.Agent != "" && d.Agent != s.Agent):
		return nil, fmt.Errorf("%w: dispatch %s is of unit %q and agent %q", ErrConflict, d.ID, d.Unit, d.Agent)
	}
	return d, err
}

// tries is how often a change is made anew because another writer was faster.
const tries = 100

// change finds a dispatch, lets edit change a copy and writes it with the next
// generation. Without a generation in s it tries again when another writer was faster.
func (b *Book) change(ctx context.Context, s Selector, m Move, edit func(*Dispatch) error) (*Dispatch, error) {
	for try := 0; ; try++ {
		d, err := b.Find(s)
		if err != nil {
			return nil, err
		}
		if s.Generation != 0 && s.Generation != d.Generation {
			return nil, fmt.Errorf("%w: dispatch %s has generation %d, not %d", ErrConflict, d.ID, d.Generation, s.Generation)
		}
		if _, err := d.Now.Next(m); err != nil {
			return nil, err
		}
		g := *d.Grant
		d.Grant = &g
		was := d.Generation
		if err := edit(d); err != nil {
			return nil, err
		}
		d.Generation++
		err = b.Store.Update(ctx, d.entry(), was)
		if errors.Is(err, store.ErrGeneration) && s.Generation == 0 && try < tries {
			continue
		}
		if errors.Is(err, store.ErrGeneration) || errors.Is(err, store.ErrEnded) {
			return nil, fmt.Errorf("%w: dispatch %s: %w", ErrConflict, d.ID, err)
		}
		if err != nil {
			return nil, err
		}
		d.derive(b.Clock)
		return d, nil
	}
}

// Renew gives a dispatch ttl from now, at most MaxLife from its issue.
func (b *Book) Renew(ctx context.Context, s Selector, ttl time.Duration) (*Dispatch, error) {
	return b.change(ctx, s, MoveRenew, func(d *Dispatch) error {
		until := b.Clock.Now().Add(ttl)
		if ttl <= 0 || until.After(d.IssuedAt.Add(MaxLife)) {
			return fmt.Errorf("ttl %s is %w: the end must lie in the future, and at most 7d after the issue at %s",
				ttl, ErrTTL, d.IssuedAt.UTC().Format(time.RFC3339))
		}
		boot, since := b.Clock.Boot()
		d.ExpiresAt, d.BootID, d.BootUntil = until, boot, since+ttl
		return nil
	})
}

// AddOpenings adds to a dispatch's grant.
func (b *Book) AddOpenings(ctx context.Context, s Selector, add []grants.Opening) (*Dispatch, error) {
	return b.change(ctx, s, MoveGrant, func(d *Dispatch) error {
		d.Grant.Opened = slices.Clone(d.Grant.Opened)
		for _, o := range add {
			id, err := b.Mint(b.Clock.Now())
			if err != nil {
				return err
			}
			o.ID = string(id)
			d.Grant.Opened = append(d.Grant.Opened, o)
		}
		return nil
	})
}

// RevokeOpenings takes every opening of the named paths out of a dispatch's
// grant; ErrNone when there is none.
func (b *Book) RevokeOpenings(ctx context.Context, s Selector, paths []string) (*Dispatch, error) {
	return b.change(ctx, s, MoveGrant, func(d *Dispatch) error {
		n := len(d.Grant.Opened)
		d.Grant.Opened = slices.DeleteFunc(slices.Clone(d.Grant.Opened), func(o grants.Opening) bool {
			return slices.Contains(paths, o.Path)
		})
		if len(d.Grant.Opened) == n {
			return fmt.Errorf("%w that opens %q", ErrNone, paths[0])
		}
		return nil
	})
}

// Turn sets a knob of a dispatch: the event and what follows from it are one write
// of record and grant. A value that counts already changes nothing, and changed is
// false. ready makes in the grant what the new value needs, or refuses; nil is nothing.
func (b *Book) Turn(ctx context.Context, s Selector, e knobs.Event, ready func(*grants.Grant) error) (got *Dispatch, changed bool, err error) {
	var same *Dispatch
	got, err = b.change(ctx, s, MoveGrant, func(d *Dispatch) error {
		e.Time = b.Clock.Now().UTC()
		next, err := knobs.Plan(d.Grant.Defaults(), d.Grant.Turned, e)
		if err != nil {
			same = d
			return err
		}
		d.Grant.Turned = append(slices.Clip(d.Grant.Turned), next)
		if ready != nil {
			if err := ready(d.Grant); err != nil {
				return err
			}
		}
		d.Keys.Profile = d.Grant.Profile() // so that the guard reads it as one that restricts so
		return nil
	})
	if errors.Is(err, knobs.ErrSame) {
		return same, false, nil
	}
	return got, err == nil, err
}

// Release ends a dispatch with a verdict. receipt is called with the dispatch
// as it ends and returns a JSON object to keep. By id it is idempotent: the
// same verdict again gives the same receipt, another one is ErrConflict.
func (b *Book) Release(ctx context.Context, s Selector, v Verdict, receipt func(*Dispatch) ([]byte, error)) (*Dispatch, error) {
	s.Expired = true
	for try := 0; ; try++ {
		d, err := b.Find(s)
		if err != nil {
			return nil, err
		}
		if d.State == Released || d.State == Abandoned {
			if d.Verdict != v {
				return nil, fmt.Errorf("%w: dispatch %s was released with verdict %q", ErrConflict, d.ID, d.Verdict)
			}
			return d, nil
		}
		if s.Generation != 0 && s.Generation != d.Generation {
			return nil, fmt.Errorf("%w: dispatch %s has generation %d, not %d", ErrConflict, d.ID, d.Generation, s.Generation)
		}
		to, err := d.Now.Next(v.Move())
		if err != nil {
			return nil, err
		}
		was := d.Generation
		d.State, d.Verdict, d.EndedAt, d.Generation = to, v, b.Clock.Now(), was+1
		d.derive(b.Clock)
		if d.Receipt, err = receipt(d); err != nil {
			return nil, err
		}
		err = b.Store.End(ctx, d.entry(), was, false)
		if (errors.Is(err, store.ErrGeneration) || errors.Is(err, store.ErrEnded)) && s.Generation == 0 && try < tries {
			continue
		}
		if errors.Is(err, store.ErrGeneration) || errors.Is(err, store.ErrEnded) {
			return nil, fmt.Errorf("%w: dispatch %s: %w", ErrConflict, d.ID, err)
		}
		if err != nil {
			return nil, err
		}
		return d, b.forget(d)
	}
}

// forget removes the marks that only matter while a dispatch is in force.
func (b *Book) forget(d *Dispatch) error {
	if d.Grant.Sessions {
		return b.Store.Unmark(store.Session, string(d.ID))
	}
	return nil
}

// Expire ends a dispatch whose time is up. Its agent's name stays held.
func (b *Book) Expire(ctx context.Context, d *Dispatch) error {
	to, err := d.Now.Next(MoveExpire)
	if d.Now == Expired && d.State == Reserved {
		to, err = Expired, nil
	}
	if err != nil {
		return err
	}
	e := *d
	was := e.Generation
	e.State, e.EndedAt, e.Generation = to, b.Clock.Now(), was+1
	if err := b.Store.End(ctx, e.entry(), was, true); err != nil {
		return err
	}
	return b.forget(&e)
}

// Remove deletes ended dispatches and what is known of the first call of each.
// Many at once cost less: those of one unit share its lock.
func (b *Book) Remove(ctx context.Context, ds ...*Dispatch) error {
	es := make([]store.Entry, len(ds))
	for i, d := range ds {
		es[i] = store.Entry{ID: d.ID, Keys: d.Keys, Generation: d.Generation, Ended: true} // all that Remove needs
	}
	slices.SortStableFunc(es, func(x, y store.Entry) int { return strings.Compare(x.Keys.Unit, y.Keys.Unit) })
	if err := b.Store.Remove(ctx, es...); err != nil {
		// Another janitor may be faster: then each for itself.
		for _, e := range es {
			if err := b.Store.Remove(ctx, e); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
	}
	for _, d := range ds {
		if d.ActiveAt().IsZero() {
			continue
		}
		if err := b.Store.Unmark(store.Seen, string(d.ID)); err != nil {
			return err
		}
	}
	return nil
}
