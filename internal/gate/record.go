package gate

import (
	"errors"
	"time"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/store"
)

// apply does what the guard wants done. It returns true when the decision no
// longer holds: a one-call grant went to another call, or the agent was bound
// by another process to another dispatch.
func (g *gate) apply(in guard.Input, out guard.Outcome) (again bool) {
	for _, r := range out.Rulings {
		book := g.found[r.Workspace].book
		for _, e := range r.Effects {
			var err error
			switch e.Kind {
			case guard.Bind:
				err = book.Bind(e.Key, e.Number, e.ID, e.Depth)
				again = again || errors.Is(err, store.ErrExists)
			case guard.See:
				err = book.See(e.ID)
			case guard.Spend:
				call := e.Call
				if call == "" {
					call = "none-" + time.Now().UTC().Format("20060102T150405.000000000")
				}
				err = book.Spend(e.Key, call)
				again = again || errors.Is(err, store.ErrExists)
			case guard.NoteLaunch:
				err = book.NoteLaunch(e.Key, e.ID, e.Depth)
			case guard.NoteDir:
				err = book.NoteDir(e.Key, e.Dir)
			case guard.OpenWindow:
				err = book.OpenWindow(e.Key, e.ID)
			case guard.CloseWindow:
				err = book.CloseWindow(e.Key, e.ID)
			case guard.Stop:
				err = g.found[r.Workspace].log.Append(string(e.ID), audit.Line{
					Time: in.Now, Event: "agent_stop", Dispatch: string(e.ID), AgentID: in.Call.AgentID, Agent: in.Call.AgentType,
				})
			}
			if err != nil && !errors.Is(err, store.ErrExists) {
				// The decision stands without it: a binding that is not there is
				// looked for again at the next call. Doctor shows the loss.
				g.found[r.Workspace].log.Lose()
			}
		}
	}
	return again
}

// record writes the audit, and notices a refusal that repeats.
func (g *gate) record(out *guard.Outcome, call *guard.Call) {
	if call.Event != guard.ToolCall {
		return
	}
	for i := range out.Rulings {
		r := &out.Rulings[i]
		if !r.Log {
			continue
		}
		stream := streamOf(r)
		line := g.line(r, call)
		log := g.found[r.Workspace].log
		if !r.Allowed() && log.Refused(stream, line) >= 2 {
			r.Reason = guard.Repeat(r.Reason)
			if out.Code == r.Code && !out.Allowed() {
				out.Reason = r.Reason
			}
		}
		if r.Quiet && r.Allowed() {
			continue
		}
		_ = log.Append(stream, line) // counted when it is lost
	}
}

func streamOf(r *guard.Ruling) string {
	switch {
	case r.Code == guard.StoodAside:
		return audit.Aside
	case r.Several || len(r.Dispatches) != 1:
		// Only what counts as a call on unit paths by somebody unknown goes there.
		if r.Rule == guard.RuleNone && r.Code != guard.Protected {
			return audit.Undispatched
		}
		return audit.Ambiguous
	}
	return string(r.Dispatches[0])
}

func (g *gate) line(r *guard.Ruling, call *guard.Call) audit.Line {
	line := audit.Line{
		Time: g.o.Clock.Now(), Call: call.CallID, Allowed: r.Allowed(), Code: r.Code.String(),
		Target: shorten(r.Target), Path: r.Path, Unit: r.Unit, Agent: call.AgentType, AgentID: call.AgentID,
		Tool: shorten(call.Tool), Reason: r.Reason, Micros: time.Since(g.start).Microseconds(), Writes: r.SharedWrites,
	}
	if r.Op != 0 {
		line.Op = r.Op.String()
	}
	if r.Code == guard.WouldBlock {
		line.Would = r.Would.String()
	}
	if len(r.Dispatches) == 1 && !r.Several {
		line.Dispatch = string(r.Dispatches[0])
	}
	return line
}
