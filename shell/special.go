package shell

import (
	"net/url"
	"path"
	"strings"
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
	case "command":
		c.commandBuiltin(p)
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
			s.at = enter(s.at, v.field.text)
		}
	}
	rest := p.rest
	for len(rest) > 0 {
		name, val, ok := strings.Cut(rest[0].text, "=")
		if !ok || name == "" || strings.Contains(name, "/") {
			break
		}
		v := value{text: val, unknown: rest[0].unknown}
		if actsOn(name) && !harmlessValue(name, v) {
			c.e.opaque(rest[0].pos, "it sets a variable that programs act on")
		}
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
		inner.eval()
	}
}

// commandBuiltin follows "command": with -v it only looks.
func (c *command) commandBuiltin(p *parsed) {
	for _, v := range p.values {
		if v.option.name == "-v" || v.option.name == "-V" {
			return
		}
	}
	c.wrapped(p)
}

// writer follows commands that make further files beside the ones that they are given.
func (c *command) writer(r *row, p *parsed) bool {
	if r.operands != "write*" || !strings.Contains(r.options, "--keep") {
		return false
	}
	reads := false
	for _, v := range p.values {
		switch v.option.name {
		case "-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test":
			reads = true
		}
	}
	for i := range p.operands {
		f := &p.operands[i]
		switch {
		case reads && p.has(recurse):
			c.use(f, Search)
		case reads:
			c.kind("read", f, 0, true)
		default:
			c.kind("write", f, p.effects, true)
			c.beside(f)
		}
	}
	c.optionFacts(p)
	return true
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

// placed follows cp, mv, ln and the like: the last operand, or the folder after
// -t, is where the others are put.
func (c *command) placed(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	if p.has(stopped) { // install -d
		for i := range p.operands {
			c.use(&p.operands[i], Place)
		}
		return
	}
	from := p.operands
	into, given := p.value("-t", "--target-directory")
	switch {
	case given:
	case len(from) > 1:
		into, from = &from[len(from)-1], from[:len(from)-1]
	case len(from) == 1 && c.name == "ln":
		into, given = &field{value: value{text: "."}, written: from[0].written, pos: c.pos}, true
	case len(from) == 1 && from[0].glob:
		into = &from[0] // the last of what it matches
	}
	if c.name == "rsync" {
		c.rsync(p, from, into)
		return
	}
	file := into != nil && !given && c.isFile(into)
	if into != nil && !given {
		c.kind("put", into, 0, true)
	}
	for i := range from {
		c.placedOne(p, &from[i], into, given, file)
		c.movesLinks(p, &from[i], into)
	}
}

// movesLinks notes links that are made or moved: later words of the line may lead
// through them.
func (c *command) movesLinks(p *parsed, f, into *field) {
	_, symbolic := p.value("-s", "--symbolic", "--symbolic-link")
	_, kept := p.value("-a", "--archive", "-d", "-P", "--no-dereference", "-R", "-r", "--recursive")
	switch {
	case c.name == "mv" || c.name == "cp" && kept && !c.isPlain(f):
	case symbolic:
	default:
		return
	}
	if c.name == "mv" {
		c.e.opaqueMove(f, c.s.at)
		if c.isPlain(f) {
			return
		}
	}
	if into == nil {
		return
	}
	c.e.brought(c.s.at, into.text)
}

// opaqueMove makes a line opaque that moves the folder which it is in.
func (e *eval) opaqueMove(f *field, at []string) {
	for _, dir := range at {
		if from := path.Clean(joinPath(dir, f.text)); strings.HasPrefix(path.Clean(dir)+"/", from+"/") {
			e.opaque(f.pos, "it moves the folder that it is in")
		}
	}
}

// isPlain says whether it is certain that a word is no folder and no link.
func (c *command) isPlain(f *field) bool {
	if c.e.env.Exists == nil || c.e.env.Link == nil || f.glob || f.unknown || f.below != nil || len(c.e.places) > 0 {
		return false
	}
	for _, dir := range c.s.at {
		abs := joinPath(dir, f.text)
		if !strings.HasPrefix(abs, "/") || c.e.env.Link(abs) {
			return false
		}
		if isDir, _ := c.e.env.Exists(abs); isDir {
			return false
		}
	}
	return true
}

func (c *command) placedOne(p *parsed, f, into *field, given, file bool) {
	link := c.name == "ln" || c.name == "link"
	switch {
	case c.name == "mv":
		c.kind("write", f, 0, true)
	case link && c.links(p, f, into, given):
	case link:
		c.use(f, Read)
	case c.copiesTree(p):
		// A folder is copied with all that is below it.
		c.report(f, Search, Fact{Follows: p.has(follow), Options: f.glob && leads(f.pat)})
		if into != nil && !given && !c.isFolder(into) {
			c.use(into, Write) // it becomes the copy
		}
	default:
		c.kind("read", f, 0, true)
	}
	if into == nil || file || p.has(single) || into.unknown || into.below != nil {
		return
	}
	c.inside(f, into, c.copiesTree(p))
}

// copiesTree says whether folders are copied.
func (c *command) copiesTree(p *parsed) bool {
	for i := 0; c.name == "cp" && i < len(p.values); i++ {
		switch p.values[i].option.name {
		case "-r", "-R", "-a", "--recursive", "--archive":
			return true
		}
	}
	return false
}

// inside reports what a word becomes in the folder that it is put into.
func (c *command) inside(f, into *field, tree bool) {
	dest := *into
	join := func(name, pat string) {
		if into.glob || into.number || f.glob || f.number {
			prefix := into.pat
			if !into.glob && !into.number {
				prefix = patternOf(into.value)
			}
			dest.glob, dest.pat, dest.text = true, prefix+"/"+pat, into.text+"/"+name
		} else {
			dest.text = into.text + "/" + name
		}
	}
	switch b := base(f.text); {
	case f.below != nil || f.unknown && !f.number || b == "." || b == ".." || b == "/" || f.text == "":
		c.use(into, Write) // anything in it
		return
	case f.glob || f.number:
		join(b, base(f.pat))
	default:
		join(b, patternOf(value{text: b}))
	}
	op := Write
	if c.name == "cp" && !tree {
		op = Place
	}
	c.report(&dest, op, Fact{Implied: true})
}

// isFile says whether it is certain that a destination is no folder.
func (c *command) isFile(into *field) bool {
	if c.e.env.Exists == nil || c.e.removed || into.glob || into.number || strings.HasSuffix(into.text, "/") {
		return false
	}
	for _, dir := range c.s.at {
		abs := joinPath(dir, into.text)
		if !strings.HasPrefix(abs, "/") {
			return false
		}
		isDir, exists := c.e.env.Exists(abs)
		if exists && isDir || !exists && c.e.changed {
			return false
		}
	}
	return true
}

// isFolder says whether it is certain that a destination is a folder.
func (c *command) isFolder(into *field) bool {
	if c.e.env.Exists == nil || c.e.removed || into.glob || into.number {
		return false
	}
	for _, dir := range c.s.at {
		abs := joinPath(dir, into.text)
		if !strings.HasPrefix(abs, "/") {
			return false
		}
		if isDir, exists := c.e.env.Exists(abs); !exists || !isDir {
			return false
		}
	}
	return true
}

// links reports what a symbolic link leads to: its text is relative to the
// folder that it lies in.
func (c *command) links(p *parsed, f, into *field, given bool) bool {
	symbolic := false
	for _, v := range p.values {
		symbolic = symbolic || v.option.name == "-s" || v.option.name == "--symbolic"
	}
	if !symbolic || into == nil {
		return false
	}
	if f.unknown || f.glob || f.below != nil || into.unknown {
		c.use(f, Search)
		return true
	}
	more := Fact{Op: Search, Path: f.text, Written: f.written, Cwds: c.s.at}
	if !strings.HasPrefix(f.text, "/") {
		// Where the link is a file of that name, and where it is a folder to put it into.
		more.Cwds = enterAll(c.s.at, into.text)
		if !given {
			more.Cwds = union(enterAll(c.s.at, path.Dir(into.text)), more.Cwds)
		}
		for _, v := range p.values {
			if v.option.name == "-r" || v.option.name == "--relative" {
				more.Cwds = union(more.Cwds, c.s.at)
			}
		}
	}
	c.e.fact(more)
	return true
}

func enterAll(at []string, to string) []string {
	var out []string
	for _, dir := range at {
		out = union(out, []string{joinPath(dir, to)})
	}
	return out
}

// rsync follows rsync between folders of this machine.
func (c *command) rsync(p *parsed, from []field, into *field) {
	all := from
	if into != nil {
		all = append(append([]field(nil), from...), *into)
	}
	for _, f := range all {
		if i := strings.IndexByte(f.text, ':'); i >= 0 && !strings.Contains(f.text[:i], "/") {
			c.e.opaqueBy(f.pos, "another machine", c.index)
			return
		}
	}
	for i := range from {
		op := Search
		if p.has(alter) {
			op = Write
		}
		c.report(&from[i], op, Fact{Follows: p.has(follow), Options: from[i].glob && leads(from[i].pat)})
	}
	if into != nil {
		c.use(into, Write)
		c.e.brought(c.s.at, into.text)
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

// fetch follows curl and wget: where they put what comes, and what they send.
func (c *command) fetch(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	named, output := c.name == "wget", false
	for i := range p.values {
		v := &p.values[i]
		switch v.option.name {
		case "-O", "--remote-name", "--remote-name-all":
			if c.name == "curl" {
				named = true
			} else {
				output = true
			}
		case "--output-document", "--spider":
			output = true
		case "-d", "--data", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-F", "--form", "-H", "--header", "-w", "--write-out":
			c.sent(&v.field)
		case "-J", "--remote-header-name":
			c.implied(Place, ".", Fact{})
		}
	}
	into := "."
	if v, ok := p.value("-P", "--directory-prefix", "--output-dir"); ok {
		into = v.text
	}
	if p.has(stopped) {
		c.implied(Write, into, Fact{})
	}
	for i := range p.operands {
		f := &p.operands[i]
		if len(f.text) > 5 && strings.EqualFold(f.text[:5], "file:") {
			c.fileAddress(f)
			continue
		}
		if f.unknown && !strings.HasPrefix(f.text, "http") {
			c.e.opaque(f.pos, "an address that is computed")
		}
		if named && !output {
			c.implied(Place, joinPath(into, remoteName(f.text)), Fact{})
		}
	}
}

// fileAddress reports the file of a file URL.
func (c *command) fileAddress(f *field) {
	rest := f.text[5:]
	if host, ok := strings.CutPrefix(rest, "//"); ok {
		if rest = "/"; strings.Contains(host, "/") {
			rest = host[strings.IndexByte(host, '/'):]
		}
	}
	name, err := url.PathUnescape(rest)
	if err != nil || strings.ContainsAny(name, "{}[]?#") {
		c.e.opaque(f.pos, "an address that is computed")
	}
	g := *f
	g.text = name
	c.use(&g, Read)
}

// sent reports the file that a value names after an "@".
func (c *command) sent(f *field) {
	if i := strings.IndexByte(f.text, '@'); i == 0 || i > 0 && (strings.Contains(f.text[:i], "=") || isName(f.text[:i])) {
		g := *f
		name, _, _ := strings.Cut(f.text[i+1:], ";")
		if g.text = name; name != "-" {
			c.use(&g, Read)
		}
	} else if i := strings.Index(f.text, "=<"); i >= 0 {
		g := *f
		g.text = f.text[i+2:]
		c.use(&g, Read)
	}
}

// remoteName is the name that a file from an address gets.
func remoteName(u string) string {
	if i := strings.Index(u, "://"); i >= 0 {
		u = u[i+3:]
	}
	u, _, _ = strings.Cut(u, "#")
	i := strings.IndexByte(u, '/')
	if i < 0 || strings.HasSuffix(u, "/") {
		return "index.html"
	}
	return path.Base(u[i:])
}

// zip follows zip: the first operand is the archive, the others go into it.
func (c *command) zip(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
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
	if len(p.operands) > 0 {
		c.kind("read", &p.operands[0], 0, true)
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

// patch follows patch: without an operand it writes where the patch says.
func (c *command) patch(r *row, p *parsed) {
	c.optionFacts(p)
	if v, ok := p.value("-d", "--directory"); ok {
		defer c.optionFacts(p) // it goes there before it opens anything
		if v.unknown || v.glob {
			c.e.opaque(v.pos, "a folder that is computed")
		}
		c.s.at = enter(c.s.at, v.text)
	}
	if len(p.operands) == 0 {
		c.extracts(nil)
		return
	}
	c.operandFacts(r, p)
}
