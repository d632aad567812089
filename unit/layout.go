package unit

import (
	"errors"
	"fmt"
	"strings"
)

// ErrLayout is returned for a layout that is none.
var ErrLayout = errors.New("not a layout")

// hole stands for the unit's name in a layout.
const hole = "{unit}"

// Layout says where units lie: "construction/units/{unit}". "*" stands for one
// folder of any name.
type Layout struct {
	parts []string
}

// ParseLayout reads a layout, relative to the workspace.
func ParseLayout(s string) (Layout, error) {
	parts := strings.Split(strings.TrimSuffix(s, "/"), "/")
	holes := 0
	for _, p := range parts {
		switch {
		case p == hole:
			holes++
		case p == "" || p == "." || p == "..":
			return Layout{}, fmt.Errorf("%q is %w: it must be relative and clean", s, ErrLayout)
		case p != "*" && strings.ContainsAny(p, "*?[{}\\"):
			return Layout{}, fmt.Errorf("%q is %w: only a whole folder can be \"*\" or \"{unit}\"", s, ErrLayout)
		}
	}
	if holes != 1 || parts[len(parts)-1] != hole {
		return Layout{}, fmt.Errorf("%q is %w: it must end with {unit}", s, ErrLayout)
	}
	return Layout{parts: parts}, nil
}

func (l Layout) String() string { return strings.Join(l.parts, "/") }

// matches says whether rel agrees with the layout as far as both go.
func (l Layout) matches(rel Path, fold bool) bool {
	for i := range min(len(rel), len(l.parts)) {
		if p := l.parts[i]; p != "*" && p != hole && !same(p, rel[i], fold) {
			return false
		}
	}
	return true
}

// place returns the length of the unit's place within rel, 0 when rel is in no unit.
func (l Layout) place(rel Path, fold bool) int {
	if len(rel) < len(l.parts) || !l.matches(rel, fold) {
		return 0
	}
	return len(l.parts)
}

// above says whether units of this layout lie below rel.
func (l Layout) above(rel Path, fold bool) bool {
	return len(rel) < len(l.parts) && l.matches(rel, fold)
}

// parent says whether the units of this layout are the entries of rel.
func (l Layout) parent(rel Path, fold bool) bool {
	return len(rel) == len(l.parts)-1 && l.matches(rel, fold)
}
