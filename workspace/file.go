package workspace

import (
	"errors"
	"os"
)

var (
	// errNotFile is the error for what is no small regular file.
	errNotFile = errors.New("not a small regular file")
	// errNotFolder is the error for a folder below something that is none.
	errNotFolder = errors.New("not a folder")
)

// isSeparator says whether c separates components of a path.
func isSeparator(c byte) bool { return os.IsPathSeparator(c) }

// sameFolder says whether two names lead to one folder, as bind mounts make it.
func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
