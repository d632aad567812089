package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
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
	// Git opens the repository for reading. Its objects hold what siblings have
	// committed, so a plan that opens it is partial.
	Git bool
	// NoNetwork takes the network away.
	NoNetwork bool
	// Env is the command's environment, before what a backend must change.
	Env []string
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
