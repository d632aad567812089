package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// field is one word of a command as the command gets it.
type field struct {
	value
	written string // as in the text
	pos     int
}

// dash says whether the word may be taken as an option.
func (f *field) dash() bool { return strings.HasPrefix(f.text, "-") && len(f.text) > 1 }

// plain says whether it is certain what the word is.
func (f *field) plain() bool { return !f.unknown && !f.glob && f.below == nil && !f.stream }

// fields expands the words of a command.
func (e *eval) fields(s state, words []*syntax.Word) []field {
	out := make([]field, 0, len(words))
	for _, w := range words {
		if text, ok := simple(w); ok {
			out = append(out, field{value{text: text}, text, offset(w)})
			continue
		}
		written, pos := e.sourceText(w), offset(w)
		for _, v := range e.word(s, w) {
			if len(out) >= maxFields {
				e.opaque(pos, "a command with too many words")
				return out
			}
			out = append(out, field{v, written, pos})
		}
	}
	return out
}

func (e *eval) words(s state, words []*syntax.Word) []value {
	var out []value
	for _, f := range e.fields(s, words) {
		out = append(out, f.value)
	}
	return out
}

// simple returns the text of a word that nothing is to be done with.
func simple(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	l, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(l.Value, "\\*?[{~") {
		return "", false
	}
	return l.Value, true
}

// builder puts the fields of one word together.
type builder struct {
	e     *eval
	s     state
	done  []value
	text  strings.Builder
	pat   strings.Builder
	cur   value
	begun bool // there is a field, be it an empty one
	// bracket says that a "[" is open: a pattern needs both.
	bracket bool
}

// inner expands a word where a shell makes one text of it.
func (e *eval) inner(s state, w *syntax.Word) value {
	if w == nil {
		return value{}
	}
	b := &builder{e: e, s: s}
	b.parts(w.Parts, true)
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

// unbraced expands a word without braces.
func (e *eval) unbraced(s state, w *syntax.Word) []value {
	b := &builder{e: e, s: s}
	b.parts(w.Parts, false)
	b.end()
	return b.done
}

func (b *builder) end() {
	if !b.begun {
		return
	}
	v := b.cur
	v.text, v.pat = b.text.String(), ""
	if v.hollow && v.text != "" {
		v.number = false // where it is nothing, the rest may mean something else
	}
	if v.glob || v.number {
		v.pat = b.pat.String()
	}
	if v.glob && bracketedSlash(v.pat) {
		b.e.opaque(0, "a pattern with a slash within brackets") // they are none then
	}
	b.done = append(b.done, v)
	b.text.Reset()
	b.pat.Reset()
	b.cur, b.begun, b.bracket = value{}, false, false
}

// bracketedSlash says whether a slash stands within brackets.
func bracketedSlash(pat string) bool {
	open := false
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			i++
		case '[':
			open = true
		case ']':
			open = false
		case '/':
			if open && strings.IndexByte(pat[i:], ']') >= 0 {
				return true
			}
		}
	}
	return false
}

// quoted adds text in which nothing has a meaning.
func (b *builder) quoted(t string) {
	b.begun = true
	b.text.WriteString(t)
	escapeInto(&b.pat, t)
}

func escapeInto(to *strings.Builder, t string) {
	for i := 0; i < len(t); i++ {
		if strings.IndexByte("\\*?[]{}", t[i]) >= 0 {
			to.WriteByte('\\')
		}
		to.WriteByte(t[i])
	}
}

// open adds text in which wildcards count.
func (b *builder) open(t string) {
	b.begun = true
	b.text.WriteString(t)
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '*', '?':
			b.cur.glob = true
		case '[':
			b.bracket = true
		case ']':
			b.cur.glob = b.cur.glob || b.bracket
		case '{', '}', '\\':
			b.pat.WriteByte('\\')
		}
		b.pat.WriteByte(t[i])
	}
}

// parts adds the parts of a word; one says that it stays one field.
func (b *builder) parts(parts []syntax.WordPart, one bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.literal(p.Value, i == 0, len(parts) == 1)
		case *syntax.SglQuoted:
			switch {
			case !p.Dollar:
				b.quoted(p.Value)
			case strings.Contains(p.Value, `\x{`), strings.Contains(p.Value, `\c`):
				b.value(value{unknown: true}) // each shell has its own reading
			default:
				b.quoted(ansiC(p.Value))
			}
		case *syntax.DblQuoted:
			if p.Dollar {
				b.e.opaque(offset(p), "a text that may be translated")
			}
			b.begun = true
			b.doubled(p.Parts)
		case *syntax.ParamExp:
			v := b.e.param(b.s, p)
			if !one && hasQuotes(p) && strings.ContainsAny(v.text, " \t\n*?[\\") {
				v.unknown, v.number = true, false // it is not split where it is quoted
			}
			b.spliced(v, one)
			b.mayBeSeveral(p)
		case *syntax.CmdSubst:
			b.spliced(b.e.substitute(b.s, p), one)
		case *syntax.ArithmExp:
			b.e.arithmetic(b.s, p.X)
			b.value(value{unknown: true, number: true})
		case *syntax.ProcSubst:
			b.e.apart(b.s, p.Stmts)
			b.value(value{text: "/dev/fd/63", stream: true})
		case *syntax.ExtGlob:
			if strings.ContainsAny(p.Pattern.Value, "$`<>") {
				b.e.opaque(offset(p), "a pattern that is computed")
			}
			b.begun, b.cur.glob = true, true
			b.text.WriteString("*")
			b.pat.WriteString("*")
		default:
			b.value(value{unknown: true})
		}
	}
}

func (b *builder) doubled(parts []syntax.WordPart) {
	for _, q := range parts {
		switch q := q.(type) {
		case *syntax.Lit:
			b.quoted(unescape(q.Value))
		case *syntax.ParamExp:
			if isAll(q) {
				b.each(b.s.params)
				continue
			}
			v := b.e.param(b.s, q)
			if v.unknown = v.unknown || otherQuotes(q); v.unknown {
				v.number = v.number && !otherQuotes(q)
			}
			b.value(v)
			b.mayBeSeveral(q)
		case *syntax.CmdSubst:
			b.value(b.e.substitute(b.s, q))
		case *syntax.ArithmExp:
			b.e.arithmetic(b.s, q.X)
			b.value(value{unknown: true, number: true})
		default:
			b.value(value{unknown: true})
		}
	}
}

func (b *builder) each(p params) {
	if p.unknown {
		b.value(value{unknown: true})
		b.cur.loose = true
		return
	}
	if len(p.list) == 0 && b.text.Len() == 0 {
		b.begun = false
	}
	for i, v := range p.list {
		if i > 0 {
			b.end()
		}
		b.value(v)
	}
}

// value adds a value as it is, as in double quotes.
func (b *builder) value(v value) {
	b.begun = true
	alone := b.text.Len() == 0 && !b.cur.unknown
	if v.glob {
		b.cur.glob, b.cur.matched = true, true
		b.text.WriteString(v.text)
		b.pat.WriteString(v.pat)
	} else {
		b.quoted(v.text)
	}
	if v.number && v.unknown {
		b.cur.number = b.cur.number || !b.cur.unknown
		b.cur.hollow = b.cur.hollow || v.hollow
		b.cur.unknown = true
		b.pat.WriteString("*")
		return
	}
	if v.unknown {
		b.cur.unknown, b.cur.number = true, false
	}
	b.cur.several = v.several && alone
	if v.stream || v.below != nil {
		if b.cur.stream, b.cur.below = v.stream, v.below; !alone {
			b.cur.unknown, b.cur.number, b.cur.below = true, false, nil
		}
	}
}

// spliced adds an unquoted value: it is split, and its wildcards count.
func (b *builder) spliced(v value, one bool) {
	if one || v.glob || v.below != nil || v.stream {
		b.value(v)
		if !one {
			b.split(v)
		}
		return
	}
	if v.unknown {
		b.value(v)
		b.cur.loose = b.cur.loose || !v.number || v.loose
		return
	}
	for i := 0; i < len(v.text); {
		if isBlank(v.text[i]) {
			b.end()
			for i < len(v.text) && isBlank(v.text[i]) {
				i++
			}
			continue
		}
		from := i
		for i < len(v.text) && !isBlank(v.text[i]) {
			i++
		}
		b.open(v.text[from:i])
	}
}

// split notes a name that is not known and not quoted: blanks and wildcards in it count.
func (b *builder) split(v value) {
	b.cur.split = b.cur.split || v.glob
	if v.below != nil && !v.stream {
		b.cur.unknown, b.cur.number, b.cur.loose, b.cur.below = true, false, true, nil
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// literal adds an unquoted literal; first and only say where in its word it stands.
func (b *builder) literal(t string, first, only bool) {
	if i := strings.IndexAny(t, "=:"); i >= 0 && strings.Contains(t[i:], "~") && b.homes(t) {
		b.value(value{unknown: true})
		return
	}
	if first && strings.HasPrefix(t, "~") {
		t = b.tilde(t, only)
	}
	b.begun = true
	from := 0
	for i := 0; i < len(t); i++ {
		if t[i] != '\\' {
			continue
		}
		b.open(t[from:i])
		if i++; i < len(t) && t[i] != '\n' {
			b.quoted(t[i : i+1])
		}
		from = i + 1
	}
	if from < len(t) {
		b.open(t[from:])
	}
}

// homes says whether a "~" stands where bash puts a folder for it, or may, within a
// word: after the "=" and each ":" of what is an assignment, or looks like one.
func (b *builder) homes(t string) bool {
	return strings.Contains(t, "=~") || strings.Contains(t, ":~")
}

// tilde puts a folder for "~", "~+" and "~-", and returns the rest.
func (b *builder) tilde(t string, only bool) string {
	name, rest := t, ""
	if i := strings.IndexByte(t, '/'); i >= 0 {
		name, rest = t[:i], t[i:]
	} else if !only {
		return t // "~"$x is not expanded
	}
	if strings.Contains(name, "\\") {
		return t
	}
	dir := ""
	switch name {
	case "~":
		dir = b.e.variable(b.s, "HOME").text
	case "~+":
		dir = b.e.variable(b.s, "PWD").text
	case "~-":
		dir = b.e.variable(b.s, "OLDPWD").text
	}
	if dir == "" {
		b.value(value{unknown: true})
	} else {
		b.quoted(dir)
	}
	return rest
}

// unescape takes out the backslashes that count within double quotes.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\\"$`\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC decodes what stands within $'…'.
func ansiC(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte("abefnrtvE", s[i]); at >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\x1b"[at])
			continue
		}
		n, digits, ok := escapeCode(s[i:])
		switch {
		case ok && n == 0:
			return b.String() // a NUL ends the text
		case ok && (s[i] == 'u' || s[i] == 'U'):
			b.WriteString(string(utf8.AppendRune(nil, rune(n))))
		case ok:
			b.WriteByte(byte(n))
		case s[i] == 'c' && i+1 < len(s):
			digits = 2
			b.WriteByte(s[i+1] & 0x1f)
		case strings.IndexByte(`\'"?`, s[i]) >= 0:
			digits = 1
			b.WriteByte(s[i])
		default:
			digits = 1
			b.WriteString(s[i-1 : i+1])
		}
		i += digits - 1
	}
	return b.String()
}

// escapeCode reads what follows the backslash of \nnn, \xHH, \uHHHH or \UHHHHHHHH.
func escapeCode(s string) (n uint64, length int, ok bool) {
	base, from, most := 8, 0, 3
	switch s[0] {
	case 'x':
		base, from, most = 16, 1, 2
	case 'u':
		base, from, most = 16, 1, 4
	case 'U':
		base, from, most = 16, 1, 8
	}
	end := from
	for end < len(s) && end < from+most {
		if _, err := strconv.ParseUint(s[end:end+1], base, 8); err != nil {
			break
		}
		end++
	}
	n, err := strconv.ParseUint(s[from:end], base, 64)
	return n, end, err == nil
}
