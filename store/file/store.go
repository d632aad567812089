// Package file keeps dispatches as small files below a .conduct folder.
//
//	workspace.json                 marks the folder as ours
//	live/<id>.json                 the record of a live dispatch
//	ended/<id>.json                the record of an ended one
//	grants/<id>.<generation>.json  the grant that belongs to that generation of the record
//	claims/<claim>                 link whose text is <unit>.<id>: see claim.go
//	names/<name>/<profile>/<id>    link of the same text: the index of agent names
//	marks/<kind>/<key>             link whose text is =<value>
//	locks/<unit>.lock              flock; its content names the last holder and is only shown
//	aside/                         damaged files that were moved out of the way
//
// A link is created exclusively and with its whole content in one step, which
// no small file is. Every name is a valid id or key, and everything is written
// through one os.Root. Folders are made by the first writer that needs them;
// reading makes nothing.
//
// A record says which grant is its own by its generation, so that replacing the
// record replaces the pair. A dispatch has ended once its record says so; where
// the record lies is tidied after that and may lag behind a crash.
//
// The package is for Unix: it needs flock, symbolic links and rename over a
// file that others have open.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
)

// Options changes how a Store works. The zero value is what commands use.
type Options struct {
	// LockWait is how long a writer waits for another one; 0 means store.LockWait.
	LockWait time.Duration

	// blind leaves flock out, as if it lied: for the tests of what then holds.
	blind bool
}

// Store is a store.Store on files. It holds two file descriptors until Close.
type Store struct {
	root     *os.Root
	dir      int // descriptor of the same folder, for opens without a look at each component
	opts     Options
	fileMode fs.FileMode
	dirMode  fs.FileMode
}

var _ store.Store = (*Store)(nil)

const (
	liveDir   = "live"
	endedDir  = "ended"
	grantsDir = "grants"
	claimsDir = "claims"
	namesDir  = "names"
	marksDir  = "marks"
	locksDir  = "locks"
	asideDir  = "aside"
)

// Open opens the store in dir, an existing .conduct folder. It writes nothing.
// The modes of what is written later follow the folder's own: with the group's
// write bit 0660 and 2770, else 0600 and 0700.
func Open(dir string, opts Options) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	s := &Store{root: root, opts: opts}
	info, err := root.Stat(".")
	if err == nil {
		s.dir, err = openFolder(abs, info)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %q: %w", dir, err), root.Close())
	}
	s.fileMode, s.dirMode = modes(info)
	if s.opts.LockWait == 0 {
		s.opts.LockWait = store.LockWait
	}
	return s, nil
}

// openFolder opens a folder that info is of. A file of package os would cost
// the guard five system calls more.
func openFolder(name string, info fs.FileInfo) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	fd, err := unix.Open(name, flags, 0)
	for err == unix.EINTR {
		fd, err = unix.Open(name, flags, 0)
	}
	if err != nil {
		return 0, err
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if is, ok := info.Sys().(*syscall.Stat_t); err == nil && (!ok || is.Dev != st.Dev || is.Ino != st.Ino) {
		err = errors.New("it was exchanged while it was opened")
	}
	if err != nil {
		return 0, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// modes derives the modes of files and folders from a folder's own.
func modes(folder fs.FileInfo) (file, dir fs.FileMode) {
	if folder.Mode()&0o020 != 0 {
		return 0o660, 0o770 | fs.ModeSetgid
	}
	return 0o600, 0o700
}

// Fd is a descriptor of the .conduct folder. It is valid until Close.
func (s *Store) Fd() int { return s.dir }

// Root is the .conduct folder, for what others keep in it.
func (s *Store) Root() *os.Root { return s.root }

// Close frees the store's file descriptors.
func (s *Store) Close() error { return errors.Join(unix.Close(s.dir), s.root.Close()) }

func livePath(id store.ID) string  { return liveDir + "/" + string(id) + ".json" }
func endedPath(id store.ID) string { return endedDir + "/" + string(id) + ".json" }

func grantPath(id store.ID, generation uint64) string {
	return grantsDir + "/" + string(id) + "." + strconv.FormatUint(generation, 10) + ".json"
}

// recordID is the id in the name of a record's file, or false.
func recordID(name string) (store.ID, bool) {
	const suffix = ".json"
	if len(name) <= len(suffix) || name[len(name)-len(suffix):] != suffix {
		return "", false
	}
	id := store.ID(name[:len(name)-len(suffix)])
	return id, id.Valid()
}
