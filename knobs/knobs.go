// Package knobs holds the settings of a dispatch that a conductor can turn while
// it is in force. Each turn is an event, which is never changed; what counts is
// folded from the events and from what the dispatch was made with. It is pure.
package knobs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Name is the name of a knob.
type Name string

// The knobs.
const (
	Sandbox  Name = "sandbox"  // what the dispatch may write, and whether commands are confined at all
	Approval Name = "approval" // whether a person is asked about a blocked call
	Opaque   Name = "opaque"   // what becomes of commands that are not understood
)

// Value is what a knob is set to: one of its Values.
type Value string

// The values of the knobs.
const (
	ReadOnly       Value = "read-only"       // nothing is written in the workspace
	WorkspaceWrite Value = "workspace-write" // what the grant says
	Off            Value = "off"             // no sandbox is used: what would need one is blocked

	Ask   Value = "ask"   // a blocked call is a question to a person
	Never Value = "never" // it is blocked

	Confine Value = "confine"
	Block   Value = "block"
	Allow   Value = "allow"
)

// Bounds of the events of one dispatch.
const (
	MaxEvents = 64
	MaxBy     = 500 // bytes
)

// Errors of Parse and Plan.
var (
	// ErrUnknown is returned for a name or a value that is none.
	ErrUnknown = errors.New("not known")
	// ErrSame is returned for a knob that has that value already: nothing is to be written.
	ErrSame = errors.New("already so")
	// ErrFull is returned when a dispatch has MaxEvents events.
	ErrFull = errors.New("too many changes")
	// ErrBy is returned for a name of who turns a knob that is too long or has control characters.
	ErrBy = errors.New("not a valid name")
)

// Names lists the knobs.
func Names() []Name { return []Name{Sandbox, Approval, Opaque} }

// Values lists what a knob can be set to; none for a name that is none.
func (n Name) Values() []Value {
	switch n {
	case Sandbox:
		return []Value{ReadOnly, WorkspaceWrite, Off}
	case Approval:
		return []Value{Ask, Never}
	case Opaque:
		return []Value{Confine, Block, Allow}
	}
	return nil
}

// Parse reads a knob and its value, or says which there are: ErrUnknown.
func Parse(name, value string) (Name, Value, error) {
	n, v := Name(name), Value(value)
	switch values := n.Values(); {
	case values == nil:
		return "", "", fmt.Errorf("knob %q is %w: one of %s", name, ErrUnknown, list(Names()))
	case !slices.Contains(values, v):
		return "", "", fmt.Errorf("%s %q is %w: one of %s", name, value, ErrUnknown, list(values))
	}
	return n, v, nil
}

func list[T ~string](all []T) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = string(s)
	}
	return strings.Join(out, ", ")
}

// Event is one turn of a knob.
type Event struct {
	Seq   int // 1 for the first of a dispatch
	Time  time.Time
	Knob  Name
	Value Value
	By    string // who turned it: a session, or a user's name
}

// Settings is the value of every knob.
type Settings struct {
	Sandbox  Value
	Approval Value
	Opaque   Value
}

// Of is the value of one knob.
func (s Settings) Of(n Name) Value { return *s.of(n) }

func (s *Settings) of(n Name) *Value {
	switch n {
	case Sandbox:
		return &s.Sandbox
	case Approval:
		return &s.Approval
	}
	return &s.Opaque
}

// Fold returns what counts: of each knob the last event's value, else the default.
func Fold(defaults Settings, events []Event) Settings {
	for i := range events {
		*defaults.of(events[i].Knob) = events[i].Value
	}
	return defaults
}

// Last returns the event that a knob has its value from; none when that is the default's.
func Last(events []Event, n Name) (Event, bool) {
	for _, e := range slices.Backward(events) {
		if e.Knob == n {
			return e, true
		}
	}
	return Event{}, false
}

// Plan makes the event that turns a knob; nothing is changed by it. It is ErrSame
// for a value that counts already, wherever it comes from, ErrFull and ErrBy.
func Plan(defaults Settings, events []Event, e Event) (Event, error) {
	if _, _, err := Parse(string(e.Knob), string(e.Value)); err != nil {
		return Event{}, err
	}
	switch {
	case len(e.By) > MaxBy || strings.ContainsFunc(e.By, func(r rune) bool { return r < 0x20 || r == 0x7f || r == 0xfffd }):
		return Event{}, fmt.Errorf("%q is %w: at most %d bytes, no control characters", e.By, ErrBy, MaxBy)
	case Fold(defaults, events).Of(e.Knob) == e.Value:
		return Event{}, fmt.Errorf("%s is %s: %w", e.Knob, e.Value, ErrSame)
	case len(events) >= MaxEvents:
		return Event{}, fmt.Errorf("%w: %d changes of knobs, at most %d for a dispatch", ErrFull, len(events), MaxEvents)
	}
	e.Seq = len(events) + 1
	return e, nil
}

// Check says what is wrong with events that were read: they are of the known
// knobs and values, and follow each other.
func Check(events []Event) error {
	if len(events) > MaxEvents {
		return fmt.Errorf("%w: %d changes of knobs", ErrFull, len(events))
	}
	for i, e := range events {
		if _, _, err := Parse(string(e.Knob), string(e.Value)); err != nil {
			return err
		}
		if e.Seq != i+1 || e.Time.IsZero() {
			return fmt.Errorf("change %d of a knob is out of order", i+1)
		}
	}
	return nil
}
