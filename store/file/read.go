package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// head is what the store itself reads in a record.
type head struct {
	id         string
	generation uint64
	ended      bool
	expired    bool // ended, and its name is still held
}

// readHead reads record strictly, so that a record which passes is one whole
// JSON object.
func readHead(record []byte) (head, error) {
	h := head{}
	seen := 0
	r := wire.NewReader(record)
	err := r.Object(func(name string) (err error) {
		switch name {
		case "id":
			seen++
			h.id, err = r.String()
		case "generation":
			seen++
			var n int64
			n, err = r.Int()
			if err == nil && n < 0 {
				err = errors.New("its generation is negative")
			}
			h.generation = uint64(n)
		case "state":
			var state string
			state, err = r.String()
			h.expired = state == "expired"
			h.ended = h.expired || state == "released" || state == "abandoned"
		default:
			err = r.Skip()
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err == nil && seen != 2 {
		err = errors.New("it has no id or no generation")
	}
	return h, err
}

// Read returns a dispatch. Entry.Keys are not stored and stay empty.
func (s *Store) Read(id store.ID) (store.Entry, error) {
	if !id.Valid() {
		return store.Entry{}, fmt.Errorf("dispatch %q: %w", id, store.ErrNotFound)
	}
	// A writer may replace the pair, end it or remove it between our two opens.
	// Then the record has changed too, and the next look finds it whole.
	var last uint64
	for try := 0; ; try++ {
		e, file, err := s.readRecord(id)
		if err != nil {
			return store.Entry{}, err
		}
		e.Grant, err = s.readFile(grantPath(id, e.Generation))
		if err == nil {
			return e, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return store.Entry{}, err
		}
		if try > 0 && last == e.Generation {
			return store.Entry{}, &store.DamageError{File: file, Reason: "its grant is missing"}
		}
		last = e.Generation
	}
}

// readRecord reads the record of a dispatch and says in which file it lies.
func (s *Store) readRecord(id store.ID) (store.Entry, string, error) {
	// What is live may move to ended or aside while we look, never back, so
	// looking in this order misses nothing.
	file := livePath(id)
	data, err := s.readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		file = endedPath(id)
		data, err = s.readFile(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return store.Entry{}, "", s.notThere(id)
	}
	if err != nil {
		return store.Entry{}, "", err
	}
	h, err := readHead(data)
	if err == nil && h.id != string(id) {
		err = errors.New("it is the record of another dispatch")
	}
	if err != nil {
		return store.Entry{}, "", &store.DamageError{File: file, Reason: err.Error()}
	}
	ended := h.ended || file == endedPath(id)
	return store.Entry{ID: id, Generation: h.generation, Ended: ended, Record: data}, file, nil
}

// notThere is the error for an id without a record.
func (s *Store) notThere(id store.ID) error {
	for _, file := range []string{asidePath(id), asideEndedPath(id)} {
		_, err := s.root.Lstat(file)
		if err == nil {
			return &store.DamageError{File: file, Reason: "it was set aside"}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return s.unreadable(file, err)
		}
	}
	return fmt.Errorf("dispatch %q: %w", id, store.ErrNotFound)
}

// holds says whether id blocks others from having its claim: all but what is
// known to be gone or to have ended.
func (s *Store) holds(id store.ID) bool {
	data, err := s.readFile(livePath(id))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := s.root.Lstat(endedPath(id)); err == nil {
			return false
		}
		_, err = s.root.Lstat(asidePath(id))
		return !errors.Is(err, fs.ErrNotExist)
	}
	if err != nil {
		return true
	}
	h, err := readHead(data)
	return err != nil || !h.ended
}

// readFile reads a document of at most store.MaxSize bytes. It follows no
// link in the last component and never waits, whatever lies there: a pipe that
// somebody left is damage. It is the guard's hot path: four system calls.
func (s *Store) readFile(file string) ([]byte, error) {
	fd, err := openat(s.dir, file, unix.O_RDONLY)
	if err != nil {
		return nil, s.unreadable(file, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, s.unreadable(file, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, &store.DamageError{File: file, Reason: "it is no regular file"}
	}
	if st.Size > store.MaxSize {
		return nil, &store.DamageError{File: file, Reason: fmt.Sprintf("it has %d bytes, more than %d", st.Size, store.MaxSize)}
	}
	// One byte of room more: a read that leaves it free has seen the end.
	buf := make([]byte, st.Size+1)
	n := 0
	for n < len(buf) {
		m, err := unix.Read(fd, buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, s.unreadable(file, err)
		}
		n += m
		if m == 0 || n == int(st.Size) {
			break
		}
	}
	if n != int(st.Size) {
		return nil, &store.DamageError{File: file, Reason: "its size changed while it was read"}
	}
	return buf[:n:n], nil
}

// openat opens a file that is there; it follows no link, and never waits at a pipe that
// lies where a file belongs.
func openat(dir int, file string, flag int) (int, error) {
	for {
		fd, err := unix.Openat(dir, file, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// unreadable says what an error of the file system means for a document. Only
// an error that stays is damage: what is damaged may be set aside, and that must
// not happen because a process had no descriptors left.
func (s *Store) unreadable(file string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission) && s.foreign(file):
		return fmt.Errorf("read %q: %w", file, store.ErrForeign)
	case errors.Is(err, fs.ErrPermission):
		return &store.DamageError{File: file, Reason: "its own user may not read it"}
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK), errors.Is(err, unix.ENOTDIR),
		errors.Is(err, unix.ENXIO), errors.Is(err, unix.EINVAL):
		return &store.DamageError{File: file, Reason: "it is of the wrong kind: " + err.Error()}
	}
	return &fs.PathError{Op: "read", Path: file, Err: err}
}

// foreign says whether file, or the nearest folder above it that can be looked
// at, belongs to another user.
func (s *Store) foreign(file string) bool {
	for {
		info, err := s.root.Lstat(file)
		if err == nil {
			st, ok := info.Sys().(*syscall.Stat_t)
			return ok && int(st.Uid) != os.Geteuid()
		}
		if file == "." {
			return false
		}
		file = path.Dir(file)
	}
}
