package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"
)

// Tail reads a log as it grows. Make it with Log.Tail; it is for one goroutine.
type Tail struct {
	log     *Log
	streams map[string]*tailed
}

// tailed is how far a stream was read.
type tailed struct {
	at   map[int]int64 // bytes, by segment
	seen map[string]bool
}

// Tail begins to read a log from its first line.
func (l *Log) Tail() *Tail { return &Tail{log: l, streams: map[string]*tailed{}} }

// Next returns what was added since it was last called, in the order of times, of
// those streams that are wanted. A line that is not whole yet comes with the next
// call. As with Read, only the first of lines that name the same call counts.
func (t *Tail) Next(want func(stream string) bool) ([]Line, error) {
	now := t.log.Streams()
	for stream := range t.streams {
		if _, ok := now[stream]; !ok {
			delete(t.streams, stream) // the janitor has been here
		}
	}
	var out []Line
	for stream, segments := range now {
		if checkStream(stream) != nil || !want(stream) {
			continue
		}
		s := t.streams[stream]
		if s == nil {
			s = &tailed{at: map[int]int64{}, seen: map[string]bool{}}
			t.streams[stream] = s
		}
		for _, n := range segments {
			data, end, err := t.added(name(stream, n), s.at[n])
			if err != nil {
				return nil, fmt.Errorf("read the audit's stream %q: %w", stream, err)
			}
			s.at[n] = end
			out = s.lines(data, out)
		}
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i].Time.Before(out[k].Time) })
	return out, nil
}

// added returns the whole lines of a segment from an offset on, and where they end.
func (t *Tail) added(name string, from int64) ([]byte, int64, error) {
	f, err := t.log.toRead(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if st.Size() < from {
		from = 0 // it was removed and begun anew
	}
	data := make([]byte, st.Size()-from)
	n, err := f.ReadAt(data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	data = data[:bytes.LastIndexByte(data[:n], '\n')+1]
	return data, from + int64(len(data)), nil
}

func (s *tailed) lines(data []byte, out []Line) []Line {
	for raw := range bytes.Lines(data) {
		line, err := decode(bytes.TrimRight(raw, "\n"))
		if err != nil || line.twice(s.seen) {
			continue
		}
		out = append(out, line)
	}
	return out
}

// twice says whether a line names a call that was seen before, and notes it.
func (l *Line) twice(seen map[string]bool) bool {
	if l.Call == "" || l.Event != "" {
		return false
	}
	key := l.key()
	was := seen[key]
	seen[key] = true
	return was
}
