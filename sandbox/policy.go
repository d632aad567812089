package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Policy is what a command may do, in absolute real paths.
type Policy struct {
	// Root is the workspace; Roots are its other checkouts (linked worktrees,
	// or the main one).
	Root  string
	Roots []string
	// Parents are the folders whose sub-folders are units: all that is in them
	// is hidden, but for Own, Reads, Writes and plain files.
	Parents []string
	// Hidden are the files and folders of listed siblings, and the real places
	// of units that are links or mounts.
	Hidden []string
	// Records are the .conduct folders.
	Records []string
	// Own are the paths of the own unit, which win over Hidden.
	Own []string
	// Reads are opened for reading, Writes for reading and writing.
	Reads, Writes []string
	// Protected are files and folders that nobody confined writes: hook
	// settings, conduct.yaml.
	Protected []string
	// ReadOnly forbids writes in the workspace, SharedRead those outside of Own.
	ReadOnly, SharedRead bool
	// Temp is the private folder of the dispatch, mode 0700. It must exist.
	Temp string
	// Cwd is where the command starts.
	Cwd string
	// NoNetwork takes the network away.
	NoNetwork bool
	// Env is the command's environment, before what a backend must change.
	Env []string
	// Pins are folders that must still be what they were at dispatch.
	Pins []Pin
	// Linked are files of siblings that have more than one name, as FindHardLinks
	// found them at dispatch.
	Linked []string
}

// Pin is the identity of a folder.
type Pin struct {
	Path     string
	Dev, Ino uint64
}

// PinOf takes the identity of a folder, without following a link.
func PinOf(path string) (Pin, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Pin{}, fmt.Errorf("pin %q: %w", path, err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() {
		return Pin{}, fmt.Errorf("pin %q: %w", path, syscall.ENOTDIR)
	}
	return Pin{path, uint64(st.Dev), st.Ino}, nil //nolint:unconvert // 32 bits on some systems
}

// holds says whether the folder is still the one that was pinned.
func (p Pin) holds() error {
	now, err := PinOf(p.Path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	if now != p {
		return fmt.Errorf("%q is another folder than at dispatch: %w", p.Path, ErrMoved)
	}
	return nil
}

// FindHardLinks looks in folders for files with more than one name, and returns at
// most limit of them: what is hidden under one name may be open under another.
// It reads every entry, so it belongs to the dispatch and not to each command.
func FindHardLinks(dirs []string, limit int) ([]string, error) {
	var out []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !d.Type().IsRegular() {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
				out = append(out, path)
			}
			if len(out) >= limit {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			return out, fmt.Errorf("look for hard links in %q: %w", dir, err)
		}
	}
	return out, nil
}

func (p Policy) check(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return fmt.Errorf("%w: no command", ErrPolicy)
	}
	if p.Root == "" || p.Temp == "" || p.Cwd == "" {
		return fmt.Errorf("%w: root, temp and cwd are needed", ErrPolicy)
	}
	for _, list := range [][]string{
		{p.Root, p.Temp, p.Cwd}, p.Roots, p.Parents, p.Hidden, p.Records, p.Own, p.Reads, p.Writes, p.Protected,
	} {
		for _, path := range list {
			if err := real(path); err != nil {
				return err
			}
		}
	}
	for _, pin := range p.Pins {
		if err := pin.holds(); err != nil {
			return err
		}
	}
	return nil
}

// real refuses a path that is relative or leads through a link: a mount or a
// rule would land where the link leads. A missing path is fine.
func real(path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || strings.ContainsRune(path, 0) {
		return fmt.Errorf("%w: %q is not absolute and clean", ErrPolicy, path)
	}
	got, err := filepath.EvalSymlinks(path)
	if err == nil && got != path {
		return fmt.Errorf("%q leads to %q: %w", path, got, ErrMoved)
	}
	return nil
}

// Under says whether a clean path is dir or lies in it.
func Under(path, dir string) bool {
	return path == dir || dir == "/" || len(path) > len(dir) && path[len(dir)] == '/' && path[:len(dir)] == dir
}

func underAny(path string, dirs []string) bool {
	for _, d := range dirs {
		if Under(path, d) {
			return true
		}
	}
	return false
}
