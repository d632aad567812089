package shell

import (
	"path"
	"strings"
)

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
	if c.name == "rsync" {
		into, given = nil, false // -t keeps times
	}
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
		if p.has(single) && (c.name == "mv" || c.copiesTree(p)) {
			c.use(into, Write) // it is replaced, or all goes below it
		}
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
	case c.name == "mv", (c.name == "cp" && (kept || hardLinks(p)) || c.name == "ln" && !symbolic || c.name == "link") && !c.isPlain(f):
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
	case link, c.name == "cp" && hardLinks(p):
		c.use(f, Write) // what is written to the link is written to it
	case c.copiesTree(p):
		// A folder is copied with all that is below it.
		c.e.dashed = true
		c.report(f, Search, Fact{Follows: p.has(follow), Options: f.glob && leads(f.pat)})
		if into != nil && !given && !c.isFolder(into) {
			c.use(into, Write) // it becomes the copy
		}
		if into != nil && p.has(single) {
			c.through(into)
		}
	default:
		c.kind("read", f, 0, true)
	}
	if _, parents := p.value("--parents"); parents && c.name == "cp" && into != nil {
		c.withParents(f, into, c.copiesTree(p))
		return
	}
	if into == nil || file || p.has(single) || into.unknown || into.below != nil {
		return
	}
	c.inside(f, into, c.copiesTree(p))
}

// hardLinks says whether cp makes links in place of copies.
func hardLinks(p *parsed) bool {
	_, ok := p.value("-l", "--link")
	return ok
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

// joined is a name in the folder that it is put into; pat is the name's pattern.
func joined(f, into *field, name, pat string) field {
	dest := *into
	dest.split = into.split || f.split
	if dest.text += "/" + name; into.glob || into.number || f.glob || f.number {
		prefix := into.pat
		if !into.glob && !into.number {
			prefix = patternOf(into.value)
		}
		dest.glob, dest.pat = true, prefix+"/"+pat
	}
	return dest
}

// withParents reports what "cp --parents" writes: the whole path of a word, below
// the folder that it is put into.
func (c *command) withParents(f, into *field, tree bool) {
	if f.unknown && !f.number || f.below != nil || into.unknown || into.below != nil {
		c.e.opaque(f.pos, "a copy with folders that are computed")
		c.use(into, Write)
		return
	}
	pat := f.pat
	if !f.glob && !f.number {
		pat = patternOf(f.value)
	}
	dest := joined(f, into, f.text, pat)
	c.report(&dest, Write, Fact{Implied: true})
	if tree {
		c.through(&dest)
	}
	for dir, p := path.Dir(f.text), path.Dir(pat); dir != "." && dir != "/"; dir, p = path.Dir(dir), path.Dir(p) {
		made := joined(f, into, dir, p)
		c.report(&made, Place, Fact{Implied: true})
	}
}

// inside reports what a word becomes in the folder that it is put into.
func (c *command) inside(f, into *field, tree bool) {
	dest := *into
	switch b := base(f.text); {
	case f.below != nil || f.unknown && !f.number || b == "." || b == ".." || b == "/" || f.text == "":
		c.use(into, Write) // anything in it
		c.e.dashed = true
		if tree {
			c.through(into)
		}
		return
	case f.glob || f.number:
		// What "*" matches is looked at by itself, what "d/*" does is not.
		c.e.dashed = c.e.dashed || f.glob && strings.Contains(f.pat, "/") && leads(base(f.pat))
		dest = joined(f, into, b, base(f.pat))
	default:
		dest = joined(f, into, b, patternOf(value{text: b}))
	}
	op := Write
	if c.name == "cp" && !tree {
		op = Place
	}
	c.report(&dest, op, Fact{Implied: true})
	if tree {
		c.through(&dest)
	}
}

// through reports a folder that a tree is copied over: a link in it, where the tree
// has a file, is written through.
func (c *command) through(into *field) {
	missing := c.e.env.Exists != nil && !into.glob && !into.unknown && into.below == nil
	for _, dir := range c.s.at {
		abs := joinPath(dir, into.text)
		if !missing || !strings.HasPrefix(abs, "/") {
			missing = false
			break
		}
		_, exists := c.e.env.Exists(abs)
		missing = !exists
	}
	if !missing {
		c.report(into, Search, Fact{Follows: true, Implied: true})
	}
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
	_, relative := p.value("-R", "--relative")
	for i := range from {
		if relative && strings.Contains(from[i].text, "..") {
			c.e.opaqueBy(from[i].pos, "a copy with folders of which some are above", c.index)
		}
		op := Search
		if p.has(alter) {
			op = Write
		}
		c.report(&from[i], op, Fact{Follows: p.has(follow), Options: from[i].glob && leads(from[i].pat)})
	}
	if into != nil {
		c.use(into, Write)
		c.e.brought(c.s.at, into.text)
		c.besideCopy(p, into)
	}
}

// besideCopy reports the folders that rsync takes as relative to the one that it
// writes: what is there already, and where files go before or after.
func (c *command) besideCopy(p *parsed, into *field) {
	for i := range p.values {
		v := &p.values[i]
		if !inList("-T --temp-dir --backup-dir --partial-dir --compare-dest --copy-dest --link-dest", v.option.name) {
			continue
		}
		if into.unknown || into.glob || into.below != nil {
			c.e.opaque(v.field.pos, "a folder that is computed")
			return
		}
		op := Write
		if strings.HasSuffix(v.option.name, "-dest") {
			op = Search
		}
		c.report(&v.field, op, Fact{Cwds: enterAll(c.s.at, into.text)})
	}
}
