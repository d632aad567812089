package shell

import "strings"

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
		reads, writes, ok := sedFiles(f.text)
		if !ok {
			c.e.opaqueBy(f.pos, "a program of sed that is not understood", c.index)
			c.guessCode(f.text, f.pos)
		}
		for _, name := range reads {
			c.named(f, name, Read)
		}
		for _, name := range writes {
			c.named(f, name, Place)
		}
	}
}

// sedFiles returns the files that a script of sed names. Where a bracket expression ends,
// and whether a delimiter within it ends the whole, depends on the sed: all readings
// count but those that are no script.
func sedFiles(text string) (reads, writes []string, ok bool) {
	for _, b := range []brackets{asClasses, asPairs, asText} {
		s := sedScript{text: text, brackets: b}
		understood := s.parse()
		if !understood && !s.wrong {
			return reads, writes, false
		}
		ok = ok || understood
		reads, writes = append(reads, s.reads...), append(writes, s.writes...)
	}
	return reads, writes, ok
}

// sedElsewhere follows a program that stands behind "-i ”" or the like: with the sed of
// macOS the word behind -i is an ending, and the next one the program.
func (c *command) sedElsewhere(p *parsed) {
	if v, ok := p.value("-i"); !ok || v.text != "" || p.has(noFirst) || len(p.operands) < 2 {
		return
	}
	f := p.operands[1]
	reads, writes, ok := sedFiles(f.text)
	if !ok && p.operands[0].text == "" && p.operands[0].plain() {
		c.e.opaqueBy(f.pos, "a program of sed that is not understood", c.index)
		c.guessCode(f.text, f.pos)
	}
	for _, name := range append(reads, writes...) {
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

// brackets says how a script's bracket expressions are read.
type brackets int

const (
	asClasses brackets = iota // with [:digit:] and the like within them
	asPairs                   // to the next "]"
	asText                    // not at all
)

// sedScript is a program of sed.
type sedScript struct {
	text          string
	brackets      brackets
	at            int
	reads, writes []string
	wrong         bool // it stands where no sed has a command or a flag
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
	for ; s.at < len(s.text); s.at++ {
		switch b := s.text[s.at]; {
		case b == '\\':
			s.at++
		case b == end:
			s.at++
			return true
		case b == '[' && s.brackets != asText:
			s.class()
		}
	}
	return false
}

// class skips a bracket expression but for its end. What has no end is none.
func (s *sedScript) class() {
	rest := s.text[s.at+1:]
	i := 0
	if strings.HasPrefix(rest, "^") {
		i++
	}
	if strings.HasPrefix(rest[i:], "]") {
		i++
	}
	for ; i < len(rest) && rest[i] != ']'; i++ {
		if s.brackets != asClasses || rest[i] != '[' || i+1 >= len(rest) || strings.IndexByte(":.=", rest[i+1]) < 0 {
			continue
		}
		if n := strings.Index(rest[i+2:], rest[i+1:i+2]+"]"); n >= 0 {
			i += n + 3
		}
	}
	if i < len(rest) {
		s.at += i + 1
	}
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
	s.wrong = !isNameByte(verb)
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
			s.wrong = b != 'e'
			return false // e runs what it has made
		}
	}
	return true
}
