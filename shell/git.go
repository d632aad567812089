package shell

import (
	"path"
	"slices"
	"sort"
	"strings"
)

// gitCall is one run of git.
type gitCall struct {
	*command
	r    *row
	p    *parsed
	said string // the words of the run, for a remedy
}

// git follows git.
func (c *command) git() {
	said := "git"
	for i, a := range c.args {
		if i < 40 {
			said += " " + a.written
		}
	}
	args, ok := c.gitGlobals(c.args)
	if !ok || len(args) == 0 {
		c.repository("") // help is shown by a program of its settings
		return
	}
	verb := args[0]
	c.repository(verb.text)
	if verb.unknown || verb.glob {
		c.e.opaqueBy(verb.pos, "a verb that is computed", c.index)
		c.guessAll()
		return
	}
	r, ok := gitVerb(verb.text)
	if !ok {
		c.unknown("a verb of git that is not known")
		return
	}
	c.args = args[1:]
	g := &gitCall{command: c, r: r, said: said}
	if g.p = c.parse(r); r.options != "*" {
		c.optionFacts(g.p)
	}
	if g.p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	from := len(c.e.out.Facts)
	if g.follow(); inList(keepsTree, r.name) && (r.name != "reset" || !g.p.has(whole)) {
		for i := from; i < len(c.e.out.Facts); i++ {
			c.e.kept[i] = true
		}
	}
}

// keepsTree are verbs that report writing, but do it to the index only.
const keepsTree = "add commit diff log show format-patch reset update-index"

// repository notes where git looks for its repository. One that the line makes or
// changes itself cannot be looked for before it runs.
func (c *command) repository(verb string) {
	c.e.out.Repos = append(c.e.out.Repos, Repo{c.s.at, c.index})
	if verb == "init" || verb == "clone" {
		return // they make one
	}
	if c.e.kept == nil {
		c.e.kept = map[int]bool{}
	}
	for i, f := range c.e.out.Facts {
		if (f.Op == Write || f.Op == Place) && !f.Guess && !c.e.kept[i] && c.makesRepository(&f) {
			c.e.opaqueBy(c.pos, "git may find a repository that the line itself makes", c.index)
			return
		}
	}
}

// makesRepository says whether what is written may be a part of a repository, or a
// folder below the top that git would run in.
func (c *command) makesRepository(f *Fact) bool {
	name := path.Base(f.Path)
	for _, part := range []string{".git", "HEAD", "objects", "refs", "commondir"} {
		if strings.EqualFold(name, part) || f.Glob && mayMatch(name, part) {
			return true
		}
	}
	if c.goesThroughLink(f) {
		return true
	}
	bases := f.Cwds
	switch {
	case f.Top:
		bases = []string{c.e.env.Top}
	case len(bases) == 0:
		bases = []string{""}
	}
	for _, at := range c.s.at {
		for dir := path.Clean(at); dir != "/" && dir != "." && dir != c.e.env.Top; dir = path.Dir(dir) {
			for _, base := range bases {
				if p := path.Clean(joinPath(base, f.Path)); p == dir || f.Glob && mayMatch(p, dir) {
					return true
				}
			}
		}
	}
	return false
}

// goesThroughLink says whether what is written may lie elsewhere than it seems, in
// the folder that git runs in too.
func (c *command) goesThroughLink(f *Fact) bool {
	if c.e.env.Link == nil || f.Top {
		return c.e.env.Link == nil && !f.Top
	}
	for _, base := range append(slices.Clone(f.Cwds), "") {
		p := joinPath(base, f.Path)
		if !strings.HasPrefix(p, "/") {
			continue
		}
		if i := strings.IndexAny(p, "*?["); f.Glob && i >= 0 {
			p = p[:strings.LastIndexByte(p[:i], '/')]
		}
		for ; len(p) > 1 && p != c.e.env.Top && strings.HasPrefix(p, c.e.env.Top); p = path.Dir(p) {
			if c.e.env.Link(p) {
				return true
			}
		}
	}
	return false
}

// mayMatch says whether a pattern of the shell may match a text.
func mayMatch(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok || err != nil
}

func gitVerb(name string) (*row, bool) {
	i := sort.Search(len(gitTable), func(i int) bool { return gitTable[i].name >= name })
	if i == len(gitTable) || gitTable[i].name != name {
		return nil, false
	}
	if same, ok := strings.CutPrefix(gitTable[i].options, "="); ok {
		return gitVerb(same)
	}
	return &gitTable[i], true
}

// gitGlobals reads the options before the verb.
func (c *command) gitGlobals(args []field) ([]field, bool) {
	for len(args) > 0 && args[0].dash() {
		f := args[0]
		args = args[1:]
		if f.unknown {
			c.e.opaque(f.pos, "an option that is computed")
		}
		name, _, glued := strings.Cut(f.text, "=")
		switch name {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path", "--super-prefix", "--attr-source":
			v := f.tail(f.text[min(len(name)+1, len(f.text)):])
			if !glued {
				if name == "--exec-path" {
					return nil, false // it prints it
				}
				if len(args) == 0 {
					return nil, false
				}
				v, args = args[0], args[1:]
			}
			c.gitSetting(name, v)
		case "-p", "--paginate", "-P", "--no-pager", "--no-replace-objects", "--literal-pathspecs", "--glob-pathspecs",
			"--no-optional-locks", "--no-lazy-fetch", "--no-advice":
		case "--version", "-v", "--help", "-h", "--html-path", "--man-path", "--info-path":
			return nil, false
		default:
			c.strange(name)
		}
	}
	return args, true
}

func (c *command) gitSetting(name string, v field) {
	switch name {
	case "-C":
		if v.unknown || v.glob {
			c.e.opaque(v.pos, "a folder that is computed")
			return
		}
		c.use(&v, Enter)
		c.s.at = enter(c.s.at, v.text)
	case "-c":
		if v.unknown || !isHarmlessConfig(v.text) {
			c.e.opaqueBy(v.pos, "a setting with which git may run other programs", c.index)
			c.guessCode(v.text, v.pos)
		}
	default:
		c.e.opaqueBy(v.pos, "another repository or other programs of git", c.index)
		c.guessWord(&v)
	}
}

func isHarmlessConfig(setting string) bool {
	key, v, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	if key == "core.pager" || strings.HasPrefix(key, "pager.") || key == "core.editor" || key == "sequence.editor" || key == "core.fsmonitor" {
		return slices.Contains([]string{"", "cat", "false", "true", ":"}, v)
	}
	return slices.ContainsFunc(harmlessConfig, func(h string) bool {
		return key == h || strings.HasSuffix(h, ".") && strings.HasPrefix(key, h)
	})
}

// follow follows the verb by its kind.
func (g *gitCall) follow() {
	p := g.p
	switch g.r.operands {
	case "pass":
		g.messages()
	case "diff", "raw", "log", "show":
		g.shows()
	case "object":
		g.object()
	case "grep":
		g.grep()
	case "list":
		g.each(Search, p.operands, func() { g.implied(Search, ".", Fact{Remedy: g.remedy()}) })
		_, null := p.value("-z")
		if _, form := p.value("--format"); form {
			null = false
		}
		g.e.listing = &listing{names: g.under(p.operands), null: null}
	case "lstree":
		g.lsTree()
	case "archive":
		g.archive()
	case "content", "bundle":
		g.everything(Search)
		if len(p.operands) > 1 && g.r.operands == "bundle" {
			g.use(&p.operands[1], Place)
		}
	case "blame":
		g.blame()
	case "tree":
		g.messages()
		g.everything(Write)
	case "apply":
		g.apply()
	case "paths":
		g.paths(p.operands)
	case "index":
		if len(p.operands) > 0 || p.has(whole) {
			g.paths(p.operands)
		}
	case "add", "commit", "clean", "reset", "checkout", "switch", "stash":
		g.changes()
	default:
		g.other()
	}
}

// remedy is the form of the run that passes.
func (g *gitCall) remedy() string {
	switch {
	case g.r.none != "+":
		return g.r.none
	case g.p.has(whole):
		return "git " + g.r.name + " -p -- " + Own
	case len(g.said) > 160 || strings.ContainsAny(g.said, "\n"):
		return "git " + g.r.name + " … -- " + Own
	case g.p.ended >= 0:
		before, _, _ := strings.Cut(g.said, " -- ")
		return strings.TrimSuffix(before, " --") + " -- " + Own
	}
	said := g.said
	if _, paths := g.split(g.p.operands); len(paths) > 0 {
		said = "git " + g.r.name
	}
	return said + " -- " + Own
}

// everything reports an operation on the whole tree.
func (g *gitCall) everything(op Op) {
	g.e.fact(Fact{Op: op, Path: ".", Top: true, Implied: true, Cwds: g.s.at, Written: g.name + " " + g.r.name, Remedy: g.remedy()})
}

// split tells revisions from paths among operands: what exists is a path.
func (g *gitCall) split(operands []field) (revs, paths []field) {
	if g.p.ended >= 0 {
		n := min(g.p.ended, len(operands))
		return operands[:n], operands[n:]
	}
	for i, f := range operands {
		if g.isPath(&f) {
			return operands[:i], operands[i:]
		}
	}
	return operands, nil
}

// isPath says whether git takes a word without "--" as a path: a word that is
// both is refused by git.
func (g *gitCall) isPath(f *field) bool {
	if f.below != nil || f.glob || strings.HasPrefix(f.text, ":(") || strings.HasPrefix(f.text, ":/") || strings.HasPrefix(f.text, ":!") || strings.HasPrefix(f.text, ":^") {
		return true
	}
	if f.text == "." || f.text == ".." || strings.HasPrefix(f.text, "./") || strings.HasPrefix(f.text, "../") || strings.HasPrefix(f.text, "/") {
		return true // no revision is called so
	}
	if f.unknown || g.e.env.Exists == nil || g.e.removed {
		return false
	}
	for _, dir := range g.s.at {
		abs := joinPath(dir, f.text)
		if !strings.HasPrefix(abs, "/") {
			return false
		}
		if _, exists := g.e.env.Exists(abs); !exists {
			return false
		}
	}
	return true
}

// each reports pathspecs; without one that includes something, none is called.
func (g *gitCall) each(op Op, paths []field, none func()) {
	included, excluded := 0, 0
	for i := range paths {
		if g.pathspec(&paths[i], op) {
			included++
		} else {
			excluded++
		}
	}
	switch {
	case included > 0:
	case excluded > 0:
		g.everything(op) // all but that
	default:
		none()
	}
}

// pathspec reports one pathspec. It returns false for one that only excludes.
func (g *gitCall) pathspec(f *field, op Op) bool {
	more := Fact{Remedy: g.remedy(), Options: f.glob && leads(f.pat)}
	text := f.text
	rest, magic := text, ""
	switch {
	case strings.HasPrefix(text, ":("):
		if i := strings.IndexByte(text, ')'); i > 0 {
			magic, rest = text[2:i], text[i+1:]
		}
	case strings.HasPrefix(text, ":") && len(text) > 1:
		i := 1
		for i < len(text) && strings.IndexByte("/!^", text[i]) >= 0 {
			magic += map[byte]string{'/': "top,", '!': "exclude,", '^': "exclude,"}[text[i]]
			i++
		}
		rest = strings.TrimPrefix(text[i:], ":")
	case text == ":":
		return false // no pathspec at all
	}
	for _, m := range strings.Split(magic, ",") {
		switch m {
		case "", "literal", "glob", "prefix:0":
		case "top":
			more.Top = true
		case "exclude":
			return false
		default: // icase, attr and what is to come match more than they spell
			g.everything(op)
			return true
		}
	}
	if f.glob && magic == "" {
		g.report(f, op, more)
	}
	g.spelled(f, rest, op, more, strings.Contains(magic, "literal"))
	return true
}

// spelled reports a pathspec without its magic. Its own wildcards cross folders.
func (g *gitCall) spelled(f *field, text string, op Op, more Fact, literal bool) {
	if f.unknown || f.below != nil || f.stream {
		g.report(f, op, more)
		return
	}
	more.Op, more.Written, more.Cwds, more.Options = op, f.written, g.s.at, false
	if i := strings.IndexAny(text, "*?[\\"); i >= 0 && !literal {
		text = text[:strings.LastIndexByte(text[:i], '/')+1]
		if text == "" {
			text = "."
		}
	}
	if more.Path = text; text == "" {
		more.Path = "."
	}
	g.e.fact(more)
}

// under is the folders below which the names of a listing lie.
func (g *gitCall) under(paths []field) value {
	var out []string
	for i := range paths {
		t := paths[i].text
		if strings.HasPrefix(t, ":!") || strings.HasPrefix(t, ":^") {
			continue
		}
		if paths[i].unknown || paths[i].glob || strings.HasPrefix(t, ":") {
			return value{unknown: true}
		}
		if at := strings.IndexAny(t, "*?[\\"); at >= 0 {
			t = path.Dir(t[:at] + "x")
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		out = []string{"."}
	}
	return value{below: out}
}

// revision reports what a revision shows whatever the paths are: REV:PATH, and
// what may be no commit, but a file or a folder of any unit by its hash. It
// returns true where that is all which is shown.
func (g *gitCall) revision(f *field, op Op) bool {
	if f.unknown && !f.number {
		g.e.opaque(f.pos, "a word that is computed")
		return false
	}
	rev, _, isPath := strings.Cut(f.text, ":")
	if !isCommit(rev) {
		g.elsewhere(Search, g.peeled(isPath))
		return false
	}
	return isPath && g.revPathOp(f, op)
}

// peeled is the form of the run in which each hash is said to be a commit's.
func (g *gitCall) peeled(isPath bool) string {
	said := g.said
	revs, _ := g.split(g.p.operands)
	if v, ok := g.p.value("-s", "--source"); ok {
		revs = append(slices.Clone(revs), *v)
	}
	for _, f := range revs {
		if rev, _, _ := strings.Cut(f.text, ":"); rev != "" && !isCommit(rev) && !strings.ContainsAny(rev, ".^") {
			said = strings.Replace(said, rev, rev+"^{commit}", 1)
		}
	}
	if len(said) > 160 || strings.Contains(said, "\n") {
		return "git " + g.r.name + " REV^{commit} -- " + Own
	}
	if !isPath && g.p.ended < 0 {
		said += " -- " + Own
	}
	return said
}

// isCommit says whether a revision names commits, by its form: a bare hash may be
// that of anything.
func isCommit(rev string) bool {
	for _, part := range strings.FieldsFunc(rev, func(r rune) bool { return r == '.' }) {
		part = strings.TrimPrefix(part, "^")
		switch i := strings.LastIndexByte(part, '^'); {
		case strings.Contains(part, "^{") && !strings.HasSuffix(part, "^{commit}"):
			return false
		case strings.Contains(part, "~"), i > 0, strings.HasSuffix(part, "^{commit}"):
			continue
		}
		if i := strings.LastIndex(part, "-g"); i >= 0 {
			part = part[i+2:]
		}
		if len(part) >= 4 && strings.Trim(part, "0123456789abcdefABCDEF") == "" {
			return false
		}
	}
	return true
}

func (g *gitCall) revPathOp(f *field, op Op) bool {
	i := strings.IndexByte(f.text, ':')
	if i < 0 || f.unknown {
		return false
	}
	p := f.text[i+1:]
	if i == 0 {
		if strings.HasPrefix(p, "/") {
			return false // a commit by its message
		}
		if len(p) > 1 && p[0] >= '0' && p[0] <= '3' && p[1] == ':' {
			p = p[2:]
		}
	}
	more := Fact{Op: op, Path: p, Written: f.written, Cwds: g.s.at, Top: true}
	switch {
	case p == "":
		if more.Path = "."; op == Read {
			more.Op = List
		}
	case strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../"):
		more.Top = false
	}
	g.e.fact(more)
	return true
}
