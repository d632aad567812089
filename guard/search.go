package guard

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/shell"
	"github.com/seed6310be5c/conduct/unit"
)

// globbed judges a search that a pattern narrows. The folders that the pattern
// spells out belong to the root; the rest is compared with where siblings lie.
func (s *sight) globbed(t Target, root string) Decision {
	if t.Pattern[0] == '!' || !oneGlob(t.Pattern) {
		plain := t
		plain.Pattern = ""
		d := s.judge(plain, root)
		d.Target = t.written()
		return d
	}
	pattern := t.Pattern
	if decoded, err := decodeURL(pattern); err == nil {
		pattern = decoded
	}
	best := Decision{Code: NoTarget}
	for _, from := range s.anchors(t, pattern, root) {
		d := s.below(t, from.root, from.alt)
		if !d.Allowed() {
			return d
		}
		if d.Waived != 0 || !from.spare {
			best = better(best, d)
		}
	}
	return best
}

// anchor is one alternative of a pattern with the folder that it begins at.
type anchor struct {
	root string
	alt  unit.Path
	// spare says that the pattern is hardly meant so: it may only be refused for it.
	spare bool
}

// anchors returns where the alternatives of a pattern may begin.
func (s *sight) anchors(t Target, pattern, root string) []anchor {
	alts := unit.ParsePattern(pattern, t.AnyDepth).Alternatives()
	if alts == nil {
		alts = []unit.Path{{"**"}}
	}
	var out []anchor
	for _, alt := range alts {
		if home := s.j.in.Env.Home; home != "" && len(alt) > 0 && alt[0] == "~" {
			out = append(out, anchor{root: home, alt: alt[1:]})
		}
		absolute := len(alt) > 0 && alt[0] == ""
		if absolute {
			out = append(out, anchor{root: "/", alt: alt[1:]})
			alt = alt[1:]
		}
		// A filter's leading slash stands for the folder that is searched.
		if !absolute || t.AnyDepth {
			out = append(out, anchor{root: root, alt: alt, spare: absolute})
		}
		// ripgrep compares a filter that has a slash with paths from its own
		// working folder, whatever folder is searched.
		if t.AnyDepth && t.Path != "" && len(alt) > 1 && strings.HasPrefix(s.j.call.Cwd, "/") && s.above(root) {
			out = append(out, anchor{root: s.j.call.Cwd, alt: alt, spare: true})
		}
	}
	return out
}

// above says whether siblings lie below a folder.
func (s *sight) above(dir string) bool {
	pl, err := s.j.resolve(dir)
	return err != nil || s.scope.Above(s.j.roots, pl.Real)
}

// below judges one alternative. Its root is judged too, so that a sibling's is
// refused whatever the pattern.
func (s *sight) below(t Target, root string, alt unit.Path) Decision {
	d := s.judge(Target{Path: t.Path, Pattern: t.Pattern, Implied: t.Implied, Guess: t.Guess}, root)
	if !d.Allowed() {
		d.Op = t.Op
		return d
	}
	got := s.alternative(t, root, alt)
	if got.Allowed() && d.Waived != 0 {
		d.Op = t.Op
		return better(d, got)
	}
	return got
}

// oneGlob says whether a pattern is one glob: clients split on white space and
// on commas outside of braces.
func oneGlob(p string) bool {
	depth := 0
	for _, r := range p {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case ' ', '\t':
			return false
		case ',':
			if depth == 0 {
				return false
			}
		}
	}
	return true
}

// alternative judges one alternative of a pattern.
func (s *sight) alternative(t Target, root string, alt unit.Path) Decision {
	n := 0
	for n < len(alt) && unit.Literal(alt[n]) {
		root += "/" + alt[n]
		n++
	}
	rest := alt[n:]
	if len(rest) == 0 {
		// No wildcard is left: the pattern is a path.
		return s.judge(Target{Op: Read | List, Path: t.Path, Pattern: t.Pattern, Implied: t.Implied, Base: t.Base}, root)
	}
	if slices.Contains(rest, "..") {
		// Where ".." leads after a wildcard cannot be told.
		wide := t
		wide.Pattern, wide.Follows = "", true
		d := s.judge(wide, root+strings.Repeat("/..", len(rest)))
		d.Target = t.written()
		return d
	}
	pl, err := s.j.resolve(root)
	if err != nil {
		return s.blocked(Unresolvable, t, refusal{detail: "the path cannot be resolved"})
	}
	readings := pl.Readings(s.j.in.FS, s.j.ws.Root)
	for _, r := range readings {
		if !s.lenient && s.reachesProtected(t, r, rest) {
			return s.blocked(Protected, t, refusal{detail: s.protectedWhat(t)})
		}
	}
	l := s.locate(readings[0], &pl)
	for _, r := range readings {
		if got := s.locate(r, &pl); got.Where == unit.Sibling {
			l = got
			break
		}
	}
	reach := false
	for _, r := range readings {
		reach = reach || s.scope.Reaches(s.j.roots, r, rest)
	}
	if l.Where != unit.Sibling && !reach && t.Follows && len(rest) > 1 {
		reach = s.followed(readings[0])
	}
	var d Decision
	switch {
	case s.j.at.several && (l.Where != unit.Shared || reach):
		return s.blocked(Ambiguous, t, refusal{unit: l.Unit})
	case s.j.at.ended != nil && (l.Where != unit.Shared || reach):
		return s.blocked(endedCode(s.j.at.ended), t, refusal{unit: l.Unit})
	case l.Where == unit.Sibling:
		if _, ok := s.exempt(t, l, readings, &pl); ok {
			return s.allowed(Exempt, t, l)
		}
		d = s.refusedAt(readings, SiblingUnit, t, refusal{unit: l.Unit})
	case reach:
		d = s.refusedAt(readings, SiblingSearch, t, refusal{})
	default:
		d = s.access(Target{Op: t.Op &^ Write, Path: t.Path, Pattern: t.Pattern}, l, &pl)
	}
	if again, ok := cleaned(root, &pl); ok && d.Allowed() {
		if other := s.alternative(t, again, rest); !other.Allowed() && other.Code != Unresolvable || other.Waived != 0 {
			return other
		}
	}
	return d
}

// maxFollowed bounds how many entries a search that follows links is looked
// through; beyond, it is taken to reach a sibling.
const maxFollowed = 10_000

// followed says whether a link below dir, or below what a link there leads to,
// leads to a sibling or above one.
func (s *sight) followed(dir unit.Path) bool {
	seen := map[string]bool{dir.String(): true}
	todo := []unit.Path{dir}
	for left := maxFollowed; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		es, err := s.j.in.FS.ReadDir(at.String(), left)
		if err != nil {
			continue
		}
		if left -= len(es); left <= 0 {
			return true
		}
		for _, e := range es {
			p := append(slices.Clone(at), e.Name)
			switch {
			case e.Type.IsDir():
			case e.Type&fs.ModeSymlink != 0:
				pl, err := s.j.resolve(p.String())
				if err != nil {
					continue
				}
				if s.leads(&pl) {
					return true
				}
				if !pl.Info.Mode.IsDir() {
					continue
				}
				p = pl.Real
			default:
				continue
			}
			if name := p.String(); !seen[name] {
				seen[name] = true
				todo = append(todo, p)
			}
		}
	}
	return false
}

// leads says whether a link's place is a sibling's or above one.
func (s *sight) leads(pl *unit.Place) bool {
	for _, r := range pl.Readings(s.j.in.FS, s.j.ws.Root) {
		if s.locate(r, pl).Where == unit.Sibling || pl.Info.Mode.IsDir() && s.scope.Above(s.j.roots, r) {
			return true
		}
	}
	return false
}

// guess judges a string of a field that no table knows: when it has a
// separator, or names something that exists, relative to the call's folder, to
// the workspace and to the project.
func (s *sight) guess(t Target) Decision {
	best := Decision{Code: NoTarget}
	for _, path := range readings(t.Path) {
		t.Path = path
		d := s.guessed(t)
		if !d.Allowed() {
			return d
		}
		best = better(best, d)
	}
	return best
}

// readings lists the paths that a tool may see in a text: the text, what it is with
// its escapes undone, the path of an address of a scheme that may be a server's own.
func readings(text string) []string {
	if text == "" || strings.ContainsRune(text, '\n') {
		return nil
	}
	if isURL(text) {
		scheme, rest, _ := strings.Cut(text, "://")
		switch strings.ToLower(scheme) {
		case "http", "https", "ws", "wss", "git", "ssh", "ftp":
			return nil
		}
		path, err := decodeURL("file://" + rest)
		if err != nil || path == "" {
			return nil
		}
		return []string{path}
	}
	out := []string{text}
	if strings.Contains(text, "%") {
		if plain, err := shell.Unescape(text); err == nil && plain != text && !badText(plain) {
			out = append(out, plain)
		}
	}
	return out
}

// guessed judges one reading of a guess.
func (s *sight) guessed(t Target) Decision {
	best := Decision{Code: NoTarget}
	bases := []string{s.j.ws.Root.String()}
	if t.Base != "" {
		bases = append(bases, t.Base)
	}
	if _, err := s.j.in.FS.Lstat(s.j.call.Cwd); err == nil && strings.HasPrefix(s.j.call.Cwd, "/") {
		bases = append(bases, s.j.call.Cwd)
	}
	bases = append(bases, s.j.in.Env.Projects...)
	looks := strings.Contains(t.Path, "/") || t.Path == ".." || strings.HasPrefix(t.Path, "~")
	if !looks {
		best = s.named(t)
		if !best.Allowed() {
			return best
		}
	}
	for _, b := range bases {
		if !looks {
			if _, err := s.j.in.FS.Lstat(b + "/" + t.Path); err != nil {
				continue
			}
		}
		at := t
		at.Base = b
		d := s.spellings(at)
		if d.Allowed() && s.globs(t.Path) {
			d = s.based(Target{Op: Search, Pattern: t.Path, Guess: true}, b)
		}
		if !d.Allowed() {
			return d
		}
		best = better(best, d)
	}
	return best
}

// globs says whether a guess is also judged as a pattern. One that is relative may
// be meant from a folder in another field, so that it only counts on its own.
func (s *sight) globs(text string) bool {
	if !strings.Contains(text, "/") || strings.ContainsAny(text, " \t") || !strings.ContainsAny(text, "*?[{") {
		return false
	}
	if strings.HasPrefix(text, "/") {
		return true
	}
	for _, t := range s.j.call.Targets {
		if t.Guess && t.Path != text && (strings.Contains(t.Path, "/") || t.Path == "." || t.Path == "..") {
			return false
		}
	}
	return true
}

// named judges a word that is the name of a unit, for tools that take one.
func (s *sight) named(t Target) Decision {
	best := Decision{Code: NoTarget}
	set := unit.Set{Root: s.j.ws.Root, Layouts: s.scope.Layouts, Listed: s.scope.Listed}
	u, err := set.Lookup(s.j.in.FS, t.Path)
	var several *unit.PlacesError
	if errors.As(err, &several) {
		u.Paths = several.Paths
	}
	for _, p := range u.Paths {
		d := s.judge(t, s.j.ws.Root.String()+"/"+p)
		if !d.Allowed() {
			return d
		}
		best = better(best, d)
	}
	return best
}

// isURL says whether a text is a URL of another scheme than file.
func isURL(p string) bool {
	scheme, _, ok := strings.Cut(p, "://")
	if !ok || scheme == "" || strings.EqualFold(scheme, "file") {
		return false
	}
	for _, r := range scheme {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+.-", r)) {
			return false
		}
	}
	return true
}
