package shell

import (
	"slices"
	"strings"
)

// interpreter returns the index of the command in interpreters, or -1.
func (c *command) interpreter() int {
	// python3.12 is called as python3 is.
	name := c.name
	if head, _, ok := strings.Cut(name, "."); ok && strings.HasPrefix(name, "python") {
		name = head
	}
	return slices.IndexFunc(interpreters, func(x struct{ name, code string }) bool { return x.name == name })
}

// interprets reports the run of an interpreter: opaque, with what its code names.
func (c *command) interprets() bool {
	i := c.interpreter()
	if i < 0 {
		return false
	}
	if len(c.args) == 1 && slices.Contains([]string{"--version", "-V", "-v", "--help", "-h"}, c.args[0].text) {
		return true
	}
	c.e.opaqueBy(c.pos, "it runs code in another language", c.index)
	options := strings.Fields(interpreters[i].code)
	for k := range c.args {
		f := &c.args[k]
		if k > 0 && takesCode(c.args[k-1].text, options) {
			c.guessCode(f.text, f.pos)
			continue
		}
		for _, o := range options {
			if code, ok := strings.CutPrefix(f.text, o); ok && len(o) == 2 && code != "" {
				c.guessCode(code, f.pos) // -c'…' in one word
			}
		}
		c.guessWord(f)
	}
	if c.in.text != nil {
		c.guessCode(c.in.text.text, c.pos)
	}
	for _, v := range c.values {
		c.guessWord(&field{value: v, written: v.text, pos: c.pos})
	}
	c.control(c.e.out.Commands[c.index][1:])
	return true
}

// takesCode says whether a word is an option that holds code, alone or at the end
// of a cluster (perl -ne).
func takesCode(word string, options []string) bool {
	if slices.Contains(options, word) {
		return true
	}
	return len(word) > 2 && word[0] == '-' && word[1] != '-' && slices.Contains(options, "-"+word[len(word)-1:])
}

// maxGuesses bounds how many paths are looked for in one piece of code.
const maxGuesses = 256

// guessCode reports what in code may be paths: the literals, and the words that
// have a slash.
func (c *command) guessCode(code string, pos int) {
	var seen []string
	add := func(t string) {
		if t == "" || t == "." || t == ".." || t == "/" || len(t) > 1024 || len(seen) >= maxGuesses ||
			strings.ContainsAny(t, "\n\t") || slices.Contains(seen, t) {
			return
		}
		seen = append(seen, t)
		c.e.fact(Fact{Op: Read, Path: t, Cwds: c.s.at, Guess: true, Written: t})
	}
	for _, t := range literals(code) {
		add(t)
	}
	for _, t := range strings.FieldsFunc(code, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`()[]{}<>,;|&=", r) }) {
		if strings.Contains(t, "/") {
			add(t)
		}
	}
}

// literals returns what stands in quotes of any kind.
func literals(code string) []string {
	var out []string
	for i := 0; i < len(code); i++ {
		q := code[i]
		if q != '\'' && q != '"' && q != '`' {
			continue
		}
		end := i + 1
		for end < len(code) && code[end] != q {
			if code[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(code) {
			continue
		}
		if t := code[i+1 : end]; !strings.Contains(t, " ") || strings.Contains(t, "/") {
			out = append(out, t)
		}
		i = end
	}
	return out
}

// programs returns the texts of a program: the values of an option, or the first operand.
func (p *parsed) programs(options ...string) []field {
	var out []field
	for _, v := range p.values {
		if slices.Contains(options, v.option.name) {
			out = append(out, v.field)
		}
	}
	if !p.has(noFirst) && len(p.operands) > 0 {
		out = append(out, p.operands[0])
	}
	return out
}

// scripted reports the operands of a command whose first one is a program.
func (c *command) scripted(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "a program in a file", c.index)
	}
	c.operandFacts(&row{operands: "text read*"}, p)
}

// sed follows sed: its script may read, write and run.
func (c *command) sed(p *parsed) {
	c.scripted(p)
	if v, ok := p.value("-i", "--in-place"); ok && v.text != "" {
		c.backups(p, *v)
	}
	if v, ok := p.value("-l"); ok && !isNumber(v.text) {
		c.e.opaqueBy(v.pos, "an option that takes no value everywhere", c.index)
	}
	c.sedElsewhere(p)
	programs := p.programs("-e", "--expression")
	for _, f := range programs {
		if f.unknown || f.glob {
			c.e.opaqueBy(f.pos, "a program that is computed", c.index)
			continue
		}
		if len(programs) > 1 && continued(f.text) {
			c.e.opaqueBy(f.pos, "a program of sed in parts", c.index)
		}
		s := sedScript{text: f.text}
		if !s.parse() {
			c.e.opaqueBy(f.pos, "a program of sed that is not understood", c.index)
			c.guessCode(f.text, f.pos)
		}
		for _, name := range s.reads {
			c.named(f, name, Read)
		}
		for _, name := range s.writes {
			c.named(f, name, Place)
		}
	}
}

// sedElsewhere follows a program that stands behind "-i ”" or the like: with the sed of
// macOS the word behind -i is an ending, and the next one the program.
func (c *command) sedElsewhere(p *parsed) {
	if v, ok := p.value("-i"); !ok || v.text != "" || p.has(noFirst) || len(p.operands) < 2 {
		return
	}
	f := p.operands[1]
	s := sedScript{text: f.text}
	if !s.parse() && p.operands[0].text == "" && p.operands[0].plain() {
		c.e.opaqueBy(f.pos, "a program of sed that is not understood", c.index)
		c.guessCode(f.text, f.pos)
	}
	for _, name := range s.reads {
		c.e.fact(Fact{Op: Read, Path: name, Cwds: c.s.at, Guess: true, Written: name})
	}
	for _, name := range s.writes {
		c.e.fact(Fact{Op: Read, Path: name, Cwds: c.s.at, Guess: true, Written: name})
	}
}

// backups reports what sed keeps of the files that it changes: the suffix is put
// behind the name, or the name in place of its "*".
func (c *command) backups(p *parsed, suffix field) {
	first := 1
	if p.has(noFirst) {
		first = 0
	}
	for i := first; i < len(p.operands); i++ {
		f := p.operands[i]
		switch {
		case f.unknown || f.below != nil:
		case suffix.unknown || strings.Contains(suffix.text, "*"):
			c.e.opaque(suffix.pos, "copies of which the names are computed")
		case f.glob:
			f.pat += patternOf(suffix.value)
			c.use(&f, Place)
		default:
			f.text += suffix.text
			c.use(&f, Place)
		}
	}
}

// named reports a file that a program's text names.
func (c *command) named(f field, name string, op Op) {
	c.e.fact(Fact{Op: op, Path: name, Cwds: c.s.at, Written: name})
}

// sedScript is a program of sed.
type sedScript struct {
	text          string
	at            int
	reads, writes []string
}

// parse goes through a script. It returns false for what it does not know, and
// for a script that runs commands.
func (s *sedScript) parse() bool {
	for {
		s.skip(" \t\n;}")
		if s.at >= len(s.text) {
			return true
		}
		if !s.addresses() {
			return false
		}
		s.skip(" \t!")
		if s.at >= len(s.text) {
			return false
		}
		verb := s.text[s.at]
		s.at++
		if !s.verb(verb) {
			return false
		}
	}
}

func (s *sedScript) skip(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

// line takes the rest of the line.
func (s *sedScript) line() string {
	rest := s.text[s.at:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	s.at += len(rest)
	return strings.TrimLeft(rest, " \t")
}

// addresses skips what stands before a command.
func (s *sedScript) addresses() bool {
	for s.at < len(s.text) {
		switch b := s.text[s.at]; {
		case b >= '0' && b <= '9' || strings.IndexByte("$,~+ \t", b) >= 0:
			s.at++
		case b == '/':
			s.at++
			if !s.until('/') {
				return false
			}
			s.skip("IM")
		case b == '\\' && s.at+1 < len(s.text):
			s.at += 2
			if !s.until(s.text[s.at-1]) {
				return false
			}
			s.skip("IM")
		default:
			return true
		}
	}
	return true
}

// until skips a part up to its delimiter.
func (s *sedScript) until(end byte) bool {
	class := false
	for ; s.at < len(s.text); s.at++ {
		switch b := s.text[s.at]; {
		case b == '\\' && !class:
			s.at++
		case b == end && class:
			return false // whether it ends here depends on the sed
		case b == '[' && !class && end != '[':
			class = strings.IndexByte(s.text[s.at+1:], ']') >= 0
			if class && s.at+1 < len(s.text) && s.text[s.at+1] == '^' {
				s.at++
			}
			if class && s.at+1 < len(s.text) && s.text[s.at+1] == ']' {
				s.at++
			}
		case b == ']' && class:
			class = false
		case b == end:
			s.at++
			return true
		}
	}
	return false
}

func (s *sedScript) verb(verb byte) bool {
	switch verb {
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		return true
	case '#':
		s.line()
		return true
	case 'q', 'Q', 'l', 'L':
		s.skip(" 0123456789")
		return true
	case ':', 'b', 't', 'T':
		rest := s.text[s.at:]
		if i := strings.IndexAny(rest, ";\n}"); i >= 0 {
			if verb == ':' && rest[i] == '}' {
				return false // whether it belongs to the label depends on the sed
			}
			rest = rest[:i]
		}
		s.at += len(rest)
		// After a blank some seds take another command.
		return !strings.ContainsAny(strings.Trim(rest, " \t"), " \t\r\v\f")
	case 'a', 'i', 'c':
		return s.added()
	case 'r', 'R':
		s.reads = append(s.reads, s.line())
		return true
	case 'w', 'W':
		s.writes = append(s.writes, s.line())
		return true
	case 'y':
		return s.pair() >= 0
	case 's':
		return s.substitution()
	}
	return false // e, and what is not known
}

// continued says whether a line goes on in the next one: its last backslash is not
// escaped itself.
func continued(line string) bool {
	return (len(line)-len(strings.TrimRight(line, "\\")))%2 == 1
}

// added skips the text of a, i and c: lines as long as they end with a backslash.
func (s *sedScript) added() bool {
	for first := true; ; first = false {
		l := s.line()
		if rest, ok := strings.CutPrefix(l, "\\"); ok && first {
			if rest = strings.TrimLeft(rest, " \t"); rest != "" && strings.Trim(rest, "\\") == "" {
				return false // whether the first one counts depends on the sed
			}
		}
		if s.at >= len(s.text) {
			return true
		}
		s.at++
		if !continued(l) {
			return true
		}
	}
}

// pair skips the two parts of s and y. It returns -1 when one has no end.
func (s *sedScript) pair() int {
	if s.at >= len(s.text) {
		return -1
	}
	end := s.text[s.at]
	s.at++
	if !s.until(end) {
		return -1
	}
	// In the replacement a bracket is a bracket.
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case end:
			s.at++
			return s.at
		}
	}
	return -1
}

func (s *sedScript) substitution() bool {
	if s.pair() < 0 {
		return false
	}
	for s.at < len(s.text) {
		switch b := s.text[s.at]; {
		case strings.IndexByte("gpiImM0123456789", b) >= 0:
			s.at++
		case b == 'w':
			s.at++
			s.writes = append(s.writes, s.line())
			return true
		case strings.IndexByte(" \t\n;}#", b) >= 0:
			return true
		default:
			return false // e runs what it has made
		}
	}
	return true
}

// loaders are the words with which programs of jq and yq read other files.
const loaders = "import include load load_str load_xml load_props load_base64 strload eval"

// jq follows jq: its program may only read modules.
func (c *command) jq(r *row, p *parsed) {
	if p.has(stopped) {
		// The words after --args are texts, but for the program.
		c.optionFacts(p)
		c.operandFacts(r, c.beforeArgs(r, p))
	} else {
		c.plain(r, p)
	}
	programs := p.programs()
	if c.name == "yq" {
		programs = append(programs, p.operands...) // the first one may be a verb
		if len(p.operands) > 0 {
			c.fileOrProgram(p)
		}
	}
	for _, f := range programs {
		if slices.ContainsFunc(awkWords(f.text), func(w string) bool { return inList(loaders, w) || strings.HasPrefix(w, "load_") }) {
			c.e.opaqueBy(f.pos, "a program that reads others", c.index)
			c.guessCode(f.text, f.pos)
		}
		if f.unknown {
			c.e.opaqueBy(f.pos, "a program that is computed", c.index)
		}
	}
}

// fileOrProgram reports the first operand of yq: where there is a file of that name,
// it is no program.
func (c *command) fileOrProgram(p *parsed) {
	if f := &p.operands[0]; strings.Trim(f.text, "./") != "" && c.isThere(f) {
		c.kind("read", f, p.effects, p.ended != 0)
	}
}

// beforeArgs is what stands before --args and --jsonargs: where there may be
// several, before the last one.
func (c *command) beforeArgs(r *row, p *parsed) *parsed {
	args := c.args
	for i := len(args) - 1; i >= 0; i-- {
		if t := args[i].text; t == "--args" || t == "--jsonargs" {
			c.args = args[:i]
			break
		}
	}
	before := c.parse(r)
	c.args = args
	before.effects |= p.effects &^ stopped
	return before
}
