package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// maxSettings is the size in bytes above which settings are not read, maxNesting
// how deep they may be nested.
const (
	maxSettings = 4 << 20
	maxNesting  = 200
)

// blanks are what may stand between JSON's tokens.
const blanks = " \t\r\n"

// node is a JSON value with its place in the text.
type node struct {
	kind       jsontext.Kind
	start, end int    // of the value
	text       string // of a string
	items      []item // of an object or an array
}

// item is an element of an array or a member of an object.
type item struct {
	name  string // "" in an array
	start int    // where the name begins, or the element
	value node
}

// document is a settings file.
type document struct {
	text  []byte // as it is
	plain []byte // with blanks for what is no JSON
	top   node
}

// get returns the member of a name.
func (n node) get(name string) (node, bool) {
	if n.kind == '{' {
		for _, m := range n.items {
			if m.name == name {
				return m.value, true
			}
		}
	}
	return node{}, false
}

// parse reads settings: one JSON object, in which comments and trailing commas
// may stand. A file without any value has no top.
func parse(text []byte) (document, error) {
	d := document{text: text}
	var err error
	if d.plain, err = plain(text); err != nil {
		return d, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	if len(bytes.Trim(d.plain, blanks)) == 0 {
		return d, nil
	}
	r := reader{text: d.plain, dec: jsontext.NewDecoder(bytes.NewBuffer(d.plain))}
	d.top, err = r.value(0)
	if err == nil {
		if _, end := r.dec.ReadToken(); !errors.Is(end, io.EOF) {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		return d, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	if d.top.kind != '{' {
		return d, fmt.Errorf("%w: not an object", ErrSettings)
	}
	return d, nil
}

// blank says that a file holds no value.
func (d document) blank() bool { return d.top.kind == 0 }

// reader builds nodes.
type reader struct {
	text []byte
	dec  *jsontext.Decoder
}

// next is where the next token begins.
func (r *reader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return at
}

func (r *reader) value(depth int) (node, error) {
	if depth > maxNesting {
		return node{}, fmt.Errorf("nested more than %d deep", maxNesting)
	}
	n := node{start: r.next()}
	t, err := r.dec.ReadToken()
	if err != nil {
		return n, err
	}
	switch n.kind = t.Kind(); n.kind {
	case '"':
		n.text = t.String()
	case '{', '[':
		if err := r.items(&n, depth); err != nil {
			return n, err
		}
	}
	n.end = int(r.dec.InputOffset())
	return n, nil
}

// items reads what an object or an array holds, and its end.
func (r *reader) items(n *node, depth int) error {
	for k := r.dec.PeekKind(); k != '}' && k != ']'; k = r.dec.PeekKind() {
		m := item{start: r.next()}
		if n.kind == '{' {
			t, err := r.dec.ReadToken()
			if err != nil {
				return err
			}
			m.name = t.String()
		}
		var err error
		if m.value, err = r.value(depth + 1); err != nil {
			return err
		}
		n.items = append(n.items, m)
	}
	_, err := r.dec.ReadToken()
	return err
}
