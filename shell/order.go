package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// deeds are what a line has done that counts for what runs after it, wherever that
// stands in the text: in the next round of a loop, on the other side of a pipe.
type deeds struct {
	changed, removed, vanishing, closes, exported bool
	places, fixed, funcs                          int
}

func (e *eval) deeds() deeds {
	return deeds{e.changed, e.removed, e.vanishing, e.closes, e.exported, len(e.places), len(e.fixed), len(e.funcs)}
}

// aside is a part of a line that runs at the same time as what stands after it.
type aside struct {
	s            state
	list         []*syntax.Stmt
	src          string
	nested, base int
	since        deeds
}

// aside notes that statements may run when the rest of the line has done what it does.
func (e *eval) aside(s state, list []*syntax.Stmt) {
	if !e.done {
		e.beside = append(e.beside, aside{s, list, e.src, e.nested, e.base, e.deeds()})
	}
}

// apart follows the statements of a process substitution, for which nobody waits.
func (e *eval) apart(s state, list []*syntax.Stmt) {
	e.aside(s, list)
	e.forked(s, list)
}

// forked follows statements in a shell of their own.
func (e *eval) forked(s state, list []*syntax.Stmt) {
	aborted := e.aborted
	e.stmts(s, list)
	e.aborted = aborted
}

// lines follows a text. Where an expansion fails, bash leaves the rest of that line
// out, and goes on with the next one.
func (e *eval) lines(s state, list []*syntax.Stmt) state {
	before := e.aborted
	e.aborted = nil
	for i, st := range list {
		if i > 0 && e.onNextLine(list[i-1], st) {
			s = e.resumed(s)
		}
		s = e.stmts(s, list[i:i+1])
	}
	s = e.resumed(s)
	e.aborted = before
	return s
}

// onNextLine says whether a line ends between two statements.
func (e *eval) onNextLine(st, next *syntax.Stmt) bool {
	from, to := int(st.End().Offset()), offset(next)
	return from > to || strings.Contains(e.src[from:to], "\n")
}

// resumed returns the state with which the next line may begin.
func (e *eval) resumed(s state) state {
	if e.aborted != nil {
		s = merge(s, *e.aborted)
		e.aborted = nil
	}
	return s
}

// mayAbort notes a statement with which the line is given up where an expansion of it
// fails: a division by zero, a part with a negative length, a variable that cannot be set.
func (e *eval) mayAbort(s state, st *syntax.Stmt) {
	may := false
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return n == st
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.ArithmExp:
			may = may || !e.sure(s, n.X)
		case *syntax.ParamExp:
			may = may || n.Slice != nil || n.Excl || n.Index != nil ||
				n.Exp != nil && (n.Exp.Op == syntax.OtherParamOps || n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull)
		case *syntax.Assign:
			may = may || n.Name != nil && (slices.Contains(e.fixed, n.Name.Value) || inList(livingVariables, n.Name.Value))
		}
		return true
	})
	if !may || s.dead {
		return
	}
	given := s // a copy, so that the state of each other statement stays off the heap
	if e.aborted != nil {
		given = merge(*e.aborted, s)
	}
	e.aborted = &given
}

// overtaken follows what runs beside the line again, where the line has done
// something meanwhile.
func (e *eval) overtaken() {
	e.done = true
	for again := true; again; {
		again = false
		for i := range e.beside {
			a := &e.beside[i]
			if now := e.deeds(); a.since != now {
				a.since, again = now, true
				e.src, e.nested, e.base = a.src, a.nested, a.base
				e.stmts(a.s, a.list)
			}
		}
	}
}

// leaving is a state in which a loop may be left, or its next round begun.
type leaving struct {
	s   state
	far bool // it may be an outer loop that is
}

// leave returns the state after what may be left at some places before its end.
func leave(end state, left []leaving) state {
	for _, l := range left {
		end = merge(end, l.s)
	}
	return end
}

// further returns where an outer loop may be left, after one within it.
func further(outer, inner []leaving) []leaving {
	for _, l := range inner {
		if l.far {
			outer = append(outer, l)
		}
	}
	return outer
}

// steady follows a round of a loop, and again as long as one does what counts for the
// next one.
func (e *eval) steady(from state, round func(state) state) state {
	for {
		before, left := e.deeds(), len(e.left)
		end := leave(round(from), e.left[min(left, len(e.left)):])
		if e.deeds() == before {
			return end
		}
	}
}

// rounds follows a round of a loop, and again as long as what is known at its
// beginning is not what is known at its end.
func (e *eval) rounds(loop *state, n syntax.Node, round func(state) state) state {
	end := e.steady(*loop, round)
	e.settled(*loop, end, n)
	for range 4 {
		if end.dead {
			return end
		}
		again := merge(*loop, end)
		again.at, again.old = loop.at, union(loop.old, end.old)
		if !again.knowsLess(*loop) {
			return end
		}
		*loop = again
		end = e.steady(again, round)
		e.settled(again, end, n)
	}
	if !end.dead && merge(*loop, end).knowsLess(*loop) {
		e.opaque(offset(n), "a loop of which each round may differ")
	}
	return end
}

// settled holds that a round of a loop ends where it began.
func (e *eval) settled(began, end state, n syntax.Node) {
	if !end.dead && len(union(began.at, end.at)) != len(began.at) {
		e.opaque(offset(n), "a loop that changes its folder")
	}
}
