package unit

import (
	"strings"
	"unicode/utf8"
)

// Pattern is a glob as a client's search understands it, its braces expanded.
type Pattern struct {
	alts []Path // components of each alternative
	wide bool   // too many alternatives, or not understood: it may match anything
}

// maxAlternatives bounds brace expansion; beyond, a pattern matches anything.
const maxAlternatives = 256

// ParsePattern reads a glob. anyDepth says that a pattern without a slash
// matches at every depth. Nothing is an error: what is not understood may match anything.
func ParsePattern(s string, anyDepth bool) Pattern {
	if len(s) > maxPath {
		return Pattern{wide: true}
	}
	list, ok := expandBraces(s, maxAlternatives)
	if !ok {
		return Pattern{wide: true}
	}
	var p Pattern
	for _, a := range list {
		a, cut := spanning(a)
		parts := components(a)
		if cut {
			parts = append(parts, "**")
		} else if anyDepth && len(parts) == 1 && parts[0] != "" {
			parts = Path{"**", parts[0]}
		}
		p.alts = append(p.alts, parts)
	}
	return p
}

// components splits a glob at its slashes. What names no folder of its own is
// left out, as the kernel does; an absolute glob begins with an empty component.
func components(s string) Path {
	var p Path
	if strings.HasPrefix(s, "/") {
		p = append(p, "")
	}
	for c := range strings.SplitSeq(s, "/") {
		if c != "" && c != "." {
			p = append(p, c)
		}
	}
	return p
}

// spanning cuts a glob before the first component with something that may match
// a slash: an extended glob, or a class that holds one, which globset (ripgrep's)
// lets match it.
func spanning(s string) (before string, cut bool) {
	for i := 0; i < len(s); i++ {
		spans := s[i] == '('
		if s[i] == '[' {
			if class, n := classAt(s[i:]); n > 0 {
				spans = inClass(class, '/')
				if !spans {
					i += n - 1
				}
			}
		}
		if spans {
			return s[:strings.LastIndexByte(s[:i], '/')+1], true
		}
	}
	return s, false
}

// Alternatives returns the components of each alternative, of which the first is
// empty for an absolute one; nil for a pattern that may match anything.
func (p Pattern) Alternatives() []Path {
	if p.wide {
		return nil
	}
	return p.alts
}

// Literal says whether a component of a pattern stands for itself only.
func Literal(c string) bool { return !strings.ContainsAny(c, `*?[]{}()!+@\`) }

// expandBraces expands {a,b} groups; ok is false when there are more than limit
// or the braces do not match.
func expandBraces(s string, limit int) ([]string, bool) {
	open := strings.IndexByte(s, '{')
	if open < 0 {
		return []string{s}, !strings.Contains(s, "}")
	}
	depth, end := 0, -1
	var commas []int
	for i := open; i < len(s) && end < 0; i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				end = i
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		}
	}
	if end < 0 {
		return nil, false
	}
	var out []string
	for _, word := range choices(s[open+1:end], commas, open+1) {
		more, ok := expandBraces(s[:open]+word+s[end+1:], limit-len(out))
		if !ok || len(out)+len(more) > limit {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, true
}

// choices are what a group of braces stands for. commas are where its parts end,
// counted from a string in which the group's text begins at from.
func choices(body string, commas []int, from int) []string {
	if len(commas) == 0 {
		if a, b, ok := strings.Cut(body, ".."); ok && a != "" && b != "" && !strings.Contains(body, "/") {
			return []string{"*"} // a sequence of the shell
		}
		// One choice: the shell keeps such braces, other programs drop them.
		return []string{body, "?" + body + "?"}
	}
	var out []string
	at := 0
	for _, c := range commas {
		out = append(out, body[at:c-from])
		at = c - from + 1
	}
	return append(out, body[at:])
}

// Reaches says whether what alt matches below the absolute folder at may lie in
// a sibling, or be the folder of one. A folder that alt names by wildcards may
// be a sibling's; one that it spells out is compared.
func (s *Scope) Reaches(roots Roots, at Path, alt Path) bool {
	s.compile()
	for _, r := range roots {
		if r.Under(at, s.Fold) && len(r) > len(at) {
			// The root lies below: the pattern's first components lead to it.
			if rest, ok := descend(alt, r[len(at):], s.Fold); ok && (rest == nil || s.reaches(nil, rest)) {
				return true
			}
		}
	}
	for _, a := range s.aliases {
		if a.real.Under(at, s.Fold) && !s.inOwn(a.at) {
			if _, ok := descend(alt, a.real[len(at):], s.Fold); ok {
				return true
			}
		}
	}
	for _, rel := range s.relative(roots, at) {
		if s.reaches(rel, alt) {
			return true
		}
	}
	return false
}

// descend matches the components of dir with those of alt. It returns what is
// left of alt, nil when a "**" means that anything may be left.
func descend(alt, dir Path, fold bool) (rest Path, ok bool) {
	for i, d := range dir {
		if i >= len(alt) {
			return nil, false
		}
		if alt[i] == "**" {
			return nil, true
		}
		if !mayMatch(alt[i], d, fold) {
			return nil, false
		}
	}
	return alt[len(dir):], true
}

func (s *Scope) reaches(rel, alt Path) bool {
	if s.inOwn(rel) {
		return false
	}
	for _, l := range s.listed {
		if s.inOwn(l.path) {
			continue
		}
		if rel.Under(l.path, s.Fold) {
			return true
		}
		if l.path.Under(rel, s.Fold) {
			if _, ok := descend(alt, l.path[len(rel):], s.Fold); ok {
				return true
			}
		}
	}
	for _, l := range s.Layouts {
		if s.reachesLayout(l, rel, alt) {
			return true
		}
	}
	return false
}

// reachesLayout follows alt along the layout from rel on.
func (s *Scope) reachesLayout(l Layout, rel, alt Path) bool {
	if !l.matches(rel, s.Fold) {
		return false
	}
	if len(rel) >= len(l.parts) {
		return true
	}
	spelled := append(Path(nil), rel...)
	literal := true
	for i, part := range l.parts[len(rel):] {
		if i >= len(alt) {
			return false
		}
		c := sole(alt[i])
		if c == "**" {
			return true
		}
		if part != "*" && part != hole && !mayMatch(c, part, s.Fold) {
			return false
		}
		if part == "*" || part == hole {
			literal = literal && Literal(c)
			spelled = append(spelled, c)
		} else {
			spelled = append(spelled, part)
		}
	}
	return !literal || !s.inOwn(spelled)
}

// sole spells out the classes of a glob component that hold one character only.
func sole(c string) string {
	for i := strings.IndexByte(c, '['); i >= 0 && i+2 < len(c) && c[i+2] == ']' && isPlain(c[i+1]); i = strings.IndexByte(c, '[') {
		c = c[:i] + c[i+1:i+2] + c[i+3:]
	}
	return c
}

func isPlain(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '-' || b == '_' || b == '.'
}

// mayMatch says whether a glob component can match a name. Extended globs and
// classes with anything unusual may match anything.
func mayMatch(glob, name string, fold bool) bool {
	if strings.ContainsAny(glob, `()\`) || strings.Contains(glob, "[:") || strings.Contains(glob, "[.") || strings.Contains(glob, "[=") {
		return true
	}
	if fold {
		glob, name = strings.ToLower(glob), strings.ToLower(name)
	}
	return Match(glob, name)
}

// MayMatch says whether a glob component can match a name, byte for byte; an
// extended glob may match anything.
func MayMatch(glob, name string) bool { return mayMatch(glob, name, false) }

// Match says whether one glob component matches a name: "*", "?", and classes
// with ranges and "!" or "^". A class that does not end stands for itself.
func Match(glob, name string) bool {
	// One level of backtracking is enough: a later star makes an earlier one's
	// choice final. So the time is at most the product of both lengths.
	starGlob, starName, star := "", "", false
	for glob != "" || name != "" {
		if strings.HasPrefix(glob, "*") {
			glob = glob[1:]
			starGlob, starName, star = glob, name, true
			continue
		}
		if g, n, ok := matchOne(glob, name); ok {
			glob, name = glob[g:], name[n:]
			continue
		}
		if !star || starName == "" {
			return false
		}
		_, n := utf8.DecodeRuneInString(starName)
		starName = starName[n:]
		glob, name = starGlob, starName
	}
	return true
}

// matchOne matches the first element of glob with the first character of name
// and returns how many bytes of each that is.
func matchOne(glob, name string) (g, n int, ok bool) {
	if glob == "" || name == "" {
		return 0, 0, false
	}
	r, size := utf8.DecodeRuneInString(name)
	switch glob[0] {
	case '?':
		return 1, size, true
	case '[':
		if class, n := classAt(glob); n > 0 {
			return n, size, inClass(class, r)
		}
	}
	return 1, 1, glob[0] == name[0]
}

// classAt reads the class that glob begins with: what is between its brackets,
// and its length with them, 0 when it does not end.
func classAt(glob string) (class string, n int) {
	// A "]" that comes first belongs to the class.
	first := 1
	if len(glob) > 1 && (glob[1] == '!' || glob[1] == '^') {
		first = 2
	}
	if first >= len(glob) {
		return "", 0
	}
	end := strings.IndexByte(glob[first+1:], ']')
	if end < 0 {
		return "", 0
	}
	end += first + 1
	return glob[1:end], end + 1
}

func inClass(class string, r rune) bool {
	not := strings.HasPrefix(class, "!") || strings.HasPrefix(class, "^")
	rs := []rune(class)
	if not {
		rs = rs[1:]
	}
	for i := 0; i < len(rs); i++ {
		if i+2 < len(rs) && rs[i+1] == '-' {
			if rs[i] <= r && r <= rs[i+2] {
				return !not
			}
			i += 2
			continue
		}
		if rs[i] == r {
			return !not
		}
	}
	return not
}
