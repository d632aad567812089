package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// eval goes through a parsed line the way a shell does, along every branch.
type eval struct {
	env    Env
	out    Analysis
	src    string // the text that is being read
	nested int    // how many shells the text is within
	base   int    // with nested: where the outermost of them stands in the line
	budget int
	// changed says that the line has changed files by now, or may have, so that
	// env.Exists cannot be asked any more; removed that it has taken some away.
	changed, removed bool
	fixed            []string     // variables that the line makes read-only
	funcs            []string     // functions that the line declares
	listing          *listing     // what the last command printed
	places           []string     // where the line has put links, or may have
	kept             map[int]bool // facts of git that change no file but its own
	vanishing        bool         // patterns that match nothing are no words
	closes           bool         // the line closes streams
	dashed           bool         // the line makes files whose names may begin with a dash
	spaced           bool         // the line makes files whose names may have blanks or wildcards
	exported         bool         // programs get a variable that is not known to be harmless
	left             []leaving    // where the loop that is followed may be left
	beside           []aside      // what runs at the same time as the rest of the line
	done             bool         // the line has been followed to its end
	surely           bool         // the expression that is followed cannot fail
	aborted          *state       // where a line of the text may have been given up
}

func (e *eval) stmts(s state, list []*syntax.Stmt) state {
	for _, st := range list {
		ok, failed := e.stmt(s, st, stdin{})
		s = e.bounded(merge(ok, failed), st)
	}
	return s
}

func (e *eval) bounded(s state, n syntax.Node) state {
	if len(s.at) > maxPlaces {
		e.opaque(offset(n), "it may be in too many folders")
		s.at = s.at[:maxPlaces]
	}
	return s
}

// stdin is what a command reads when it names no file.
type stdin struct {
	given bool   // a pipe, a file or a text
	file  bool   // a file, which may be a device
	text  *value // the text, where it is one
	from  *listing
}

// listing is the names that a command prints for another one.
type listing struct {
	names value
	null  bool // each ends with a NUL
}

// stmt follows one statement and returns the state after it, if it works and if
// it does not.
func (e *eval) stmt(s state, st *syntax.Stmt, in stdin) (ok, failed state) {
	if e.budget--; e.budget < 0 {
		e.opaque(offset(st), "it is too long")
		return s, s
	}
	before, aborted := s, e.aborted
	if st.Background || st.Coprocess {
		e.aside(s, []*syntax.Stmt{st})
	}
	s = e.within(s, st)
	e.mayAbort(s, st)
	fails := false
	for _, rd := range st.Redirs {
		in = e.redirect(s, rd, in)
		fails = e.mayFail(rd) || fails
	}
	if ok, failed = e.command(s, st, in); fails {
		failed = merge(failed, s) // what cannot be redirected does not run
	}
	if st.Background || st.Coprocess {
		e.aborted = aborted
		return before, before
	}
	if st.Negated {
		return failed, ok
	}
	return ok, failed
}

// within returns the state in which the variables that the words of a statement
// set, as $((x++)) and ${x:=y} do, are not known: not before, and not after.
func (e *eval) within(s state, st *syntax.Stmt) state {
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return n == st
		case *syntax.UnaryArithm:
			s = e.recount(s, n.X)
		case *syntax.BinaryArithm:
			if assigns(n.Op) {
				s = e.recount(s, n.X)
			}
		case *syntax.ParamExp:
			s = e.defaulted(s, n)
		case *syntax.Redirect:
			if n.N != nil && strings.HasPrefix(n.N.Value, "{") { // {x}<file
				name := strings.Trim(n.N.Value, "{}")
				e.steered(name, offset(n))
				s = s.set(name, value{unknown: true, number: e.variable(s, name).numeric()}) // a shell of its own may set it, or nobody
			}
		}
		return true
	})
	return s
}

// defaulted forgets a variable that ${x:=y} may set.
func (e *eval) defaulted(s state, p *syntax.ParamExp) state {
	if p.Exp == nil || p.Exp.Op != syntax.AssignUnset && p.Exp.Op != syntax.AssignUnsetOrNull {
		return s
	}
	if p.Param == nil || p.Excl {
		e.opaque(offset(p), "a variable that stands for another")
		return s
	}
	name := p.Param.Value
	if v := e.variable(s, name); !v.unknown && v.text != "" && p.Index == nil {
		return s // it has a value
	}
	if !harmlessValue(name, value{unknown: true}) {
		e.steered(name, offset(p))
	}
	return s.set(name, value{unknown: true})
}

func (e *eval) command(s state, st *syntax.Stmt, in stdin) (ok, failed state) {
	switch c := st.Cmd.(type) {
	case nil:
		return s, s
	case *syntax.CallExpr:
		return e.call(s, c, in)
	case *syntax.BinaryCmd:
		return e.binary(s, c, in)
	case *syntax.Subshell:
		e.forked(s, c.Stmts)
		return s, s
	case *syntax.Block:
		return both(e.stmts(s, c.Stmts))
	case *syntax.IfClause:
		return both(e.ifClause(s, c))
	case *syntax.WhileClause:
		return both(e.whileClause(s, c))
	case *syntax.ForClause:
		return both(e.forClause(s, c))
	case *syntax.CaseClause:
		return both(e.caseClause(s, c))
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return s, s
		}
		return e.stmt(s, c.Stmt, in)
	case *syntax.DeclClause:
		return both(e.declare(s, c))
	case *syntax.TestClause:
		e.test(s, c.X)
		return s, s
	case *syntax.ArithmCmd:
		return both(e.arithmetic(s, c.X))
	case *syntax.LetClause:
		sure := true
		for _, x := range c.Exprs {
			sure = sure && e.sure(s, x)
		}
		for _, x := range c.Exprs {
			if text := e.sourceText(x); strings.ContainsAny(text, "*?[") && !strings.HasPrefix(text, "'") && !strings.HasPrefix(text, `"`) {
				e.opaque(offset(c), "arithmetic with a pattern") // what it matches is evaluated
			}
			s = e.calculated(s, x, sure)
		}
		return s, s
	case *syntax.FuncDecl:
		e.function(s, c)
		return s, s
	case *syntax.CoprocClause:
		e.opaque(offset(c), "a coprocess")
		e.stmt(s, c.Stmt, stdin{})
		return s, s
	}
	e.opaque(offset(st), "more than can be followed")
	return s, s
}

func both(s state) (ok, failed state) { return s, s }

func (e *eval) binary(s state, c *syntax.BinaryCmd, in stdin) (ok, failed state) {
	switch c.Op {
	case syntax.AndStmt:
		ok, failed = e.stmt(s, c.X, in)
		ok2, failed2 := e.stmt(ok, c.Y, stdin{})
		return ok2, merge(failed, failed2)
	case syntax.OrStmt:
		ok, failed = e.stmt(s, c.X, in)
		ok2, failed2 := e.stmt(failed, c.Y, stdin{})
		return merge(ok, ok2), failed2
	}
	// Each side of a pipe runs in a shell of its own; in zsh the last does not.
	e.listing = nil
	aborted := e.aborted
	e.stmt(s, c.X, in)
	e.aborted = aborted
	from := e.listing
	if !lists(c.X) {
		from = nil
	}
	before := e.deeds()
	ok, failed = e.stmt(s, c.Y, stdin{given: true, from: from})
	if e.deeds() != before {
		e.stmt(s, c.X, in) // the other side may do that first
	}
	after := merge(s, merge(ok, failed))
	after.dead = s.dead
	return after, after
}

// lists says whether all that a statement prints is the listing of one command.
func lists(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(st.Redirs) > 0 || len(call.Args) == 0 || !inList("find gfind git", call.Args[0].Lit()) {
		return false
	}
	alone := true
	syntax.Walk(call, func(n syntax.Node) bool {
		_, other := n.(*syntax.ProcSubst) // it may print to where the command does
		alone = alone && !other
		return alone
	})
	return alone
}

func (e *eval) ifClause(s state, c *syntax.IfClause) state {
	if c.ThenPos.IsValid() {
		ok, failed := e.condition(s, c.Cond)
		then := e.stmts(ok, c.Then)
		if c.Else == nil {
			return merge(then, failed)
		}
		return merge(then, e.ifClause(failed, c.Else))
	}
	return e.stmts(s, c.Then)
}

// condition follows the list of an if or a loop: its last statement decides.
func (e *eval) condition(s state, list []*syntax.Stmt) (ok, failed state) {
	if len(list) == 0 {
		return s, s
	}
	s = e.stmts(s, list[:len(list)-1])
	return e.stmt(s, list[len(list)-1], stdin{})
}

// whileClause follows a loop of which nobody knows how often it runs.
func (e *eval) whileClause(s state, c *syntax.WhileClause) state {
	loop := e.forget(s, c)
	outer := e.left
	e.left = nil
	var failed state
	end := e.rounds(&loop, c, func(s state) state {
		ok, no := e.condition(s, c.Cond)
		if failed = no; c.Until {
			ok, failed = no, ok
		}
		return e.stmts(ok, c.Do)
	})
	e.left = further(outer, e.left)
	return merge(failed, end)
}

// forget makes every variable that a part of the line sets unknown.
func (e *eval) forget(s state, n syntax.Node) state {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && !n.Naked {
				old := e.variable(s, n.Name.Value)
				s = s.set(n.Name.Value, value{unknown: true, number: isArithmetic(n.Value) && old.numeric(), hollow: old.hollow})
			}
		case *syntax.WordIter:
			s = s.set(n.Name.Value, value{unknown: true})
		case *syntax.UnaryArithm:
			s = e.recount(s, n.X)
		case *syntax.BinaryArithm:
			if assigns(n.Op) {
				s = e.recount(s, n.X)
			}
		case *syntax.ParamExp:
			if n.Exp != nil && n.Param != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				s = s.set(n.Param.Value, value{unknown: true})
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 && readsVariables(n.Args[0].Lit()) {
				for _, a := range n.Args[1:] {
					s = s.set(a.Lit(), value{unknown: true})
				}
			}
		}
		return true
	})
	return s
}

// recount forgets a variable that an expression sets. Before the first round it
// still has its old value, so that it is a number only if that is one.
func (e *eval) recount(s state, x syntax.ArithmExpr) state {
	w, ok := x.(*syntax.Word)
	if !ok || w.Lit() == "" {
		return s
	}
	old := e.variable(s, w.Lit())
	empty := !old.unknown && old.text == ""
	return s.set(w.Lit(), value{unknown: true, number: empty || old.numeric(), hollow: empty || old.hollow})
}

// isArithmetic says whether a value is an arithmetic expansion and nothing else.
func isArithmetic(w *syntax.Word) bool {
	if w == nil || len(w.Parts) != 1 {
		return false
	}
	_, ok := w.Parts[0].(*syntax.ArithmExp)
	return ok
}

func readsVariables(name string) bool {
	return name == "read" || name == "mapfile" || name == "readarray" || name == "getopts" || name == "printf"
}

func (e *eval) forClause(s state, c *syntax.ForClause) state {
	if c.Select {
		e.opaque(offset(c), "a menu")
	}
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return e.countingLoop(s, c)
	}
	var items []value
	if it.InPos.IsValid() {
		items = e.words(s, it.Items)
	} else if items = s.params.list; s.params.unknown {
		items = append(items, value{unknown: true})
	}
	after := s
	const unrolled = 64
	if len(items) > unrolled {
		e.opaque(offset(c), "a loop over too many words")
		items = items[:unrolled]
	}
	e.steered(it.Name.Value, offset(c))
	outer := e.left
	var left []leaving
	for i, v := range items {
		if slices.Contains(e.fixed, it.Name.Value) {
			v = value{unknown: true} // it fails
		}
		var end state
		e.left = nil
		if v.glob || v.unknown {
			from := after.set(it.Name.Value, v)
			end = e.rounds(&from, c, func(s state) state { return e.stmts(s.set(it.Name.Value, v), c.Do) })
		} else {
			end = leave(e.stmts(after.set(it.Name.Value, v), c.Do), e.left)
		}
		left = append(left, e.left...)
		if i == 0 && !v.glob && !v.unknown {
			after = end
		} else {
			after = merge(after, end)
		}
	}
	e.left = further(outer, left)
	return leave(after, left)
}

func (e *eval) countingLoop(s state, c *syntax.ForClause) state {
	loop := e.forget(s, c)
	if it, ok := c.Loop.(*syntax.CStyleLoop); ok {
		for _, x := range []syntax.ArithmExpr{it.Init, it.Cond, it.Post} {
			if x != nil {
				loop = e.arithmetic(loop, x)
			}
		}
	}
	outer := e.left
	e.left = nil
	end := e.rounds(&loop, c, func(s state) state {
		end := e.stmts(s, c.Do)
		if it, ok := c.Loop.(*syntax.CStyleLoop); ok && it.Post != nil {
			end = e.arithmetic(end, it.Post)
		}
		return end
	})
	e.left = further(outer, e.left)
	return merge(loop, end)
}

func (e *eval) caseClause(s state, c *syntax.CaseClause) state {
	e.inner(s, c.Word)
	after := s
	for i, item := range c.Items {
		for _, p := range item.Patterns {
			e.inner(s, p)
		}
		from := s
		if i > 0 && c.Items[i-1].Op != syntax.Break {
			from = after // it may have come through the one before
		}
		after = merge(after, e.stmts(merge(s, from), item.Stmts))
	}
	return after
}

// function reports what a function's body says; what a call of it does is not followed.
func (e *eval) function(s state, c *syntax.FuncDecl) {
	e.opaque(offset(c), "a function")
	if c.Name != nil {
		e.funcs = union(e.funcs, []string{c.Name.Value})
	}
	s = e.forget(s, c.Body)
	s.params = params{unknown: true}
	e.stmt(s, c.Body, stdin{})
}

// run follows a text that is given to another shell, or back to this one.
func (e *eval) run(s state, text string, pos int) (state, bool) {
	if e.nested >= maxNested {
		e.opaque(pos, "shells within too many shells")
		return s, false
	}
	f, err := parse(text)
	if err != nil {
		e.opaque(pos, "a text for a shell that does not parse")
		return s, false
	}
	src, base := e.src, e.base
	e.src, e.nested = text, e.nested+1
	if e.nested == 1 {
		e.base = pos
	}
	e.misread(text, f)
	s = e.lines(s, f.Stmts)
	e.src, e.base, e.nested = src, base, e.nested-1
	return s, true
}

func offset(n syntax.Node) int { return int(n.Pos().Offset()) }

// source returns the text of a node.
func (e *eval) sourceText(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(e.src) || from >= to {
		return ""
	}
	return strings.TrimSpace(e.src[from:to])
}
