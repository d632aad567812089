package guard

import (
	"slices"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/shell"
	"github.com/seed6310be5c/conduct/unit"
)

// unitsOnly judges the paths in units for a caller that may be the conductor.
func (j *judge) unitsOnly(d *dispatch.Dispatch) Decision {
	s, err := j.newSight(d)
	if err != nil {
		return j.blocked(RecordDamaged, refusal{})
	}
	if j.call.Launch != nil {
		return j.launch()
	}
	s.lenient = true
	best := Decision{Code: Shared}
	for _, t := range j.call.Targets {
		if got := s.target(t); !got.Allowed() {
			return got
		} else if rank(got.Code) > rank(best.Code) {
			best = got
		}
	}
	for _, c := range j.call.Commands {
		l, ok := j.read(c)
		if !ok {
			continue
		}
		if l.Wipes || j.destroys(l) {
			return s.blocked(Protected, Target{Op: Write, Path: c.Text}, refusal{})
		}
		if got := s.facts(l); !got.Allowed() {
			return got
		}
	}
	return best
}

// undispatched is the decision for a caller that nobody dispatched: everything
// passes but what would destroy the records, and with "strict" what is in a unit.
func (j *judge) undispatched() Decision {
	none := j.ws.Records.Empty()
	// A line of a dispatch that has ended is refused also when nothing is in force: its
	// agent would run with nothing to hold it to.
	if l := j.call.Launch; l != nil && (!none || len(Tokens(l.Prompt)) > 0) {
		if d := j.conductorLaunch(); !d.Allowed() {
			return d
		}
	}
	if none {
		return Decision{Code: Idle}
	}
	s := j.anySight()
	if s == nil {
		// No record says where units lie. One that cannot be read may be anybody's.
		if j.call.Marked && len(j.call.Targets)+len(j.call.Commands) > 0 && j.anyDamaged() {
			j.ruling.Log = true
			return j.blocked(RecordDamaged, refusal{})
		}
		return Decision{Code: Idle}
	}
	if d, bad := j.destroysRecords(s); bad {
		j.ruling.Log = true
		return d
	}
	if !j.call.Marked {
		return Decision{Code: NotDispatched}
	}
	name, touched := j.touchedUnit(s)
	if !touched {
		return Decision{Code: NotDispatched}
	}
	j.ruling.Log = true
	if j.anyDamaged() {
		return j.blocked(RecordDamaged, refusal{})
	}
	if s.d.Grant.Strict {
		return Decision{Code: Undispatched, Target: j.firstTarget(), Reason: refuse(Undispatched, refusal{})}
	}
	return Decision{Code: NotDispatched, Target: j.firstTarget(), Unit: name}
}

func (j *judge) firstTarget() string {
	if len(j.call.Targets) > 0 {
		return j.call.Targets[0].written()
	}
	if len(j.call.Commands) > 0 {
		return middle(j.call.Commands[0].Text, 200)
	}
	return ""
}

// anySight is the view of some live dispatch, for callers that have none: all
// of a workspace's scopes know the same units.
func (j *judge) anySight() *sight {
	for id, err := range j.ws.Records.LiveIDs() {
		if err != nil {
			return nil
		}
		d, err := j.ws.Records.Read(id)
		if err != nil || !d.Live() {
			continue
		}
		if s, err := j.newSight(d); err == nil {
			return s
		}
	}
	return nil
}

// destroysRecords says whether a call of anybody would destroy the records.
func (j *judge) destroysRecords(s *sight) (Decision, bool) {
	blocked := func(t Target) (Decision, bool) { return s.blocked(Protected, t, refusal{}), true }
	for _, t := range j.call.Targets {
		if t.Guess || t.Op&Write == 0 {
			continue
		}
		path, err := decodeURL(t.Path)
		if err != nil {
			continue
		}
		if abs, ok := j.absolute(path, t.Base); ok && j.inRecords(abs, false) {
			return blocked(t)
		}
	}
	for _, c := range j.call.Commands {
		if l, ok := j.read(c); ok && (l.Wipes || j.destroys(l)) {
			return blocked(Target{Op: Write, Path: c.Text})
		}
	}
	return Decision{}, false
}

// read analyzes a line of somebody who is not held by what it computes.
func (j *judge) read(c Command) (line, bool) {
	if c.Foreign || len(c.Text) > maxCommand {
		return line{}, false
	}
	l := j.analyze(c)
	return l, l.err == nil
}

// destroys says whether what a line writes to is the records or a folder above them.
func (j *judge) destroys(l line) bool {
	for _, f := range l.Facts {
		if f.Op != shell.Write && f.Op != shell.Place || f.Top || f.Guess {
			continue
		}
		for _, base := range append(f.Cwds, "") {
			abs, ok := j.absolute(f.Path, base)
			if ok && j.inRecords(abs, f.Op == shell.Write && !f.Implied) {
				return true
			}
		}
	}
	return false
}

// inRecords says whether a path is in the records of this workspace, or with
// above a folder that holds them and is removed or moved as a whole.
func (j *judge) inRecords(abs string, above bool) bool {
	pl, err := j.resolve(abs)
	if err != nil {
		return false
	}
	records := append(slices.Clone(j.ws.Root), ".conduct")
	for _, r := range pl.Readings(j.in.FS, j.ws.Root) {
		if r.Under(records, false) || above && records.Under(r, false) {
			return true
		}
	}
	return false
}

// touchedUnit says whether a call of somebody who has no unit touches one or
// searches above them, and which; "" where it cannot be told.
func (j *judge) touchedUnit(s *sight) (name string, touched bool) {
	g := *s.d.Grant
	g.Own, g.Opened = unit.Unit{}, nil
	scope, err := g.Scope()
	if err != nil {
		return "", false
	}
	none := *s.d
	none.Grant = &g
	bare := &sight{j: j, d: &none, scope: scope, lenient: true}
	for _, t := range j.call.Targets {
		if d := bare.target(t); !d.Allowed() && d.Code != Unresolvable {
			return d.Unit, true
		}
	}
	for _, c := range j.call.Commands {
		l, ok := j.read(c)
		if !ok {
			continue
		}
		if d := bare.facts(l); !d.Allowed() && d.Code != Unresolvable {
			return d.Unit, true
		}
	}
	return "", false
}

// onlyControls says whether the call runs our own programs and nothing else.
func (j *judge) onlyControls() bool {
	for _, c := range j.call.Commands {
		l, ok := j.read(c)
		if !ok || !l.ours() {
			return false
		}
	}
	return len(j.call.Commands) > 0 && len(j.call.Targets) == 0 && j.call.Launch == nil
}

// ours says whether a line runs our own programs and does nothing else, as a redirection would.
func (l *line) ours() bool {
	return len(l.Commands) > 0 && len(l.Controls) == len(l.Commands) && len(l.Facts) == 0 && len(l.Opaque) == 0 && !l.Wipes
}
