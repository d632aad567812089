package confine

import (
	"path/filepath"
	"slices"
)

// finder finds real places. Settings are many names in few folders, so what a
// folder really is, is asked once: a policy is made in one go.
type finder struct {
	folders map[string]place
}

type place struct {
	path string
	ok   bool
}

func newFinder() *finder { return &finder{map[string]place{"/": {"/", true}}} }

// there returns the real places of the paths that exist.
func (f *finder) there(paths []string) []string {
	var out []string
	for _, path := range paths {
		if real, ok := f.real(path); ok && !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	return out
}

// real is filepath.EvalSymlinks.
func (f *finder) real(path string) (string, bool) {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return eval(path)
	}
	dir := f.folder(filepath.Dir(path))
	if !dir.ok {
		return "", false
	}
	at := filepath.Join(dir.path, filepath.Base(path))
	link, err := isLink(at)
	if err != nil {
		return "", false
	}
	if link {
		return eval(at)
	}
	return at, true
}

func (f *finder) folder(path string) place {
	got, known := f.folders[path]
	if !known {
		got.path, got.ok = f.real(path)
		f.folders[path] = got
	}
	return got
}

func eval(path string) (string, bool) {
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}
