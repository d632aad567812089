package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// ErrUnknown is returned when there is no unit of a name.
var ErrUnknown = errors.New("no such unit")

// ErrTwoPlaces is returned when a name is in more than one place.
var ErrTwoPlaces = errors.New("is in more than one place")

// Set is what a workspace's configuration says about units.
type Set struct {
	Root    Path // absolute
	Layouts []Layout
	Listed  []Unit
}

// All lists the units that exist, sorted by name and path; limit bounds them, 0 for all.
func (s Set) All(fsys FS, limit int) ([]Unit, error) {
	out := slices.Clone(s.Listed)
	for _, l := range s.Layouts {
		places, err := s.places(fsys, l.parts)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			if limit > 0 && len(out) >= limit {
				break
			}
			out = append(out, Unit{Name: p[len(p)-1], Paths: []string{p.Rel()}})
		}
	}
	slices.SortStableFunc(out, func(a, b Unit) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(strings.Join(a.Paths, "\n"), strings.Join(b.Paths, "\n"))
	})
	return slices.CompactFunc(out, func(a, b Unit) bool {
		return a.Name == b.Name && a.Listed == b.Listed && slices.Equal(a.Paths, b.Paths)
	}), nil
}

// places expands the "*" and "{unit}" of a layout by the folders that exist.
func (s Set) places(fsys FS, parts []string) ([]Path, error) {
	at := []Path{nil}
	for _, part := range parts {
		var next []Path
		for _, rel := range at {
			if part != "*" && part != hole {
				next = append(next, append(slices.Clone(rel), part))
				continue
			}
			names, err := s.folders(fsys, rel)
			if err != nil {
				return nil, err
			}
			for _, n := range names {
				next = append(next, append(slices.Clone(rel), n))
			}
		}
		at = next
	}
	return at, nil
}

// folders lists the folders below rel, and the links that lead to one.
func (s Set) folders(fsys FS, rel Path) ([]string, error) {
	dir := slices.Concat(s.Root, rel).String()
	es, err := fsys.ReadDir(dir, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list %q: %w", rel.Rel(), err)
	}
	var out []string
	for _, e := range es {
		if strings.HasPrefix(e.Name, ".") {
			continue
		}
		if e.Type&fs.ModeSymlink != 0 {
			if pl, err := Resolve(fsys, dir+"/"+e.Name); err != nil || !pl.Info.Mode.IsDir() {
				continue
			}
		} else if !e.Type.IsDir() {
			continue
		}
		out = append(out, e.Name)
	}
	slices.Sort(out)
	return out, nil
}

// Lookup finds the unit of a name or of a path relative to the workspace. It
// is ErrUnknown, or ErrTwoPlaces as a *PlacesError.
func (s Set) Lookup(fsys FS, name string) (Unit, error) {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return Unit{}, fmt.Errorf("%q: %w", name, ErrUnknown)
	}
	var found []Unit
	for _, u := range s.Listed {
		if u.Name == name || slices.Contains(u.Paths, strings.TrimSuffix(name, "/")) {
			found = append(found, u)
		}
	}
	for _, l := range s.Layouts {
		parts := slices.Clone(l.parts)
		rel := Path(strings.Split(strings.TrimSuffix(name, "/"), "/"))
		switch {
		case len(rel) == len(parts) && len(rel) > 1:
			// A path: every component is as the layout says.
			if !slices.ContainsFunc(rel, noName) && l.matches(rel, false) {
				parts = rel
				break
			}
			continue
		case len(rel) == 1 && !noName(rel[0]):
			parts[len(parts)-1] = rel[0]
		default:
			continue
		}
		places, err := s.places(fsys, parts)
		if err != nil {
			return Unit{}, err
		}
		for _, p := range places {
			if pl, err := Resolve(fsys, slices.Concat(s.Root, p).String()); err == nil && pl.Info.Mode.IsDir() {
				u := Unit{Name: p[len(p)-1], Paths: []string{p.Rel()}}
				if !slices.ContainsFunc(found, func(f Unit) bool { return slices.Equal(f.Paths, u.Paths) }) {
					found = append(found, u)
				}
			}
		}
	}
	switch len(found) {
	case 0:
		return Unit{}, fmt.Errorf("%q: %w", name, ErrUnknown)
	case 1:
		return found[0], nil
	}
	e := &PlacesError{Name: name}
	for _, u := range found {
		e.Paths = append(e.Paths, u.Paths[0])
	}
	return Unit{}, e
}

// noName says whether a component names no folder, or would be taken for more than one.
func noName(c string) bool { return c == "" || c == "." || c == ".." || c == "*" || c == hole }

// PlacesError lists the places of a name that has several.
type PlacesError struct {
	Name  string
	Paths []string
}

func (e *PlacesError) Error() string {
	return fmt.Sprintf("unit %q %s: %s", e.Name, ErrTwoPlaces, strings.Join(e.Paths, ", "))
}

// Is makes a PlacesError an ErrTwoPlaces.
func (e *PlacesError) Is(target error) bool { return target == ErrTwoPlaces }

// RealPlaces finds where units lie that are links or mounts, or below one, so
// that the real place is known to be a unit's as well.
func (s Set) RealPlaces(fsys FS) ([]Alias, error) {
	var out []Alias
	add := func(rel Path) error {
		pl, err := Resolve(fsys, slices.Concat(s.Root, rel).String())
		if err != nil {
			return fmt.Errorf("unit path %q: %w", rel.Rel(), err)
		}
		// A linked file is judged where it is used; what it leads to may be shared.
		if want := slices.Concat(s.Root, rel); pl.Info.Mode.IsDir() && !slices.Equal(pl.Real, want) {
			out = append(out, Alias{Real: pl.Real.String(), At: rel.Rel()})
		}
		return nil
	}
	for _, u := range s.Listed {
		for _, p := range u.Paths {
			if err := add(Split(p)); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range s.Layouts {
		if err := s.linkedPlaces(fsys, l, add); err != nil {
			return nil, err
		}
	}
	return append(out, s.mounted(fsys.Mounts())...), nil
}

// mounted finds the other places of what is mounted at a unit, above or in one.
func (s Set) mounted(table []Mount) []Alias {
	var out []Alias
	for _, m := range table {
		at := Split(m.Point)
		if len(at) <= len(s.Root) || !at.Under(s.Root, false) {
			continue
		}
		rel := at[len(s.Root):]
		near := slices.ContainsFunc(s.Layouts, func(l Layout) bool { return l.matches(rel, false) })
		for _, u := range s.Listed {
			near = near || slices.ContainsFunc(u.Paths, func(p string) bool {
				return rel.Under(Split(p), false) || Split(p).Under(rel, false)
			})
		}
		if !near {
			continue
		}
		for _, p := range otherMounts(table, at) {
			out = append(out, Alias{Real: p.String(), At: rel.Rel()})
		}
	}
	return out
}

// linkedPlaces calls add for the folders of a layout, at every level of it, that
// are links; and once for the fixed folders that it begins with.
func (s Set) linkedPlaces(fsys FS, l Layout, add func(Path) error) error {
	at := []Path{nil}
	for _, part := range l.parts {
		var next []Path
		for _, rel := range at {
			if part != "*" && part != hole {
				p := append(slices.Clone(rel), part)
				if err := add(p); err != nil {
					return err
				}
				next = append(next, p)
				continue
			}
			es, err := fsys.ReadDir(slices.Concat(s.Root, rel).String(), 0)
			if err != nil {
				continue
			}
			for _, e := range es {
				p := append(slices.Clone(rel), e.Name)
				if e.Type&fs.ModeSymlink != 0 {
					if err := add(p); err != nil {
						continue // a link that leads nowhere is no way to a unit
					}
				}
				if part == "*" && (e.Type.IsDir() || e.Type&fs.ModeSymlink != 0) {
					next = append(next, p)
				}
			}
		}
		at = next
	}
	return nil
}

// Folds says whether the file system below dir takes names in another case as
// the same, by asking for an existing folder in the other case.
func Folds(fsys FS, dir Path) bool {
	for n := len(dir); n > 0; n-- {
		name := dir[n-1]
		other := strings.ToUpper(name)
		if other == name {
			other = strings.ToLower(name)
		}
		if other == name {
			continue
		}
		a, errA := fsys.Lstat(dir[:n].String())
		b, errB := fsys.Lstat(append(slices.Clone(dir[:n-1]), other).String())
		return errA == nil && errB == nil && a.Dev == b.Dev && a.Ino == b.Ino
	}
	return false
}

// Parents lists the folders, relative to the root, whose entries are units. Those
// that a layout names by "*" are the ones that exist.
func (s Set) Parents(fsys FS) ([]Path, error) {
	var out []Path
	for _, l := range s.Layouts {
		places, err := s.places(fsys, l.parts[:len(l.parts)-1])
		if err != nil {
			return nil, err
		}
		out = append(out, places...)
	}
	return out, nil
}
