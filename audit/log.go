package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// The streams beside those of the dispatches.
const (
	Undispatched = "undispatched" // agents that nobody dispatched, on unit paths
	Ambiguous    = "ambiguous"    // calls that may belong to several dispatches
	Aside        = "aside"        // calls while the guard stood aside
)

// A stream is kept in segments, so that it is bounded without a lock: a full
// segment is never written again, and the oldest is removed.
const (
	segmentSize = 1 << 20
	segments    = 16
)

const (
	folder   = "audit"
	lostFile = folder + "/lost"
	lostSize = 4096
)

// Log is the audit of one workspace. Its folder is that of the records.
type Log struct {
	root *os.Root
	fd   int // descriptor of the same folder, or none
}

// none is no descriptor.
const none = -1

// Open returns the audit below root, the folder of the records. It writes nothing.
func Open(root *os.Root) *Log { return OpenAt(root, none) }

// OpenAt is Open with a descriptor of the same folder, which makes appending
// cheaper. It stays the caller's.
func OpenAt(root *os.Root, fd int) *Log { return &Log{root, fd} }

// modes are those of the audit's files and of its folder.
func (l *Log) modes() (file, dir fs.FileMode) {
	// A group's checkout: what one user writes, the others read.
	if st, err := l.root.Stat("."); err == nil && st.Mode()&0o020 != 0 {
		return 0o660, 0o770 | fs.ModeSetgid
	}
	return 0o600, 0o700
}

// Prepare makes what has to be there before the disk is full: a place to count
// lines that could not be written.
func (l *Log) Prepare() error {
	if err := l.mkdir(); err != nil {
		return fmt.Errorf("cannot prepare the audit: %w", err)
	}
	mode, _ := l.modes()
	f, err := l.root.OpenFile(lostFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot prepare the audit: %w", err)
	}
	_, err = f.Write(bytes.Repeat([]byte{'.'}, lostSize))
	return errors.Join(err, f.Chmod(mode), f.Close())
}

func (l *Log) mkdir() error {
	_, mode := l.modes()
	err := l.root.Mkdir(folder, mode.Perm())
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil && mode != 0o700 {
		err = l.root.Chmod(folder, mode)
	}
	return err
}

// name returns the file of a segment. Streams are named by the caller with a
// constant or a valid dispatch id.
func name(stream string, n int) string {
	if n == 0 {
		return path.Join(folder, stream+".jsonl")
	}
	return path.Join(folder, stream+"."+strconv.Itoa(n)+".jsonl")
}

func checkStream(stream string) error {
	switch stream {
	case Undispatched, Ambiguous, Aside:
		return nil
	}
	if !store.ID(stream).Valid() {
		return fmt.Errorf("stream %q: %w", stream, fs.ErrInvalid)
	}
	return nil
}

// Append writes one line with one write. When it fails, the loss is counted.
func (l *Log) Append(stream string, line Line) error {
	err := l.append(stream, line.Encode())
	if err != nil {
		l.Lose()
		return fmt.Errorf("a line of the audit is lost: %w", err)
	}
	return nil
}

func (l *Log) append(stream string, data []byte) error {
	if err := checkStream(stream); err != nil {
		return err
	}
	f, size, err := l.last(stream)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, 0, len(data)+2)
	if size > 0 {
		var end [1]byte
		if _, err := f.ReadAt(end[:], size-1); err == nil && end[0] != '\n' {
			buf = append(buf, '\n') // the line before was torn
		}
	}
	buf = append(append(buf, data...), '\n')
	_, err = f.Write(buf)
	return err
}

// last opens the segment that takes the next line.
func (l *Log) last(stream string) (*os.File, int64, error) {
	for n := 0; ; n++ {
		f, err := l.open(name(stream, n))
		if errors.Is(err, fs.ErrNotExist) {
			if n == 0 {
				if m := l.highest(stream); m > 0 {
					n = m - 1
					continue
				}
			}
			return l.begin(stream, n)
		}
		if err != nil {
			return nil, 0, err
		}
		st, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, 0, err
		}
		if st.Size() < segmentSize {
			return f, st.Size(), nil
		}
		f.Close()
	}
}

// begin makes a segment, and removes the one that is too old.
func (l *Log) begin(stream string, n int) (*os.File, int64, error) {
	if err := l.mkdir(); err != nil {
		return nil, 0, err
	}
	mode, _ := l.modes()
	f, err := l.root.OpenFile(name(stream, n), os.O_RDWR|os.O_APPEND|os.O_CREATE, mode)
	if err != nil {
		return nil, 0, err
	}
	if mode != 0o600 {
		if err := f.Chmod(mode); err != nil {
			f.Close()
			return nil, 0, err
		}
	}
	if n >= segments {
		_ = l.root.Remove(name(stream, n-segments)) // one segment more is no harm
	}
	return f, 0, nil
}

// highest returns the number of the newest segment, 0 when the stream has none
// but perhaps the first.
func (l *Log) highest(stream string) int {
	nums := l.numbers(stream)
	if len(nums) == 0 {
		return 0
	}
	return nums[len(nums)-1]
}

// Lose counts a line that could not be written, in a place that was allocated
// before: a full disk takes a write into it.
func (l *Log) Lose() {
	f, err := l.root.OpenFile(lostFile, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	data := make([]byte, lostSize)
	n, _ := f.ReadAt(data, 0)
	if i := bytes.IndexByte(data[:n], '.'); i >= 0 {
		_, _ = f.WriteAt([]byte{'x'}, int64(i))
	}
}

// Lost returns how many lines could not be written; at most 4096 are counted.
func (l *Log) Lost() int {
	data, err := l.root.ReadFile(lostFile)
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte{'x'})
}

// toRead opens a segment as a reader does: on a disk that is read-only too, and without
// waiting where something else stands in its place.
func (l *Log) toRead(segment string) (*os.File, error) {
	return l.root.OpenFile(segment, os.O_RDONLY|unix.O_NONBLOCK, 0)
}

func (l *Log) content(segment string) ([]byte, error) {
	f, err := l.toRead(segment)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, fmt.Errorf("read %q: it is no regular file: %w", segment, errors.Join(err, fs.ErrInvalid))
	}
	return io.ReadAll(f)
}

// Raw returns the bytes of a stream, oldest first.
func (l *Log) Raw(stream string) ([]byte, error) {
	if err := checkStream(stream); err != nil {
		return nil, err
	}
	var out []byte
	for n := 0; ; n++ {
		data, err := l.content(name(stream, n))
		if errors.Is(err, fs.ErrNotExist) {
			if n == 0 {
				for _, m := range l.numbers(stream) {
					more, err := l.content(name(stream, m))
					if err != nil {
						return nil, err
					}
					out = append(out, more...)
				}
			}
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, data...)
	}
}

// Read yields the lines of a stream, oldest first. Of lines that name the same
// call, which a hook that is installed twice writes, only the first counts.
// Torn lines are left out.
func (l *Log) Read(stream string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		data, err := l.Raw(stream)
		if err != nil {
			yield(Line{}, err)
			return
		}
		seen := map[string]bool{}
		for raw := range bytes.Lines(data) {
			line, err := decode(bytes.TrimRight(raw, "\n"))
			if err != nil || line.twice(seen) {
				continue
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// tail is how many bytes of a stream are looked at for refusals that repeat,
// near how many of them first.
const (
	tail = 16 << 10
	near = 4 << 10
)

// repeats is how many refusals are counted at the most.
const repeats = 2

// Refused counts the calls, other than like's, that were refused for the same
// code and target and agent just before; two stand for any number.
func (l *Log) Refused(stream string, like Line) int {
	if checkStream(stream) != nil {
		return 0
	}
	f, size, err := l.newest(stream)
	if err != nil {
		return 0
	}
	defer f.Close()
	for _, part := range []int64{near, tail} {
		data := make([]byte, min(size, part))
		if _, err := f.ReadAt(data, size-int64(len(data))); err != nil && err != io.EOF {
			return 0
		}
		count := refused(data, like)
		if count == repeats || int64(len(data)) == size || part == tail {
			return count
		}
	}
	return 0
}

// newest opens the segment that was written to last. Nearly always it is the first.
func (l *Log) newest(stream string) (*os.File, int64, error) {
	for n := 0; ; n = l.highest(stream) {
		f, err := l.open(name(stream, n))
		if errors.Is(err, fs.ErrNotExist) && n == 0 {
			// The first segments are gone, or there is none.
			n = l.highest(stream)
			f, err = l.open(name(stream, n))
		}
		if err != nil {
			return nil, 0, err
		}
		st, err := f.Stat()
		if err != nil {
			return nil, 0, errors.Join(err, f.Close())
		}
		if n > 0 || st.Size() < segmentSize || l.highest(stream) == 0 {
			return f, st.Size(), nil
		}
		f.Close()
	}
}

// refused counts in the end of a stream, the last line first.
func refused(data []byte, like Line) int {
	itself := append(wire.Quote([]byte(`"call":`), like.Call), ',')
	calls, count := map[string]bool{}, 0
	for count < repeats && len(data) > 0 {
		data = bytes.TrimSuffix(data, []byte{'\n'})
		raw := data[bytes.LastIndexByte(data, '\n')+1:]
		data = data[:len(data)-len(raw)]
		if !bytes.Contains(raw, []byte(`"allowed":false`)) || like.Call != "" && bytes.Contains(raw, itself) {
			continue // most lines, and reading one costs more
		}
		line, err := decode(raw)
		if err != nil || line.Code != like.Code || line.Target != like.Target || line.AgentID != like.AgentID {
			continue
		}
		if line.Call == "" || !calls[line.Call] {
			calls[line.Call] = true
			count++
		}
	}
	return count
}

// Streams lists the segments of every stream: one look for callers that go
// through many.
func (l *Log) Streams() map[string][]int {
	out := map[string][]int{}
	d, err := l.root.OpenFile(folder, os.O_RDONLY|unix.O_DIRECTORY, 0) // a FIFO in its place is not waited for
	if err != nil {
		return out
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return out
	}
	for _, n := range names {
		stream, rest, _ := strings.Cut(n, ".")
		i := 0
		if rest != "jsonl" {
			num, ok := strings.CutSuffix(rest, ".jsonl")
			if i, err = strconv.Atoi(num); !ok || err != nil || i <= 0 {
				continue
			}
		}
		out[stream] = append(out[stream], i)
	}
	for _, ns := range out {
		slices.Sort(ns)
	}
	return out
}

// numbers lists the segments of a stream in their order.
func (l *Log) numbers(stream string) []int { return l.Streams()[stream] }

// Remove deletes segments of a stream.
func (l *Log) Remove(stream string, segments []int) error {
	if err := checkStream(stream); err != nil {
		return err
	}
	for _, n := range segments {
		if err := l.root.Remove(name(stream, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
