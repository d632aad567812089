package grants

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
)

// Encode writes a grant as one JSON object.
func (g *Grant) Encode() []byte {
	var w wire.Writer
	w.Object("").Int("schema", Schema).String("id", string(g.ID))
	encodeUnit(&w, "unit", g.Own)
	w.Strings("layouts", g.Layouts)
	w.Array("listed")
	for _, u := range g.Listed {
		encodeUnit(&w, "", u)
	}
	w.End()
	w.Array("real_places")
	for _, a := range g.Aliases {
		w.Object("").String("real", a.Real).String("at", a.At).End()
	}
	w.End()
	w.Bool("fold", g.Fold)
	w.Array("opened")
	for _, o := range g.Opened {
		w.Object("").String("id", o.ID).String("access", string(o.Access)).String("path", o.Path).
			Bool("exact", o.Exact).Time("until", o.Until).Bool("once", o.Once).End()
	}
	w.End()
	w.Bool("read_only", g.ReadOnly).Bool("shared_read", g.SharedRead).Strings("deny_tools", g.DenyTools).
		Int("max_depth", int64(g.MaxDepth)).String("opaque", string(g.Opaque)).String("sandbox", g.Sandbox).
		Strings("commands", g.Commands).Strings("commands_deny", g.Denied).
		Bool("observe", g.Observe).Bool("strict", g.Strict).Bool("first_touch", g.FirstTouch).
		Bool("sessions", g.Sessions).Bool("quiet", g.Quiet)
	// Grants from before these were there are read as they are.
	if g.Git {
		w.Bool("git", true)
	}
	if g.ConfineAll {
		w.Bool("confine_all", true)
	}
	if g.Ask {
		w.Bool("ask", true)
	}
	if g.AskWait != 0 {
		w.Int("ask_wait_ms", g.AskWait.Milliseconds())
	}
	if len(g.Turned) > 0 {
		encodeTurned(&w, g.Turned)
	}
	w.End()
	return w.Bytes()
}

func encodeUnit(w *wire.Writer, name string, u unit.Unit) {
	w.Object(name).String("name", u.Name).Strings("paths", u.Paths)
	if len(u.Reads) > 0 {
		w.Strings("reads", u.Reads)
	}
	w.Bool("listed", u.Listed).End()
}

// optional says whether a grant need not have a member.
func optional(name string) bool {
	switch name {
	case "git", "confine_all", "ask", "ask_wait_ms", "knobs":
		return true
	}
	return false
}

// MaxAskWait is the longest that a question may wait: an agent program does not wait
// for its hook for ever.
const MaxAskWait = 10 * time.Minute

func encodeTurned(w *wire.Writer, events []knobs.Event) {
	w.Array("knobs")
	for _, e := range events {
		w.Object("").Int("seq", int64(e.Seq)).Time("time", e.Time).String("knob", string(e.Knob)).
			String("value", string(e.Value)).String("by", e.By).End()
	}
	w.End()
}

// Decode reads a grant. What is not exactly one is store.ErrDamaged: a newer
// schema, a field that is missing or unknown, another id than the caller's.
func Decode(data []byte, id store.ID) (*Grant, error) {
	g := &Grant{}
	r := wire.NewReader(data)
	schema, fields := int64(0), 0
	err := r.Object(func(name string) (err error) {
		if !optional(name) {
			fields++
		}
		switch name {
		case "schema":
			schema, err = r.Int()
		case "id":
			var s string
			s, err = r.String()
			g.ID = store.ID(s)
		case "unit":
			g.Own, err = decodeUnit(r)
		case "layouts":
			g.Layouts, err = r.Strings()
		case "listed":
			err = r.Array(func() error {
				u, err := decodeUnit(r)
				g.Listed = append(g.Listed, u)
				return err
			})
		case "real_places":
			err = r.Array(func() error { return g.decodeAlias(r) })
		case "opened":
			err = r.Array(func() error { return g.decodeOpening(r) })
		case "deny_tools":
			g.DenyTools, err = r.Strings()
		case "commands":
			g.Commands, err = r.Strings()
		case "commands_deny":
			g.Denied, err = r.Strings()
		case "max_depth":
			var n int64
			n, err = r.Int()
			g.MaxDepth = int(n)
		case "sandbox":
			g.Sandbox, err = r.String()
		case "opaque":
			var s string
			s, err = r.String()
			g.Opaque = Opaque(s)
		case "ask_wait_ms":
			var n int64
			n, err = r.Int()
			g.AskWait = time.Duration(n) * time.Millisecond
		case "knobs":
			err = r.Array(func() error { return g.decodeTurn(r) })
		default:
			err = g.decodeFlag(r, name)
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
	case g.ID != id:
		err = fmt.Errorf("it is the grant of another dispatch")
	case fields != 21 || len(g.Own.Paths) == 0:
		err = errMissing
	case g.Opaque != OpaqueAllow && g.Opaque != OpaqueBlock && g.Opaque != OpaqueConfine:
		err = fmt.Errorf("unknown policy %q", g.Opaque)
	case g.AskWait < 0 || g.AskWait > MaxAskWait:
		err = fmt.Errorf("no question waits %s", g.AskWait)
	default:
		err = knobs.Check(g.Turned)
	}
	if err != nil {
		return nil, fmt.Errorf("grant of %s: %w: %w", id, store.ErrDamaged, err)
	}
	return g, nil
}

func (g *Grant) decodeFlag(r *wire.Reader, name string) error {
	var to *bool
	switch name {
	case "fold":
		to = &g.Fold
	case "read_only":
		to = &g.ReadOnly
	case "shared_read":
		to = &g.SharedRead
	case "observe":
		to = &g.Observe
	case "strict":
		to = &g.Strict
	case "first_touch":
		to = &g.FirstTouch
	case "sessions":
		to = &g.Sessions
	case "quiet":
		to = &g.Quiet
	case "git":
		to = &g.Git
	case "confine_all":
		to = &g.ConfineAll
	case "ask":
		to = &g.Ask
	default:
		return fmt.Errorf("unknown field %q", name)
	}
	var err error
	*to, err = r.Bool()
	return err
}

// errMissing says that a grant, or something in it, is not whole: what is left
// of an opening without its end would be one that never ends.
var errMissing = errors.New("a field is missing")

func decodeUnit(r *wire.Reader) (unit.Unit, error) {
	var u unit.Unit
	fields := 0
	err := r.Object(func(name string) (err error) {
		if name != "reads" {
			fields++
		}
		switch name {
		case "name":
			u.Name, err = r.String()
		case "paths":
			u.Paths, err = r.Strings()
		case "reads":
			u.Reads, err = r.Strings()
		case "listed":
			u.Listed, err = r.Bool()
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if err == nil && fields != 3 {
		err = errMissing
	}
	return u, err
}

func (g *Grant) decodeAlias(r *wire.Reader) error {
	var a unit.Alias
	fields := 0
	err := r.Object(func(name string) (err error) {
		fields++
		switch name {
		case "real":
			a.Real, err = r.String()
		case "at":
			a.At, err = r.String()
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if err == nil && fields != 2 {
		err = errMissing
	}
	g.Aliases = append(g.Aliases, a)
	return err
}

func (g *Grant) decodeOpening(r *wire.Reader) error {
	var o Opening
	fields := 0
	err := r.Object(func(name string) (err error) {
		fields++
		var s string
		switch name {
		case "id":
			o.ID, err = r.String()
		case "access":
			s, err = r.String()
			o.Access = Access(s)
		case "path":
			o.Path, err = r.String()
		case "exact":
			o.Exact, err = r.Bool()
		case "until":
			o.Until, err = r.Time()
		case "once":
			o.Once, err = r.Bool()
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	switch {
	case err != nil:
	case fields != 6:
		err = errMissing
	case o.Access != AccessRead && o.Access != AccessWrite:
		err = fmt.Errorf("unknown access %q", o.Access)
	}
	g.Opened = append(g.Opened, o)
	return err
}

func (g *Grant) decodeTurn(r *wire.Reader) error {
	var e knobs.Event
	fields := 0
	err := r.Object(func(name string) (err error) {
		fields++
		var s string
		switch name {
		case "seq":
			var n int64
			n, err = r.Int()
			e.Seq = int(n)
		case "time":
			e.Time, err = r.Time()
		case "knob":
			s, err = r.String()
			e.Knob = knobs.Name(s)
		case "value":
			s, err = r.String()
			e.Value = knobs.Value(s)
		case "by":
			e.By, err = r.String()
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if err == nil && fields != 5 {
		err = errMissing
	}
	g.Turned = append(g.Turned, e)
	return err
}
