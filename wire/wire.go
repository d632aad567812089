// Package wire reads and writes small JSON documents token by token.
//
// The hook's process lives for about a millisecond and reads two records and
// one payload; reflection would cost it more than the decision does. Reading
// is strict: one document, valid UTF-8, no name twice (also not in another
// case), no value of another kind than asked for.
package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep a document may be nested.
const MaxDepth = 1000

// ErrSyntax is the error of a document that is not one strict JSON value.
var ErrSyntax = errors.New("malformed JSON")

// Reader reads one JSON document.
type Reader struct {
	data []byte
	dec  *jsontext.Decoder
	// names are those of the objects that are being read, the outermost first.
	names []string
}

// NewReader returns a Reader over data, which it does not copy: the caller
// keeps data unchanged while reading.
func NewReader(data []byte) *Reader {
	// Object looks for names that are there twice itself, more strictly.
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	return &Reader{data: data, dec: dec, names: make([]string, 0, 2*few)}
}

func syntax(err error) error {
	if err == nil || errors.Is(err, ErrSyntax) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrSyntax, err)
}

func wrong(want string, got jsontext.Kind) error {
	return fmt.Errorf("%w: expected %s, found %s", ErrSyntax, want, got)
}

// Kind says what the next value is: 'n', 'f', 't', '"', '0', '{' or '['.
func (r *Reader) Kind() jsontext.Kind { return r.dec.PeekKind() }

// Object reads an object and calls member once for each name; member must read
// or skip the value. Names that differ only in case are an error, since
// programs disagree about which one counts.
func (r *Reader) Object(member func(name string) error) error {
	if r.dec.StackDepth() >= MaxDepth {
		return fmt.Errorf("%w: nested more than %d deep", ErrSyntax, MaxDepth)
	}
	t, err := r.dec.ReadToken()
	if err != nil {
		return syntax(err)
	}
	if t.Kind() != '{' {
		return wrong("an object", t.Kind())
	}
	seen := names{r: r, from: len(r.names)}
	defer seen.drop()
	for r.dec.PeekKind() != '}' {
		t, err := r.dec.ReadToken()
		if err != nil {
			return syntax(err)
		}
		name := t.String()
		if !seen.add(name) {
			return fmt.Errorf("%w: a name is there twice but for its case", ErrSyntax)
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err = r.dec.ReadToken()
	return syntax(err)
}

// Array reads an array and calls element once for each of its values.
func (r *Reader) Array(element func() error) error {
	if r.dec.StackDepth() >= MaxDepth {
		return fmt.Errorf("%w: nested more than %d deep", ErrSyntax, MaxDepth)
	}
	t, err := r.dec.ReadToken()
	if err != nil {
		return syntax(err)
	}
	if t.Kind() != '[' {
		return wrong("an array", t.Kind())
	}
	for r.dec.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err = r.dec.ReadToken()
	return syntax(err)
}

// String reads a string.
func (r *Reader) String() (string, error) {
	t, err := r.dec.ReadToken()
	if err != nil {
		return "", syntax(err)
	}
	if t.Kind() != '"' {
		return "", wrong("a string", t.Kind())
	}
	return t.String(), nil
}

// Strings reads an array of strings.
func (r *Reader) Strings() ([]string, error) {
	var out []string
	err := r.Array(func() error {
		s, err := r.String()
		out = append(out, s)
		return err
	})
	return out, err
}

// Bool reads a boolean.
func (r *Reader) Bool() (bool, error) {
	t, err := r.dec.ReadToken()
	if err != nil {
		return false, syntax(err)
	}
	switch t.Kind() {
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return false, wrong("a boolean", t.Kind())
}

// Int reads a whole number.
func (r *Reader) Int() (int64, error) {
	t, err := r.dec.ReadToken()
	if err != nil {
		return 0, syntax(err)
	}
	if t.Kind() != '0' {
		return 0, wrong("a number", t.Kind())
	}
	n, err := strconv.ParseInt(t.String(), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: expected a whole number", ErrSyntax)
	}
	return n, nil
}

// Time reads an RFC 3339 time; an empty string is the zero time.
func (r *Reader) Time() (time.Time, error) {
	s, err := r.String()
	if err != nil || s == "" {
		return time.Time{}, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: expected an RFC 3339 time", ErrSyntax)
	}
	return t, nil
}

// Skip reads past the next value, holding it to the same rules as any other.
func (r *Reader) Skip() error {
	switch r.dec.PeekKind() {
	case '{':
		return r.Object(func(string) error { return r.Skip() })
	case '[':
		return r.Array(r.Skip)
	}
	_, err := r.dec.ReadToken()
	return syntax(err)
}

// Raw reads the next value as it stands in the document, held to the same
// rules as any other.
func (r *Reader) Raw() ([]byte, error) {
	r.dec.PeekKind() // what precedes the value is not of it
	start := r.dec.InputOffset()
	if err := r.Skip(); err != nil {
		return nil, err
	}
	return bytes.TrimLeft(r.data[start:r.dec.InputOffset()], " \t\r\n:,"), nil
}

// End fails when anything but white space follows.
func (r *Reader) End() error {
	t, err := r.dec.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return syntax(err)
	}
	return fmt.Errorf("%w: %s after the end", ErrSyntax, t.Kind())
}

// few is how many members an object has at the most whose names are looked for
// one by one. Our own records have fewer.
const few = 32

// names finds a name that is there twice when case is folded. It keeps the
// names of one object in its Reader, so that an object costs no memory of its own.
type names struct {
	r    *Reader
	from int
	many map[string]bool
}

func (s *names) add(name string) bool {
	if s.many != nil {
		f := fold(name)
		if s.many[f] {
			return false
		}
		s.many[f] = true
		return true
	}
	for _, x := range s.r.names[s.from:] {
		if strings.EqualFold(x, name) {
			return false
		}
	}
	if len(s.r.names)-s.from < few {
		s.r.names = append(s.r.names, name)
		return true
	}
	s.many = make(map[string]bool, 2*few)
	for _, x := range s.r.names[s.from:] {
		s.many[fold(x)] = true
	}
	return s.add(name)
}

// drop forgets the names of the object.
func (s *names) drop() { s.r.names = s.r.names[:s.from] }

// fold maps names that strings.EqualFold takes as equal to one text: lower
// case alone would keep the Kelvin sign and 'k' apart.
func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }
