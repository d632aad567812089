package dispatch

import (
	"errors"
	"fmt"
)

// State is where a dispatch is in its life.
type State string

// The states. A dispatch is reserved when it is made, active from the first
// judged call of its agent, and ends in one of the other three.
const (
	Reserved  State = "reserved"
	Active    State = "active"
	Released  State = "released"
	Expired   State = "expired"
	Abandoned State = "abandoned"
)

// Live says whether the dispatch is in force.
func (s State) Live() bool { return s == Reserved || s == Active }

// Move is something that happens to a dispatch.
type Move string

// The moves.
const (
	MoveCall    Move = "call"    // a judged call of its agent
	MoveGrant   Move = "grant"   // its grant is added to or narrowed
	MoveRenew   Move = "renew"   // it gets more time
	MoveRelease Move = "release" // a verdict other than abandoned
	MoveAbandon Move = "abandon" // the verdict abandoned
	MoveExpire  Move = "expire"  // its time is up
)

// ErrForbidden is returned for a move that the state does not allow.
var ErrForbidden = errors.New("not possible")

// next is the whole machine: what is not in it is forbidden.
var next = map[State]map[Move]State{
	Reserved: {
		MoveCall: Active, MoveGrant: Reserved, MoveRenew: Reserved,
		MoveRelease: Released, MoveAbandon: Abandoned, MoveExpire: Expired,
	},
	Active: {
		MoveCall: Active, MoveGrant: Active, MoveRenew: Active,
		MoveRelease: Released, MoveAbandon: Abandoned, MoveExpire: Expired,
	},
	// An expired dispatch still gets its verdict, which frees the agent's name.
	Expired: {MoveRelease: Released, MoveAbandon: Abandoned},
}

// Next returns the state after a move, or an ErrForbidden.
func (s State) Next(m Move) (State, error) {
	to, ok := next[s][m]
	if !ok {
		return s, fmt.Errorf("%s of a dispatch that is %s is %w", m, s, ErrForbidden)
	}
	return to, nil
}

// Verdict is what the conductor says when it releases.
type Verdict string

// The verdicts.
const (
	VerdictReady     Verdict = "ready"
	VerdictNotReady  Verdict = "not-ready"
	VerdictBlocked   Verdict = "blocked"
	VerdictAbandoned Verdict = "abandoned"
)

// Verdicts lists the verdicts.
func Verdicts() []Verdict {
	return []Verdict{VerdictReady, VerdictNotReady, VerdictBlocked, VerdictAbandoned}
}

// Move returns what a verdict does to a dispatch.
func (v Verdict) Move() Move {
	if v == VerdictAbandoned {
		return MoveAbandon
	}
	return MoveRelease
}
