package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declare follows export, local, declare and the like.
func (e *eval) declare(s state, d *syntax.DeclClause) state {
	if d.Variant.Value == "nameref" {
		e.opaque(offset(d), "a variable that stands for another")
	}
	var list []*syntax.Assign
	var named []string
	local, fixes := d.Variant.Value == "local", d.Variant.Value == "readonly"
	exports := d.Variant.Value == "export"
	for _, a := range d.Args {
		if a.Name != nil {
			named = append(named, a.Name.Value)
		}
		switch {
		case a.Naked && a.Name != nil:
			if exports {
				e.export(a.Name.Value, e.variable(s, a.Name.Value))
			}
		case a.Naked:
			for _, v := range e.word(s, a.Value) {
				before := s
				s = e.declared(s, v, offset(a))
				fixes = fixes || strings.HasPrefix(v.text, "-") && strings.Contains(v.text, "r")
				if name, _, ok := strings.Cut(v.text, "="); ok && local && before.vars != s.vars {
					s = s.set(strings.TrimSuffix(name, "+"), value{unknown: true})
				}
				named = append(named, v.text)
				if strings.HasPrefix(v.text, "-") && strings.Contains(v.text, "x") {
					exports = true
				}
				if name, _, _ := strings.Cut(v.text, "="); exports && !strings.HasPrefix(v.text, "-") {
					e.export(strings.TrimSuffix(name, "+"), value{unknown: true})
				}
			}
		default:
			if list = append(list, a); a.Value != nil && hasBrace(a.Value) {
				e.opaque(offset(a), "braces that stand for several variables") // it is a word as any other
			}
		}
	}
	if slices.Contains(named, "PATH") && slices.ContainsFunc(named, func(n string) bool { return strings.HasPrefix(n, "+") }) {
		e.opaque(offset(d), noPath)
	}
	if refuses(d, named) && (len(list) > 0 || slices.ContainsFunc(named, func(n string) bool { return strings.Contains(n, "=") })) {
		e.opaque(offset(d), "a variable that may stay as it is")
	}
	set, values := e.assignments(s, list)
	for i, a := range list {
		if exports && a.Name != nil && i < len(values) {
			e.export(a.Name.Value, values[i])
		}
	}
	for _, a := range list {
		if local { // outside of a function it fails
			set = set.set(a.Name.Value, value{unknown: true})
		}
	}
	for _, name := range named {
		if name, _, _ = strings.Cut(name, "="); fixes {
			name = strings.TrimSuffix(name, "+")
			if e.fixed = union(e.fixed, []string{name}); inList(keptByShell, name) {
				e.opaque(offset(d), "a variable that may stay as it is")
			}
		}
	}
	return set
}

// declared follows a word of declare that does not look like an assignment: an
// option, or a name with its value within quotes.
func (e *eval) declared(s state, v value, pos int) state {
	if v.unknown || v.glob || v.below != nil || strings.HasPrefix(v.text, "-") && strings.ContainsAny(v.text, "naAiulc") {
		e.opaque(pos, "a variable that is more than a text")
		return s
	}
	name, text, ok := strings.Cut(v.text, "=")
	if strings.Contains(name, "[") {
		e.opaque(pos, "an array")
		return s
	}
	if !ok {
		return s
	}
	name, added := strings.CutSuffix(name, "+")
	v = value{text: text, unknown: added}
	if actsOn(name) && !harmlessValue(name, v) {
		e.opaque(pos, "it sets a variable that programs act on")
	}
	if v.unknown || slices.Contains(e.fixed, name) {
		v = value{unknown: true}
	}
	return s.set(name, v)
}
