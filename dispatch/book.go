package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
)

// Errors of a request.
var (
	// ErrTTL is returned for a life that is not positive, or longer than MaxLife in all.
	ErrTTL = errors.New("not a valid time to live")
	// ErrInvalid is returned for a text that is too long or has control characters.
	ErrInvalid = errors.New("not valid")
	// ErrConflict is returned when a dispatch of the unit and agent is in force, as a *ConflictError;
	// when a selector fits several, as a *SeveralError; and for a generation or verdict that does not fit.
	ErrConflict = errors.New("conflict")
	// ErrNone is returned when no dispatch fits.
	ErrNone = errors.New("no such dispatch")
)

// Book is the register of dispatches.
type Book struct {
	Store store.Store
	Clock Clock
	// Mint makes an id; readers need none. See package mint.
	Mint func(now time.Time) (store.ID, error)
	// Host is written into records, for people.
	Host string
}

// Request is what a new dispatch is made from.
type Request struct {
	Unit      unit.Unit
	Agent     string
	Role      string
	Stage     string
	Note      string
	Conductor string
	TTL       time.Duration
	// Grant is the grant without its ID.
	Grant grants.Grant
}

func (q *Request) check() error {
	if q.TTL <= 0 || q.TTL > MaxLife {
		return fmt.Errorf("ttl %s is %w: more than 0, at most 7d", q.TTL, ErrTTL)
	}
	for _, f := range []struct{ name, text string }{
		{"agent", q.Agent}, {"role", q.Role}, {"stage", q.Stage}, {"note", q.Note}, {"session", q.Conductor},
	} {
		if len(f.text) > MaxNote {
			return fmt.Errorf("%s of %d bytes is %w: at most %d", f.name, len(f.text), ErrInvalid, MaxNote)
		}
		if strings.ContainsFunc(f.text, func(r rune) bool { return r < 0x20 || r == 0x7f || r == 0xfffd }) {
			return fmt.Errorf("%s %q is %w: it has control characters", f.name, f.text, ErrInvalid)
		}
	}
	return nil
}

// Place is the text that tells a unit from every other one of its workspace.
func Place(u unit.Unit) string {
	if u.Listed {
		return "listed:" + u.Name
	}
	return "path:" + strings.Join(u.Paths, "\n")
}

// NameKey is the key of an agent's name in the store's index.
func NameKey(agent string) string { return store.Key("name", agent) }

// AgentKey is the key of an agent's binding. session is "" for clients whose
// agent ids do not recur.
func AgentKey(client, agentID, session string) string {
	return store.Key("agent", client, agentID, session)
}

func keys(u unit.Unit, agent string, g *grants.Grant) store.Keys {
	place := Place(u)
	return store.Keys{
		Unit:    store.Key("unit", place),
		Claim:   store.Key("claim", place, agent),
		Name:    NameKey(agent),
		Profile: g.Profile(),
	}
}

// Open makes a dispatch. It is ErrConflict while another one of the same unit
// and agent is in force; ErrTTL and ErrInvalid; what the store says otherwise.
func (b *Book) Open(ctx context.Context, q Request) (*Dispatch, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	now := b.Clock.Now()
	id, err := b.Mint(now)
	if err != nil {
		return nil, err
	}
	boot, since := b.Clock.Boot()
	g := q.Grant
	g.ID, g.Own = id, q.Unit
	g.Opened = slices.Clone(g.Opened)
	for i := range g.Opened {
		g.Opened[i].ID = fmt.Sprintf("%s-%d", id, i)
	}
	d := &Dispatch{Grant: &g, Record: Record{
		ID: id, Unit: q.Unit.Name, Agent: q.Agent, Role: q.Role, Stage: q.Stage, Note: q.Note,
		Conductor: q.Conductor, State: Reserved, Generation: 1, IssuedAt: now, ExpiresAt: now.Add(q.TTL),
		BootID: boot, BootUntil: since + q.TTL, Host: b.Host, Keys: keys(q.Unit, q.Agent, &g),
	}}
	if err := b.create(ctx, d); err != nil {
		return nil, err
	}
	if g.Sessions {
		if err := b.Store.Mark(store.Session, string(id), ConductorKey(q.Conductor)); err != nil {
			return nil, fmt.Errorf("dispatch %s is made but binds no session: %w", id, err)
		}
	}
	d.derive(b.Clock)
	return d, nil
}

func (d *Dispatch) entry() store.Entry {
	return store.Entry{
		ID: d.ID, Keys: d.Keys, Generation: d.Generation, Record: d.Record.Encode(), Grant: d.Grant.Encode(),
		Ended: d.State != Reserved,
	}
}

// create makes a dispatch live. A claim is free when the time of its holder is
// up, or when the holder ends while this looks at it.
func (b *Book) create(ctx context.Context, d *Dispatch) error {
	for try := 0; ; try++ {
		err := b.Store.Create(ctx, d.entry())
		var held *store.HeldError
		if !errors.As(err, &held) {
			return err
		}
		holder, err := b.Read(held.By)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return err
		case holder.Live() || try >= tries:
			return b.conflictWith(holder)
		case holder.State == Reserved:
			// Another writer may be faster: then the next look shows what it did.
			err := b.Expire(ctx, holder)
			if err != nil && !errors.Is(err, store.ErrGeneration) && !errors.Is(err, store.ErrEnded) && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		if try >= tries {
			return fmt.Errorf("%w: the dispatch %s holds the claim and cannot be found", ErrConflict, held.By)
		}
	}
}

func (b *Book) conflictWith(d *Dispatch) error { return &ConflictError{Holder: d} }

// ConflictError says which dispatch is in the way.
type ConflictError struct{ Holder *Dispatch }

func (e *ConflictError) Error() string {
	h := e.Holder
	who := "any agent"
	if h.Agent != "" {
		who = fmt.Sprintf("%q", h.Agent)
	}
	return fmt.Sprintf("unit %q is dispatched to %s as %s, since %s until %s", h.Unit, who, h.ID,
		h.IssuedAt.UTC().Format(time.RFC3339), h.ExpiresAt.UTC().Format(time.RFC3339))
}

// Is makes a ConflictError an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// Read returns a dispatch, live or ended.
func (b *Book) Read(id store.ID) (*Dispatch, error) {
	e, err := b.Store.Read(id)
	if err != nil {
		return nil, err
	}
	return b.decode(e)
}

func (b *Book) decode(e store.Entry) (*Dispatch, error) {
	rec, err := Decode(e.Record, e.ID)
	if err != nil {
		return nil, err
	}
	g, err := grants.Decode(e.Grant, e.ID)
	if err != nil {
		return nil, err
	}
	d := &Dispatch{Record: *rec, Grant: g}
	if rec.State == Reserved || rec.State == Expired || rec.State == Released || rec.State == Abandoned {
		if at, err := b.Store.Marked(store.Seen, string(e.ID)); err == nil {
			if ran, ok := strings.CutPrefix(at, ranPrefix); ok {
				d.RanAt, _ = time.Parse(time.RFC3339Nano, ran)
			} else {
				d.SeenAt, _ = time.Parse(time.RFC3339Nano, at)
			}
		}
	}
	d.derive(b.Clock)
	return d, nil
}

// See notes the first judged call of a dispatch's agent: Active from now on.
func (b *Book) See(id store.ID) error { return b.active(id, "") }

// Ran notes that the program of a dispatch has begun: Active from now on, also where
// no hook tells of its calls.
func (b *Book) Ran(id store.ID) error { return b.active(id, ranPrefix) }

// ranPrefix tells in a mark that it is Ran's. Both are one mark: the guard reads it at
// each call.
const ranPrefix = "run."

func (b *Book) active(id store.ID, prefix string) error {
	err := b.Store.Mark(store.Seen, string(id), prefix+b.Clock.Now().UTC().Format(time.RFC3339Nano))
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// Found is what List returns.
type Found struct {
	Dispatches []*Dispatch // oldest first
	Damaged    []store.Damage
}

// List returns every live dispatch, and with ended those that have ended. What
// cannot be read is in Damaged; records of other users are left out.
func (b *Book) List(ended bool) (Found, error) {
	var out Found
	seqs := []func(func(store.ID, error) bool){b.Store.Live()}
	if ended {
		seqs = append(seqs, b.Store.Ended())
	}
	seen := map[store.ID]bool{}
	for _, seq := range seqs {
		for id, err := range seq {
			if err != nil {
				return out, err
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			d, err := b.Read(id)
			switch {
			case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrForeign):
			case errors.Is(err, store.ErrDamaged):
				out.Damaged = append(out.Damaged, store.Damage{ID: id, File: string(id) + ".json", Reason: reason(err)})
			case err != nil:
				return out, err
			default:
				out.Dispatches = append(out.Dispatches, d)
			}
		}
	}
	for dam, err := range b.Store.Damaged() {
		if err != nil {
			return out, err
		}
		if !slices.ContainsFunc(out.Damaged, func(x store.Damage) bool { return x.ID == dam.ID && dam.ID != "" }) {
			out.Damaged = append(out.Damaged, dam)
		}
	}
	slices.SortFunc(out.Dispatches, func(a, b *Dispatch) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out, nil
}

func reason(err error) string {
	var d *store.DamageError
	if errors.As(err, &d) {
		return d.Reason
	}
	return err.Error()
}
