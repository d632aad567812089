package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is one simple command that runs.
type command struct {
	e     *eval
	s     state
	in    stdin
	name  string  // without its folder
	args  []field // without the name
	index int     // in Analysis.Commands
	pos   int
	// values are those of the assignments before the command.
	values []value
}

// call follows one simple command.
func (e *eval) call(s state, c *syntax.CallExpr, in stdin) (ok, failed state) {
	assigns := c.Assigns
	if len(c.Args) > 0 && c.Args[0].Lit() == "read" {
		assigns = withoutIFS(assigns)
		for _, a := range c.Assigns {
			if isIFS(a) && a.Value != nil {
				e.inner(s, a.Value)
			}
		}
	}
	set, values := e.assignments(s, assigns)
	if len(c.Args) == 0 {
		return set, set
	}
	words := e.fields(s, c.Args)
	if len(words) == 0 {
		return s, s
	}
	if e.vanishing && slices.ContainsFunc(words, func(f field) bool { return f.glob }) && slices.ContainsFunc(c.Args, hasWild) {
		e.opaque(offset(c), "a pattern that may stand for no word")
	}
	// The assignments hold for the command alone, and not yet for its words.
	inside := s
	if len(assigns) > 0 {
		inside = set
	}
	for i, a := range c.Assigns {
		if a.Name != nil && i < len(values) {
			e.export(a.Name.Value, values[i])
		}
	}
	ok, failed = e.invoke(inside, words, in, values)
	if len(assigns) == 0 {
		return ok, failed
	}
	special := specialBuiltin(words[0].text)
	return restored(s, inside, ok, assigns, special), restored(s, inside, failed, assigns, special)
}

// isIFS says whether an assignment sets how "read" splits a line: as what it reads
// is not known, that does not matter.
func isIFS(a *syntax.Assign) bool {
	return a.Name != nil && a.Name.Value == "IFS" && a.Index == nil && a.Array == nil
}

func withoutIFS(list []*syntax.Assign) []*syntax.Assign {
	return slices.DeleteFunc(slices.Clone(list), isIFS)
}

// specialBuiltin says whether some shells keep the assignments before a command.
func specialBuiltin(name string) bool {
	return inList("command builtin : . source eval exec set shift unset trap times return break continue exit export readonly", name)
}

// restored returns the state after a command with assignments before it: they are
// gone, and what the command itself has set stays.
func restored(before, inside, after state, list []*syntax.Assign, special bool) state {
	if after.vars == inside.vars && !special {
		after.vars = before.vars
		return after
	}
	for _, a := range list {
		if a.Name != nil {
			after = after.set(a.Name.Value, value{unknown: true})
		}
	}
	return after
}

// assignments returns the state with variables set, and the values.
func (e *eval) assignments(s state, list []*syntax.Assign) (state, []value) {
	var values []value
	for _, a := range list {
		if a.Name == nil {
			continue
		}
		v := value{unknown: true}
		switch {
		case a.Array != nil || a.Index != nil:
			e.opaque(offset(a), "an array")
			e.innerOf(s, a)
		case a.Value != nil:
			v = e.assignedValue(s, a.Value)
		default:
			v = value{}
		}
		if a.Append {
			old := e.variable(s, a.Name.Value)
			b := &builder{e: e, s: s}
			b.value(old)
			b.value(v)
			b.end()
			v = b.done[0]
		}
		if actsOn(a.Name.Value) && !harmlessValue(a.Name.Value, v) {
			e.opaque(offset(a), steers)
		}
		if slices.Contains(e.fixed, a.Name.Value) {
			v = value{unknown: true} // it fails
		}
		s = s.set(a.Name.Value, v)
		values = append(values, v)
	}
	return s, values
}

// assignedValue expands the value of an assignment: neither split nor matched.
func (e *eval) assignedValue(s state, w *syntax.Word) value {
	v := e.inner(s, w)
	if v.glob && v.matched {
		if !isParam(w) {
			return value{unknown: true}
		}
		return v
	}
	if v.glob && !v.unknown && v.below == nil {
		return value{text: v.text}
	}
	return v
}

// isParam says whether a word is a parameter and nothing else, quoted or not.
func isParam(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	if q, ok := w.Parts[0].(*syntax.DblQuoted); ok {
		return len(q.Parts) == 1 && isParam(&syntax.Word{Parts: q.Parts})
	}
	_, ok := w.Parts[0].(*syntax.ParamExp)
	return ok
}

// steers is why a line is opaque that sets such a variable.
const steers = "it sets a variable that programs act on"

// noPath is why a line is opaque after which programs may be looked for in its own folder.
const noPath = "programs that are looked for without a PATH"

// actsOn says whether programs that we know act on a variable.
func actsOn(name string) bool {
	return inList(countingVariables, name) || namesVariable(steeringVariables, name) && !namesVariable(harmlessVariables, name)
}

func namesVariable(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return name == s || strings.HasSuffix(s, "_") && strings.HasPrefix(name, s)
	})
}

// export notes that the programs which the line runs get a variable.
func (e *eval) export(name string, v value) {
	if !namesVariable(harmlessVariables, name) && !harmlessValue(name, v) {
		e.exported = true
	}
}

// harmlessValue says whether a variable is set so that nothing else runs.
func harmlessValue(name string, v value) bool {
	if slices.Contains(namingVariables, name) {
		return true
	}
	if inList(countingVariables, name) {
		return v.numeric()
	}
	if name == "TZ" { // a zone, or the path of a file
		return !v.unknown && !strings.HasPrefix(v.text, ":") && !strings.HasPrefix(v.text, "/") && !strings.Contains(v.text, "..")
	}
	return slices.Contains(switchVariables, name) && !v.unknown && slices.Contains([]string{"", "cat", "true", ":", "0", "1", "false"}, v.text)
}

// standardFolders are where programs of that name are the ones that we know.
var standardFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"}

// invoke follows a command of which the words are known.
func (e *eval) invoke(s state, words []field, in stdin, values []value) (ok, failed state) {
	if len(words) == 0 {
		return s, s
	}
	if e.budget--; e.budget < 0 {
		e.opaque(words[0].pos, "it is too long")
		return s, s
	}
	e.listing = nil
	texts := make([]string, len(words))
	for i := range words {
		if !words[i].unknown {
			texts[i] = words[i].text
		}
	}
	e.out.Commands = append(e.out.Commands, texts)
	c := &command{e: e, s: s, in: in, args: words[1:], index: len(e.out.Commands) - 1, pos: words[0].pos, values: values}
	first := &words[0]
	if first.unknown || first.glob || first.below != nil || first.text == "" {
		e.opaque(c.pos, "a command whose name is computed")
		c.guessAll()
		c.control(texts[1:])
		return s, s
	}
	c.name = path.Base(first.text)
	if strings.Contains(first.text, "/") && !isOurs(c.name) && !slices.Contains(standardFolders, path.Dir(first.text)) {
		c.use(first, Read)
		c.unknown("it runs a program that is not known")
		return s, s
	}
	if isOurs(c.name) {
		c.ownProgram(texts, words[1:])
		return s, s
	}
	if strings.Contains(first.text, "/") {
		c.outside()
		return s, s
	}
	if slices.Contains(e.funcs, c.name) {
		c.guessAll()
		return s, s
	}
	return c.follow()
}

// outside follows a program that is called by its path: it changes nothing in this
// shell, though one of its builtins has the same name.
func (c *command) outside() {
	if inList("cd pushd popd exit break continue set shift unset read mapfile readarray getopts wait command builtin eval "+
		"source . exec trap alias unalias jobs shopt ulimit hash", c.name) {
		c.unknown("it runs a program that is not known")
		return
	}
	c.rule()
}

// unknown reports a command that nothing is known about: its words may be paths.
func (c *command) unknown(why string) {
	c.e.opaqueBy(c.pos, why, c.index)
	c.guessAll()
	if c.in.text != nil {
		c.guessCode(c.in.text.text, c.pos)
	}
	c.control(c.e.out.Commands[c.index][1:])
}

// verbOf is the verb that one of our own programs is, by its name: conduct-mcp is
// what conduct mcp becomes. Of conduct itself it is "".
func verbOf(program string) (verb string, ours bool) {
	switch program {
	case "conduct":
		return "", true
	case "conduct-guard":
		return "guard", true
	case "conduct-mcp":
		return "mcp", true
	}
	return "", false
}

func isOurs(name string) bool {
	_, ours := verbOf(name)
	return ours
}

// ownProgram notes a run of one of our own programs, by its words.
func (c *command) ownProgram(texts []string, words []field) {
	verb, _ := verbOf(c.name)
	if verb == "" {
		verb = firstWord(texts[1:])
	}
	ctl := Control{Verb: verb, Args: texts[1:], VerbEnd: c.e.verbEnd(words, verb)}
	for i := range words {
		ctl.Computed = ctl.Computed || words[i].computed()
	}
	if v, ok := c.s.lookup("CONDUCT_DISPATCH"); ok {
		if ctl.Dispatch = v.text; v.unknown {
			ctl.Dispatch = "?" // none has this id
		}
	}
	for _, name := range leadingElsewhere {
		if _, set := c.s.lookup(name); set {
			ctl.Elsewhere = true
		}
	}
	c.e.out.Controls = append(c.e.out.Controls, ctl)
}

func firstWord(words []string) string {
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			return w
		}
	}
	return ""
}

// control looks for a run of our own programs behind one that is not known.
func (c *command) control(words []string) {
	for i, w := range words {
		verb, ours := verbOf(path.Base(w))
		if !ours || verb == "" && !isVerb(firstWord(words[i+1:])) {
			continue
		}
		inner := *c
		inner.name = path.Base(w)
		inner.ownProgram(words[i:], nil) // what that program makes of its words is opaque anyway
		return
	}
}

func isVerb(w string) bool {
	return slices.Contains(conductVerbs, w)
}

// use reports a path that stands as a word of its own.
func (c *command) use(f *field, op Op) { c.report(f, op, Fact{}) }

// report reports a word as a path; more holds what else is known of it.
func (c *command) report(f *field, op Op, more Fact) {
	more.Op, more.Written = op, f.written
	if more.Cwds == nil {
		more.Cwds = c.s.at
	}
	switch {
	case f.stream:
		return
	case f.below != nil:
		more.Op = belowOp(op)
		linked := !f.solid && !more.Guess && op != List && op != Enter && !inList("rm rmdir unlink mv", c.name)
		for _, root := range f.below {
			more.Path = root
			more.Follows = linked && more.Op == Search
			c.e.fact(more)
			if linked && more.Op == Write { // what a link leads to is changed
				through := more
				through.Op, through.Follows = Search, true
				c.e.fact(through)
			}
		}
		return
	case f.unknown && !f.number:
		if !more.Guess {
			c.e.opaque(f.pos, "a path that is computed")
		}
		return
	case f.glob || f.number:
		more.Path, more.Glob, more.Splits = f.pat, true, f.split
		c.e.fact(more)
		return
	}
	more.Path = f.text
	c.e.fact(more)
}

// belowOp is what an operation on something below a folder is to the folder.
func belowOp(op Op) Op {
	switch op {
	case Write, Place:
		return Write
	case Enter:
		return Enter
	}
	return Search
}

// implied reports the folder that the command runs in, or what is at a place in it.
func (c *command) implied(op Op, p string, more Fact) {
	more.Op, more.Path, more.Cwds, more.Implied = op, p, c.s.at, true
	more.Written = c.name
	c.e.fact(more)
}

// guessAll reports every word of a command that is not known.
func (c *command) guessAll() {
	for i := range c.args {
		c.guessWord(&c.args[i])
	}
	for _, v := range c.values {
		c.guessWord(&field{value: v, written: v.text, pos: c.pos})
	}
}

// guessWord reports what of a word may be a path: all of it, or the value within.
func (c *command) guessWord(f *field) {
	if f.below != nil {
		c.report(f, Read, Fact{Guess: true})
		return
	}
	if f.glob {
		c.report(f, Read, Fact{Guess: true})
	}
	for _, t := range within(f.text) {
		c.e.fact(Fact{Op: Read, Path: t, Cwds: c.s.at, Guess: true, Written: f.written})
	}
}

// within returns the parts of a word that may be paths.
func within(text string) []string {
	var out []string
	switch {
	case text == "" || len(text) > 4096 || strings.ContainsAny(text, "\n\r\t"):
	case !strings.HasPrefix(text, "-"):
		out = append(out, strings.TrimPrefix(text, "@"))
	case !strings.HasPrefix(text, "--") && len(text) > 2 && strings.ContainsAny(text[2:], "/."):
		out = append(out, text[2:])
	}
	if _, v, ok := strings.Cut(text, "="); ok && v != "" && !strings.ContainsAny(v, "\n\r\t") {
		out = append(out, v)
	}
	return out
}

// redirect follows one redirection and returns what the command's input is.
func (e *eval) redirect(s state, rd *syntax.Redirect, in stdin) stdin {
	c := &command{e: e, s: s, pos: offset(rd)}
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		v := e.document(s, rd)
		v.text = unDash(rd, v.text)
		return fed(rd, in, stdin{given: true, text: &v})
	case syntax.WordHdoc:
		v := e.inner(s, rd.Word)
		return fed(rd, in, stdin{given: true, text: &v})
	}
	words := e.fields(s, []*syntax.Word{rd.Word})
	for i := range words {
		f := &words[i]
		if (rd.Op == syntax.DplIn || rd.Op == syntax.DplOut) && (f.unknown && f.numeric() || !f.unknown && isStream(f.text)) {
			continue // a stream that is there already
		}
		switch rd.Op {
		case syntax.RdrIn, syntax.DplIn:
			c.use(f, Read)
		case syntax.RdrInOut:
			c.use(f, Read)
			c.use(f, Place)
		default:
			c.use(f, Place)
		}
	}
	if rd.Op == syntax.RdrIn || rd.Op == syntax.RdrInOut || rd.Op == syntax.DplIn || rd.N != nil && rd.N.Value == "0" {
		return fed(rd, in, stdin{given: true, file: true})
	}
	return in
}

// fed is the input of a command after a redirection of it, or of another stream.
func fed(rd *syntax.Redirect, before, after stdin) stdin {
	if rd.N == nil || rd.N.Value == "0" {
		return after
	}
	return before
}

// document expands a here-document: as it stands where its end is quoted, else as
// in double quotes, but for these themselves.
func (e *eval) document(s state, rd *syntax.Redirect) value {
	quoted := false
	for _, p := range rd.Word.Parts {
		l, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(l.Value, "\\")
	}
	b := &builder{e: e, s: s}
	if rd.Hdoc != nil {
		b.begun = true
		b.document(rd.Hdoc.Parts, quoted)
	}
	b.end()
	if len(b.done) == 0 {
		return value{}
	}
	out := b.done[0]
	for _, v := range b.done[1:] {
		out.text += " " + v.text
		out.unknown = out.unknown || v.unknown
	}
	return out
}

func (b *builder) document(parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch l, ok := p.(*syntax.Lit); {
		case ok && quoted:
			b.quoted(l.Value)
		case ok:
			b.quoted(unescape(strings.ReplaceAll(l.Value, `\"`, `\\"`)))
		default:
			b.doubled([]syntax.WordPart{p})
		}
	}
}

// mayFail says whether a redirection may keep its command from running.
func (e *eval) mayFail(rd *syntax.Redirect) bool {
	if rd.N != nil && len(rd.N.Value) > 2 {
		return true // a variable that cannot be set, a number that is too high
	}
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return false
	case syntax.DplIn, syntax.DplOut:
		to := rd.Word.Lit()
		e.closes = e.closes || strings.HasSuffix(to, "-")
		return to != "-" && (e.closes || !inList("0 1 2", to))
	}
	return rd.Word.Lit() != "/dev/null"
}

// unDash takes the tabs away that <<- takes away.
func unDash(rd *syntax.Redirect, t string) string {
	if rd.Op != syntax.DashHdoc {
		return t
	}
	lines := strings.Split(t, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "\n")
}
