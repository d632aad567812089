package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// special follows what a row cannot say. It returns false when the row says it all.
func (c *command) special(r *row, p *parsed) bool {
	switch c.name {
	case "cp", "mv", "ln", "link", "install", "rsync":
		c.placed(p)
	case "sed", "gsed":
		c.sed(p)
	case "awk", "gawk", "mawk", "nawk":
		c.awk(p)
	case "jq", "gojq", "yq":
		c.jq(r, p)
	case "xargs":
		c.xargs(p)
	case "env", "sudo", "doas":
		c.setting(p)
	case "watch":
		c.watch(p)
	case "fd", "fdfind":
		return c.fd(r, p)
	case "curl", "wget":
		c.fetch(p)
	case "zip":
		c.zip(p)
	case "unzip":
		c.unzip(p)
	case "patch":
		c.patch(r, p)
	case "split":
		c.split(r, p)
	case "zcat", "gzcat", "zgrep", "zegrep", "zfgrep":
		for i := range p.operands {
			if i > 0 || p.has(noFirst) || r.operands == "read*" {
				c.ended(&p.operands[i], gzEndings)
			}
		}
		return false
	case "mktemp":
		c.mktemp(p)
	case "diff", "colordiff", "gofmt", "shfmt":
		// They open what a link in a folder leads to.
		if _, keep := p.value("--no-dereference"); !keep {
			p.effects |= follow
		}
		return false
	case "ps":
		c.ps()
		return false
	case "sdiff":
		if v, ok := p.value("-o", "--output"); ok {
			c.e.opaqueBy(v.pos, "an editor that reads its commands", c.index)
		}
		return false
	case "less":
		c.less(p)
		return false
	case "rg":
		if _, files := p.value("--files"); files {
			c.in = stdin{}
		}
		return false
	default:
		if strings.Contains(r.operands, "cmd") {
			c.wrapped(p)
			return true
		}
		return c.writer(r, p)
	}
	return true
}

// less holds that a value is no more than that: less reads further options behind a
// number, and behind a dollar.
func (c *command) less(p *parsed) {
	for i := range p.values {
		v := &p.values[i]
		number := inList("-b -h -j -x -y -z", v.option.name) && strings.Trim(v.field.text, "0123456789.,-") != ""
		if v.option.kind != "" && (number || strings.Contains(v.field.text, "$")) {
			c.e.opaqueBy(v.field.pos, "options behind a value", c.index)
		}
	}
}

// wrapped follows the command that a command runs.
func (c *command) wrapped(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	if len(p.rest) > 0 {
		c.e.invoke(c.s, p.rest, c.in, c.values)
	}
}

// setting follows env and sudo: assignments and another folder before a command.
func (c *command) setting(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	s := c.s
	for i := range p.values {
		v := &p.values[i]
		if v.option.kind == "enter" {
			if v.field.unknown || v.field.glob {
				c.e.opaque(v.field.pos, "a folder that is computed")
			}
			s.at = enter(c.s.at, v.field.text) // the last one counts
		}
		switch v.option.name {
		case "-u", "--unset":
			if s = s.set(v.field.text, value{unknown: true}); c.name == "env" && v.field.text == "PATH" {
				c.e.opaque(v.field.pos, noPath)
			}
		case "-i", "--ignore-environment":
			if s = s.forgotten(); c.name == "env" {
				c.e.opaque(c.pos, noPath)
			}
		}
	}
	if c.name != "env" {
		s = s.forgotten() // the other user's
	}
	rest := p.rest
	for len(rest) > 0 {
		name, val, ok := strings.Cut(rest[0].text, "=")
		if !ok || name == "" || strings.Contains(name, "/") {
			break
		}
		v := value{text: val, unknown: rest[0].unknown}
		if actsOn(name) && !harmlessValue(name, v) {
			c.e.opaque(rest[0].pos, steers)
		}
		if !syntax.ValidName(name) {
			c.e.opaque(rest[0].pos, "a variable that no shell can set") // a function for bash is called so
		}
		c.e.export(name, v)
		c.values = append(c.values, v)
		s = s.set(name, v)
		rest = rest[1:]
	}
	if len(rest) > 0 {
		c.e.invoke(s, rest, c.in, c.values)
	}
}

// watch gives its words to a shell, unless it is told not to.
func (c *command) watch(p *parsed) {
	c.optionFacts(p)
	for _, v := range p.values {
		if v.option.name == "-x" || v.option.name == "--exec" {
			c.wrapped(p)
			return
		}
	}
	inner := *c
	if inner.args = p.rest; len(p.rest) > 0 {
		inner.eval() // by sh
	}
}

// inShell follows "command" and "builtin": what they run changes this shell. With
// -v "command" only looks.
func (c *command) inShell() (ok, failed state) {
	r, _ := lookup(c.name)
	p := c.parse(r)
	for _, v := range p.values {
		if v.option.name == "-v" || v.option.name == "-V" {
			return c.s, c.s
		}
	}
	c.optionFacts(p)
	if len(p.rest) == 0 {
		return c.s, c.s
	}
	return c.e.invoke(c.s, p.rest, c.in, c.values)
}

// writer follows commands that make further files beside the ones that they are given.
func (c *command) writer(r *row, p *parsed) bool {
	if r.operands != "write*" || !strings.Contains(r.options, "--keep") {
		return false
	}
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an archive that says where it is written", c.index)
	}
	reads := false
	for _, v := range p.values {
		switch v.option.name {
		case "-T": // zstd takes no more than digits for it, and that from its own word
			if strings.HasSuffix(c.name, "zstd") && !isNumber(v.field.text) {
				p.operands = append(p.operands, v.field)
			}
		case "-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test":
			reads = true
		}
	}
	for i := range p.operands {
		f := &p.operands[i]
		switch {
		case reads && p.has(recurse):
			c.report(f, Search, Fact{Follows: true})
		case reads:
			c.kind("read", f, 0, true)
			c.ended(f, gzEndings)
			c.suffixed(p, f, Read)
		default:
			effects := p.effects
			if p.has(recurse) {
				effects |= follow
			}
			c.kind("write", f, effects, true)
			c.beside(f)
			c.suffixed(p, f, Write)
		}
	}
	c.optionFacts(p)
	return true
}

// suffixed reports the file with the ending that is given, which may lead to another folder.
func (c *command) suffixed(p *parsed, f *field, op Op) {
	for i := range p.values {
		v := &p.values[i]
		switch {
		case !inList("-S --suffix -z", v.option.name) || v.option.kind == "":
		case !v.field.plain(), f.glob && strings.Contains(v.field.text, "/"):
			c.e.opaque(v.field.pos, "names with an ending that is computed")
		case f.plain() && f.text != "-":
			g := *f
			g.text += v.field.text
			c.report(&g, op, Fact{Implied: true})
		}
	}
}

// beside reports the file with another ending that a compressor makes.
func (c *command) beside(f *field) {
	if f.unknown || f.glob || f.below != nil || f.text == "-" {
		return
	}
	more := *f
	ext := path.Ext(f.text)
	for _, t := range []string{f.text + ".gz", f.text + ".bz2", f.text + ".xz", f.text + ".zst", strings.TrimSuffix(f.text, ext)} {
		if t == f.text {
			continue
		}
		if more.text = t; strings.HasSuffix(t, "/") || t == "" {
			continue
		}
		c.report(&more, Place, Fact{Implied: true})
	}
}

// fd follows fd with a command for each match.
func (c *command) fd(r *row, p *parsed) bool {
	at := -1
	for i, a := range c.args {
		if a.text == "-x" || a.text == "-X" || a.text == "--exec" || a.text == "--exec-batch" {
			at = i
			break
		}
	}
	if at < 0 {
		if p.has(stopped) {
			c.e.opaqueBy(c.pos, "a command for each match", c.index)
		}
		return false
	}
	inner := append([]field(nil), c.args[at+1:]...)
	c.args = c.args[:at]
	p = c.parse(r)
	c.plain(r, p)
	roots := p.operands
	if !p.has(noFirst) && len(roots) > 0 {
		roots = roots[1:]
	}
	if v, ok := p.value("--search-path"); ok {
		roots = append(roots, *v)
	}
	match := c.matches(roots)
	if v, ok := p.value("-t", "--type"); ok && !p.has(follow) {
		match.solid = inList("f file", v.text) && c.oneType(p)
	}
	found := false
	for i, a := range inner {
		if strings.Contains(a.text, "{") && !a.glob {
			found = true
			if inner[i].value = (value{unknown: true}); a.text == "{}" {
				inner[i].value = match
			}
		}
		if a.text == ";" {
			c.e.opaqueBy(a.pos, "a command for each match", c.index)
		}
	}
	if !found {
		inner = append(inner, field{value: match, written: "{}", pos: c.pos})
	}
	c.e.invoke(c.s, inner, stdin{}, c.values)
	return true
}

// oneType says whether fd looks for one kind of file alone.
func (c *command) oneType(p *parsed) bool {
	n := 0
	for _, v := range p.values {
		if v.option.name == "-t" || v.option.name == "--type" {
			n++
		}
	}
	return n == 1
}

// matches is the value for any path below some roots.
func (c *command) matches(roots []field) value {
	v := value{text: "{}"}
	for _, f := range roots {
		if f.unknown || f.glob || f.below != nil || f.stream {
			return value{unknown: true}
		}
		v.below = append(v.below, f.text)
	}
	if len(roots) == 0 {
		v.below = []string{"."}
	}
	return v
}

// zip follows zip: the first operand is the archive, the others go into it.
func (c *command) zip(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	if _, patterns := p.value("-R"); patterns {
		c.implied(Search, ".", Fact{Follows: c.followsLinks(p)}) // the operands are patterns for what it finds
	}
	if _, fresh := p.value("-f", "-u"); fresh && len(p.operands) < 2 {
		c.e.opaqueBy(c.pos, "an archive that says which files are read", c.index)
	}
	for i := range p.values {
		v := &p.values[i]
		if list, ok := strings.CutPrefix(v.field.text, "@"); ok && inList("-i -x --include --exclude", v.option.name) {
			f := v.field.tail(list)
			c.use(&f, Read)
		}
	}
	for i := range p.operands {
		f := &p.operands[i]
		switch {
		case i == 0:
			c.use(f, Place)
			if path.Ext(f.text) == "" && !f.unknown && !f.glob {
				g := *f
				g.text += ".zip"
				c.use(&g, Place)
			}
		case c.moves(p):
			c.kind("write", f, 0, true)
			if p.has(recurse) && c.followsLinks(p) {
				c.report(f, Search, Fact{Follows: true})
			}
		default:
			c.report(f, c.treeOr(p, Read), Fact{Follows: c.followsLinks(p), Options: f.glob && leads(f.pat)})
		}
	}
}

func (c *command) treeOr(p *parsed, op Op) Op {
	if p.has(recurse) {
		return Search
	}
	return op
}

func (c *command) moves(p *parsed) bool {
	_, ok := p.value("-m")
	return ok
}

// followsLinks: zip follows links unless it is told to keep them.
func (c *command) followsLinks(p *parsed) bool {
	_, keep := p.value("-y", "--symlinks")
	return !keep
}

// unzip follows unzip: it writes what the archive says, below its folder.
func (c *command) unzip(p *parsed) {
	c.optionFacts(p)
	for i := range c.args {
		if a := &c.args[i]; a.dash() && strings.Contains(a.text, "x") && (len(p.operands) == 0 || a.pos <= p.operands[0].pos) {
			c.e.opaqueBy(c.pos, "an option that takes no value before the archive", c.index)
		}
	}
	if len(p.operands) > 0 {
		f := p.operands[0]
		if f.plain() && strings.ContainsAny(f.text, "*?[") {
			f.glob, f.pat = true, f.text // it looks for it by itself
		}
		c.kind("read", &f, 0, true)
		c.ended(&f, ".zip .ZIP")
	}
	if p.has(outside) {
		return
	}
	if into, ok := p.value("-d"); ok {
		c.extracts(into)
		return
	}
	c.extracts(nil)
}

// ended reports what a program reads where a name is not there: with an ending, as
// far as there is such a file.
func (c *command) ended(f *field, endings string) {
	if f.unknown || f.glob || f.below != nil || f.text == "-" || f.text == "" {
		return
	}
	for ending, rest := next(endings); ending != ""; ending, rest = next(rest) {
		g := *f
		g.text += ending
		for _, dir := range c.s.at {
			abs := joinPath(dir, g.text)
			if _, exists := c.exists(abs); exists {
				c.report(&g, Read, Fact{Implied: true})
				break
			}
		}
	}
}

// exists asks whether something is at a path; where nobody can be asked, it may be.
func (c *command) exists(abs string) (isDir, exists bool) {
	if c.e.env.Exists == nil || !strings.HasPrefix(abs, "/") {
		return false, true
	}
	return c.e.env.Exists(abs)
}

// isThere says whether a word may be a file or a folder that is there.
func (c *command) isThere(f *field) bool {
	return slices.ContainsFunc(c.s.at, func(dir string) bool {
		_, exists := c.exists(joinPath(dir, f.text))
		return exists
	})
}

// gzEndings are what gzip tries behind a name.
const gzEndings = ".gz .z -gz -z _z .Z"

// extracts reports the folder that an archive's files are written below: through
// links that are there, too.
func (c *command) extracts(into *field) {
	if into == nil {
		into = &field{value: value{text: "."}}
		c.implied(Write, ".", Fact{})
		c.implied(Search, ".", Fact{Follows: true})
	} else {
		c.use(into, Write)
		c.report(into, Search, Fact{Follows: true})
	}
	c.e.brought(c.s.at, into.text)
}

// split follows split, whose second operand begins the names of what it makes.
func (c *command) split(r *row, p *parsed) {
	c.optionFacts(p)
	if len(p.operands) > 0 {
		c.kind("read", &p.operands[0], 0, true)
	}
	prefix := field{value: value{text: "x", pat: "x*", glob: true}, written: "split", pos: c.pos}
	if len(p.operands) > 1 {
		prefix = p.operands[1]
		prefix.pat, prefix.glob = patternOf(prefix.value)+"*", true
	}
	c.use(&prefix, Place)
	prefix.glob = false
	c.use(&prefix, Place)
}

// mktemp follows mktemp, which puts something else for the X's of a name.
func (c *command) mktemp(p *parsed) {
	dir, given := p.value("-p", "--tmpdir")
	names := p.operands
	if len(names) == 0 {
		names = []field{{value: value{text: "tmp.XXXX"}, written: "mktemp", pos: c.pos}}
		if !given {
			return // in the folder for such files
		}
	}
	for _, f := range names {
		if given && dir.unknown {
			f.unknown = true
		}
		pre := ""
		if given {
			pre = patternOf(dir.value) + "/"
		}
		i := strings.Index(f.text, "XX")
		if i < 0 || f.glob || f.unknown {
			c.use(&f, Place)
			continue
		}
		rest := strings.TrimLeft(f.text[i:], "X")
		f.pat, f.glob = pre+patternOf(value{text: f.text[:i]})+"*"+patternOf(value{text: rest}), true
		c.use(&f, Place)
	}
}

// patch follows patch: without an operand it writes where the patch says, outside of its
// folder too.
func (c *command) patch(r *row, p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	if v, ok := p.value("-d", "--directory"); ok {
		defer c.optionFacts(p) // it goes there before it opens anything
		if v.unknown || v.glob {
			c.e.opaque(v.pos, "a folder that is computed")
		}
		c.s.at = enter(c.s.at, v.text)
	}
	if len(p.operands) == 0 {
		c.e.opaqueBy(c.pos, "a patch that says what is written", c.index) // not every program refuses ".." there
		c.suffixed(p, &field{value: value{glob: true}}, Write)
		c.extracts(nil)
		return
	}
	c.operandFacts(r, p)
	c.suffixed(p, &p.operands[0], Write)
	c.e.brought(c.s.at, p.operands[0].text) // a patch may make a link of it
}
