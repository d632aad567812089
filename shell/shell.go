// Package shell says what a shell command line names: the words that may be
// paths, the folders that commands use without naming them, and whether there
// is more to the line than that.
//
// It knows plain words only. What a line computes (variables, substitutions,
// loops, code for an interpreter) makes it opaque; the plain words of an opaque
// line are reported all the same.
package shell

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ErrSyntax is returned for a line that does not parse.
var ErrSyntax = errors.New("not a shell command")

// Use is how a word is used.
type Use uint8

// The uses of a word.
const (
	Operand  Use = iota // read; a folder is searched as well
	Listed              // a folder whose entries are listed
	Entered             // a folder that the following commands run in
	Written             // read and written; a folder is removed, moved or re-owned as a whole
	Put                 // written, unless it is a folder: then something is put into it
	Searched            // the folder that a search without an operand uses
)

// Word is a plain word of a line.
type Word struct {
	Text string
	Cwd  string // where the line has gone before it, "" for where it began; may be relative to that
	Use  Use
	// Unless are folders: where one of them exists, the line has gone there and the
	// word is not used from Cwd.
	Unless []string
	// Bare says that the word has no slash, so that it may be something else than a path.
	Bare bool
	// Glob says that the shell expands the word.
	Glob bool
	// Implied says that the word was not written.
	Implied bool
	// Follows says that a search from here goes through links.
	Follows bool
	// Top says that the path is relative to the top of the git checkout.
	Top bool
}

// Control is a run of one of our own programs.
type Control struct {
	Verb     string
	Args     []string
	Dispatch string // the value of CONDUCT_DISPATCH set for it
}

// Line is what a command line says.
type Line struct {
	Words    []Word
	Controls []Control
	// Commands are the plain words of each command, for comparing with lists of
	// commands that people trust or deny.
	Commands [][]string
	// Opaque says why the line is more than its plain words; "" when it is not.
	Opaque string
	// Unknown are the commands (indexes in Commands) that are opaque by their name only.
	Unknown []int
	// Wipes says that the line removes what git does not track, as .conduct is.
	Wipes bool
}

// Parse reads a command line of bash.
func Parse(text string) (Line, error) {
	if strings.ContainsRune(text, 0) {
		return Line{}, fmt.Errorf("%w: it has a NUL", ErrSyntax)
	}
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(false))
	f, err := p.Parse(strings.NewReader(text), "")
	if err != nil {
		return Line{}, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	r := reader{at: folders{{}}}
	r.stmts(f.Stmts)
	return r.line, nil
}

type reader struct {
	line Line
	at   folders
	// changes says that the line has changed files, or may have.
	changes bool
}

func (r *reader) opaque(why string) {
	r.changes = true
	if r.line.Opaque == "" {
		r.line.Opaque = why
	}
}

func (r *reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.goOn(r.stmt(s, false))
	}
}

// stmt reads one statement and returns where the line is after it, if it works
// and if it does not.
func (r *reader) stmt(s *syntax.Stmt, piped bool) (ok, failed folders) {
	began := r.at
	for _, rd := range s.Redirs {
		r.redirect(rd)
	}
	ok, failed = began, began
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		ok, failed = r.call(c, piped)
	case *syntax.BinaryCmd:
		ok, failed = r.binary(c, piped)
	case *syntax.Subshell:
		r.stmts(c.Stmts)
	case *syntax.Block:
		r.stmts(c.Stmts)
		ok, failed = r.at, r.at
	default:
		r.opaque("more than plain commands")
		r.inside(c)
		ok, failed = began.and(r.at), began.and(r.at)
	}
	r.at = began
	if s.Background || s.Coprocess {
		return began, began
	}
	if s.Negated {
		return failed, ok
	}
	return ok, failed
}

func (r *reader) binary(c *syntax.BinaryCmd, piped bool) (ok, failed folders) {
	began := r.at
	ok, failed = r.stmt(c.X, piped)
	switch c.Op {
	case syntax.AndStmt:
		r.at = ok
		ok2, failed2 := r.stmt(c.Y, false)
		return ok2, failed.and(failed2)
	case syntax.OrStmt:
		r.at = failed
		ok2, failed2 := r.stmt(c.Y, false)
		return ok.and(ok2), failed2
	}
	// Each side of a pipe runs in a shell of its own; in zsh the last does not.
	r.at = began
	ok, failed = r.stmt(c.Y, true)
	after := began.and(ok).and(failed)
	return after, after
}

// inside reports the plain words and the commands within something that is not followed.
func (r *reader) inside(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			r.goOn(r.call(n, false))
			return true
		case *syntax.Redirect:
			r.redirect(n)
		case *syntax.Word:
			if text, glob, ok := plain(n); ok {
				r.add(text, glob, Operand)
			}
		}
		return true
	})
}

func (r *reader) redirect(rd *syntax.Redirect) {
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if rd.Hdoc != nil && !isPlainDoc(rd.Hdoc) {
			r.opaque("a here-document that is computed")
			r.inside(rd.Hdoc)
		}
		return
	case syntax.WordHdoc:
		if _, _, ok := plain(rd.Word); !ok {
			r.opaque("a here-string that is computed")
			r.inside(rd.Word)
		}
		return
	}
	text, glob, ok := plain(rd.Word)
	if (rd.Op == syntax.DplIn || rd.Op == syntax.DplOut) && ok && isStream(text) {
		return // a stream that is there already
	}
	if !ok {
		r.opaque("a redirection that is computed")
		r.inside(rd.Word)
		return
	}
	if isDevice(text) {
		return
	}
	use := Put
	if rd.Op == syntax.RdrIn {
		use = Operand
	}
	r.word(Word{Text: text, Use: use, Glob: glob})
}

// isStream says whether what follows ">&" is a number, or closes or moves one.
func isStream(text string) bool {
	return strings.Trim(strings.TrimSuffix(text, "-"), "0123456789") == "" && text != ""
}

func isPlainDoc(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if _, ok := p.(*syntax.Lit); !ok {
			return false
		}
	}
	return true
}

// isDevice names the files that stand for the command's own streams.
func isDevice(text string) bool {
	switch text {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/urandom", "/dev/random":
		return true
	}
	return false
}

// call reads one simple command.
func (r *reader) call(c *syntax.CallExpr, piped bool) (ok, failed folders) {
	dispatch := r.assigns(c.Assigns)
	var args []arg
	for _, w := range c.Args {
		text, glob, ok := plain(w)
		if !ok {
			r.opaque("a word that is computed")
			for _, p := range w.Parts {
				r.inside(p)
			}
		}
		args = append(args, arg{text, glob, ok})
	}
	if len(args) == 0 {
		return r.at, r.at
	}
	if !args[0].ok {
		r.opaque("a command whose name is computed")
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.text
	}
	r.line.Commands = append(r.line.Commands, words)
	r.control(words, dispatch)
	if name := args[0].text; name == "cd" || name == "pushd" {
		return r.cd(name, args[1:])
	}
	r.operands(args, piped)
	return r.at, r.at
}

type arg struct {
	text     string
	glob, ok bool
}

// assigns judges the values of assignments as words, and returns the one that matters to us.
func (r *reader) assigns(list []*syntax.Assign) (dispatch string) {
	for _, a := range list {
		if a.Value == nil {
			if a.Array != nil || a.Index != nil {
				r.opaque("an array")
			}
			continue
		}
		text, glob, ok := plain(a.Value)
		if !ok {
			r.opaque("a value that is computed")
			r.inside(a.Value)
			continue
		}
		if a.Name != nil && a.Name.Value == "CONDUCT_DISPATCH" {
			dispatch = text
		}
		if a.Name != nil && steers(a.Name.Value) {
			r.opaque("it sets a variable that programs act on")
		}
		r.add(text, glob, Operand)
	}
	return dispatch
}

func (r *reader) add(text string, glob bool, use Use) {
	r.word(Word{Text: text, Use: use, Glob: glob, Bare: !strings.Contains(text, "/") && text != ".." && text != "."})
}

// word reports a word for each folder that the line may be in.
func (r *reader) word(w Word) {
	if w.Text == "" || isDevice(w.Text) {
		return
	}
	if w.Use == Written || w.Use == Put {
		r.changes = true
	}
	if w.Top || strings.HasPrefix(w.Text, "/") || strings.HasPrefix(w.Text, "~") {
		r.line.Words = append(r.line.Words, w)
		return
	}
	for _, f := range r.at {
		w.Cwd, w.Unless = f.path, f.unless
		r.line.Words = append(r.line.Words, w)
	}
}

// control notes runs of our own programs: by their name, or behind a command
// that runs another one.
func (r *reader) control(words []string, dispatch string) {
	for i, w := range words {
		name := path.Base(w)
		if name != "conduct" && name != "conduct-guard" {
			continue
		}
		rest := words[i+1:]
		verb := ""
		for _, x := range rest {
			if !strings.HasPrefix(x, "-") {
				verb = x
				break
			}
		}
		if i > 0 && !verbs[verb] {
			continue // an operand that happens to be called so
		}
		if name == "conduct-guard" {
			verb = "guard"
		}
		r.line.Controls = append(r.line.Controls, Control{Verb: verb, Args: rest, Dispatch: dispatch})
		return
	}
}

// plain returns the text of a word that the shell does not compute; glob says
// that it holds unquoted wildcards or braces.
func plain(w *syntax.Word) (text string, glob, ok bool) {
	var b strings.Builder
	home := false
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			t, g := literal(p.Value)
			if i == 0 && strings.HasPrefix(p.Value, "~") && p.Value != "~" && !strings.HasPrefix(p.Value, "~/") {
				return b.String(), false, false
			}
			home = home || i == 0 && strings.HasPrefix(p.Value, "~") && (len(w.Parts) == 1 || p.Value != "~")
			b.WriteString(t)
			glob = glob || g
		case *syntax.SglQuoted:
			if p.Dollar {
				return b.String(), false, false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				l, isLit := q.(*syntax.Lit)
				if !isLit || p.Dollar {
					return b.String(), false, false
				}
				b.WriteString(unquote(l.Value))
			}
		default:
			return b.String(), false, false
		}
	}
	text = b.String()
	if strings.HasPrefix(text, "~") && !home {
		text = "./" + text // quoted: a folder that is called so
	}
	return text, glob, true
}

// literal takes the backslashes out of an unquoted literal.
func literal(s string) (text string, glob bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case '*', '?', '[', '{':
			glob = true
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), glob
}

// unquote takes the backslashes that matter within double quotes out.
func unquote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\\"$`\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
