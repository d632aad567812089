package file

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
)

func markPath(k store.Kind, key string) (string, error) {
	if !store.ValidKey(string(k)) || !store.ValidKey(key) {
		return "", fmt.Errorf("mark %q %q: not a valid key", k, key)
	}
	return marksDir + "/" + string(k) + "/" + key, nil
}

func validValue(v string) bool {
	if len(v) > store.MaxMark {
		return false
	}
	for i := range len(v) {
		c := v[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-_.:+", c) >= 0) {
			return false
		}
	}
	return true
}

// Mark creates a mark.
func (s *Store) Mark(k store.Kind, key, value string) error {
	path, err := markPath(k, key)
	if err != nil {
		return err
	}
	if !validValue(value) {
		return fmt.Errorf("mark %q %q: not a valid value", k, key)
	}
	err = s.root.Symlink("="+value, path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := s.mkdir(marksDir + "/" + string(k)); err != nil {
			return fmt.Errorf("mark %q %q: %w", k, key, err)
		}
		err = s.root.Symlink("="+value, path)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("mark %q %q: %w", k, key, store.ErrExists)
	}
	if err != nil {
		return fmt.Errorf("mark %q %q: %w", k, key, err)
	}
	return nil
}

// Marked returns the value of a mark.
func (s *Store) Marked(k store.Kind, key string) (string, error) {
	path, err := markPath(k, key)
	if err != nil {
		return "", err
	}
	text, err := readlinkat(s.dir, path)
	if err == unix.ENOENT {
		return "", &noMarkError{k, key}
	}
	if err != nil {
		return "", s.unreadable(path, err)
	}
	value, ok := strings.CutPrefix(text, "=")
	if !ok || !validValue(value) {
		return "", &store.DamageError{File: path, Reason: "it is no mark"}
	}
	return value, nil
}

// noMarkError is the usual answer of Marked. It makes its text only when it is
// asked for it.
type noMarkError struct {
	kind store.Kind
	key  string
}

func (e *noMarkError) Error() string {
	return fmt.Sprintf("mark %q %q: %s", e.kind, e.key, store.ErrNotFound)
}

// Is makes a noMarkError an ErrNotFound.
func (e *noMarkError) Is(target error) bool { return target == store.ErrNotFound }

// readlinkat reads a link below a folder: one system call, where an os.Root
// takes one more for each component to open it and one to close it. It is the
// guard's hot path, and a mark that is not one of ours is none.
func readlinkat(dir int, path string) (string, error) {
	var buf [store.MaxMark + 2]byte
	for {
		n, err := unix.Readlinkat(dir, path, buf[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return "", err
		}
		return string(buf[:n]), nil
	}
}

// Marks yields keys and values of a kind; what cannot be read is left out.
func (s *Store) Marks(k store.Kind) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if !store.ValidKey(string(k)) {
			return
		}
		for key, err := range s.list(marksDir + "/" + string(k)) {
			if err != nil {
				return
			}
			value, err := s.Marked(k, key)
			if err == nil && !yield(key, value) {
				return
			}
		}
	}
}

// Unmark removes a mark.
func (s *Store) Unmark(k store.Kind, key string) error {
	path, err := markPath(k, key)
	if err != nil {
		return err
	}
	if err := s.root.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unmark %q %q: %w", k, key, err)
	}
	return nil
}
