package wire

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Writer builds one JSON object by appending. The zero value is ready.
type Writer struct {
	buf  []byte
	open []byte // per nesting level: its closing character
	next bool   // a comma is due
}

func (w *Writer) key(name string) {
	if w.next {
		w.buf = append(w.buf, ',')
	}
	w.next = true
	if name != "" {
		w.buf = Quote(w.buf, name)
		w.buf = append(w.buf, ':')
	}
}

func (w *Writer) begin(name string, open, end byte) *Writer {
	w.key(name)
	w.buf = append(w.buf, open)
	w.open = append(w.open, end)
	w.next = false
	return w
}

// Object opens an object under name; name is "" at the top and in arrays.
func (w *Writer) Object(name string) *Writer { return w.begin(name, '{', '}') }

// Array opens an array under name.
func (w *Writer) Array(name string) *Writer { return w.begin(name, '[', ']') }

// End closes the object or array opened last.
func (w *Writer) End() *Writer {
	w.buf = append(w.buf, w.open[len(w.open)-1])
	w.open = w.open[:len(w.open)-1]
	w.next = true
	return w
}

// String writes a member; invalid UTF-8 becomes the replacement character.
func (w *Writer) String(name, v string) *Writer {
	w.key(name)
	w.buf = Quote(w.buf, v)
	return w
}

// Strings writes a member that is an array of strings.
func (w *Writer) Strings(name string, v []string) *Writer {
	w.Array(name)
	for _, s := range v {
		w.String("", s)
	}
	return w.End()
}

// Int writes a member that is a whole number.
func (w *Writer) Int(name string, v int64) *Writer {
	w.key(name)
	w.buf = strconv.AppendInt(w.buf, v, 10)
	return w
}

// Bool writes a member that is a boolean.
func (w *Writer) Bool(name string, v bool) *Writer {
	w.key(name)
	w.buf = strconv.AppendBool(w.buf, v)
	return w
}

// Time writes a member that is an RFC 3339 time in UTC, "" for the zero time.
func (w *Writer) Time(name string, v time.Time) *Writer {
	if v.IsZero() {
		return w.String(name, "")
	}
	return w.String(name, v.UTC().Format(time.RFC3339Nano))
}

// Raw writes a member whose value is JSON already.
func (w *Writer) Raw(name string, v []byte) *Writer {
	w.key(name)
	w.buf = append(w.buf, v...)
	return w
}

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.buf }

// Quote appends s as a JSON string.
func Quote(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		// Only invalid UTF-8 is an error, and the result then holds the
		// replacement character in its place.
		return out
	}
	return out
}
