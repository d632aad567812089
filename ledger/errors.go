package ledger

import (
	"fmt"

	"github.com/seed6310be5c/conduct/store"
)

// Code names a refusal. It is an error itself, so that errors.Is asks for one.
// The set is closed.
type Code string

// The refusals.
const (
	UnknownItem         Code = "unknown_item"
	ItemClosed          Code = "item_closed"
	NotBound            Code = "not_bound"
	AlreadyBound        Code = "already_bound"
	ItemCapExceeded     Code = "item_cap_exceeded"
	EventCapExceeded    Code = "event_cap_exceeded"
	ArtifactCapExceeded Code = "artifact_cap_exceeded"
	DepthExceeded       Code = "depth_exceeded"
	FieldTooLong        Code = "field_too_long"
	FieldInvalid        Code = "field_invalid"
	BadPointer          Code = "bad_pointer"
	NoChannel           Code = "no_channel"
	ChannelExpired      Code = "channel_expired"
	ChannelExhausted    Code = "channel_exhausted"
	ChannelOpen         Code = "channel_open"
	ChannelCapExceeded  Code = "channel_cap_exceeded"
)

// Codes lists the refusals.
func Codes() []Code {
	return []Code{
		UnknownItem, ItemClosed, NotBound, AlreadyBound, ItemCapExceeded, EventCapExceeded, ArtifactCapExceeded,
		DepthExceeded, FieldTooLong, FieldInvalid, BadPointer, NoChannel, ChannelExpired, ChannelExhausted, ChannelOpen,
		ChannelCapExceeded,
	}
}

func (c Code) Error() string { return string(c) }

// Error is a refusal: errors.Is finds its code, errors.As the rest.
type Error struct {
	Code  Code
	Item  store.ID // the item that it is about, or ""
	Field string   // the field that it is about, or ""
	text  string
}

func (e *Error) Error() string { return e.text }

// Is makes an Error its Code.
func (e *Error) Is(target error) bool { return target == e.Code }

func refuse(c Code, format string, args ...any) *Error {
	return &Error{Code: c, text: fmt.Sprintf(format, args...)}
}

func (e *Error) of(item store.ID) *Error {
	e.Item = item
	return e
}

func (e *Error) in(field string) *Error {
	e.Field = field
	return e
}

// Refuse makes a refusal, for the packages that keep other parts of the board.
func Refuse(c Code, item store.ID, field, format string, args ...any) error {
	return refuse(c, format, args...).of(item).in(field)
}

// Closed is the refusal of an item that takes no more events.
func Closed(id store.ID) error { return closed(id) }

// Unknown is the refusal of an id that no item of the board has.
func Unknown(id store.ID) error {
	return refuse(UnknownItem, "no item %q on the board", string(id)).of(id)
}

// Unbound is the refusal of a dispatch that works on no item.
func Unbound(id store.ID) error {
	return refuse(NotBound, "dispatch %q is bound to no item", string(id))
}

// Bound is the refusal of a dispatch that works on another item already.
func Bound(id, item store.ID) error {
	return refuse(AlreadyBound, "dispatch %q is bound to item %q", string(id), string(item)).of(item)
}
