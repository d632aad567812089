package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxIndex bounds an index of git, in bytes.
const maxIndex = 256 << 20

// openGit opens a repository for reading: the one at path, a .git folder or the
// file of a linked worktree. Nothing of it can be written: its hooks and settings
// run outside, and an index that was made over hidden folders would delete them.
func (l *Layout) openGit(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for a repository: %w", err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil //nolint:nilerr // git finds nothing either
		}
		return l.openPointed(target, filepath.Dir(path))
	case info.IsDir():
		l.put(path, Read)
		return l.openStore(path, filepath.Dir(path))
	}
	l.put(path, Read)
	dir, ok := pointer(path, "gitdir: ")
	if !ok {
		return nil
	}
	if common, ok := pointer(filepath.Join(dir, "commondir"), ""); ok {
		top := ""
		if filepath.Base(common) == ".git" {
			top = filepath.Dir(common)
		}
		if err := l.openPointed(common, top); err != nil {
			return err
		}
	}
	return l.openPointed(dir, filepath.Dir(path))
}

// openPointed opens the folder that a pointer or a link leads to. Where there was no
// repository a confined command can make the pointer: it opens nothing that is hidden.
func (l *Layout) openPointed(dir, top string) error {
	if !l.Visible(dir) {
		return nil
	}
	l.put(dir, Read)
	if top == "" {
		return nil
	}
	return l.openStore(dir, top)
}

// openStore gives the index of a checkout, whose top folder is top, the form that
// fits what is hidden of it.
func (l *Layout) openStore(dir, top string) error {
	if !l.gitOpen {
		l.gitOpen = true
		l.Gaps = append(l.Gaps, Gap{ReadSiblings, "git is allowed: its objects hold what siblings have committed"})
	}
	path := filepath.Join(dir, "index")
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read git's index: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxIndex {
		return fmt.Errorf("%w: git is allowed, and its index %q cannot be read", ErrPolicy, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read git's index: %w", err)
	}
	data, err = skipHidden(data, func(rel string) bool { return !l.Visible(filepath.Join(top, rel)) })
	if err != nil {
		return fmt.Errorf("%w: git is allowed, and its index %q: %w", ErrPolicy, path, err)
	}
	if l.Indexes == nil {
		l.Indexes = map[string][]byte{}
	}
	l.Indexes[path] = data
	l.at[path] = Place{path, Read, GitIndex}
	return nil
}
