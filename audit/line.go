// Package audit writes one line for every judged call and makes the receipt
// from them. A line is evidence, not proof: files of the same user.
package audit

import (
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/wire"
)

// Line is one judged call.
type Line struct {
	Time     time.Time
	Call     string // the client's id of the call; "" when it sends none
	Allowed  bool
	Code     string
	Would    string // the code that would have been, for calls that are only watched
	Op       string
	Target   string // as the agent wrote it
	Path     string // relative to the workspace; only for own, shared and exempt paths
	Unit     string
	Dispatch string
	Agent    string
	AgentID  string
	Tool     string
	Reason   string
	Micros   int64
	// Writes are shared paths that the call may write.
	Writes []string
	// Event is "" for a call, and names other things that are noted ("agent_stop").
	Event string
}

// Encode writes a line as one JSON object, without a line break.
func (l *Line) Encode() []byte {
	var w wire.Writer
	l.encode(&w, true)
	return w.Bytes()
}

// Public writes a line as the command line shows it.
func (l *Line) Public() []byte {
	var w wire.Writer
	l.encode(&w, false)
	return w.Bytes()
}

func (l *Line) encode(w *wire.Writer, stored bool) {
	w.Object("").Time("time", l.Time).String("call", l.Call).Bool("allowed", l.Allowed).
		String("code", l.Code).String("would", l.Would).String("op", l.Op).String("target", l.Target).
		String("path", l.Path).String("unit", l.Unit).String("dispatch", l.Dispatch).
		String("agent", l.Agent).String("tool", l.Tool).String("reason", l.Reason)
	if stored || l.AgentID != "" {
		w.String("agent_id", l.AgentID)
	}
	if stored {
		w.Int("us", l.Micros)
	}
	if len(l.Writes) > 0 {
		w.Strings("writes", l.Writes)
	}
	if l.Event != "" {
		w.String("event", l.Event)
	}
	w.End()
}

// decode reads a line; what is torn is an error.
func decode(data []byte) (Line, error) {
	var l Line
	r := wire.NewReader(data)
	err := r.Object(func(name string) (err error) {
		switch name {
		case "time":
			l.Time, err = r.Time()
		case "allowed":
			l.Allowed, err = r.Bool()
		case "us":
			l.Micros, err = r.Int()
		case "writes":
			l.Writes, err = r.Strings()
		default:
			to := l.text(name)
			if to == nil {
				return r.Skip()
			}
			*to, err = r.String()
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	return l, err
}

func (l *Line) text(name string) *string {
	switch name {
	case "call":
		return &l.Call
	case "code":
		return &l.Code
	case "would":
		return &l.Would
	case "op":
		return &l.Op
	case "target":
		return &l.Target
	case "path":
		return &l.Path
	case "unit":
		return &l.Unit
	case "dispatch":
		return &l.Dispatch
	case "agent":
		return &l.Agent
	case "agent_id":
		return &l.AgentID
	case "tool":
		return &l.Tool
	case "reason":
		return &l.Reason
	case "event":
		return &l.Event
	}
	return nil
}

// key tells lines of the same call, which a hook writes that is installed twice,
// from those of other calls: a client's ids may recur in another session, and
// no call may hide behind another one's id.
func (l *Line) key() string {
	said := "b"
	if l.Allowed {
		said = "a"
	}
	return strings.Join([]string{l.Call, l.AgentID, l.Tool, l.Target, l.Code, said}, "\x00")
}
