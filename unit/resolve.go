package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

// Limits of the kernel.
const (
	maxName  = 255
	maxPath  = 4096
	maxLinks = 40
)

// ErrUnresolvable is returned for a path whose place cannot be told: a loop, a
// folder that may not be entered, a name that is too long, a path through
// another process.
var ErrUnresolvable = errors.New("cannot be resolved")

// Place is where a path leads.
type Place struct {
	// Real is the path as the kernel walks it: links followed, ".." after them.
	// What does not exist is appended as written.
	Real Path
	// Lexical is the path as it is written, "." and ".." taken out of the text.
	Lexical Path
	// Via are the places of the links that were followed.
	Via []Path
	// Missing says that the last component does not exist.
	Missing bool
	// Info describes what is at Real; zero when it is missing.
	Info Info
	// mounts are the lengths of the prefixes of Real that are mount points.
	mounts []int
}

// Path is an absolute path as its components; the root is empty.
type Path []string

// Split makes a Path of an absolute one, lexically.
func Split(name string) Path {
	var p Path
	for c := range strings.SplitSeq(name, "/") {
		switch c {
		case "", ".":
		case "..":
			if len(p) > 0 {
				p = p[:len(p)-1]
			}
		default:
			p = append(p, c)
		}
	}
	return p
}

func (p Path) String() string { return "/" + strings.Join(p, "/") }

// Resolve finds the place of an absolute path. It does not clean it first, for
// ".." after a link means something else to the kernel than to the text.
func Resolve(fsys FS, name string) (Place, error) {
	if len(name) > maxPath || !strings.HasPrefix(name, "/") {
		return Place{}, fmt.Errorf("path %w", ErrUnresolvable)
	}
	w := walk{fs: fsys, place: Place{Lexical: Split(name)}, todo: strings.Split(name, "/")}
	slices.Reverse(w.todo)
	if err := w.run(); err != nil {
		return Place{}, err
	}
	return w.place, nil
}

// walk follows one path. todo holds what is left of it, the next component last.
type walk struct {
	fs      FS
	place   Place
	todo    []string
	missing int // components of place.Real that do not exist
	links   int
}

func (w *walk) run() error {
	w.place.Real = make(Path, 0, len(w.todo))
	for len(w.todo) > 0 {
		c := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		switch {
		case c == "" || c == ".":
		case c == "..":
			w.up()
		case len(c) > maxName:
			return fmt.Errorf("name of %d bytes %w", len(c), ErrUnresolvable)
		default:
			if err := w.step(c); err != nil {
				return err
			}
		}
	}
	w.place.Missing = w.missing > 0
	if !w.place.Missing && w.place.Info.Mode == 0 {
		// The path ended with ".." or is the root: nothing was looked at last.
		info, err := w.fs.Lstat(w.place.Real.String())
		if err != nil {
			return unresolvable(err)
		}
		w.place.Info = info
	}
	return nil
}

func (w *walk) up() {
	if n := len(w.place.Real); n > 0 {
		w.place.Real = w.place.Real[:n-1]
		w.missing = max(0, w.missing-1)
		for k := len(w.place.mounts); k > 0 && w.place.mounts[k-1] >= n; k-- {
			w.place.mounts = w.place.mounts[:k-1]
		}
	}
	w.place.Info = Info{}
}

func (w *walk) step(c string) error {
	w.place.Real = append(w.place.Real, c)
	if w.missing > 0 {
		w.missing++
		return nil
	}
	name := w.place.Real.String()
	info, err := w.fs.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		if len(w.place.Real) > 1 && w.place.Real[0] == "proc" {
			return fmt.Errorf("path through another process %w", ErrUnresolvable)
		}
		w.missing, w.place.Info = 1, Info{}
		return nil
	case err != nil:
		return unresolvable(err)
	case info.Mode&fs.ModeSymlink != 0:
		return w.follow(name)
	}
	w.place.Info = info
	if info.MountRoot {
		w.place.mounts = append(w.place.mounts, len(w.place.Real))
	}
	return nil
}

// another says whether the walk is below /proc/PID: links lead there where their text
// does not say, and for another process than the one that will open the path. Nor is
// a process or a descriptor that is not there now missing by the time of the call.
func (w *walk) another() bool { return len(w.place.Real) > 2 && w.place.Real[0] == "proc" }

func (w *walk) follow(name string) error {
	if w.another() {
		return fmt.Errorf("path through another process %w", ErrUnresolvable)
	}
	if w.links++; w.links > maxLinks {
		return fmt.Errorf("more than %d links: path %w", maxLinks, ErrUnresolvable)
	}
	target, err := w.fs.Readlink(name)
	if err != nil || target == "" {
		return unresolvable(err)
	}
	w.place.Via = append(w.place.Via, slices.Clone(w.place.Real))
	if strings.HasPrefix(target, "/") {
		w.place.Real, w.place.mounts = w.place.Real[:0:0], nil
	} else {
		w.place.Real = w.place.Real[:len(w.place.Real)-1]
	}
	parts := strings.Split(target, "/")
	if len(parts)+len(w.todo) > maxPath {
		return fmt.Errorf("path %w", ErrUnresolvable)
	}
	slices.Reverse(parts)
	w.todo = append(w.todo, parts...)
	w.place.Info = Info{}
	return nil
}

func unresolvable(err error) error {
	if err == nil {
		return fmt.Errorf("path %w", ErrUnresolvable)
	}
	return fmt.Errorf("path %w: %w", ErrUnresolvable, err)
}

// Under says whether p is dir or below it.
func (p Path) Under(dir Path, fold bool) bool {
	if len(p) < len(dir) {
		return false
	}
	for i, c := range dir {
		if !same(c, p[i], fold) {
			return false
		}
	}
	return true
}

// same compares two names byte for byte, or as a file system that folds case does.
func same(a, b string, fold bool) bool {
	return a == b || fold && strings.EqualFold(a, b)
}
