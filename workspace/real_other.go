//go:build !linux

package workspace

import "path/filepath"

// realPath is the path of an existing file without links.
func realPath(path string) (string, error) { return filepath.EvalSymlinks(path) }
