package sandbox

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's checksum of its index
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// errIndex is returned for an index of git that cannot be read.
var errIndex = errors.New("not an index of git that is understood")

// The index of git: a header, entries, extensions and a checksum. See
// gitformat-index(5).
const (
	indexHeader   = 12
	indexStat     = 40 // what an entry knows of its file, before the object's name
	indexExtended = 0x4000
	indexSkip     = 0x4000 // in the second flags of an entry
)

// skipHidden returns an index in which git does not look for the files that are
// hidden: over a masked tree the index as it is says that all of them were
// deleted, and "add -A" believes it.
func skipHidden(index []byte, hidden func(path string) bool) ([]byte, error) {
	for _, sum := range []int{sha1.Size, sha256.Size} {
		r := indexReader{rest: index, sum: sum, hidden: hidden}
		if err := r.read(); err == nil {
			return r.end(), nil
		}
	}
	return nil, errIndex
}

// indexReader reads an index and writes the other one.
type indexReader struct {
	rest    []byte
	sum     int // the length of an object's name
	version uint32
	hidden  func(path string) bool
	name    []byte // of the last entry
	out     []byte
}

func (r *indexReader) read() error {
	if len(r.rest) < indexHeader+r.sum || !bytes.HasPrefix(r.rest, []byte("DIRC")) {
		return errIndex
	}
	r.version = binary.BigEndian.Uint32(r.rest[4:])
	if !r.whole() {
		return fmt.Errorf("%w: its checksum is another", errIndex)
	}
	count := binary.BigEndian.Uint32(r.rest[8:])
	if r.version < 2 || r.version > 4 {
		return fmt.Errorf("%w: version %d", errIndex, r.version)
	}
	r.out = append(make([]byte, 0, len(r.rest)+2*int(min(count, 1<<20))), r.rest[:indexHeader]...)
	// The flag needs version 3.
	binary.BigEndian.PutUint32(r.out[4:], max(r.version, 3))
	r.rest = r.rest[indexHeader : len(r.rest)-r.sum]
	for range count {
		if err := r.entry(); err != nil {
			return err
		}
	}
	return r.extensions()
}

// whole holds an index against its checksum, which is zero where git was told to
// write none.
func (r *indexReader) whole() bool {
	body, sum := r.rest[:len(r.rest)-r.sum], r.rest[len(r.rest)-r.sum:]
	return len(bytes.Trim(sum, "\x00")) == 0 || bytes.Equal(r.checksum(body), sum)
}

func (r *indexReader) checksum(body []byte) []byte {
	if r.sum == sha256.Size {
		sum := sha256.Sum256(body)
		return sum[:]
	}
	sum := sha1.Sum(body)
	return sum[:]
}

// entry copies one entry.
func (r *indexReader) entry() error {
	fixed := indexStat + r.sum + 2
	if len(r.rest) < fixed {
		return errIndex
	}
	flags := binary.BigEndian.Uint16(r.rest[fixed-2:])
	more, n := uint16(0), fixed
	if flags&indexExtended != 0 {
		if r.version < 3 || len(r.rest) < fixed+2 {
			return errIndex
		}
		more, n = binary.BigEndian.Uint16(r.rest[fixed:]), fixed+2
	}
	spelled, end, err := r.entryName(n)
	if err != nil {
		return err
	}
	if r.hidden(string(r.name)) {
		flags, more = flags|indexExtended, more|indexSkip
	}
	start := len(r.out)
	r.out = append(r.out, r.rest[:fixed-2]...)
	r.out = binary.BigEndian.AppendUint16(r.out, flags)
	if flags&indexExtended != 0 {
		r.out = binary.BigEndian.AppendUint16(r.out, more)
	}
	r.out = append(append(r.out, spelled...), 0)
	for r.version < 4 && (len(r.out)-start)%8 != 0 {
		r.out = append(r.out, 0)
	}
	r.rest = r.rest[end:]
	return nil
}

// entryName reads the name of an entry that begins at n, and returns it as it is
// spelled and where the entry ends. Version 4 spells what differs from the last one.
func (r *indexReader) entryName(n int) (spelled []byte, end int, err error) {
	prefix := n
	if r.version == 4 {
		drop, used := indexNumber(r.rest[n:])
		if used == 0 || drop > uint64(len(r.name)) {
			return nil, 0, errIndex
		}
		prefix += used
		r.name = r.name[:len(r.name)-int(drop)]
	} else {
		r.name = r.name[:0]
	}
	length := bytes.IndexByte(r.rest[prefix:], 0)
	if length < 0 {
		return nil, 0, errIndex
	}
	r.name = append(r.name, r.rest[prefix:prefix+length]...)
	end = prefix + length + 1
	if r.version < 4 {
		end = (prefix + length + 8) &^ 7 // one to eight NULs
	}
	if len(r.name) == 0 || end > len(r.rest) || len(bytes.Trim(r.rest[prefix+length:end], "\x00")) > 0 {
		return nil, 0, errIndex
	}
	return r.rest[n : prefix+length], end, nil
}

// indexNumber reads a number of version 4, and returns how many bytes it has.
func indexNumber(data []byte) (v uint64, used int) {
	for i, b := range data {
		if i > 0 {
			v++
		}
		v = v<<7 | uint64(b&0x7f)
		if b&0x80 == 0 {
			return v, i + 1
		}
		if i == 8 {
			break
		}
	}
	return 0, 0
}

// extensions copies those that are still true: the trees of unchanged paths, and
// that entries may be folders. The others are places within the file, or what
// was seen of the disk. One that must be understood, and is not, is an error: the
// entries of a split index are in another file.
func (r *indexReader) extensions() error {
	for len(r.rest) > 0 {
		if len(r.rest) < 8 {
			return errIndex
		}
		name, size := string(r.rest[:4]), uint64(binary.BigEndian.Uint32(r.rest[4:]))
		if size > uint64(len(r.rest)-8) {
			return errIndex
		}
		switch {
		case name == "TREE" || name == "sdir":
			r.out = append(r.out, r.rest[:8+size]...)
		case name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("%w: extension %q", errIndex, name)
		}
		r.rest = r.rest[8+size:]
	}
	return nil
}

// end returns the index with its checksum.
func (r *indexReader) end() []byte { return append(r.out, r.checksum(r.out)...) }
