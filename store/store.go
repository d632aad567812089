// Package store says what a record store owes its users.
//
// A store keeps dispatches: for each one a record and the grant that belongs
// to it. Writers take a lock and compare generations; readers, the guard among
// them, take none. What a reader creates (a mark), it creates exclusively.
// Package storetest is the same contract as a test suite.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// MaxSize is the size in bytes above which a document is damaged.
const MaxSize = 1_000_000

// MaxMark is the length in bytes of a mark's value at the most.
const MaxMark = 200

// LockWait is how long a writer waits for another one.
const LockWait = 5 * time.Second

var (
	// ErrNotFound is returned when there is no such dispatch or mark.
	ErrNotFound = errors.New("not found")
	// ErrExists is returned by Create when the claim is held, and by Mark when the mark is there.
	ErrExists = errors.New("already exists")
	// ErrGeneration is returned by Update and End when the dispatch was changed since it was read.
	ErrGeneration = errors.New("changed in the meantime")
	// ErrLocked is returned when another writer held the lock for the whole wait. It never means "none".
	ErrLocked = errors.New("locked")
	// ErrDamaged is returned for what is there and cannot be believed: too large, torn, no regular file.
	ErrDamaged = errors.New("damaged")
	// ErrForeign is returned for a document of another user that this one may not read.
	ErrForeign = errors.New("owned by another user")
	// ErrEnded is returned by Update and End for a dispatch that has ended.
	ErrEnded = errors.New("has ended")
)

// ID names a dispatch: 26 characters of Crockford's base 32, as ulid mints
// them. An ID that is not Valid never reaches a path.
type ID string

// Valid says whether id has the form of a minted id.
func (id ID) Valid() bool {
	if len(id) != 26 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' && c != 'I' && c != 'L' && c != 'O' && c != 'U') {
			return false
		}
	}
	return true
}

// Keys are the names under which a dispatch is found. Each is made by Key from
// a hash, so that no text of a caller reaches a path.
type Keys struct {
	Unit  string // writers of one unit exclude each other
	Claim string // one live dispatch may have it: unit and agent
	Name  string // the agent's name
	// Profile names what the grant restricts. Dispatches of one name whose grants
	// restrict alike have the same, so that a reader who wants every restriction
	// need not read every grant.
	Profile string
}

// Entry is one dispatch as a store keeps it. Record and Grant are JSON
// objects; the store reads nothing in them.
type Entry struct {
	ID         ID
	Keys       Keys
	Generation uint64
	Ended      bool
	Record     []byte
	Grant      []byte
}

// Held is the profile of ended dispatches whose name is still held: Retain.
const Held = "held"

// Kind is a kind of mark.
type Kind string

// The kinds of marks. A mark is a small fact that is created once.
const (
	Bind    Kind = "bind"    // agent key → dispatch
	Seen    Kind = "seen"    // dispatch → its first judged call
	Once    Kind = "once"    // one-call grant → the call that spent it
	Told    Kind = "told"    // dispatch and number of a knob's change → when its worker was told
	Launch  Kind = "launch"  // launch call → dispatch
	Folder  Kind = "folder"  // launch call → the working folder of its agent, as hex
	Window  Kind = "window"  // session and dispatch of an open launch → dispatch
	Session Kind = "session" // dispatch that binds sessions → the session that dispatched
	Off     Kind = "off"     // "until" → when the guard acts again
)

// Store keeps dispatches. Every method may be called from several processes
// and goroutines at once.
type Store interface {
	// Create makes a dispatch live, durably, or does nothing: the claim first,
	// then the grant, then the record, each on disk before the next. It is
	// ErrExists when a live dispatch has the claim (a *HeldError that names
	// it); a claim whose dispatch is gone or ended is taken over. Full or
	// read-only disks leave nothing live.
	Create(ctx context.Context, e Entry) error

	// Update replaces record and grant of a live dispatch, the grant under its
	// new generation first. e.Generation must be ifGeneration+1; ErrGeneration when the
	// stored generation is not ifGeneration. A damaged record is ErrDamaged and stays.
	// Where e.Keys.Profile is another than before, the dispatch is found under both of
	// them until it ends, so that no reader misses it between the two.
	Update(ctx context.Context, e Entry, ifGeneration uint64) error

	// End is Update, and takes the dispatch out of what is live: claim and name
	// are free afterwards. With hold, which is for dispatches whose time was up, the
	// name stays in the index under Held, and the dispatch can be ended once more
	// without: its verdict.
	End(ctx context.Context, e Entry, ifGeneration uint64, hold bool) error

	// Free takes an ended dispatch out of the index of held names.
	Free(ctx context.Context, e Entry) error

	// Read returns a dispatch, live or ended. ErrNotFound, ErrDamaged, ErrForeign.
	// An orphan grant, or a record whose grant is missing, is no dispatch: the
	// first is ErrNotFound, the second ErrDamaged.
	Read(id ID) (Entry, error)

	// Live yields the ids of all live dispatches, in no order.
	Live() iter.Seq2[ID, error]

	// Ended yields the ids of all ended dispatches that are still kept.
	Ended() iter.Seq2[ID, error]

	// Archived is Ended without a look at what is live, whose number it then does
	// not depend on. It leaves out what Sweep has yet to put in its place.
	Archived() iter.Seq2[ID, error]

	// Profiles returns the profiles under which an agent name has dispatches, Held last.
	Profiles(name string) ([]string, error)

	// Named yields the dispatches of an agent name with one profile, in no order. An
	// id in it may have ended since, or stand under another profile too: read it. A
	// caller may stop early: the first ids come without all of them being read.
	Named(name, profile string) iter.Seq2[ID, error]

	// Empty says whether nothing is live, at the price of one look. It errs
	// towards false.
	Empty() bool

	// Mark creates a mark, ErrExists when there is one already. value has at
	// most MaxMark bytes of letters, digits and "-_.:+". The mark is not made durable.
	Mark(k Kind, key, value string) error

	// Marked returns the value of a mark, or ErrNotFound.
	Marked(k Kind, key string) (string, error)

	// Marks yields keys and values of a kind.
	Marks(k Kind) iter.Seq2[string, string]

	// Unmark removes a mark; none is no error.
	Unmark(k Kind, key string) error

	// Remove deletes ended dispatches and their grants. Those of one unit that
	// follow each other are deleted under one lock. It stops at the first error.
	Remove(ctx context.Context, es ...Entry) error

	// Sweep does up to limit steps of tidying: grants that no record names and that
	// are older than grace, claims and index entries without a dispatch. It
	// returns how many things it removed (or would, with dry).
	Sweep(ctx context.Context, grace time.Duration, limit int, dry bool) (int, error)

	// SetAside moves a damaged dispatch's files out of the way and leaves it
	// Damaged: what it blocked stays blocked.
	SetAside(ctx context.Context, id ID) error

	// Damaged yields what cannot be read, live or set aside, and why.
	Damaged() iter.Seq2[Damage, error]

	// Clear deletes what was set aside.
	Clear(ctx context.Context) (int, error)
}

// Damage is a file that cannot be believed.
type Damage struct {
	ID     ID // "" when the name is no id
	File   string
	Reason string
	Aside  bool
}

// HeldError says who has a claim.
type HeldError struct{ By ID }

func (e *HeldError) Error() string { return fmt.Sprintf("the claim is held by %s", e.By) }

// Is makes a HeldError an ErrExists.
func (e *HeldError) Is(target error) bool { return target == ErrExists }

// LockedError says who holds a lock, as far as it is known.
type LockedError struct {
	Holder string
	Waited time.Duration
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("locked by %s for %s", e.Holder, e.Waited.Round(time.Millisecond))
}

// Is makes a LockedError an ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// DamageError says what is wrong with a document.
type DamageError struct{ File, Reason string }

func (e *DamageError) Error() string { return fmt.Sprintf("%q is damaged: %s", e.File, e.Reason) }

// Is makes a DamageError an ErrDamaged.
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }
