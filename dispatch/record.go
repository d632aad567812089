// Package dispatch keeps dispatch records and their life: one record says that
// an agent works on a unit, until when.
package dispatch

import (
	"time"

	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/store"
)

// Schema is the version of a record's document.
const Schema = 1

// Limits of a dispatch.
const (
	DefaultTTL = 6 * time.Hour
	// MaxLife is the longest time from issue to the end of the last renewal.
	MaxLife = 7 * 24 * time.Hour
	// MaxNote is the length in bytes of a note, a stage, a role or an agent's name.
	MaxNote = 500
)

// Record is one dispatch as it is stored.
type Record struct {
	ID         store.ID
	Unit       string
	Agent      string // "" serves any agent that no other dispatch names
	Role       string
	Stage      string
	Note       string
	Conductor  string // the session that dispatched, "" when it is not known
	State      State  // Reserved, or how it ended; Active is never stored, see Dispatch
	Generation uint64
	IssuedAt   time.Time
	ExpiresAt  time.Time
	// BootID and BootUntil hold a set-back clock: in the same boot, the dispatch
	// ends when the boot clock passes BootUntil, whatever the wall clock says.
	BootID    string
	BootUntil time.Duration // since boot
	Host      string
	Verdict   Verdict
	EndedAt   time.Time
	Keys      store.Keys
	Receipt   []byte // JSON object, empty before the release
}

// Clock tells the time in the two ways that expiry needs.
type Clock interface {
	Now() time.Time
	// Boot returns the id of this boot and the time since it began, sleep
	// included; "" where the system does not tell.
	Boot() (id string, since time.Duration)
}

// Expired says whether a dispatch's time is up: by the wall clock, or by the
// boot clock in the boot that it was made in. Host, process and file times say
// nothing about it.
func (r *Record) Expired(c Clock) bool {
	if !c.Now().Before(r.ExpiresAt) {
		return true
	}
	id, since := c.Boot()
	return id != "" && id == r.BootID && since > r.BootUntil
}

// Dispatch is a record with its grant and what is derived from both.
type Dispatch struct {
	Record
	Grant *grants.Grant
	// State is the state now: Active when a call was seen, Expired when the time is up.
	Now    State
	SeenAt time.Time // first judged call, zero for none
	RanAt  time.Time // when its program had begun, zero where conduct did not start it
}

// Live says whether the dispatch is in force now.
func (d *Dispatch) Live() bool { return d.Now.Live() }

// derive fills in what the record does not say.
func (d *Dispatch) derive(c Clock) {
	d.Now = d.State
	if d.State != Reserved {
		return
	}
	if !d.ActiveAt().IsZero() {
		d.Now = Active
	}
	if d.Expired(c) {
		d.Now = Expired
	}
}

// ActiveAt is when the dispatch was known to be at work: from its first judged call,
// or from when its program had begun. Zero for not yet.
func (d *Dispatch) ActiveAt() time.Time {
	if d.SeenAt.IsZero() {
		return d.RanAt
	}
	return d.SeenAt
}

// Ended is when the dispatch ended: by its verdict, or when its time was up.
func (d *Dispatch) Ended() time.Time {
	if !d.EndedAt.IsZero() && d.State != Expired {
		return d.EndedAt
	}
	return d.ExpiresAt
}

// Line is the line for the launch prompt that names the dispatch.
func (d *Dispatch) Line() string { return Token(d.ID) }

// Token is the text that names a dispatch in a prompt.
func Token(id store.ID) string { return "conduct:" + string(id) }
