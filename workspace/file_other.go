//go:build !unix

package workspace

import (
	"os"
	"path/filepath"
)

// readSmall reads a regular file of at most small bytes.
func readSmall(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > small {
		return nil, errNotFile
	}
	return os.ReadFile(path)
}

// readNames reads up to limit names of a folder. It is errNotFolder when the
// folder above it is none.
func readNames(dir string, limit int) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		if st, up := os.Stat(filepath.Dir(dir)); up == nil && !st.IsDir() {
			return nil, errNotFolder
		}
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(limit)
	if len(names) > 0 {
		err = nil
	}
	return names, err
}

// isLink says whether path is a symbolic link.
func isLink(path string) (bool, error) {
	st, err := os.Lstat(path)
	return err == nil && st.Mode()&os.ModeSymlink != 0, err
}
