package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// follow follows a command by its name.
func (c *command) follow() (ok, failed state) {
	switch c.name {
	case "cd", "pushd":
		return c.cd()
	case "popd":
		return c.popd()
	case "exit": // return may fail, and the line goes on
		dead := c.s
		dead.dead = c.exits()
		return dead, dead
	case "break", "continue":
		c.leaves()
	case "set":
		return both(c.set())
	case "shift":
		return both(c.shift())
	case "unset":
		return both(c.unset())
	case "read", "mapfile", "readarray", "getopts":
		return both(c.readInto())
	case "printf":
		if len(c.args) > 1 && strings.HasPrefix(c.args[0].text, "-v") {
			return both(c.printInto())
		}
		if len(c.args) > 1 && c.args[0].glob && leads(c.args[0].pat) {
			c.e.subscript(c.args[0]) // it may be "-v"
		}
		if len(c.args) > 0 && c.args[0].unknown && !c.args[0].number && !strings.ContainsAny(c.args[0].text, "%\\ ") {
			c.rule() // it may be "-v" and a name
			if c.args[0].loose {
				c.e.opaque(c.args[0].pos, "a word that is computed")
			} else if len(c.args) > 1 {
				c.e.subscript(c.args[1])
			}
			return both(c.s.forgotten())
		}
	case "wait":
		return both(c.wait())
	case "command", "builtin":
		return c.inShell()
	case "eval":
		return both(c.eval())
	case "source", ".":
		return both(c.source())
	case "exec":
		return both(c.exec())
	}
	s := c.s
	c.rule()
	return s, s
}

// rule follows a command that changes nothing in its shell.
func (c *command) rule() {
	if c.e.exported && (inList(scripted, c.name) || c.interpreter() >= 0) {
		c.e.opaqueBy(c.pos, "a variable is set for a script or a runtime", c.index)
	}
	if c.launches() || c.interprets() {
		return
	}
	switch c.name {
	case "git":
		c.git()
		return
	case "bash", "sh", "dash", "zsh", "ksh":
		c.shell()
		return
	case "find", "gfind":
		c.loose()
		c.find()
		return
	case "test", "[":
		c.testCommand()
		return
	case "trap", "alias":
		c.later()
		return
	case "jobs":
		c.jobs()
		return
	case "shopt":
		c.shopt()
		return
	case "tar":
		c.loose()
		c.tar()
		return
	case "dd":
		c.loose()
		c.dd()
		return
	case "make", "gmake":
		c.make()
		return
	case "ulimit":
		if len(c.args) > 0 && !c.args[len(c.args)-1].dash() {
			c.e.opaque(c.pos, "a limit by which later commands may fail")
		}
	}
	r, ok := lookup(c.name)
	if c.asksVersion() {
		return
	}
	if !ok || c.fromFile() {
		c.unknown("it runs a program that is not known")
		return
	}
	p := c.parse(r)
	if !c.special(r, p) {
		c.plain(r, p)
	}
}

// loose makes a command opaque in which a word may be several: parse does so for the
// ones that have a row.
func (c *command) loose() {
	for _, f := range c.args {
		if f.loose {
			c.e.opaque(f.pos, "a word that is computed")
		}
	}
}

// compilers are understood where they only say which they are.
const compilers = "go gcc g++ clang java javac npm"

// asksVersion says whether a compiler is only asked which one it is.
func (c *command) asksVersion() bool {
	return len(c.args) == 1 && inList(compilers, c.name) && inList("version --version -version -v -V", c.args[0].text)
}

// fromFile says whether a program takes commands or options from a word that
// looks like an operand.
func (c *command) fromFile() bool {
	mark := ""
	switch c.name {
	case "less", "more":
		mark = "+"
	case "strings":
		mark = "@"
	}
	return mark != "" && slices.ContainsFunc(c.args, func(f field) bool {
		return strings.HasPrefix(f.text, mark) || f.glob && leads(f.pat) // what it matches may begin so
	})
}

// cd follows cd and pushd.
func (c *command) cd() (ok, failed state) {
	args := c.args
	for len(args) > 0 && args[0].dash() && !args[0].unknown && c.name == "cd" {
		if strings.Trim(args[0].text[1:], "LPe") != "" && args[0].text != "--" {
			c.e.opaque(args[0].pos, "an option that cd may refuse")
		}
		if args = args[1:]; c.args[len(c.args)-len(args)-1].text == "--" {
			break
		}
	}
	to := field{value: c.e.variable(c.s, "HOME"), written: "cd", pos: c.pos}
	implied := true
	switch {
	case len(args) == 0 && c.name == "cd":
	case len(args) == 1 && args[0].text == "-" && !args[0].unknown && c.name == "cd":
		return c.back()
	case len(args) == 1 && (c.name == "cd" || !strings.HasPrefix(args[0].text, "+") && !args[0].dash()):
		to, implied = args[0], false
	default:
		c.e.opaque(c.pos, "a folder that is computed")
		return c.s, c.s
	}
	if to.unknown || to.glob || to.below != nil || to.text == "" && !implied {
		if to.glob && !to.unknown {
			c.use(&to, Enter)
		}
		c.e.opaque(to.pos, "a folder that is computed")
		return c.s, c.s
	}
	if v, set := c.s.lookup("CDPATH"); set && (v.unknown || v.text != "") {
		c.e.opaque(c.pos, "a folder that is looked for")
	}
	c.report(&to, Enter, Fact{Implied: implied})
	ok, failed = c.s, c.s
	ok.old, ok.at = c.s.at, enter(c.s.at, to.text)
	if c.name == "pushd" {
		ok.stack = append(slices.Clone(c.s.stack), c.s.at)
	}
	failed.dead = c.s.dead || c.works(ok.at)
	return c.e.boundedPlaces(ok, c.pos), failed
}

// works says whether it is certain that a cd leads to all of some folders.
func (c *command) works(to []string) bool {
	if c.e.env.Exists == nil || c.e.changed {
		return false
	}
	for _, dir := range to {
		if !strings.HasPrefix(dir, "/") {
			return false
		}
		if isDir, exists := c.e.env.Exists(dir); !exists || !isDir {
			return false
		}
	}
	return true
}

func (e *eval) boundedPlaces(s state, pos int) state {
	if len(s.at) > maxPlaces {
		e.opaque(pos, "it may be in too many folders")
		s.at = s.at[:maxPlaces]
	}
	return s
}

// back follows "cd -".
func (c *command) back() (ok, failed state) {
	if c.s.old == nil {
		c.e.opaque(c.pos, "a folder that is not known")
		return c.s, c.s
	}
	ok = c.s
	ok.at, ok.old = c.s.old, c.s.at
	return ok, c.s
}

func (c *command) popd() (ok, failed state) {
	n := len(c.s.stack)
	if n == 0 || len(c.args) > 0 {
		c.e.opaque(c.pos, "a folder that is not known")
		return c.s, c.s
	}
	ok = c.s
	ok.old, ok.at, ok.stack = c.s.at, c.s.stack[n-1], c.s.stack[:n-1]
	return ok, c.s
}

// set follows "set -- a b". That "set -e" ends a line is not relied on: a client
// may run the line where it has no effect.
func (c *command) set() state {
	s := c.s
	for i, a := range c.args {
		switch {
		case a.unknown:
			c.e.opaque(a.pos, "an option that is computed")
			s.params = params{unknown: true}
			return s
		case a.text != "--" && (a.dash() || strings.HasPrefix(a.text, "+")):
			switch {
			case strings.Contains(a.text, "k"):
				c.e.opaque(a.pos, "assignments anywhere")
			case !plainSwitches(a.text):
				c.e.opaque(a.pos, "an option of the shell")
			}
		default:
			if a.text == "-" && i+1 == len(c.args) {
				return s // it leaves them
			}
			if a.text == "--" || a.text == "-" {
				i++
			} else if i > 0 && isCluster(c.args[i-1].text) && strings.HasSuffix(c.args[i-1].text, "o") {
				if !inList(plainOptions, a.text) {
					c.e.opaque(a.pos, "an option of the shell")
				}
				continue
			}
			s.params = paramsOf(c.args[i:])
			for _, v := range c.args[i:] {
				s.params.unknown = s.params.unknown || v.unknown
			}
			return s
		}
	}
	return s
}

func (c *command) shift() state {
	s := c.s
	if len(c.args) == 0 && len(s.params.list) == 1 && s.params.open() {
		return s
	}
	if len(c.args) == 0 && !s.params.unknown && len(s.params.list) > 0 {
		s.params.list = s.params.list[1:]
		return s
	}
	s.params = params{unknown: true}
	return s
}

func (c *command) unset() state {
	s := c.s
	other := false // of functions, or refused
	for _, a := range c.args {
		if a.dash() {
			other = other || a.unknown || !inList("-v --", a.text)
			continue
		}
		c.e.subscript(a)
		if a.text == "PATH" {
			c.e.opaque(a.pos, noPath)
		}
		if a.text == "HOME" || inList(keptByShell, a.text) {
			other = true // "~" still leads somewhere, and the next cd sets the others anew
		}
		s = s.set(a.text, value{unknown: other || slices.Contains(c.e.fixed, a.text)})
	}
	return s
}

// subscript makes a line opaque where a name has an index: that is evaluated, and
// may run commands. A pattern may stand for such a name, or for any other.
func (e *eval) subscript(f field) {
	if strings.Contains(f.text, "[") || f.unknown || f.glob {
		e.opaque(f.pos, "an array")
	}
}

// steered makes a line opaque that sets a variable which programs act on, in
// another way than by an assignment.
func (e *eval) steered(name string, pos int) {
	if actsOn(name) {
		e.opaque(pos, steers)
	}
}

// readInto follows read and the like: what they set is not known.
func (c *command) readInto() state {
	s := c.s
	if r, ok := lookup(c.name); ok {
		p := c.parse(r)
		c.optionFacts(p)
		for _, f := range p.operands {
			c.e.subscript(f)
			c.e.steered(f.text, f.pos)
			s = s.set(f.text, value{unknown: true})
		}
		if f, ok := p.value("-a"); ok {
			c.e.subscript(*f)
			c.e.steered(f.text, f.pos)
			s = s.set(f.text, value{unknown: true})
		}
	} else if len(c.args) > 1 {
		c.e.subscript(field{value: value{glob: c.args[0].glob}, pos: c.pos}) // it may be the name, too
		c.e.subscript(c.args[1])
		c.e.steered(c.args[1].text, c.pos)
		s = s.set(c.args[1].text, value{unknown: true}).set("OPTARG", value{unknown: true})
	}
	for _, name := range []string{"REPLY", "MAPFILE"} {
		s = s.set(name, value{unknown: true})
	}
	return s
}

func (c *command) printInto() state {
	to := c.args[0]
	name := strings.TrimPrefix(to.text, "-v")
	if name == "" && !to.unknown {
		to = c.args[1]
		name = to.text
	}
	c.e.subscript(to)
	c.e.steered(name, c.pos)
	return c.s.set(name, value{unknown: true})
}

// wait follows wait, which can set a variable to the number of what has ended.
func (c *command) wait() state {
	s := c.s
	c.rule()
	for i, a := range c.args {
		name := a
		if a.glob || a.unknown && !a.number {
			c.e.subscript(a) // it may be "-p", and a name
		}
		switch {
		case !strings.HasPrefix(a.text, "-") || !strings.Contains(a.text, "p"):
			continue
		case !strings.HasSuffix(a.text, "p"):
			_, name.text, _ = strings.Cut(a.text, "p")
		case i+1 < len(c.args):
			name = c.args[i+1]
		}
		c.e.subscript(name)
		c.e.steered(name.text, name.pos)
		s = s.set(name.text, value{unknown: true})
	}
	return s
}

// eval follows a text that the shell reads again.
func (c *command) eval() state {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		if a.unknown || a.glob || a.below != nil {
			c.e.opaqueBy(a.pos, "code that is computed", c.index)
			c.guessAll()
			return c.s
		}
		texts[i] = a.text
	}
	if c.name == "eval" {
		s, _ := c.e.run(c.s, strings.Join(texts, " "), c.pos)
		return s
	}
	c.runs(c.s, strings.Join(texts, " "), c.pos)
	return c.s
}

// source follows ". file": the file's commands are not known.
func (c *command) source() state {
	if len(c.args) > 0 {
		c.use(&c.args[0], Read)
	}
	c.e.opaqueBy(c.pos, "it runs a file", c.index)
	for i := range c.args {
		c.guessWord(&c.args[i])
	}
	s := c.s
	s.vars, s.params = nil, params{unknown: true}
	return s
}

// exec follows exec; without a command its redirections are the shell's.
func (c *command) exec() state {
	r, _ := lookup(c.name)
	p := c.parse(r)
	if len(p.rest) == 0 {
		return c.s
	}
	if _, bare := p.value("-c"); bare {
		c.e.opaque(c.pos, noPath)
	}
	c.e.invoke(c.s, p.rest, c.in, nil)
	return c.s
}

// later follows the commands that a trap or an alias holds.
func (c *command) later() {
	args := c.args
	if c.name == "trap" && len(args) > 0 && args[0].plain() {
		if args[0].text == "--" {
			args = args[1:]
		}
		if len(args) > 0 && args[0].plain() && (args[0].text == "-" || args[0].dash() || args[0].text == "") {
			return
		}
	}
	if len(args) == 0 {
		return
	}
	c.e.opaque(c.pos, "commands for later")
	for _, a := range args {
		_, text, ok := strings.Cut(a.text, "=")
		if c.name == "trap" {
			text, ok = a.text, true
		}
		if ok && !a.unknown {
			c.e.run(c.s, text, a.pos)
		}
		if c.name == "trap" {
			break
		}
	}
}

// jobs holds that a list of jobs is no more than that: with -x it runs a command.
func (c *command) jobs() {
	for i := range c.args {
		if a := &c.args[i]; !a.plain() && !a.number || a.dash() && strings.Contains(a.text, "x") {
			c.e.opaqueBy(c.pos, "a command with jobs in its words", c.index)
			c.e.invoke(c.s, c.args[i+1:], c.in, c.values)
			return
		}
	}
}

func (c *command) shopt() {
	for _, a := range c.args {
		if a.text == "nullglob" {
			c.e.vanishing = true
			continue
		}
		if !a.dash() && !inList(plainShopts, a.text) {
			c.e.opaque(a.pos, "an option of the shell")
		}
	}
}

// test follows [[ … ]]: files are looked at, patterns and texts are text.
func (e *eval) test(s state, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		e.test(s, x.X)
	case *syntax.Word:
		e.inner(s, x)
	case *syntax.UnaryTest:
		w, ok := x.X.(*syntax.Word)
		if ok && x.Op >= syntax.TsExists && x.Op <= syntax.TsModif {
			e.looks(s, w)
			return
		}
		if ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			e.subscript(field{value: e.inner(s, w), pos: offset(w)})
			return
		}
		e.test(s, x.X)
	case *syntax.BinaryTest:
		wx, okX := x.X.(*syntax.Word)
		wy, okY := x.Y.(*syntax.Word)
		switch {
		case okX && okY && (x.Op == syntax.TsNewer || x.Op == syntax.TsOlder || x.Op == syntax.TsDevIno):
			e.looks(s, wx)
			e.looks(s, wy)
		case okX && okY && x.Op >= syntax.TsEql && x.Op <= syntax.TsGtr:
			e.numeric(s, wx)
			e.numeric(s, wy)
		default:
			e.test(s, x.X)
			e.test(s, x.Y)
		}
	}
}

func (e *eval) looks(s state, w *syntax.Word) {
	c := &command{e: e, s: s, pos: offset(w)}
	c.use(&field{value: e.inner(s, w), written: e.sourceText(w), pos: offset(w)}, Enter)
}

// testCommand follows test and [.
func (c *command) testCommand() {
	args := c.args
	for i := range args {
		f := &args[i]
		if f.unknown {
			c.mayAsk(f, args[i+1:])
			if f.written == `"$@"` && c.s.params.unknown {
				for _, v := range c.s.params.list {
					c.e.subscript(field{value: value{text: v.text}, pos: f.pos})
				}
			}
			continue
		}
		if f.glob && leads(f.pat) {
			c.mayAsk(&field{value: value{unknown: true}, pos: f.pos}, args[i+1:])
			c.kind("text", f, 0, true)
		}
		switch {
		case f.text == "-v" && i+1 < len(args):
			c.e.subscript(args[i+1])
		case len(f.text) == 2 && f.text[0] == '-' && strings.IndexByte("abcdefghkprsuwxGLNOS", f.text[1]) >= 0 && i+1 < len(args):
			if !(f.text == "-a" || f.text == "-o") || i == 0 {
				c.use(&args[i+1], Enter)
			}
		case (f.text == "-nt" || f.text == "-ot" || f.text == "-ef") && i > 0 && i+1 < len(args):
			c.use(&args[i-1], Enter)
			c.use(&args[i+1], Enter)
		case f.glob:
			c.kind("text", f, 0, false)
		}
	}
}

// base is the last part of a path, as cp takes it.
func base(p string) string {
	return path.Base(strings.TrimRight(p, "/"))
}
