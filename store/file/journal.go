package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// Journal is a file of JSON objects, one in each line, that is only appended to. What
// is in them, and who may write when, is its owner's business, as with documents.
//
// Only lines that are whole count. A torn one is the end of a write that died, was
// never acknowledged, and is ended by the next writer.
type Journal struct {
	s    *Store
	name string
}

// Journal returns the journal in a file below the folder. It opens nothing.
func (s *Store) Journal(file string) Journal { return Journal{s, file} }

// Size is how long a journal is, -1 when it is no regular file. It is one system call,
// since readers of many ask it of each.
func (j Journal) Size() int64 {
	var st unix.Stat_t
	if err := unix.Fstatat(j.s.dir, j.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1
	}
	return st.Size
}

// Read returns what comes from a place on, or from the beginning when the file has
// become shorter: start says which. fs.ErrNotExist, store.ErrDamaged, store.ErrForeign.
func (j Journal) Read(from int64) (data []byte, start int64, err error) {
	f, err := j.open(os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("read %q: %w", j.name, err)
	case !info.Mode().IsRegular():
		return nil, 0, &store.DamageError{File: j.name, Reason: "it is no regular file"}
	case info.Size() > store.MaxSize:
		return nil, 0, &store.DamageError{File: j.name, Reason: fmt.Sprintf("it has %d bytes, more than %d", info.Size(), store.MaxSize)}
	case info.Size() < from:
		from = 0 // it was compacted, and its writer died before it wrote that down
	}
	data = make([]byte, info.Size()-from)
	if n, err := f.ReadAt(data, from); err != nil && !(errors.Is(err, io.EOF) && n == len(data)) {
		return nil, 0, fmt.Errorf("read %q: %w", j.name, err)
	}
	return data, from, nil
}

func (j Journal) open(flag int) (*os.File, error) {
	fd, err := openat(j.s.dir, j.name, flag)
	if err != nil {
		return nil, j.s.Unreadable(j.name, err)
	}
	return os.NewFile(uintptr(fd), j.name), nil
}

// Append writes text, of whole lines, at the end and makes it durable; it returns how
// long the file is then. What it could not write as a whole it takes back. step is
// called before each step, for tests that die there.
func (j Journal) Append(text []byte, step func(string)) (int64, error) {
	f, err := j.open(os.O_RDWR | os.O_APPEND)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("append to %q: %w", j.name, err)
	}
	step("log.append")
	_, err = f.Write(text)
	if err == nil {
		step("log.sync")
		err = f.Sync()
	}
	if err != nil {
		return 0, fmt.Errorf("append to %q: %w", j.name, errors.Join(err, f.Truncate(info.Size())))
	}
	return info.Size() + int64(len(text)), nil
}

// Flush makes durable what another writer may have died before it did.
func (j Journal) Flush() error {
	f, err := j.open(os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync %q: %w", j.name, err)
	}
	return nil
}

// Line is a part of a journal: up to a line break, or what is left without one.
type Line struct {
	Text []byte // without its line break
	Size int64  // with it
	Torn bool   // it has none
	// Counts says that it is a whole JSON value. The beginning of an object never is,
	// so a torn line that was ended later does not count.
	Counts bool
}

// Lines yields the lines of what Read returned.
func Lines(data []byte) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for raw := range bytes.Lines(data) {
			text, whole := bytes.CutSuffix(raw, []byte{'\n'})
			l := Line{Text: text, Size: int64(len(raw)), Torn: !whole}
			l.Counts = whole && isJSON(text)
			if !yield(l) {
				return
			}
		}
	}
}

func isJSON(line []byte) bool {
	r := wire.NewReader(line)
	return r.Skip() == nil && r.End() == nil
}
