package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
)

const (
	firstDelay = time.Millisecond
	lastDelay  = 20 * time.Millisecond
	holderSize = 64 // bytes; always written whole, so that nothing is truncated
)

// lock is one acquisition. A flock.Flock excludes only other values of its
// kind, so each acquisition has its own.
type lock struct {
	path string
	f    *flock.Flock
}

// lock takes the lock of a unit, waiting at most wait for it.
func (s *Store) lock(ctx context.Context, unit string, wait time.Duration) (*lock, error) {
	name := locksDir + "/" + unit + ".lock"
	l := &lock{path: filepath.Join(s.root.Name(), name)}
	l.f = newFlock(l.path)
	start := time.Now()
	for delay := firstDelay; ; delay = min(2*delay, lastDelay) {
		ok, err := s.try(l.f, name)
		if err != nil {
			return nil, fmt.Errorf("lock %q: %w", name, err)
		}
		if ok {
			s.sign(name)
			return l, nil
		}
		waited := time.Since(start)
		if waited >= wait {
			return nil, &store.LockedError{Holder: s.holder(name), Waited: waited}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %q, held by %s: %w", name, s.holder(name), ctx.Err())
		case <-time.After(min(delay, wait-waited)):
		}
	}
}

func newFlock(path string) *flock.Flock {
	// The file is made through the root before, so this open creates nothing
	// and follows no link.
	return flock.New(path, flock.SetFlag(os.O_RDWR|unix.O_NOFOLLOW))
}

// try takes the lock if it is free, and makes its file if it has none.
func (s *Store) try(f *flock.Flock, name string) (bool, error) {
	if s.opts.blind {
		return true, nil
	}
	ok, err := f.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.makeLock(name); err != nil {
			return false, err
		}
		ok, err = f.TryLock()
	}
	if errors.Is(err, fs.ErrPermission) && s.fileMode&0o020 != 0 {
		// In a group's folder its maker may be about to open it to the group.
		return false, nil
	}
	return ok, err
}

func (s *Store) makeLock(name string) error {
	if _, err := s.mkdir(locksDir); err != nil {
		return err
	}
	f, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, s.fileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(s.fileMode), f.Close())
}

// sign writes who has the lock. It is for the message to others alone, so
// failing is no error.
func (s *Store) sign(name string) {
	f, err := s.root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	text := fmt.Sprintf("pid %d (%.32s)", os.Getpid(), filepath.Base(os.Args[0]))
	_, _ = f.WriteAt(fmt.Appendf(nil, "%-*.*s\n", holderSize-1, holderSize-1, text), 0)
}

// holder reads what sign wrote.
func (s *Store) holder(name string) string {
	f, err := s.root.Open(name)
	if err != nil {
		return "another writer"
	}
	defer f.Close()
	buf := make([]byte, holderSize)
	n, err := io.ReadFull(f, buf)
	text := strings.TrimSpace(string(buf[:n]))
	if err != nil || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "another writer"
	}
	return text
}

// excludes says whether flock works here: a second lock on the file fails
// while we have the first. On some container mounts it does not.
func (l *lock) excludes() bool {
	second := newFlock(l.path)
	ok, err := second.TryLock()
	if ok {
		_ = second.Unlock()
	}
	return err == nil && !ok
}

// free gives the lock back; the end of the process would do the same.
func (l *lock) free() { _ = l.f.Unlock() }
