package unit

import (
	"slices"
	"strings"
)

// Unit is a named set of paths, relative to the workspace.
type Unit struct {
	Name  string
	Paths []string
	Reads []string // what it may read of others, as conduct.yaml says
	// Listed says that conduct.yaml lists the unit; else a layout found it.
	Listed bool
}

// Alias is a place outside of the layout that belongs to it all the same: what
// a unit's folder, or one above it, leads to as a link or a mount.
type Alias struct {
	Real string // absolute
	At   string // relative to the workspace
}

// Scope is what is needed to say which unit a path belongs to, seen from one unit.
type Scope struct {
	Layouts []Layout
	Listed  []Unit
	Own     Unit
	Aliases []Alias
	// Fold says that the file system takes names in another case as the same.
	Fold bool

	compiled bool
	own      []Path
	listed   []listedPath
	aliases  []alias
}

type listedPath struct {
	unit string
	path Path
}

type alias struct{ real, at Path }

// Where is what one reading of a path lands in.
type Where uint8

// The places a path can land in. The zero value is the one that blocks.
const (
	Sibling Where = iota
	Own
	Shared
)

// Landing is where one reading of a path lands.
type Landing struct {
	Where Where
	Unit  string // "" when Shared
	Rel   Path   // relative to its root; nil when it is in none
}

// Roots are the absolute places that the layout applies in: the workspace's
// own checkout first, then its linked worktrees.
type Roots []Path

func (s *Scope) compile() {
	if s.compiled {
		return
	}
	s.compiled = true
	for _, p := range s.Own.Paths {
		s.own = append(s.own, Split(p))
	}
	for _, u := range s.Listed {
		if u.Name == s.Own.Name && s.Own.Listed {
			continue
		}
		for _, p := range u.Paths {
			s.listed = append(s.listed, listedPath{u.Name, Split(p)})
		}
	}
	for _, a := range s.Aliases {
		s.aliases = append(s.aliases, alias{Split(a.Real), Split(a.At)})
	}
}

// Locate says where an absolute path lands. plainFile is asked only for a path at a
// unit's very place: an existing plain file there is in no unit.
//
// The innermost checkout that holds the path decides, with the real places of
// linked units; one further out only where that one knows no unit.
func (s *Scope) Locate(roots Roots, p Path, plainFile func() bool) Landing {
	s.compile()
	out := Landing{Where: Shared}
	if len(roots) == 1 && len(s.aliases) == 0 { // as nearly everywhere
		if !p.Under(roots[0], s.Fold) {
			return out
		}
		return s.locate(p[len(roots[0]):], plainFile)
	}
	for _, rels := range s.byDepth(roots, p) {
		for _, rel := range rels {
			l := s.locate(rel, plainFile)
			if l.Where == Own {
				return l
			}
			if out.Where == Shared && (l.Where == Sibling || out.Rel == nil) {
				out = l
			}
		}
		if out.Where == Sibling {
			return out
		}
	}
	return out
}

// byDepth returns p relative to the roots that hold it, the innermost first; to
// that one the real places of units are added.
func (s *Scope) byDepth(roots Roots, p Path) [][]Path {
	var out [][]Path
	for _, r := range roots {
		if p.Under(r, s.Fold) {
			out = append(out, []Path{p[len(r):]})
		}
	}
	if len(out) > 1 {
		slices.SortFunc(out, func(a, b []Path) int { return len(a[0]) - len(b[0]) })
	}
	var linked []Path
	for _, a := range s.aliases {
		if p.Under(a.real, s.Fold) {
			linked = append(linked, slices.Concat(a.at, p[len(a.real):]))
		}
	}
	switch {
	case len(linked) == 0:
	case len(out) == 0:
		out = [][]Path{linked}
	default:
		out[0] = append(out[0], linked...)
	}
	return out
}

// relative returns p relative to every root and real place of a unit that holds it.
func (s *Scope) relative(roots Roots, p Path) []Path { return slices.Concat(s.byDepth(roots, p)...) }

func (s *Scope) locate(rel Path, plainFile func() bool) Landing {
	if s.inOwn(rel) {
		return Landing{Own, s.Own.Name, rel}
	}
	for _, l := range s.listed {
		if rel.Under(l.path, s.Fold) {
			return Landing{Sibling, l.unit, rel}
		}
	}
	for _, l := range s.Layouts {
		if n := l.place(rel, s.Fold); n > 0 && (n < len(rel) || !plainFile()) {
			return Landing{Sibling, rel[n-1], rel}
		}
	}
	return Landing{Shared, "", rel}
}

func (s *Scope) inOwn(rel Path) bool {
	for _, o := range s.own {
		if rel.Under(o, s.Fold) {
			return true
		}
	}
	return false
}

// Above says whether siblings may lie below the absolute folder p.
func (s *Scope) Above(roots Roots, p Path) bool {
	s.compile()
	for _, r := range roots {
		if r.Under(p, s.Fold) {
			return true
		}
	}
	for _, a := range s.aliases {
		if a.real.Under(p, s.Fold) && !s.inOwn(a.at) {
			return true
		}
	}
	for _, rel := range s.relative(roots, p) {
		if s.inOwn(rel) {
			continue
		}
		for _, l := range s.listed {
			if l.path.Under(rel, s.Fold) && !s.inOwn(l.path) {
				return true
			}
		}
		for _, l := range s.Layouts {
			if l.above(rel, s.Fold) {
				return true
			}
		}
	}
	return false
}

// Entries says whether siblings are entries of the absolute folder p.
func (s *Scope) Entries(roots Roots, p Path) bool {
	s.compile()
	for _, rel := range s.relative(roots, p) {
		if s.inOwn(rel) {
			continue
		}
		for _, l := range s.listed {
			if len(l.path) == len(rel)+1 && l.path.Under(rel, s.Fold) && !s.inOwn(l.path) {
				return true
			}
		}
		for _, l := range s.Layouts {
			if l.parent(rel, s.Fold) {
				return true
			}
		}
	}
	return false
}

// Readings returns the absolute paths that a place may be: as the kernel walks
// it, as it is written, where the links on its way lie, and the same places
// under another mount point of their file system.
func (pl *Place) Readings(fsys FS, root Path) []Path {
	out := make([]Path, 0, 2)
	out = append(out, pl.Real)
	if !slices.Equal(pl.Real, pl.Lexical) {
		out = append(out, pl.Lexical)
	}
	out = append(out, pl.Via...)
	if n := len(pl.mounts); n > 0 && !root.Under(pl.Real[:pl.mounts[n-1]], false) {
		out = append(out, otherMounts(fsys.Mounts(), pl.Real)...)
	}
	return out
}

// otherMounts returns the places at which the same file can be reached through
// other mounts of its file system.
func otherMounts(table []Mount, p Path) []Path {
	at := -1
	var point Path
	for i, m := range table {
		if q := Split(m.Point); p.Under(q, false) && (at < 0 || len(q) >= len(point)) {
			at, point = i, q
		}
	}
	if at < 0 {
		return nil
	}
	inner := slices.Concat(Split(table[at].Root), p[len(point):])
	var out []Path
	for i, m := range table {
		r := Split(m.Root)
		if i == at || m.Dev != table[at].Dev || !inner.Under(r, false) || len(out) >= 64 {
			continue
		}
		out = append(out, slices.Concat(Split(m.Point), inner[len(r):]))
	}
	return out
}

// Rel writes a path relative to the workspace, "." for the workspace itself.
func (p Path) Rel() string {
	if len(p) == 0 {
		return "."
	}
	return strings.Join(p, "/")
}
