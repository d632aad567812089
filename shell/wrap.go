package shell

import (
	"slices"
	"strings"
)

// xargs follows the command that xargs runs, with the names that come to it.
func (c *command) xargs(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	names := value{unknown: true}
	_, null := p.value("-0", "--null")
	_, divided := p.value("-d", "--delimiter")
	if from := c.in.from; from != nil && from.null && null && !divided {
		names = from.names
	}
	names.several = true
	rest := slices.Clone(p.rest)
	if len(rest) == 0 {
		return // it echoes them
	}
	mark := ""
	if v, ok := p.value("-I", "-i", "--replace"); ok {
		if mark = v.text; mark == "" {
			mark = "{}"
		}
	}
	_, counted := p.value("-n", "--max-args", "-L", "-l", "--max-lines") // the one that stands last counts
	for i, f := range rest {
		switch {
		case mark == "" || !strings.Contains(f.text, mark):
		case f.text == mark:
			rest[i].value = names
			rest[i].several = false
		default:
			rest[i].value = value{unknown: true}
		}
	}
	if mark == "" || counted {
		rest = append(rest, field{value: names, written: "{}", pos: c.pos})
	}
	before := len(c.e.out.Opaque)
	c.e.invoke(c.s, rest, stdin{}, c.values) // its input is /dev/null
	if names.unknown && len(c.e.out.Opaque) > before {
		c.e.opaque(c.pos, "names that come through a pipe: use find -exec … {} +, or -print0 and xargs -0")
	}
}

// shell follows another shell: the code that it is given, by word or as a here-document.
func (c *command) shell() {
	args := c.args
	code, check, fromStdin := false, false, false
	s := c.s
	for len(args) > 0 && (args[0].dash() || strings.HasPrefix(args[0].text, "+")) {
		f := args[0]
		args = args[1:]
		switch {
		case f.unknown:
			c.e.opaque(f.pos, "an option that is computed")
		case f.text == "--":
			goto operands
		case f.text == "--version" || f.text == "--help":
			return
		case f.text == "--rcfile" || f.text == "--init-file":
			c.e.opaqueBy(f.pos, "it runs a file", c.index)
			if len(args) > 0 {
				c.use(&args[0], Read)
				args = args[1:]
			}
		case strings.HasPrefix(f.text, "--"):
			if !inList("--norc --noprofile --login --posix --verbose --noediting", f.text) {
				c.e.opaqueBy(f.pos, "an option of the shell", c.index)
			}
		default:
			code = code || strings.Contains(f.text, "c")
			check = check || strings.Contains(f.text, "n")
			fromStdin = fromStdin || strings.Contains(f.text, "s")
			args = c.switches(f, args)
		}
	}
operands:
	inside := state{at: s.at}
	if c.name != "bash" {
		for name, rest := next(ofBash); name != ""; name, rest = next(rest) {
			inside = inside.set(name, value{unknown: true})
		}
	}
	for _, name := range []string{"CONDUCT_DISPATCH"} {
		if v, ok := s.lookup(name); ok {
			inside = inside.set(name, v)
		}
	}
	for b := s.vars; b != nil; b = b.next {
		if _, given := c.e.env.Vars[b.name]; given || b.name == "HOME" {
			inside = inside.set(b.name, value{unknown: true}) // it is not what it was for this line
		}
	}
	switch {
	case code:
		c.code(inside, args)
	case len(args) > 0 && !fromStdin:
		c.use(&args[0], Read)
		if !check {
			c.e.opaqueBy(c.pos, "it runs a script", c.index)
		}
		for i := range args[1:] {
			c.guessWord(&args[1+i])
		}
	case c.in.text != nil && !c.in.text.unknown:
		inside.params = paramsOf(args)
		c.runs(inside, c.in.text.text, c.pos)
	case c.in.text != nil:
		c.e.opaqueBy(c.pos, "code that is computed", c.index)
		c.guessCode(c.in.text.text, c.pos)
	default:
		c.e.opaqueBy(c.pos, "a shell that reads its commands", c.index)
	}
}

// switches reads a cluster of options of a shell and returns the words after it, and
// after the names that it takes.
func (c *command) switches(f field, args []field) []field {
	plain := strings.Trim(f.text[1:], "cslpoOeuxvfCPbhmnET") == ""
	for _, l := range f.text[1:] {
		if l != 'o' && l != 'O' || len(args) == 0 {
			continue
		}
		plain = plain && (l == 'o' && inList(plainOptions+" posix", args[0].text) || l == 'O' && inList(plainShopts, args[0].text))
		args = args[1:]
	}
	if !plain {
		c.e.opaqueBy(f.pos, "an option of the shell", c.index)
	}
	return args
}

// code follows the text after -c; the words after it are $0, $1 and so on.
func (c *command) code(s state, args []field) {
	if len(args) == 0 {
		return
	}
	text := args[0]
	if text.unknown || text.glob || text.below != nil {
		c.e.opaqueBy(text.pos, "code that is computed", c.index)
		c.guessCode(text.text, text.pos)
		for i := range args[1:] {
			c.guessWord(&args[1+i])
		}
		return
	}
	if len(args) > 1 {
		s = s.set("0", args[1].value)
		s.params = paramsOf(args[2:])
		s.params.unknown = s.params.unknown || paramsOf(args[1:2]).unknown
	}
	c.runs(s, text.text, text.pos)
}

// paramsOf makes parameters of words. After one that may be several words, or none,
// nobody knows which is which.
func paramsOf(words []field) params {
	var p params
	for _, a := range words {
		p.unknown = p.unknown || a.glob || a.loose || p.open()
		p.list = append(p.list, a.value)
	}
	return p
}

// make follows make: it runs what its file says, in the folder after -C.
func (c *command) make() {
	for i, a := range c.args {
		dir, ok := strings.CutPrefix(a.text, "--directory=")
		if !ok {
			dir, ok = strings.CutPrefix(a.text, "-C")
		}
		f := a.tail(dir)
		if ok && dir == "" && i+1 < len(c.args) {
			f = c.args[i+1]
		}
		if ok && f.text != "" && !f.unknown && !f.glob {
			c.use(&f, Enter)
			c.s.at = enter(c.s.at, f.text)
		}
	}
	if len(c.args) == 1 && c.args[0].text == "--version" {
		return
	}
	c.unknown("it runs what a file says")
}

// dd follows dd: "if=" is read, "of=" written.
func (c *command) dd() {
	for i := range c.args {
		f := c.args[i]
		name, v, ok := strings.Cut(f.text, "=")
		switch {
		case !ok && f.unknown:
			c.e.opaque(f.pos, "a word that is computed")
		case name == "if":
			f = f.tail(v)
			c.use(&f, Read)
		case name == "of":
			f = f.tail(v)
			c.use(&f, Place)
		}
	}
}

// The options of tar: without a value, and with one.
const (
	tarFlags = "--absolute-names --anchored --auto-compress --gzip --bzip2 --xz --zstd --compress --lzma --verbose --create " +
		"--extract --get --list --append --update --diff --concatenate --delete --keep-old-files --skip-old-files --overwrite " +
		"--keep-newer-files --unlink-first --preserve-permissions --same-permissions --no-same-permissions --same-owner " +
		"--no-same-owner --numeric-owner --to-stdout --touch --wildcards --no-wildcards --wildcards-match-slash --no-anchored " +
		"--ignore-case --exclude-vcs --exclude-vcs-ignores --exclude-backups --exclude-caches --dereference --hard-dereference " +
		"--one-file-system --recursion --no-recursion --totals --sort --null --no-auto-compress --show-transformed-names " +
		"--ignore-failed-read --sparse --remove-files --verify --full-time --help --version --no-xattrs --xattrs --acls --selinux"
	tarText = "--exclude --strip-components --transform --xform --owner --group --mode --format " +
		"--blocking-factor --record-size --label --level --quoting-style --suffix --backup --occurrence --pax-option --sort --warning"
)

// tarball is what a tar command's words have said.
type tarball struct {
	c        *command
	mode     byte
	files    []field // archives
	members  []tarMember
	follows  bool
	removes  bool
	toStdout bool
	renames  bool
}

type tarMember struct {
	f  field
	at []string
}

// tar follows tar.
func (c *command) tar() {
	t := &tarball{c: c}
	at := c.s.at
	args := c.args
	if len(args) > 0 && !strings.HasPrefix(args[0].text, "-") {
		args[0].text = "-" + args[0].text // the old form: values come after all letters
		at, args = t.letters(args[0], args[1:], at, true)
	}
	ended := false
	for len(args) > 0 {
		f := args[0]
		args = args[1:]
		switch {
		case ended || !f.dash():
			if f.unknown && !f.number && f.text == "" {
				c.e.opaque(f.pos, "a word that is computed")
			}
			if strings.HasPrefix(f.text, "@") {
				c.e.opaqueBy(f.pos, "a word that may name another archive", c.index)
			}
			t.members = append(t.members, tarMember{f, at})
		case f.text == "--":
			ended = true
		case strings.HasPrefix(f.text, "--"):
			at, args = t.long(f, args, at)
		default:
			at, args = t.letters(f, args, at, false)
		}
	}
	t.report(at)
}

// enters is -C: what follows is relative to that folder.
func (t *tarball) enters(f field, at []string) []string {
	if f.unknown || f.glob {
		t.c.e.opaque(f.pos, "a folder that is computed")
	}
	t.c.report(&f, Enter, Fact{Cwds: at})
	return enter(at, f.text)
}

func (t *tarball) long(f field, more []field, at []string) ([]string, []field) {
	name, v, glued := strings.Cut(f.text, "=")
	take := func() field {
		if glued {
			return f.tail(v)
		}
		if len(more) == 0 {
			return field{}
		}
		out := more[0]
		more = more[1:]
		t.c.severalValues(&out, Search)
		return out
	}
	switch {
	case name == "--file":
		t.files = append(t.files, take())
	case name == "--directory":
		return t.enters(take(), at), more
	case name == "--exclude-from":
		v := take()
		t.c.use(&v, Read)
	case name == "--newer" || name == "--newer-mtime" || name == "--after-date" || name == "--mtime":
		if v := take(); v.unknown || v.glob || strings.HasPrefix(v.text, "/") || strings.HasPrefix(v.text, ".") {
			t.c.use(&v, Enter) // a file of that time
		}
	case inList(tarText, name):
		t.renames = t.renames || name == "--transform" || name == "--xform"
		if glued || name != "--backup" && name != "--occurrence" {
			take()
		}
	case inList(tarFlags, name):
		t.flag(name)
	default:
		t.c.strange(name)
		t.c.guessWord(&f)
	}
	if !glued && (f.unknown || f.glob) {
		t.c.e.opaque(f.pos, "an option that is computed")
	}
	return at, more
}

func (t *tarball) flag(name string) {
	switch name {
	case "--create":
		t.mode = 'c'
	case "--extract", "--get":
		t.mode = 'x'
	case "--list":
		t.mode = 't'
	case "--diff":
		t.mode = 't'
		t.c.e.opaqueBy(t.c.pos, "an archive that says which files are read", t.c.index)
	case "--append", "--update", "--concatenate", "--delete":
		t.mode = 'r'
	case "--dereference":
		t.follows = true
	case "--remove-files":
		t.removes = true
	case "--to-stdout":
		t.toStdout = true
	case "--absolute-names":
		t.c.e.opaqueBy(t.c.pos, "an archive that says where it is written", t.c.index)
	}
}

// letters reads a cluster of short options.
func (t *tarball) letters(f field, more []field, at []string, old bool) ([]string, []field) {
	for i := 1; i < len(f.text); i++ {
		l := f.text[i]
		if strings.IndexByte("fCXbgTIF", l) >= 0 {
			v := field{}
			switch {
			case !old && (i+1 < len(f.text) || f.unknown):
				v = f.tail(f.text[i+1:])
				i, f.unknown, f.glob = len(f.text), false, false
			case len(more) > 0:
				v, more = more[0], more[1:]
				t.c.severalValues(&v, Search)
			}
			at = t.valued(l, v, at)
			continue
		}
		switch l {
		case 'c', 'x', 't', 'r':
			t.mode = l
		case 'u', 'A':
			t.mode = 'r'
		case 'd':
			t.flag("--diff")
		case 'h':
			t.follows = true
		case 'O':
			t.toStdout = true
		case 'P':
			t.flag("--absolute-names")
		case 'z', 'j', 'J', 'Z', 'a', 'v', 'p', 'm', 'k', 'o', 'U', 'S', 'w', 'l', 'n', 'R', 'i', 'B':
		default:
			t.c.strange("-" + string(l))
		}
	}
	if f.unknown || f.glob {
		t.c.e.opaque(f.pos, "an option that is computed")
	}
	return at, more
}

func (t *tarball) valued(letter byte, v field, at []string) []string {
	switch letter {
	case 'f':
		t.files = append(t.files, v)
	case 'C':
		return t.enters(v, at)
	case 'X':
		t.c.use(&v, Read)
	case 'g':
		t.c.use(&v, Place)
	case 'T', 'I', 'F':
		t.c.e.opaqueBy(t.c.pos, "an option with which more happens than can be told", t.c.index)
		t.c.guessWord(&v)
	}
	return at
}

// report says what the archives and their members are used for.
func (t *tarball) report(at []string) {
	c := t.c
	for i := range t.files {
		f := &t.files[i]
		switch {
		case f.text == "-" && !f.unknown:
		case strings.Contains(f.text, ":"):
			c.e.opaqueBy(f.pos, "another machine", c.index)
		case t.mode == 'c' || t.mode == 'r':
			c.use(f, Place)
		default:
			c.use(f, Read)
		}
	}
	switch t.mode {
	case 'c', 'r':
		for i := range t.members {
			m := &t.members[i]
			c.report(&m.f, Search, Fact{Cwds: m.at, Follows: t.follows, Options: m.f.glob && leads(m.f.pat)})
			if t.removes {
				c.report(&m.f, Write, Fact{Cwds: m.at})
			}
		}
	case 'x':
		if t.renames && !t.toStdout {
			c.e.opaqueBy(c.pos, "an archive that is written under other names", c.index)
		}
		if !t.toStdout {
			inner := *c
			inner.s.at = at
			inner.extracts(nil)
		}
	case 't':
	default:
		c.e.opaqueBy(c.pos, "an archive of which nothing is said", c.index)
	}
}
