package shell

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// variable returns what a variable stands for.
func (e *eval) variable(s state, name string) value {
	if v, ok := s.lookup(name); ok {
		if inList(livingVariables, name) {
			return value{unknown: true}
		}
		return v
	}
	switch name {
	case "PWD":
		if dir, ok := e.pwd(s.at); ok {
			return value{text: dir}
		}
	case "OLDPWD":
		if dir, ok := e.pwd(s.old); ok {
			return value{text: dir}
		}
	case "HOME":
		if e.env.Home != "" {
			return value{text: e.env.Home}
		}
	case "?", "$", "RANDOM", "SECONDS", "LINENO", "OPTIND", "UID", "EUID", "PPID", "SHLVL":
		return value{unknown: true, number: true}
	case "!", "EPOCHSECONDS", "BASHPID": // before the first job, and in some shells
		return value{unknown: true, number: true, hollow: true}
	case "#":
		if !s.params.unknown && !s.params.open() {
			return value{text: strconv.Itoa(len(s.params.list))}
		}
		return value{unknown: true, number: true}
	case "@", "*":
		return allParams(s.params)
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 && !s.params.unknown {
		if n <= len(s.params.list) {
			return s.params.list[n-1]
		}
		if s.params.open() {
			return s.params.list[len(s.params.list)-1]
		}
		return value{}
	}
	if v, ok := e.env.Vars[name]; ok && name != "PWD" && name != "OLDPWD" && name != "HOME" {
		return value{text: v}
	}
	return value{unknown: true}
}

// allParams makes one value of all the positional parameters.
func allParams(p params) value {
	if p.unknown {
		return value{unknown: true}
	}
	texts := make([]string, len(p.list))
	for i, v := range p.list {
		if v.unknown || v.glob || v.below != nil || v.stream {
			if len(p.list) == 1 {
				return v
			}
			return value{unknown: true}
		}
		texts[i] = v.text
	}
	return value{text: strings.Join(texts, " ")}
}

// param expands one parameter expansion.
func (e *eval) param(s state, p *syntax.ParamExp) value {
	if p.Param == nil || p.Excl || p.Names != 0 || p.Index != nil || p.Width || p.IsSet || len(p.Modifiers) > 0 || p.Flags != nil {
		e.indirect(s, p)
		e.innerOf(s, p)
		return value{unknown: true}
	}
	v := e.variable(s, p.Param.Value)
	switch {
	case p.Length:
		if v.unknown || v.glob || v.below != nil || !isASCII(v.text) {
			return value{unknown: true, number: true}
		}
		return value{text: strconv.Itoa(len(v.text))}
	case p.Slice != nil, p.Repl != nil:
		if p.Slice != nil {
			e.arithmetic(s, p.Slice.Offset)
			e.arithmetic(s, p.Slice.Length)
		}
		e.innerOf(s, p)
		return value{unknown: true}
	case p.Exp != nil:
		e.evaluated(p)
		return e.operator(s, p.Exp, v)
	}
	return v
}

// indirect holds that the index of an array, the bounds of a part and the name that
// ${!x} stands for are what bash does not evaluate as a text of its own.
func (e *eval) indirect(s state, p *syntax.ParamExp) {
	if w, ok := p.Index.(*syntax.Word); p.Index != nil && (!ok || w.Lit() != "@" && w.Lit() != "*") {
		e.arithmetic(s, p.Index)
	}
	if p.Slice != nil {
		e.arithmetic(s, p.Slice.Offset)
		e.arithmetic(s, p.Slice.Length)
	}
	if p.Excl && p.Names == 0 && p.Index == nil && p.Param != nil {
		if v := e.variable(s, p.Param.Value); !v.numeric() && (v.unknown || v.text != "" && !isName(v.text) && !isNumber(v.text)) {
			e.opaque(offset(p), "a variable that stands for another")
		}
	}
	if p.Exp != nil {
		e.evaluated(p)
	}
}

// evaluated makes a line opaque that expands a text again, as ${x@P} does.
func (e *eval) evaluated(p *syntax.ParamExp) {
	if p.Exp.Op == syntax.OtherParamOps && p.Exp.Word.Lit() == "P" {
		e.opaque(offset(p), "a text that is expanded again")
	}
}

// innerOf follows what is within an expansion that is not understood.
func (e *eval) innerOf(s state, root syntax.Node) {
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n == root {
				return true
			}
			if e.budget--; e.budget < 0 {
				e.opaque(offset(n), "it is too long")
				return false
			}
			e.param(s, n)
			return false
		case *syntax.ArithmExp:
			if e.budget--; e.budget < 0 {
				e.opaque(offset(n), "it is too long")
				return false
			}
			e.arithmetic(s, n.X)
			return false
		case *syntax.CmdSubst:
			e.forked(s, n.Stmts)
			return false
		case *syntax.ProcSubst:
			e.apart(s, n.Stmts)
			return false
		}
		return true
	})
}

// commandsOf follows the commands within an expression.
func (e *eval) commandsOf(s state, x syntax.Node) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			e.forked(s, n.Stmts)
			return false
		case *syntax.ProcSubst:
			e.apart(s, n.Stmts)
			return false
		}
		return true
	})
}

// operator applies the likes of ${x:-y} and ${x%y}.
func (e *eval) operator(s state, x *syntax.Expansion, v value) value {
	arg := e.inner(s, x.Word)
	plain := !v.unknown && !v.glob && v.below == nil && !v.stream
	switch x.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		switch {
		case !plain || v.text != "":
			return v
		case x.Op == syntax.AssignUnset || x.Op == syntax.AssignUnsetOrNull:
			return value{unknown: true} // it sets the variable, too
		case x.Op == syntax.DefaultUnset:
			return value{unknown: true} // empty and unset are not told apart
		}
		return arg
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if plain && v.text != "" {
			return arg
		}
		if plain && x.Op == syntax.AlternateUnsetOrNull {
			return value{}
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if plain && !arg.unknown && isASCII(v.text) && !opensPattern(x.Word, arg) {
			return trimmed(x.Op, v.text, patternOf(arg))
		}
	}
	return value{unknown: true}
}

// isASCII says whether each character of a text is one byte, whatever the locale is.
func isASCII(t string) bool {
	return !strings.ContainsFunc(t, func(r rune) bool { return r > 0x7e })
}

// opensPattern says whether a pattern has more than its text shows: what is put in
// without quotes counts as a pattern, and so may "@(…)".
func opensPattern(w *syntax.Word, v value) bool {
	if w == nil {
		return false
	}
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
		case *syntax.Lit:
			if strings.Contains(p.Value, "(") {
				return true
			}
		case *syntax.ExtGlob:
			return true
		default:
			if strings.ContainsAny(v.text, "*?[]\\()|!+@") {
				return true
			}
		}
	}
	return false
}

// patternOf is the pattern that a word stands for.
func patternOf(v value) string {
	if v.glob {
		return v.pat
	}
	var b strings.Builder
	escapeInto(&b, v.text)
	return b.String()
}

// trimmed removes what a pattern matches from one end of a text.
func trimmed(op syntax.ParExpOperator, text, pat string) value {
	expr, err := pattern.Regexp(pat, pattern.EntireString)
	if err != nil {
		return value{unknown: true}
	}
	re, err := regexp.Compile(expr)
	if err != nil || len(text) > 4096 {
		return value{unknown: true}
	}
	suffix := op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix
	for i := 0; i <= len(text); i++ {
		n := i
		if op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix {
			n = len(text) - i
		}
		if suffix && re.MatchString(text[len(text)-n:]) {
			return value{text: text[:len(text)-n]}
		}
		if !suffix && re.MatchString(text[:n]) {
			return value{text: text[n:]}
		}
	}
	return value{text: text}
}

// substitute follows $(…) and says what it stands for: only the folder that the
// line is in and the top of the checkout are known.
func (e *eval) substitute(s state, c *syntax.CmdSubst) value {
	e.forked(s, c.Stmts)
	if len(c.Stmts) == 1 && countsOnly(c.Stmts[0]) {
		return value{unknown: true, number: true, hollow: true, loose: true}
	}
	if len(c.Stmts) != 1 || len(c.Stmts[0].Redirs) > 0 {
		return value{unknown: true}
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return value{unknown: true}
	}
	var words []string
	for _, w := range call.Args {
		words = append(words, w.Lit())
	}
	switch strings.Join(words, " ") {
	case "pwd", "pwd -L", "pwd -P":
		return e.variable(s, "PWD")
	case "git rev-parse --show-toplevel":
		if dir, ok := e.pwd(s.at); ok && e.env.Top != "" && (dir == e.env.Top || strings.HasPrefix(dir, e.env.Top+"/") && dir == path.Clean(e.env.Cwd)) {
			return value{text: e.env.Top}
		}
	}
	return value{unknown: true}
}

// arithmetic follows an expression: what it may run, and which variables it sets.
func (e *eval) arithmetic(s state, x syntax.ArithmExpr) state {
	if x == nil {
		return s
	}
	return e.calculated(s, x, e.sure(s, x))
}

// calculated follows an expression. Where that may fail, a variable that is set may
// keep what it has.
func (e *eval) calculated(s state, x syntax.ArithmExpr, sure bool) state {
	e.commandsOf(s, x)
	before := e.surely
	e.surely = sure
	s = e.expression(s, x)
	e.surely = before
	return s
}

// sure says whether an expression is certainly evaluated without an error.
func (e *eval) sure(s state, x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case nil:
		return true
	case *syntax.Word:
		t := x.Lit()
		if t != "" && !isNumber(t) {
			v := e.variable(s, t)
			return !v.unknown && v.numeric()
		}
		return t != ""
	case *syntax.ParenArithm:
		return e.sure(s, x.X)
	case *syntax.UnaryArithm:
		return e.sure(s, x.X)
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Quo, syntax.Rem, syntax.Pow, syntax.QuoAssgn, syntax.RemAssgn, syntax.PowAssgn:
			return false
		case syntax.Assgn:
			w, ok := x.X.(*syntax.Word)
			return ok && isName(w.Lit()) && e.sure(s, x.Y)
		}
		return e.sure(s, x.X) && e.sure(s, x.Y)
	}
	return false
}

// expression goes through an expression in the order in which it is evaluated.
func (e *eval) expression(s state, x syntax.ArithmExpr) state {
	switch x := x.(type) {
	case *syntax.Word:
		for _, p := range x.Parts {
			if p, ok := p.(*syntax.ParamExp); ok && p.Index != nil {
				e.opaque(offset(p), "an array")
			}
		}
		e.numeric(s, x)
	case *syntax.ParenArithm:
		return e.expression(s, x.X)
	case *syntax.UnaryArithm:
		s = e.expression(s, x.X)
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			s = e.assigned(s, x.X)
		}
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Assgn:
			s = e.expression(s, x.Y)
			if w, ok := x.X.(*syntax.Word); !ok || !isName(w.Lit()) {
				s = e.expression(s, x.X)
			}
			return e.assigned(s, x.X)
		case syntax.AndArit, syntax.OrArit, syntax.TernQuest:
			s = e.expression(s, x.X)
			return merge(s, e.expression(s, x.Y)) // not always evaluated
		case syntax.TernColon:
			return merge(e.expression(s, x.X), e.expression(s, x.Y))
		}
		s = e.expression(e.expression(s, x.X), x.Y)
		if assigns(x.Op) {
			s = e.assigned(s, x.X)
		}
	default:
		e.opaque(offset(x), "arithmetic with something that may be no number")
	}
	return s
}

// assigns says whether an operator of an expression sets what stands before it.
func assigns(op syntax.BinAritOperator) bool {
	return op == syntax.Assgn || op >= syntax.AddAssgn && op <= syntax.PowAssgn
}

// numeric holds that a word of an expression is a number: text is evaluated
// again, and may then run commands.
func (e *eval) numeric(s state, w *syntax.Word) {
	v := value{text: w.Lit()}
	if v.text != "" && !isNumber(v.text) {
		v = e.variable(s, v.text)
	} else if v.text == "" {
		v = e.inner(s, w)
	}
	if v.numeric() || !v.unknown && v.text == "" {
		return
	}
	e.opaque(offset(w), "arithmetic with something that may be no number")
}

func isNumber(t string) bool {
	if t == "" {
		return false
	}
	_, err := strconv.ParseInt(t, 0, 64)
	return err == nil && !strings.ContainsAny(t, "_bBoO") // those are numbers for Go alone
}

func (e *eval) assigned(s state, x syntax.ArithmExpr) state {
	if w, ok := x.(*syntax.Word); ok && w.Lit() != "" && !isNumber(w.Lit()) {
		e.steered(w.Lit(), offset(w))
		old := e.variable(s, w.Lit())
		return s.set(w.Lit(), value{unknown: true, number: e.surely || old.numeric(), hollow: !e.surely && old.hollow})
	}
	return s
}

// otherQuotes says whether what an expansion within double quotes puts for a value has
// a "~", a backslash or single quotes, which count for less there than elsewhere.
func otherQuotes(p *syntax.ParamExp) bool {
	if p.Exp == nil || p.Exp.Word == nil || p.Exp.Op >= syntax.RemSmallPrefix && p.Exp.Op <= syntax.RemLargeSuffix {
		return false
	}
	return written(p.Exp.Word, "~\\", func(n syntax.Node) bool {
		_, ok := n.(*syntax.SglQuoted)
		return ok
	})
}

// hasQuotes says whether a part of what an expansion puts for a value is quoted.
func hasQuotes(p *syntax.ParamExp) bool {
	if p.Exp == nil || p.Exp.Word == nil {
		return false
	}
	return written(p.Exp.Word, "\\", func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
		return false
	})
}

// written says whether a word has one of some characters, or a part of some kind, outside
// of the commands in it.
func written(w *syntax.Word, chars string, kind func(syntax.Node) bool) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil:
		case *syntax.CmdSubst:
			return false
		case *syntax.Lit:
			found = found || strings.ContainsAny(n.Value, chars)
		default:
			found = found || kind(n)
		}
		return true
	})
	return found
}

// isAll says whether a parameter is "$@", each of whose values is a field.
func isAll(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Param.Value == "@" && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl && p.Index == nil
}

// mayBeSeveral notes that a parameter is several words even where it is quoted: one that
// is made of "$@" or of a whole array, or that another one names.
func (b *builder) mayBeSeveral(p *syntax.ParamExp) {
	if !ofAll(p) && p.Exp == nil && p.Repl == nil && p.Slice == nil {
		return // most are plain
	}
	several := false
	syntax.Walk(p, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.ParamExp:
			if n.Length {
				return false
			}
			several = several || ofAll(n) && !(n == p && isAll(p))
		}
		return true
	})
	if several {
		b.cur.unknown, b.cur.number, b.cur.loose = true, false, true
	}
}

// ofAll says whether an expansion may be of all the parameters, or of a whole array.
func ofAll(p *syntax.ParamExp) bool {
	index, _ := p.Index.(*syntax.Word)
	return p.Excl || p.Param != nil && p.Param.Value == "@" || index != nil && index.Lit() == "@"
}
