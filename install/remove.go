package install

import (
	"bytes"
	"slices"
)

// remove returns the settings without any entry of ours; empty says that then
// nothing is left of what was made for them.
func remove(text []byte, f form) (after []byte, empty bool, err error) {
	d, err := parse(text)
	if err != nil {
		return nil, false, err
	}
	hooks, ok := d.top.get("hooks")
	if !ok {
		return text, false, nil
	}
	if err := checkHooks(hooks); err != nil {
		return nil, false, err
	}
	var edits []edit
	gone := d.cut(hooks, &edits, d.roomy(hooks), func(event item, edits *[]edit) bool {
		return d.cut(event.value, edits, d.roomy(event.value), func(group item, edits *[]edit) bool {
			return d.cutGroup(group.value, f, edits)
		})
	})
	if !gone {
		return apply(text, edits), false, nil
	}
	edits = nil
	drop := d.ours(f)
	empty = d.cut(d.top, &edits, d.roomy(d.top), func(m item, _ *[]edit) bool { return slices.Contains(drop, m.name) })
	if before, blank := d.outOfBlank(); empty && blank {
		return before, false, nil
	}
	return apply(text, edits), empty, nil
}

// hasOurs says that there is something for remove to take out.
func hasOurs(text []byte, f form) bool {
	after, empty, err := remove(text, f)
	return err == nil && (empty || !bytes.Equal(after, text))
}

// cutGroup says whether an element of an event's array is to go: a hook of ours,
// or a group of such. It is what cut asks for.
func (d document) cutGroup(group node, f form, edits *[]edit) bool {
	ours := func(h node) bool {
		c, ok := h.get(f.command)
		return ok && c.kind == '"' && isOurs(c.text)
	}
	if f.flat {
		return ours(group)
	}
	inner, _ := group.get("hooks")
	return d.cut(inner, edits, true, func(h item, _ *[]edit) bool { return ours(h.value) })
}

// ours are the members that were made along with the hooks: the version, where
// it stands behind them as we write it.
func (d document) ours(f form) []string {
	items := d.top.items
	at := slices.IndexFunc(items, func(m item) bool { return m.name == "hooks" })
	if f.version && at+1 < len(items) && items[at+1].name == "version" && string(d.text[items[at+1].value.start:items[at+1].value.end]) == "1" {
		return []string{"hooks", "version"}
	}
	return []string{"hooks"}
}

// cut adds the edits that take out the items which drop asks for. When none
// would be left and made says that the brackets were made for them, it returns
// true and adds nothing: the whole is to go. What drop itself adds is for an item that stays.
func (d document) cut(in node, edits *[]edit, made bool, drop func(item, *[]edit) bool) (whole bool) {
	var inner []edit
	dropped := make([]bool, len(in.items))
	left := len(in.items)
	for i, m := range in.items {
		if dropped[i] = drop(m, &inner); dropped[i] {
			left--
		}
	}
	if left == 0 && len(in.items) > 0 && made {
		return true
	}
	*edits = append(*edits, inner...)
	for i, gone := range dropped {
		if gone {
			d.take(in, i, dropped, edits)
		}
	}
	return false
}

// take adds the edits that take out one item: it, the blanks before it, and one
// comma, which is the one behind it or, for the last, that behind the item before.
// Comments stay.
func (d document) take(in node, i int, dropped []bool, edits *[]edit) {
	m := in.items[i]
	before := i - 1 // the item before that stays
	for before >= 0 && dropped[before] {
		before--
	}
	from, to := m.start, m.value.end
	if before >= 0 {
		from -= len(d.space(m.start))
	}
	comma := d.comma(in, i)
	switch {
	case comma >= 0 && before < 0 && len(d.space(comma)) == comma-to:
		// The first of several: what follows takes its place.
		to = comma + 1
		if next := to + len(d.text[to:in.end-1]) - len(bytes.TrimLeft(d.text[to:in.end-1], blanks)); i+1 < len(in.items) {
			to = next
		}
	case comma >= 0 && len(d.space(comma)) == comma-to:
		to = comma + 1
	case comma >= 0:
		*edits = append(*edits, edit{comma, comma + 1, ""})
	case before >= 0:
		if c := d.comma(in, before); c >= 0 {
			*edits = append(*edits, edit{c, c + 1, ""})
		}
	}
	*edits = append(*edits, edit{from, to, ""})
}

// roomy says whether brackets were made for what is in them, and hold nothing
// of anybody else's.
func (d document) roomy(in node) bool {
	if len(in.items) == 0 || in.items[0].start <= in.start+1 {
		return false
	}
	at := in.start + 1
	for i, m := range in.items {
		if len(bytes.Trim(d.text[at:m.start], blanks+",")) > 0 {
			return false // a comment
		}
		at = in.items[i].value.end
	}
	return len(bytes.Trim(d.text[at:in.end-1], blanks+",")) == 0
}
