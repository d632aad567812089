package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word expands one word: braces, then all the rest.
func (e *eval) word(s state, w *syntax.Word) []value {
	if !hasBrace(w) {
		return e.unbraced(s, w)
	}
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if !syntax.SplitBraces(split) {
		return e.unbraced(s, w)
	}
	words, ok := braced(split, 0)
	if !ok {
		e.opaque(offset(w), "braces that stand for too many words")
		return []value{{unknown: true}}
	}
	var out []value
	for _, one := range words {
		if one, ok = rejoined(one); !ok {
			e.opaque(offset(w), "braces beside a variable")
		}
		out = append(out, e.unbraced(s, one)...)
	}
	return out
}

// rejoined makes one literal of those that braces have put side by side: the shell
// reads the text anew, so that {~,x}/y begins with "~/". It returns false where more
// than a literal comes to be: $x{a,b} are the variables xa and xb.
func rejoined(w *syntax.Word) (out *syntax.Word, ok bool) {
	out, ok = &syntax.Word{}, true
	for _, p := range w.Parts {
		n := len(out.Parts)
		if n == 0 {
			out.Parts = append(out.Parts, p)
			continue
		}
		l, isLit := p.(*syntax.Lit)
		switch before := out.Parts[n-1].(type) {
		case *syntax.Lit:
			if strings.HasSuffix(before.Value, "$") {
				ok = false
			}
			if isLit {
				out.Parts[n-1] = &syntax.Lit{ValuePos: before.ValuePos, ValueEnd: l.ValueEnd, Value: before.Value + l.Value}
				continue
			}
		case *syntax.ParamExp:
			if before.Short && isLit && l.Value != "" && isNameByte(l.Value[0]) {
				ok = false
			}
		}
		out.Parts = append(out.Parts, p)
	}
	return out, ok
}

func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			return true
		}
	}
	return false
}

// braced returns the words that a word with split braces stands for; ok is false
// when they are too many.
func braced(w *syntax.Word, depth int) (out []*syntax.Word, ok bool) {
	if depth > maxNested {
		return nil, false
	}
	out = []*syntax.Word{{}}
	for _, p := range w.Parts {
		b, isBrace := p.(*syntax.BraceExp)
		if !isBrace {
			for _, o := range out {
				o.Parts = append(o.Parts, p)
			}
			continue
		}
		alts, ok := alternatives(b, depth)
		if !ok || len(alts)*len(out) > maxFields {
			return nil, false
		}
		var next []*syntax.Word
		for _, o := range out {
			for _, a := range alts {
				parts := append([]syntax.WordPart(nil), o.Parts...)
				next = append(next, &syntax.Word{Parts: append(parts, a.Parts...)})
			}
		}
		out = next
	}
	return out, true
}

func alternatives(b *syntax.BraceExp, depth int) (out []*syntax.Word, ok bool) {
	if b.Sequence {
		return sequence(b)
	}
	for _, el := range b.Elems {
		words, ok := braced(el, depth+1)
		if !ok || len(out)+len(words) > maxFields {
			return nil, false
		}
		out = append(out, words...)
	}
	return out, true
}

// sequence returns the words of {a..z}, {1..9} and {01..09..2}.
func sequence(b *syntax.BraceExp) ([]*syntax.Word, bool) {
	lits := make([]string, len(b.Elems))
	for i, el := range b.Elems {
		lits[i] = el.Lit()
	}
	from, errFrom := strconv.Atoi(lits[0])
	to, errTo := strconv.Atoi(lits[1])
	letters := errFrom != nil || errTo != nil
	width := 0
	if letters {
		if len(lits[0]) != 1 || len(lits[1]) != 1 {
			return nil, false
		}
		from, to = int(lits[0][0]), int(lits[1][0])
	} else if padded(lits[0]) || padded(lits[1]) {
		width = max(len(lits[0]), len(lits[1]))
	}
	step := 1
	if len(lits) > 2 {
		if n, err := strconv.Atoi(lits[2]); err == nil && n != 0 {
			step = max(n, -n)
		}
	}
	if step < 0 || max(to-from, from-to)/step >= maxFields || max(to-from, from-to) < 0 {
		return nil, false
	}
	var out []*syntax.Word
	add := func(n int) {
		t := string(rune(n))
		if !letters {
			if t = strconv.Itoa(n); width > 0 {
				sign := ""
				if n < 0 {
					sign, t = "-", t[1:]
				}
				t = sign + strings.Repeat("0", max(0, width-len(t)-len(sign))) + t
			}
		}
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: t}}})
	}
	if from <= to {
		for n := from; n <= to; n += step {
			add(n)
		}
	} else {
		for n := from; n >= to; n -= step {
			add(n)
		}
	}
	return out, true
}

func padded(n string) bool {
	n = strings.TrimPrefix(n, "-")
	return len(n) > 1 && n[0] == '0'
}
