package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/seed6310be5c/conduct/store"
)

// What follows is for packages that keep documents of their own below the
// .conduct folder: the same locks, modes and ways to write. They choose a folder
// of their own; this package does not know what is in it.

// Lock takes the lock with a key, waiting for it as every writer does, and returns
// what gives it back.
func (s *Store) Lock(ctx context.Context, key string) (free func(), err error) {
	if !store.ValidKey(key) {
		return nil, fmt.Errorf("lock %q: it is no key", key)
	}
	l, err := s.lock(ctx, key, s.opts.LockWait)
	if err != nil {
		return nil, err
	}
	return l.free, nil
}

// Put replaces a document as a whole. Its content is on disk afterwards; that its
// name leads there is so after Sync of its folder.
func (s *Store) Put(file string, data []byte) error {
	if len(data) > store.MaxSize {
		return fmt.Errorf("write %q: %d bytes are more than %d", file, len(data), store.MaxSize)
	}
	return s.put(file, data)
}

// Sync makes what was created, replaced or removed in folders durable.
func (s *Store) Sync(dirs ...string) error {
	if len(dirs) == 0 {
		return nil
	}
	return s.sync(dirs...)
}

// Mkdir makes a folder and those above it, and returns the folders that have a new
// entry by it: they are for Sync.
func (s *Store) Mkdir(dir string) ([]string, error) { return s.mkdir(dir) }

// ReadDocument reads a document that Put wrote: fs.ErrNotExist, store.ErrDamaged,
// store.ErrForeign. It follows no link and never waits.
func (s *Store) ReadDocument(file string) ([]byte, error) { return s.readFile(file) }

// Unreadable says what an error of opening or reading a file below the folder
// means, as ReadDocument does.
func (s *Store) Unreadable(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.unreadable(file, err)
}

// Names yields the names in a folder, none when it is not there.
func (s *Store) Names(dir string) iter.Seq2[string, error] { return s.list(dir) }
