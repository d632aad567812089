package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxPointer bounds the files of git that name another folder.
const maxPointer = 64 << 10

// git hides the repository of every checkout: its objects hold the siblings,
// and its index over hidden folders would make "add -A" delete them. Where the
// policy opens git, it is there to read, with an index that fits.
func (l *Layout) git(p Policy) error {
	at := l.gitAt
	if p.Git {
		at = l.openGit
	}
	for _, root := range append([]string{p.Root}, p.Roots...) {
		for dir := root; ; dir = filepath.Dir(dir) {
			if err := at(filepath.Join(dir, ".git")); err != nil {
				return err
			}
			if dir == "/" {
				break
			}
		}
	}
	return nil
}

func (l *Layout) gitAt(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for a repository: %w", err)
	}
	switch {
	case info.IsDir():
		l.Git = true
		l.at[path] = Place{path, None, GitDir}
		l.stores(path)
	case info.Mode()&fs.ModeSymlink != 0:
		if target, err := filepath.EvalSymlinks(path); err == nil {
			return l.gitAt(target)
		}
	default:
		l.Git = true
		l.at[path] = Place{path, None, GitFile}
		if dir, ok := pointer(path, "gitdir: "); ok {
			l.hideStore(dir)
		}
	}
	return nil
}

// hideStore hides the folder that a linked worktree points to, and the one that
// it shares with the others.
func (l *Layout) hideStore(dir string) {
	if common, ok := pointer(filepath.Join(dir, "commondir"), ""); ok {
		l.hideStore(common)
	}
	if l.Visible(dir) && l.put(dir, None) {
		l.at[dir] = Place{dir, None, GitDir}
	}
	l.stores(dir)
}

// stores hides the object folders that a repository borrows from.
func (l *Layout) stores(dir string) {
	objects := filepath.Join(dir, "objects")
	data, err := readSmall(filepath.Join(objects, "info", "alternates"))
	if err != nil {
		return
	}
	for line := range strings.Lines(data) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if target, ok := resolve(objects, line); ok && l.Visible(target) {
			l.put(target, None)
		}
	}
}

// pointer reads a file of git that holds a path.
func pointer(path, prefix string) (string, bool) {
	data, err := readSmall(path)
	if err != nil {
		return "", false
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(data), prefix)
	if !ok {
		return "", false
	}
	return resolve(filepath.Dir(path), rest)
}

func resolve(dir, path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path, err := filepath.EvalSymlinks(path)
	return path, err == nil
}

func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPointer {
		return "", fmt.Errorf("%q: %w", path, fs.ErrInvalid)
	}
	data, err := os.ReadFile(path)
	return string(data), err
}
