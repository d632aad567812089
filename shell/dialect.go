package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// misread makes a line opaque whose text our parser reads in another way than bash
// does: it drops carriage returns, takes a "$" at the end of a line, or half
// of an operator, for a whole, and ends some here-documents elsewhere.
func (e *eval) misread(text string, f *syntax.File) {
	if strings.Contains(text, "<<") {
		e.documents(text, f)
	}
	if i := strings.IndexByte(text, '\r'); i >= 0 {
		e.opaque(i, "a carriage return")
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "\\\n")
		if i < 0 {
			return
		}
		if at += i; at > 0 && splits(text[at-1], text[at+2:]) {
			e.opaque(at, "a word that goes on in the next line")
		}
		at += 2
	}
}

// splits says whether what stands around the end of a line may be one token.
func splits(before byte, after string) bool {
	const operators = "&|<>(;"
	return before == '$' || strings.IndexByte(operators, before) >= 0 && after != "" && strings.IndexByte(operators+"-", after[0]) >= 0
}

// runs follows a text that is given to a shell, which may be another one than bash.
func (c *command) runs(s state, text string, pos int) {
	switch c.name {
	case "bash":
	case "zsh", "ksh":
		c.e.opaqueBy(c.pos, "a shell that reads its commands in its own way", c.index)
	default:
		if f, err := parse(text); err == nil && !portable(f) {
			c.e.opaqueBy(c.pos, "what only some shells understand", c.index)
		}
	}
	c.e.run(s, text, pos)
}

// bashWords are commands that not every sh has.
const bashWords = "pushd popd dirs builtin declare typeset let source mapfile readarray shopt enable help caller compgen complete " +
	"disown suspend time function select coproc local [["

// portable says whether a text means to every sh what it means to bash: in dash
// "cd sub &>log" goes nowhere.
func portable(f *syntax.File) bool {
	same := true
	syntax.Walk(f, func(n syntax.Node) bool {
		same = same && portableNode(n)
		return same
	})
	return same
}

func portableNode(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.SglQuoted:
		return !n.Dollar
	case *syntax.DblQuoted:
		return !n.Dollar
	case *syntax.Word:
		return portableWord(n)
	case *syntax.Lit:
		return !strings.Contains(n.Value, "[^")
	case *syntax.Redirect:
		return portableRedirect(n)
	case *syntax.BinaryCmd:
		return n.Op != syntax.PipeAll
	case *syntax.Assign:
		return !n.Append && n.Array == nil && n.Index == nil
	case *syntax.CallExpr:
		return portableCall(n)
	case *syntax.DeclClause:
		return portableDecl(n)
	case *syntax.ParamExp:
		return portableParam(n)
	case *syntax.ArithmExp:
		return !n.Bracket
	case *syntax.UnaryArithm:
		return n.Op != syntax.Inc && n.Op != syntax.Dec
	case *syntax.ForClause:
		_, ok := n.Loop.(*syntax.WordIter)
		return ok && !n.Select
	case *syntax.CaseClause:
		return !slices.ContainsFunc(n.Items, func(i *syntax.CaseItem) bool { return i.Op != syntax.Break })
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CoprocClause, *syntax.TimeClause,
		*syntax.ProcSubst, *syntax.ExtGlob:
		return false
	}
	return true
}

// portableWord: neither braces nor "~+" are for every shell.
func portableWord(w *syntax.Word) bool {
	if hasBrace(w) {
		split := &syntax.Word{Parts: slices.Clone(w.Parts)}
		if syntax.SplitBraces(split) {
			return false
		}
	}
	first, ok := w.Parts[0].(*syntax.Lit)
	return !ok || !strings.HasPrefix(first.Value, "~+") && !strings.HasPrefix(first.Value, "~-")
}

func portableRedirect(rd *syntax.Redirect) bool {
	switch rd.Op {
	case syntax.RdrAll, syntax.AppAll, syntax.WordHdoc:
		return false
	case syntax.DplOut, syntax.DplIn:
		return isStream(rd.Word.Lit())
	}
	return rd.N == nil || !strings.HasPrefix(rd.N.Value, "{")
}

func portableCall(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return true
	}
	name := c.Args[0].Lit()
	if name != "cd" {
		return !inList(bashWords, name)
	}
	return !slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool {
		return strings.HasPrefix(w.Lit(), "-") && !inList("- -- -L -P", w.Lit())
	})
}

// portableDecl: what is exported is split into words by some shells.
func portableDecl(d *syntax.DeclClause) bool {
	if d.Variant.Value != "export" && d.Variant.Value != "readonly" {
		return false
	}
	return !slices.ContainsFunc(d.Args, func(a *syntax.Assign) bool { return a.Value != nil && hasOpenPart(a.Value) })
}

// hasOpenPart says whether a word has an expansion outside of quotes.
func hasOpenPart(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		switch p.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
			return false
		}
		return true
	})
}

// hasWild says whether a word may be a pattern outside of quotes.
func hasWild(w *syntax.Word) bool {
	return hasOpenPart(w) || slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		l, ok := p.(*syntax.Lit)
		return ok && strings.ContainsAny(l.Value, "*?[")
	})
}

func portableParam(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Excl || p.Names != 0 || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return false
	}
	return p.Exp == nil || p.Exp.Op <= syntax.RemLargeSuffix && p.Exp.Op >= syntax.AlternateUnset
}
