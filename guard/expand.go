package guard

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/shell"
	"github.com/seed6310be5c/conduct/unit"
)

// expanded judges a pattern that the shell expands: as that of a search, since a
// file may come in between, and then every path that it matches now, since the
// shell goes through links and the command does to each what it does to a plain word.
func (s *sight) expanded(f shell.Fact, t Target, base string) Decision {
	root, ok := s.j.absolute(".", base)
	if !ok {
		return s.blocked(Unresolvable, t, refusal{detail: "a relative path, and its folder is not known"})
	}
	pattern := Target{Op: Search, Base: base, Pattern: f.Path}
	if strings.HasPrefix(f.Path, "/") {
		pattern.Path = f.Path
	}
	best := s.globbed(pattern, root)
	if !best.Allowed() {
		d := s.blocked(best.Code, t, refusal{unit: best.Unit})
		return s.withRemedy(f, d, t)
	}
	d := s.itself(f, base)
	if !d.Allowed() {
		return s.blocked(d.Code, t, refusal{unit: d.Unit})
	}
	if d.Waived != 0 {
		best = better(best, d)
	}
	e := expansion{fs: s.j.in.FS, left: maxFollowed, trees: f.Op == shell.Search || f.Op == shell.Write || f.Op == shell.List}
	for _, from := range s.anchors(pattern, f.Path, root) {
		e.walk(from.root, from.alt)
	}
	if e.left <= 0 {
		return s.blocked(OpaqueCommand, t, refusal{detail: "its pattern matches more than can be looked at"})
	}
	for _, match := range e.found {
		if f.Options && strings.Contains(strings.TrimPrefix(match, root), "/-") {
			return s.blocked(OpaqueCommand, t, refusal{detail: "its pattern matches a name that begins with a dash; put ./ before it"})
		}
		if f.Splits && strings.ContainsAny(strings.TrimPrefix(match, root), " \t\n*?[\\") {
			return s.blocked(OpaqueCommand, t, refusal{detail: "its pattern matches a name that is not one word; put the variable in quotes"})
		}
		plain := f
		plain.Path, plain.Glob, plain.Splits, plain.Cwds = match, false, false, nil
		if d := s.fact(plain, ""); !d.Allowed() {
			// Not in the words of the match: its name may be a sibling's.
			return s.blocked(d.Code, t, refusal{unit: d.Unit})
		} else if d.Waived != 0 {
			best = better(best, s.refused(d.Waived, t, refusal{unit: d.Unit}))
		} else {
			best = better(best, d)
		}
	}
	return best
}

// itself judges a pattern as a path: where it matches nothing, the shell leaves it as
// it stands, and a file may be called so.
func (s *sight) itself(f shell.Fact, base string) Decision {
	f.Path, f.Glob, f.Options, f.Splits = unescaped(f.Path), false, false, false
	abs, ok := s.j.absolute(f.Path, base)
	if !ok {
		return Decision{Code: NoTarget}
	}
	if pl, err := unit.Resolve(s.j.in.FS, abs); err != nil || pl.Missing {
		return Decision{Code: NoTarget}
	}
	f.Cwds = nil
	return s.fact(f, base)
}

// unescaped takes the backslashes out of a pattern.
func unescaped(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// expansion finds what a pattern matches, as a shell does.
type expansion struct {
	fs    unit.FS
	found []string
	left  int // entries that may still be looked at
	// trees says that a folder that is matched is more than a name to the command, so
	// that ".." counts where it stands last, too.
	trees bool
}

func (e *expansion) walk(dir string, alt unit.Path) {
	for len(alt) > 0 && (unit.Literal(alt[0]) || alt[0] == "..") {
		dir, alt = dir+"/"+alt[0], alt[1:]
	}
	if len(alt) == 0 {
		e.found = append(e.found, dir)
		return
	}
	if strings.HasPrefix(alt[0], ".") && unit.MayMatch(alt[0], "..") && (len(alt) > 1 || e.trees) {
		e.walk(dir+"/..", alt[1:]) // not in every shell
	}
	deep := alt[0] == "**"
	if deep && len(alt) > 1 {
		e.walk(dir, alt[1:])
	}
	es, err := e.fs.ReadDir(dir, e.left)
	if err != nil {
		return
	}
	if e.left -= len(es); e.left <= 0 {
		return
	}
	slices.SortFunc(es, func(a, b unit.Dirent) int { return strings.Compare(a.Name, b.Name) })
	for _, x := range es {
		if strings.HasPrefix(x.Name, ".") && !strings.HasPrefix(alt[0], ".") {
			continue
		}
		if deep && x.Type.IsDir() {
			e.walk(dir+"/"+x.Name, alt)
		}
		if (len(alt) == 1 || x.Type.IsDir() || x.Type&fs.ModeSymlink != 0) && unit.MayMatch(alt[0], x.Name) {
			e.walk(dir+"/"+x.Name, alt[1:])
		}
	}
}
