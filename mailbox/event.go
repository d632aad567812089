package mailbox

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// Kind is what happened to a box.
type Kind string

// The kinds of events.
const (
	KindOpen    Kind = "channel_open"
	KindClose   Kind = "channel_close"
	KindMessage Kind = "message" // over the channel
	KindRelay   Kind = "relay"   // passed on by the conductor
	KindFetch   Kind = "fetch"   // an inbox was read
)

// Kinds lists the kinds of events.
func Kinds() []Kind { return []Kind{KindOpen, KindClose, KindMessage, KindRelay, KindFetch} }

// Event is one thing that happened to a box. Which of the fields it has depends on
// its kind; the others are empty.
type Event struct {
	Seq      int // its place in the box, from 1
	Time     time.Time
	Kind     Kind
	Item     store.ID      // message, relay: from whom; fetch: whose inbox
	Dispatch store.ID      // message: who wrote it; fetch: who read it
	Text     string        // message, relay
	TTL      time.Duration // channel_open; whole seconds
	Limit    int           // channel_open: messages
	Upto     int           // fetch: the messages up to this event
}

// key is the same for events that say the same, whenever they happened.
func (e *Event) key() string {
	return store.Key(string(e.Kind), string(e.Item), string(e.Dispatch), e.Text, e.TTL.String(), strconv.Itoa(e.Limit), strconv.Itoa(e.Upto))
}

// Encode writes an event as one JSON object, without a line break.
func (e *Event) Encode() []byte {
	var w wire.Writer
	w.Object("").Int("schema", Schema).Int("seq", int64(e.Seq)).Time("time", e.Time).String("kind", string(e.Kind))
	switch e.Kind {
	case KindOpen:
		w.Int("ttl_s", int64(e.TTL/time.Second)).Int("messages", int64(e.Limit))
	case KindMessage:
		w.String("from", string(e.Item)).String("dispatch", string(e.Dispatch)).String("text", e.Text)
	case KindRelay:
		w.String("from", string(e.Item)).String("text", e.Text)
	case KindFetch:
		w.String("to", string(e.Item)).String("dispatch", string(e.Dispatch)).Int("upto", int64(e.Upto))
	}
	w.End()
	return w.Bytes()
}

// fieldsOf is how many fields an event of a kind has when it is written.
func fieldsOf(k Kind) int {
	switch k {
	case KindOpen, KindRelay:
		return 6
	case KindMessage, KindFetch:
		return 7
	}
	return 4
}

// Decode reads an event. What is not exactly one, within all bounds, is
// store.ErrDamaged.
func Decode(data []byte) (Event, error) {
	var e Event
	fields, schema := 0, int64(0)
	r := wire.NewReader(data)
	err := r.Object(func(name string) (err error) {
		fields++
		if name == "schema" {
			schema, err = r.Int()
			return err
		}
		return e.field(r, name)
	})
	if err == nil {
		err = r.End()
	}
	switch {
	case err != nil:
	case schema != Schema:
		err = fmt.Errorf("schema %d, this program knows %d", schema, Schema)
	case !slices.Contains(Kinds(), e.Kind):
		err = fmt.Errorf("unknown kind %q", e.Kind)
	case fields != fieldsOf(e.Kind):
		err = errors.New("a field is missing, or not of its kind")
	case e.Seq < 1 || e.Seq > MaxEvents || e.Time.IsZero():
		err = errors.New("it has no place or no time")
	default:
		err = e.check()
	}
	if err != nil {
		return Event{}, fmt.Errorf("event: %w: %w", store.ErrDamaged, err)
	}
	return e, nil
}

func (e *Event) field(r *wire.Reader, name string) (err error) {
	switch name {
	case "seq":
		e.Seq, err = number(r)
	case "messages":
		e.Limit, err = number(r)
	case "upto":
		e.Upto, err = number(r)
	case "ttl_s":
		var n int
		n, err = number(r)
		e.TTL = time.Duration(n) * time.Second
	case "time":
		e.Time, err = r.Time()
	case "kind":
		err = text(r, &e.Kind)
	case "from", "to":
		err = text(r, &e.Item)
	case "dispatch":
		err = text(r, &e.Dispatch)
	case "text":
		e.Text, err = r.String()
	default:
		err = fmt.Errorf("unknown field %q", name)
	}
	return err
}

func text[T ~string](r *wire.Reader, to *T) error {
	s, err := r.String()
	*to = T(s)
	return err
}

// number reads a small number that is not negative.
func number(r *wire.Reader) (int, error) {
	n, err := r.Int()
	if err == nil && (n < 0 || n > 1<<20) {
		err = fmt.Errorf("%d is out of bounds", n)
	}
	return int(n), err
}

// check checks an event alone against the bounds. What the box says to it is Apply's.
func (e *Event) check() error {
	switch e.Kind {
	case KindOpen:
		return checkOpen(e.TTL, e.Limit)
	case KindMessage:
		return errors.Join(ledger.CheckID("from", e.Item), ledger.CheckID("dispatch", e.Dispatch), ledger.CheckLine("text", e.Text, MaxText))
	case KindRelay:
		return errors.Join(ledger.CheckID("from", e.Item), ledger.CheckLine("text", e.Text, MaxText))
	case KindFetch:
		if e.Upto < 1 || e.Upto >= e.Seq {
			return errors.New("it fetches what is not before it")
		}
		return errors.Join(ledger.CheckID("to", e.Item), ledger.CheckID("dispatch", e.Dispatch))
	}
	return nil
}

func checkOpen(ttl time.Duration, limit int) error {
	switch {
	case ttl < time.Second || ttl > MaxTTL || ttl%time.Second != 0:
		return ledger.Refuse(ledger.FieldInvalid, "", "ttl", "ttl %s of a channel is not between 1s and 1d, in whole seconds", ttl)
	case limit < 1 || limit > MaxMessages:
		return ledger.Refuse(ledger.FieldInvalid, "", "messages", "%d messages of a channel are not between 1 and %d", limit, MaxMessages)
	}
	return nil
}
