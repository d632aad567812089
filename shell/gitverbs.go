package shell

import (
	"slices"
	"strings"
)

// shows follows the verbs that show commits and what they change.
func (g *gitCall) shows() {
	p := g.p
	if _, ok := p.value("--no-index"); ok {
		for i := range p.operands {
			g.use(&p.operands[i], Search)
		}
		return
	}
	if g.r.name == "reflog" && len(p.operands) > 0 && inList("show expire delete exists list drop", p.operands[0].text) {
		p.operands = p.operands[1:]
		p.ended--
	}
	revs, paths := g.split(p.operands)
	content := p.has(patch) || (g.r.operands == "diff" || g.r.operands == "show") && !p.has(names) || g.r.name == "format-patch"
	objects := 0
	for i := range revs {
		if walks := g.r.operands == "log" || g.r.operands == "show" && strings.Contains(revs[i].text, ".."); walks && !revs[i].unknown {
			continue // only commits come out of it
		}
		if content && g.revision(&revs[i], Search) && g.r.operands == "show" {
			objects++
		}
	}
	for _, v := range p.values {
		if v.option.name == "-L" {
			g.lines(v.field)
		}
	}
	if g.r.name == "format-patch" {
		g.implied(Place, ".", Fact{})
	}
	switch {
	case !content:
	case p.has(whole):
		g.everything(Search)
	case objects > 0 && objects == len(revs):
	default:
		g.each(Search, paths, func() { g.everything(Search) })
	}
}

// lines reports the file of -L: it is shown with its content.
func (g *gitCall) lines(f field) {
	t := f.text
	if i := strings.LastIndexByte(t, ':'); i >= 0 {
		g.e.fact(Fact{Op: Read, Path: t[i+1:], Cwds: g.s.at, Written: f.written})
	}
}

// object follows cat-file.
func (g *gitCall) object() {
	p := g.p
	content := p.has(patch) || len(p.operands) == 2
	for i := range p.operands {
		if !content || len(p.operands) == 2 && i == 0 {
			continue
		}
		if !g.revision(&p.operands[i], Read) {
			g.everything(Search)
		}
	}
}

// grep follows git grep: it searches its folder.
func (g *gitCall) grep() {
	p := g.p
	rest := p.operands
	if !p.has(noFirst) && len(rest) > 0 {
		rest = rest[1:]
		if p.ended > 0 {
			p.ended--
		}
	}
	revs, paths := g.split(rest)
	for i := range revs {
		g.revision(&revs[i], Search)
	}
	_, null := p.value("-z", "--null")
	_, only := p.value("-l", "-L", "--files-with-matches", "--name-only", "--files-without-match")
	null = null && only // else lines of the files stand between the names
	g.e.listing = &listing{names: g.under(paths), null: null}
	g.each(Search, paths, func() { g.implied(Search, ".", Fact{Remedy: g.remedy()}) })
}

func (g *gitCall) lsTree() {
	p := g.p
	op := List
	if p.has(recurse) {
		op = Search
	}
	paths := p.operands
	if len(paths) > 0 {
		tree := paths[0]
		if paths = paths[1:]; g.revPathOp(&tree, op) {
			return
		}
	}
	for i := range paths {
		g.report(&paths[i], op, Fact{Top: p.has(whole), Remedy: g.remedy()})
	}
	if len(paths) == 0 {
		g.implied(op, ".", Fact{Top: p.has(whole), Remedy: g.remedy()})
	}
}

func (g *gitCall) archive() {
	p := g.p
	if _, ok := p.value("-l", "--list"); ok || len(p.operands) == 0 {
		return
	}
	if g.revision(&p.operands[0], Search) {
		return
	}
	g.each(Search, p.operands[1:], func() { g.implied(Search, ".", Fact{Remedy: g.remedy()}) })
}

func (g *gitCall) blame() {
	for i := range g.p.operands { // the file may stand before the revision
		g.report(&g.p.operands[i], Read, Fact{Remedy: g.r.none})
	}
}

// apply follows git apply, which leaves what lies outside of its folder.
func (g *gitCall) apply() {
	for i := range g.p.operands {
		g.kind("read", &g.p.operands[i], 0, true)
	}
	switch {
	case g.p.has(outside):
	case g.p.has(patch):
		g.everything(Search) // a merge with any object that the patch names
	case g.p.has(whole):
		g.everything(Write)
	default:
		g.implied(Write, ".", Fact{})
		g.e.brought(g.s.at, ".")
	}
}

// paths follows a verb that changes the paths that it is given.
func (g *gitCall) paths(paths []field) {
	op := Write
	if g.r.name == "rm" || g.r.name == "mv" {
		for i := range paths {
			g.pathspec(&paths[i], Write)
		}
		if g.r.name == "mv" && len(paths) > 0 {
			g.e.brought(g.s.at, paths[len(paths)-1].text)
		}
		return
	}
	if g.p.has(patch) {
		g.each(Search, paths, func() { g.everything(Search) })
	}
	g.each(op, paths, func() { g.everything(op) })
	if v, ok := g.p.value("-s", "--source"); ok && g.r.name == "restore" {
		g.revision(v, Search)
	}
	for i := 0; g.r.name == "restore" && i < len(paths); i++ {
		g.e.brought(g.s.at, paths[i].text)
	}
}

// changes follows the verbs that change the tree or the index: as a whole when
// they are given no paths.
func (g *gitCall) changes() {
	p := g.p
	switch g.r.operands {
	case "add":
		if len(p.operands) > 0 || p.has(whole|patch) {
			g.paths(p.operands)
		}
	case "commit":
		g.hooks("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
		switch {
		case p.has(whole):
			g.everything(Write)
		case len(p.operands) > 0 || p.has(patch):
			g.paths(p.operands)
		}
		if g.creates("-v", "--verbose") && g.creates("--dry-run", "--short", "--porcelain", "--long") {
			g.everything(Search) // it shows what would be committed
		}
	case "clean":
		g.clean()
	case "reset":
		revs, paths := g.split(p.operands)
		for i := range revs {
			g.revision(&revs[i], Search)
		}
		g.e.removed = true
		switch {
		case p.has(whole):
			g.elsewhere(Write, "git checkout HEAD -- "+Own)
		case len(paths) == 0:
			g.everything(Write)
		default:
			g.paths(paths)
		}
	case "checkout":
		g.checkout()
	case "switch":
		if !g.creates("-c", "-C", "--create", "--force-create") || len(p.operands) > 0 {
			g.everything(Write)
		}
	case "stash":
		g.stash()
	}
}

func (g *gitCall) creates(options ...string) bool {
	_, ok := g.p.value(options...)
	return ok
}

func (g *gitCall) clean() {
	p := g.p
	_, x := p.value("-x")
	_, large := p.value("-X")
	g.e.out.Wipes = g.e.out.Wipes || x || large
	op := Write
	if p.has(outside) {
		op = Search
	}
	g.each(op, p.operands, func() { g.implied(op, ".", Fact{Remedy: g.remedy()}) })
}

func (g *gitCall) checkout() {
	p := g.p
	revs, paths := g.split(p.operands)
	if p.ended < 0 && len(revs) > 1 {
		revs, paths = revs[:1], append(slices.Clone(revs[1:]), paths...)
	}
	for i := range revs {
		g.revision(&revs[i], Search)
	}
	switch {
	case len(paths) > 0:
		g.paths(paths)
		for i := range paths {
			g.e.brought(g.s.at, paths[i].text)
		}
	case len(revs) == 0 && g.creates("-b", "-B") && !g.creates("-f", "--force"):
		// A new branch from here leaves the files as they are.
	case len(revs) == 0:
		g.elsewhere(Write, "git checkout -- "+Own)
	default:
		g.everything(Write)
	}
}

// stash follows git stash and its own verbs.
func (g *gitCall) stash() {
	p := g.p
	verb := "push"
	operands := p.operands
	if len(operands) > 0 && p.ended != 0 {
		verb, operands = operands[0].text, operands[1:]
		p.ended--
	}
	if p.has(stopped) {
		g.e.out.Wipes = true
	}
	switch verb {
	case "create", "store":
	case "show", "list":
		if p.has(patch) || g.creates("-S") {
			g.elsewhere(Search, "git diff stash@{0}^ stash@{0} -- "+Own)
		}
	case "push":
		g.paths(operands)
	case "save":
		g.everything(Write)
	case "pop", "apply", "branch", "drop", "clear":
		g.elsewhere(Write, "git checkout stash@{0} -- "+Own)
	default:
		g.everything(Write)
	}
}

// elsewhere reports an operation on the whole tree with another verb as the remedy.
func (g *gitCall) elsewhere(op Op, remedy string) {
	g.e.fact(Fact{Op: op, Path: ".", Top: true, Implied: true, Cwds: g.s.at, Written: "git " + g.r.name, Remedy: remedy})
}

// hooks makes a run opaque where the repository has hooks that it calls.
func (g *gitCall) hooks(hooks ...string) {
	top := g.e.env.Top
	if top == "" || g.e.env.Exists == nil {
		return
	}
	files := []string{top + "/.husky"}
	dirs := []string{top + "/.git/hooks"}
	if g.e.env.Hooks != nil {
		dirs = append(dirs, g.e.env.Hooks()...)
	}
	for _, dir := range dirs {
		for _, h := range hooks {
			files = append(files, dir+"/"+h)
		}
	}
	for _, file := range files {
		if _, exists := g.e.env.Exists(file); exists {
			g.e.opaqueBy(g.pos, "the repository's hooks run", g.index)
			return
		}
	}
}

// messages reports the files that hold a message.
func (g *gitCall) messages() {
	for i := range g.args {
		f := &g.args[i]
		op, v, glued := messageFile(f.text)
		switch {
		case op == "":
		case glued:
			file := f.tail(v)
			g.kind(op, &file, 0, false)
		case i+1 < len(g.args):
			g.kind(op, &g.args[i+1], 0, false)
		}
		if f.unknown && !f.number && inList(byNames, g.r.name) {
			g.e.opaque(f.pos, "a word that is computed")
		}
		g.kind("text", f, 0, false)
		g.byName(f)
	}
}

// messageFile says what is done with the file that an option names: a message is
// read from it, or the output goes there. The name of a long option may be cut short.
func messageFile(word string) (op, file string, glued bool) {
	name, v, ok := strings.Cut(word, "=")
	switch {
	case len(name) > 3 && strings.HasPrefix("--file", name):
		return "read", v, ok
	case len(name) > 3 && strings.HasPrefix("--output", name):
		return "put", v, ok
	case len(word) < 2 || word[0] != '-' || word[1] == '-':
		return "", "", false
	}
	at := strings.IndexByte(word, 'F')
	if at < 0 || strings.ContainsAny(word[:at], "muCc") {
		return "", "", false // or it is within the value of another one
	}
	return "read", word[at+1:], at+1 < len(word)
}

// shortens says whether a word is one of some long options of git, which may be cut
// short, with or without its value.
func shortens(word, options string) bool {
	name, _, _ := strings.Cut(word, "=")
	for o, rest := next(options); o != "" && len(name) > 2; o, rest = next(rest) {
		if strings.HasPrefix(o, name) {
			return true
		}
	}
	return false
}

// byNames are verbs to which one word makes a difference: an option may be in it.
const byNames = "tag update-ref notes shortlog rev-list check-attr check-ignore fsck for-each-ref"

// byName reports a word with which content gets a name, or is shown by its name.
func (g *gitCall) byName(f *field) {
	switch g.r.name {
	case "fsck":
		if strings.HasPrefix(f.text, "--l") {
			g.everything(Search) // --lost-found writes what no commit holds where it can be read
		}
	case "check-attr", "check-ignore":
		if shortens(f.text, "--stdin") {
			g.e.opaqueBy(f.pos, "names that come through a pipe", g.index)
		}
		if !f.dash() && !f.unknown {
			g.report(f, Read, Fact{}) // with the patterns in the folders above it
		}
	case "tag", "update-ref":
		if shortens(f.text, "--stdin") {
			g.e.opaqueBy(f.pos, "names that come through a pipe", g.index)
		}
		if !f.dash() && (strings.Contains(f.text, ":") || !isCommit(f.text)) {
			g.everything(Search)
		}
	case "notes":
		if at := strings.IndexAny(f.text, "CcmF"); f.dash() && f.text[1] != '-' && at > 0 && strings.IndexByte("Cc", f.text[at]) >= 0 ||
			strings.HasPrefix(f.text, "--re") || f.text == "copy" {
			g.everything(Search)
		}
	}
	if strings.Contains(f.text, "%(") && strings.Contains(f.text, "raw") {
		g.everything(Search)
	}
}

// other follows the verbs that have verbs of their own.
func (g *gitCall) other() {
	first := ""
	rest := []field{}
	for _, a := range g.args {
		if a.unknown && !a.number {
			g.e.opaque(a.pos, "a word that is computed")
		}
		if a.dash() {
			continue
		}
		if first == "" {
			first = a.text
			continue
		}
		rest = append(rest, a)
	}
	switch g.r.operands {
	case "worktree":
		g.worktree(first, rest)
	case "config":
		g.config(first, rest)
	case "remotes":
		if slices.Contains([]string{"add", "rename", "remove", "rm", "set-url", "set-head", "set-branches"}, first) {
			g.gitFile("config")
		}
	case "remote", "push":
		g.remote()
	case "submodule":
		if first != "status" && first != "summary" && first != "" {
			g.e.opaqueBy(g.pos, "it runs git in other repositories", g.index)
		}
	case "sparse":
		if first != "list" {
			g.everything(Write)
		}
	case "bisect":
		if first == "run" {
			g.e.opaqueBy(g.pos, "it runs a program for each commit", g.index)
		}
		if first != "log" && first != "view" && first != "visualize" {
			g.everything(Write)
		}
	case "hash":
		if v, ok := g.p.value("-t"); ok && v.text != "blob" {
			g.everything(Search) // a folder of any content
		}
		for i := range g.p.operands {
			g.use(&g.p.operands[i], Read)
		}
	case "init":
		if first == "" {
			first = "."
		}
		g.e.fact(Fact{Op: Place, Path: joinPath(first, ".git"), Cwds: g.s.at, Implied: true, Written: "git init"})
		for _, a := range g.args {
			if shortens(a.text, "--template --separate-git-dir") || a.unknown {
				g.e.opaqueBy(a.pos, "a repository that is computed", g.index)
			}
		}
	case "clone":
		g.clone()
	}
}

func (g *gitCall) gitFile(name string) {
	g.e.fact(Fact{Op: Write, Path: ".git/" + name, Top: true, Implied: true, Cwds: g.s.at, Written: "git " + g.r.name})
}

func (g *gitCall) worktree(verb string, rest []field) {
	switch verb {
	case "list", "prune", "":
	case "add":
		g.everything(Search)
		for i := range rest {
			g.use(&rest[i], Place)
		}
	default:
		for i := range rest {
			g.use(&rest[i], Write)
		}
	}
}

// config follows git config: reading passes, writing is a change of a file.
func (g *gitCall) config(first string, rest []field) {
	var files, blobs []field
	global, includes := false, false
	reads := first == "get" || first == "list" || len(rest) == 0 && !slices.Contains([]string{"set", "unset", "edit", "rename-section", "remove-section"}, first)
	for i := 0; i < len(g.args); i++ {
		a := g.args[i]
		name, v, glued := strings.Cut(a.text, "=")
		value := func() field {
			switch {
			case glued:
				return a.tail(v)
			case i+1 < len(g.args):
				i++
				return g.args[i]
			}
			return field{}
		}
		switch name {
		case "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color", "--get-colorbool", "--show-origin", "--show-scope":
			reads = true
		case "--unset", "--unset-all", "--remove-section", "--rename-section", "--edit", "-e", "--add", "--replace-all":
			reads = false
		case "--global", "--system":
			global = true
		case "--includes":
			includes = true
		case "-f", "--file":
			files = append(files, value())
		case "--blob":
			blobs = append(blobs, value())
		default:
			if len(a.text) < 2 || !a.dash() || inList(configOptions, name) {
				continue
			}
			if at := strings.IndexByte(a.text, 'f'); a.text[1] != '-' && at > 0 && strings.Trim(a.text[1:at], "lz") == "" {
				if v, glued = a.text[at+1:], at+1 < len(a.text); strings.Contains(a.text[:at], "l") {
					reads = true
				}
				files = append(files, value())
				continue
			}
			g.strange(name)
			g.guessWord(&a)
		}
	}
	if includes && len(files)+len(blobs) > 0 {
		g.e.opaqueBy(g.pos, "settings that include others", g.index)
	}
	for i := range blobs {
		if rev, _, _ := strings.Cut(blobs[i].text, ":"); blobs[i].unknown || !isCommit(rev) || !g.revPathOp(&blobs[i], Read) {
			g.everything(Search)
		}
	}
	for i := range files {
		if g.use(&files[i], Read); !reads {
			g.use(&files[i], Write)
		}
	}
	switch {
	case len(files)+len(blobs) > 0 || reads:
	case global:
		if home := g.e.variable(g.s, "HOME"); !home.unknown {
			g.e.fact(Fact{Op: Write, Path: joinPath(home.text, ".gitconfig"), Implied: true, Written: "git config"})
		}
		g.e.opaqueBy(g.pos, "it changes what git does", g.index)
	default:
		g.gitFile("config")
	}
}

// configOptions are those of git config which say nothing of a file.
const configOptions = "--local --worktree --no-includes --null -z -lz -zl --name-only --type --no-type --bool --int --bool-or-int --bool-or-str " +
	"--path --expiry-date --default --fixed-value --all --regexp --value --url --show-names --no-show-names --comment --append -t"
