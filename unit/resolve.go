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
	for more := true; more; {
		var c string
		c, name, more = strings.Cut(name, "/")
		switch c {
		case "", ".":
		case "..":
			if len(p) > 0 {
				p = p[:len(p)-1]
			}
		default:
			if p == nil {
				p = make(Path, 0, strings.Count(name, "/")+2)
			}
			p = append(p, c)
		}
	}
	return p
}

func (p Path) String() string {
	if len(p) == 0 {
		return "/"
	}
	n := len(p)
	for _, c := range p {
		n += len(c)
	}
	var b strings.Builder
	b.Grow(n)
	for _, c := range p {
		b.WriteByte('/')
		b.WriteString(c)
	}
	return b.String()
}

// Resolve finds the place of an absolute path. It does not clean it first, for
// ".." after a link means something else to the kernel than to the text.
func Resolve(fsys FS, name string) (Place, error) {
	if len(name) > maxPath || !strings.HasPrefix(name, "/") {
		return Place{}, fmt.Errorf("path %w", ErrUnresolvable)
	}
	w := walk{fs: fsys, place: Place{Lexical: Split(name)}, todo: name, more: true}
	if w.place.Lexical.is(name) {
		// The text is its own place until a link is met: both share their components.
		w.clean, w.place.Real = name, w.place.Lexical[:0]
	} else {
		w.place.Real = make(Path, 0, strings.Count(name, "/")+1)
	}
	if err := w.run(); err != nil {
		return Place{}, err
	}
	w.place.Real = slices.Clip(w.place.Real)
	return w.place, nil
}

// is says whether the text of a path is name.
func (p Path) is(name string) bool {
	for _, c := range p {
		rest, ok := strings.CutPrefix(name, "/")
		if !ok || !strings.HasPrefix(rest, c) {
			return false
		}
		name = rest[len(c):]
	}
	return name == "" && len(p) > 0
}

// walk follows one path. todo holds what is left of it, while there is more.
type walk struct {
	fs    FS
	place Place
	todo  string
	more  bool
	// clean is the whole path while the way so far is a prefix of it, end bytes long.
	clean   string
	end     int
	missing int // components of place.Real that do not exist
	links   int
}

func (w *walk) run() error {
	for w.more {
		var c string
		c, w.todo, w.more = strings.Cut(w.todo, "/")
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

// name is the way so far as text.
func (w *walk) name() string {
	if w.clean != "" {
		return w.clean[:w.end]
	}
	return w.place.Real.String()
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
	w.end += len("/") + len(c)
	if w.missing > 0 {
		w.missing++
		return nil
	}
	name := w.name()
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
	way := slices.Clone(w.place.Real)
	w.place.Via = append(w.place.Via, way)
	if strings.HasPrefix(target, "/") {
		w.place.Real, w.place.mounts = w.place.Real[:0:0], nil
	} else if w.place.Real = w.place.Real[:len(w.place.Real)-1]; w.clean != "" {
		w.place.Real = slices.Clone(w.place.Real) // the text keeps its own
	}
	w.clean = ""
	parts := strings.Count(target, "/") + 1
	if w.more {
		parts += strings.Count(w.todo, "/") + 1
		target += "/" + w.todo
	}
	if parts > maxPath {
		return fmt.Errorf("path %w", ErrUnresolvable)
	}
	w.todo, w.more = target, true
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
