package approval

import (
	"errors"
	"fmt"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// Schema is the version of the documents of a question.
const Schema = 1

// Encode writes a question as one JSON object.
func (q *Question) Encode() []byte {
	var w wire.Writer
	w.Object("").Int("schema", Schema)
	q.Fields(&w)
	w.End()
	return w.Bytes()
}

// Fields writes a question into an object that is open.
func (q *Question) Fields(w *wire.Writer) {
	w.String("key", q.Key).String("dispatch", string(q.Dispatch)).String("unit", q.Unit).String("agent", q.Agent).
		String("tool", q.Tool).String("command", q.Command).Array("parts")
	for _, p := range q.Parts {
		w.Object("").String("code", p.Code).String("op", p.Op).String("target", p.Target).End()
	}
	w.End().Time("asked_at", q.AskedAt).Time("deadline", q.Deadline)
}

// errMissing says that a document is not whole.
var errMissing = errors.New("a field is missing")

// Decode reads a question. What is not exactly one is store.ErrDamaged.
func Decode(data []byte) (Question, error) {
	var q Question
	schema, fields := int64(0), 0
	r := wire.NewReader(data)
	err := r.Object(func(name string) (err error) {
		fields++
		switch name {
		case "schema":
			schema, err = r.Int()
		case "dispatch":
			var s string
			s, err = r.String()
			q.Dispatch = store.ID(s)
		case "parts":
			err = r.Array(func() error { return q.part(r) })
		case "asked_at":
			q.AskedAt, err = r.Time()
		case "deadline":
			q.Deadline, err = r.Time()
		default:
			to := q.text(name)
			if to == nil {
				return fmt.Errorf("unknown field %q", name)
			}
			*to, err = r.String()
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	switch {
	case err != nil:
	case schema != Schema:
		err = fmt.Errorf("schema %d, this program knows %d", schema, Schema)
	case fields != 10 || q.AskedAt.IsZero() || q.Deadline.IsZero():
		err = errMissing
	case !q.Dispatch.Valid() || !store.ValidKey(q.Key):
		err = errors.New("it is of no dispatch, or has no key")
	default:
		err = q.Check()
	}
	if err != nil {
		return Question{}, fmt.Errorf("question: %w: %w", store.ErrDamaged, err)
	}
	return q, nil
}

func (q *Question) text(name string) *string {
	switch name {
	case "key":
		return &q.Key
	case "unit":
		return &q.Unit
	case "agent":
		return &q.Agent
	case "tool":
		return &q.Tool
	case "command":
		return &q.Command
	}
	return nil
}

func (q *Question) part(r *wire.Reader) error {
	var p Part
	fields := 0
	err := r.Object(func(name string) (err error) {
		fields++
		switch name {
		case "code":
			p.Code, err = r.String()
		case "op":
			p.Op, err = r.String()
		case "target":
			p.Target, err = r.String()
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if err == nil && fields != 3 {
		err = errMissing
	}
	q.Parts = append(q.Parts, p)
	return err
}

// Encode writes a decision as one JSON object.
func (d *Decision) Encode() []byte {
	var w wire.Writer
	w.Object("").Int("schema", Schema)
	d.Fields(&w)
	w.End()
	return w.Bytes()
}

// Fields writes a decision into an object that is open.
func (d *Decision) Fields(w *wire.Writer) {
	w.String("answer", d.Answer.String()).String("by", d.By).Time("decided_at", d.At)
}

// DecodeDecision reads a decision. What is not exactly one is store.ErrDamaged.
func DecodeDecision(data []byte) (Decision, error) {
	var d Decision
	schema, fields, answer := int64(0), 0, ""
	r := wire.NewReader(data)
	err := r.Object(func(name string) (err error) {
		fields++
		switch name {
		case "schema":
			schema, err = r.Int()
		case "answer":
			answer, err = r.String()
		case "by":
			d.By, err = r.String()
		case "decided_at":
			d.At, err = r.Time()
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	known := false
	d.Answer, known = ParseAnswer(answer)
	switch {
	case err != nil:
	case schema != Schema:
		err = fmt.Errorf("schema %d, this program knows %d", schema, Schema)
	case fields != 4 || d.At.IsZero():
		err = errMissing
	case !known:
		err = fmt.Errorf("unknown answer %q", answer)
	}
	if err != nil {
		return Decision{}, fmt.Errorf("decision: %w: %w", store.ErrDamaged, err)
	}
	return d, nil
}
