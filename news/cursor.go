package news

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// Schema is the version of a cursor's document.
const Schema = 1

func newCursor() Cursor {
	return Cursor{Items: map[store.ID]Place{}, Boxes: map[string]int{}, Said: map[store.ID]Kind{}, Asked: map[string]bool{}}
}

// Encode writes a cursor as one JSON object.
func (c *Cursor) Encode() []byte {
	var w wire.Writer
	w.Object("").Int("schema", Schema).Array("items")
	for _, id := range slices.Sorted(maps.Keys(c.Items)) {
		p := c.Items[id]
		w.Object("").String("item", string(id)).Int("seq", int64(p.Seq)).Time("time", p.Time).End()
	}
	w.End().Array("boxes")
	for _, name := range slices.Sorted(maps.Keys(c.Boxes)) {
		w.Object("").String("pair", name).Int("seq", int64(c.Boxes[name])).End()
	}
	w.End().Array("said")
	for _, id := range slices.Sorted(maps.Keys(c.Said)) {
		w.Object("").String("dispatch", string(id)).String("kind", string(c.Said[id])).End()
	}
	w.End().Strings("asked", slices.Sorted(maps.Keys(c.Asked))).End()
	return append(w.Bytes(), '\n')
}

// DecodeCursor reads a cursor. What is not exactly one is store.ErrDamaged.
func DecodeCursor(data []byte) (Cursor, error) {
	c := newCursor()
	schema := int64(0)
	r := wire.NewReader(data)
	err := r.Object(func(name string) (err error) {
		switch name {
		case "schema":
			schema, err = r.Int()
			return err
		case "items":
			return r.Array(func() error { return c.readItem(r) })
		case "boxes":
			return r.Array(func() error { return c.readBox(r) })
		case "said":
			return r.Array(func() error { return c.readSaid(r) })
		case "asked":
			return c.readAsked(r)
		}
		return fmt.Errorf("unknown field %q", name)
	})
	if err == nil {
		err = r.End()
	}
	if err == nil && schema != Schema {
		err = fmt.Errorf("schema %d, this program knows %d", schema, Schema)
	}
	if err != nil {
		return Cursor{}, fmt.Errorf("cursor: %w: %w", store.ErrDamaged, err)
	}
	return c, nil
}

func (c *Cursor) readItem(r *wire.Reader) error {
	var id store.ID
	var p Place
	err := r.Object(func(name string) (err error) {
		switch name {
		case "item":
			id, err = readID(r)
		case "seq":
			p.Seq, err = readSeq(r)
		case "time":
			p.Time, err = r.Time()
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	c.Items[id] = p
	return errors.Join(err, named(id))
}

func (c *Cursor) readBox(r *wire.Reader) error {
	pair, seq := "", 0
	err := r.Object(func(name string) (err error) {
		switch name {
		case "pair":
			pair, err = r.String()
		case "seq":
			seq, err = readSeq(r)
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if _, ok := mailbox.ParsePair(pair); err == nil && !ok {
		err = fmt.Errorf("%q is no pair", pair)
	}
	c.Boxes[pair] = seq
	return err
}

func (c *Cursor) readSaid(r *wire.Reader) error {
	var id store.ID
	var kind Kind
	err := r.Object(func(name string) (err error) {
		switch name {
		case "dispatch":
			id, err = readID(r)
		case "kind":
			var s string
			s, err = r.String()
			kind = Kind(s)
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if err == nil && kind != Stale && kind != Orphaned {
		err = fmt.Errorf("unknown kind %q", kind)
	}
	c.Said[id] = kind
	return errors.Join(err, named(id))
}

func (c *Cursor) readAsked(r *wire.Reader) error {
	keys, err := r.Strings()
	for _, key := range keys {
		if !store.ValidKey(key) {
			return fmt.Errorf("%q is no question", key)
		}
		c.Asked[key] = true
	}
	return err
}

func readID(r *wire.Reader) (store.ID, error) {
	s, err := r.String()
	return store.ID(s), err
}

func readSeq(r *wire.Reader) (int, error) {
	n, err := r.Int()
	if err == nil && (n < 0 || n > 1<<20) {
		err = fmt.Errorf("%d is out of bounds", n)
	}
	return int(n), err
}

func named(id store.ID) error {
	if !id.Valid() {
		return fmt.Errorf("%q is no id", id)
	}
	return nil
}
