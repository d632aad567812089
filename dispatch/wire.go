package dispatch

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// Encode writes a record as one JSON object.
func (r *Record) Encode() []byte {
	var w wire.Writer
	w.Object("").Int("schema", Schema).String("id", string(r.ID)).
		String("unit", r.Unit).String("agent", r.Agent).String("role", r.Role).
		String("stage", r.Stage).String("note", r.Note).String("conductor", r.Conductor).
		String("state", string(r.State)).Int("generation", int64(r.Generation)).
		Time("issued_at", r.IssuedAt).Time("expires_at", r.ExpiresAt).
		String("boot_id", r.BootID).Int("boot_until_ms", r.BootUntil.Milliseconds()).String("host", r.Host).
		String("verdict", string(r.Verdict)).Time("ended_at", r.EndedAt)
	w.Object("keys").String("unit", r.Keys.Unit).String("claim", r.Keys.Claim).
		String("name", r.Keys.Name).String("profile", r.Keys.Profile).End()
	if len(r.Receipt) > 0 {
		w.Raw("receipt", r.Receipt)
	}
	w.End()
	return w.Bytes()
}

// Decode reads a record. What is not exactly one is store.ErrDamaged: a newer
// schema, a field that is missing or unknown, another id than the caller's.
func Decode(data []byte, id store.ID) (*Record, error) {
	rec := &Record{}
	r := wire.NewReader(data)
	schema, fields := int64(0), 0
	err := r.Object(func(name string) (err error) {
		if name != "receipt" {
			fields++
		}
		switch name {
		case "schema":
			schema, err = r.Int()
		case "generation":
			var n int64
			if n, err = r.Int(); n > 0 {
				rec.Generation = uint64(n)
			}
		case "issued_at":
			rec.IssuedAt, err = r.Time()
		case "expires_at":
			rec.ExpiresAt, err = r.Time()
		case "ended_at":
			rec.EndedAt, err = r.Time()
		case "boot_until_ms":
			var n int64
			n, err = r.Int()
			rec.BootUntil = time.Duration(n) * time.Millisecond
			if rec.BootUntil/time.Millisecond != time.Duration(n) {
				rec.BootUntil = -1
			}
		case "keys":
			err = rec.decodeKeys(r)
		case "receipt":
			rec.Receipt, err = r.Raw()
		default:
			err = rec.decodeText(r, name)
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
	case rec.ID != id:
		err = fmt.Errorf("it is the record of another dispatch")
	case fields != 18 || rec.IssuedAt.IsZero() || rec.ExpiresAt.IsZero() || rec.Generation == 0:
		err = fmt.Errorf("a field is missing")
	case rec.BootUntil < 0:
		err = fmt.Errorf("it ends before the boot")
	case rec.Verdict != "" && !slices.Contains(Verdicts(), rec.Verdict), (rec.Verdict != "") != (rec.State == Released || rec.State == Abandoned):
		err = fmt.Errorf("verdict %q in state %q", rec.Verdict, rec.State)
	case rec.State != Reserved && rec.State != Released && rec.State != Expired && rec.State != Abandoned:
		err = fmt.Errorf("unknown state %q", rec.State)
	}
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w: %w", id, store.ErrDamaged, err)
	}
	return rec, nil
}

func (r *Record) decodeText(rd *wire.Reader, name string) error {
	s, err := rd.String()
	if err != nil {
		return fmt.Errorf("field %q: %w", name, err)
	}
	switch name {
	case "id":
		r.ID = store.ID(s)
	case "unit":
		r.Unit = s
	case "agent":
		r.Agent = s
	case "role":
		r.Role = s
	case "stage":
		r.Stage = s
	case "note":
		r.Note = s
	case "conductor":
		r.Conductor = s
	case "state":
		r.State = State(s)
	case "boot_id":
		r.BootID = s
	case "host":
		r.Host = s
	case "verdict":
		r.Verdict = Verdict(s)
	default:
		return fmt.Errorf("unknown field %q", name)
	}
	return nil
}

func (r *Record) decodeKeys(rd *wire.Reader) error {
	fields := 0
	err := rd.Object(func(name string) error {
		fields++
		s, err := rd.String()
		switch name {
		case "unit":
			r.Keys.Unit = s
		case "claim":
			r.Keys.Claim = s
		case "name":
			r.Keys.Name = s
		case "profile":
			r.Keys.Profile = s
		default:
			return fmt.Errorf("unknown field %q", name)
		}
		if err == nil && !store.ValidKey(s) {
			return fmt.Errorf("key %q is none", name)
		}
		return err
	})
	if err == nil && fields != 4 {
		err = fmt.Errorf("a key is missing")
	}
	return err
}
