package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoGuard is returned when there is no guard to install.
var ErrNoGuard = errors.New(Program + " is neither beside conduct nor on the PATH")

// GuardPath returns the path of the guard for command lines that must outlive
// updates: as it is spelt, never where its links lead, since package managers
// move what the links lead to. self is how conduct itself was called (os.Args[0]).
//
// The guard beside conduct counts; where the PATH has a name for the same file,
// that name.
func GuardPath(self string) (string, error) {
	found, err := exec.LookPath(Program)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	onPath := err == nil
	beside := besideOf(self)
	switch {
	case beside == "" && onPath:
		return found, nil
	case beside == "":
		return "", ErrNoGuard
	case onPath && sameFile(beside, found):
		return found, nil
	}
	return beside, nil
}

// besideOf is the guard in the folder of the program self, "" when there is none.
func besideOf(self string) string {
	if !strings.ContainsRune(self, filepath.Separator) {
		found, err := exec.LookPath(self)
		if err != nil {
			return ""
		}
		self = found
	}
	abs, err := filepath.Abs(self)
	if err != nil {
		return ""
	}
	guard, err := exec.LookPath(filepath.Join(filepath.Dir(abs), Program))
	if err != nil {
		return ""
	}
	return guard
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Unstable says why a guard's path may not outlive the next update, "" when
// nothing speaks against it.
func Unstable(guard string) string {
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(guard)), "/") {
		switch {
		case part == "shims":
			return "it is a shim, which runs only where its version manager trusts the folder"
		case part == "Cellar" || part == "node_modules" || strings.HasPrefix(part, "go-build"):
			return fmt.Sprintf("%q in it belongs to one version or one build", part)
		case isVersion(part):
			return fmt.Sprintf("%q in it looks like a version", part)
		}
	}
	return ""
}

// isVersion says whether a name is like "1.26.0" or "v2.1".
func isVersion(s string) bool {
	s = strings.TrimPrefix(s, "v")
	return strings.Count(s, ".") >= 1 && strings.Trim(s, "0123456789.") == "" && s[0] != '.' && s[len(s)-1] != '.'
}
