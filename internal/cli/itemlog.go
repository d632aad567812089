package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// entry is one thing that happened to an item, as the conductor is shown it: an event of
// its own, of its mailboxes, or of a dispatch that was bound to it.
type entry struct {
	at   time.Time
	doc  []byte // a JSON object
	text string
}

// itemView is one item as the conductor sees it, and all that happened to it.
func (d *desk) itemView(id store.ID) (ledger.ConductorItem, []entry, error) {
	it, err := d.board().Item(id)
	if err != nil {
		return ledger.ConductorItem{}, nil, err
	}
	events, err := d.board().Events(id)
	if err != nil {
		return ledger.ConductorItem{}, nil, err
	}
	var log []entry
	for i := range events {
		log = append(log, entry{events[i].Time, events[i].Encode(), eventText(&events[i])})
	}
	mail, err := d.mailOf(id)
	if err != nil {
		return ledger.ConductorItem{}, nil, err
	}
	log = append(log, mail...)
	for i := range events {
		if events[i].Kind == ledger.KindBind {
			turned, err := d.dispatchLog(events[i].Dispatch)
			if err != nil {
				return ledger.ConductorItem{}, nil, err
			}
			log = append(log, turned...)
		}
	}
	slices.SortStableFunc(log, func(a, b entry) int { return a.at.Compare(b.at) })
	return it.Conductor(d.present()), log, nil
}

// mailOf is what an item and others wrote to each other.
func (d *desk) mailOf(item store.ID) ([]entry, error) {
	pairs, err := d.mail().Pairs(item)
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, p := range pairs {
		events, err := d.mail().Events(p)
		if err != nil {
			return nil, err
		}
		for i := range events {
			out = append(out, entry{events[i].Time, mailDoc(&events[i], p.Other(item)), mailText(&events[i], p)})
		}
	}
	return out, nil
}

// mailDoc is an event of a mailbox, with the other item beside it.
func mailDoc(e *mailbox.Event, with store.ID) []byte {
	var w wire.Writer
	w.Object("").Time("time", e.Time).String("kind", string(e.Kind)).String("with", string(with))
	switch e.Kind {
	case mailbox.KindOpen:
		w.Int("ttl_s", int64(e.TTL/time.Second)).Int("messages", int64(e.Limit))
	case mailbox.KindMessage:
		w.String("from", string(e.Item)).String("dispatch", string(e.Dispatch)).String("text", e.Text)
	case mailbox.KindRelay:
		w.String("from", string(e.Item)).String("text", e.Text)
	case mailbox.KindFetch:
		w.String("to", string(e.Item)).String("dispatch", string(e.Dispatch))
	}
	w.End()
	return w.Bytes()
}

// dispatchLog is how the knobs of a dispatch were turned, and what it asked; nothing of
// one whose record is gone.
func (d *desk) dispatchLog(id store.ID) ([]entry, error) {
	got, err := d.book.Read(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case errors.Is(err, store.ErrDamaged): // what is on the board is whole
		d.env.warn("dispatch %s is left out: %s", id, oneLine(err.Error()))
		return nil, nil
	case err != nil:
		return nil, err
	}
	var out []entry
	add := func(at time.Time, kind, text string, more func(*wire.Writer)) {
		var w wire.Writer
		w.Object("").Time("time", at).String("kind", kind).String("dispatch", string(id))
		more(&w)
		w.End()
		out = append(out, entry{at, w.Bytes(), text})
	}
	for _, e := range got.Grant.Turned {
		add(e.Time, "knob", fmt.Sprintf("knob %s turned to %s by %s", e.Knob, e.Value, e.By), func(w *wire.Writer) {
			w.String("knob", string(e.Knob)).String("value", string(e.Value)).String("by", e.By)
		})
	}
	asked, err := d.questions().Questions(id, d.env.Clock.Now())
	if err != nil {
		return nil, err
	}
	for _, q := range asked {
		add(q.AskedAt, eventAsked, fmt.Sprintf("call of %s asked about: %s", q.Tool, q.Key), func(w *wire.Writer) {
			w.String("question", q.Key).String("tool", q.Tool).String("command", q.Command)
		})
		if q.Decision != nil {
			add(q.Decision.At, eventDecided, fmt.Sprintf("decided %s: %s", q.Key, q.Decision.Answer), func(w *wire.Writer) {
				w.String("question", q.Key).String("answer", q.Decision.Answer.String()).String("by", q.Decision.By)
			})
		}
	}
	return out, nil
}

func itemJSON(v ledger.ConductorItem, log []entry) []byte {
	var w wire.Writer
	w.Object("")
	ledger.WriteFields(&w, v)
	w.Array("log")
	for _, l := range log {
		w.Raw("", l.doc)
	}
	w.End().End()
	return w.Bytes()
}

// eventText says an event in one line.
func eventText(e *ledger.Event) string {
	switch e.Kind {
	case ledger.KindCreate:
		return "created"
	case ledger.KindBind:
		return "bound to dispatch " + string(e.Dispatch)
	case ledger.KindReport:
		return strings.TrimSpace(fmt.Sprintf("reported %s: %q %s", e.Report, e.Text, pointers(e.Artifacts)))
	case ledger.KindDecision:
		return "decided: " + oneLine(e.Text)
	case ledger.KindVerdict:
		return "judged " + string(e.Verdict)
	case ledger.KindRequest:
		return fmt.Sprintf("asked for a %s to %s: %q", e.Request, e.To, e.Text)
	}
	return "closed"
}
