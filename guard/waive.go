package guard

import (
	"slices"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/unit"
)

// A call that its dispatch blocks may be a question to a person, whose yes waives that
// block for this one call. The call is then judged again as a whole: what the yes cannot
// waive blocks as before.

// Askable says whether a person may be asked about a block of this code. It is for what
// the grant keeps from the agent. What is protected from everybody, what is not certain
// (whose call, which path), and what is over is no question.
func (c Code) Askable() bool {
	switch c {
	case SiblingUnit, SiblingSearch, ReadOnly, ToolDenied, OpaqueCommand:
		return true
	}
	return false
}

// asks says whether a block is a question: by exactly one dispatch, which is in force and asks.
func (j *judge) asks(c Code) bool {
	d := j.sole()
	return d != nil && knobs.Judge(c.Askable(), false, d.Grant.Defaults(), d.Grant.Turned) == knobs.Asks
}

// waives says whether a person has allowed this call of a dispatch.
func (j *judge) waives(c Code) bool {
	if j.in.Approved == "" {
		return false
	}
	d := j.sole()
	return d != nil && d.ID == j.in.Approved && knobs.Judge(c.Askable(), true, d.Grant.Defaults(), d.Grant.Turned) == knobs.Passes
}

// sole is the dispatch that the call is judged against, nil where there is another
// candidate, or none in force.
func (j *judge) sole() *dispatch.Dispatch {
	a := &j.at
	if len(a.candidates) != 1 || a.several || a.unitsOnly || a.damaged || a.ended != nil {
		return nil
	}
	return a.candidates[0]
}

// refused is blocked, for a block that a person may waive.
func (s *sight) refused(c Code, t Target, r refusal) Decision {
	d := s.blocked(c, t, r)
	if s.lenient || !s.j.waives(c) {
		return d
	}
	return Decision{Code: Exempt, Waived: c, Op: d.Op, Target: d.Target, Unit: d.Unit}
}

// refusedAt is refused, for a path. What is at or above a checkout's top holds the
// records and the settings too, which nobody may open.
func (s *sight) refusedAt(readings []unit.Path, c Code, t Target, r refusal) Decision {
	for _, p := range readings {
		if slices.ContainsFunc(s.j.roots, func(root unit.Path) bool { return root.Under(p, s.scope.Fold) }) {
			return s.blocked(c, t, r)
		}
	}
	return s.refused(c, t, r)
}

// waive notes what the yes has let through.
func (j *judge) waive(d Decision) {
	if d.Waived == 0 || slices.ContainsFunc(j.waived, func(w Decision) bool { return w == d }) {
		return
	}
	j.waived = append(j.waived, d)
}

// was is the code that a decision has, or would have without a yes.
func (d Decision) was() Code {
	if d.Waived != 0 {
		return d.Waived
	}
	return d.Code
}

// better returns the decision that says more, of two that allow. What was waived must
// not get lost behind what was not.
func better(best, got Decision) Decision {
	if got.Waived != 0 && best.Waived == 0 || (got.Waived != 0) == (best.Waived != 0) && rank(got.Code) > rank(best.Code) {
		return got
	}
	return best
}

// Asks returns the dispatch whose block of a call is a question, if it is the only one
// that blocks it.
func (o *Outcome) Asks() (ruling int, ok bool) {
	if o.Allowed() {
		return 0, false
	}
	ruling = -1
	for i := range o.Rulings {
		r := &o.Rulings[i]
		if r.Allowed() {
			continue
		}
		if ruling >= 0 || !r.Asks || r.Code != o.Code {
			return 0, false
		}
		ruling = i
	}
	return max(ruling, 0), ruling >= 0
}
