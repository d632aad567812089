package shell

import (
	"slices"
	"sort"
	"strings"
)

// row is one command of the table: what its words mean.
type row struct {
	name string
	// operands are the kinds of its operands in their order; one that ends with "*"
	// stands for all the rest. Kinds: text, read, write, put, list, search, enter,
	// paths (what is read, with a ":" between several) and cmd (from here on the words are another command). "=name" instead: all is as
	// that command's.
	operands string
	// none is what it does to its folder when it has no operand: "", list or search.
	none string
	// options are the ones that it may have: "-abc" takes no values, "-f:read" a value
	// of that kind, "-i?:text" one that may be left out, "-#" is a number; then after
	// "!" what the option changes. "*" instead: whatever begins with a dash is text.
	options string
}

// The effects of options.
const (
	recurse = 1 << iota // read becomes search
	follow              // a search goes through links
	noFirst             // the first operand, a text, is given by the option
	alter               // read becomes write
	outside             // everything is only looked at from outside
	hidden              // more happens than can be told
	stopped             // other words count than the usual: see the special rule
	single              // the last operand is no folder that is put into (cp -T)
	patch               // git: content is shown
	names               // git: only names and numbers are shown
	whole               // git: whatever the paths say, all of the tree
)

var effectNames = []string{"recurse", "follow", "nofirst", "write", "outside", "opaque", "stop", "single", "patch", "names", "whole"}

// Known says whether some line with a program of that name is understood: whatever has the
// name then runs as it is.
func Known(name string) bool {
	if _, ok := lookup(name); ok {
		return true
	}
	c := command{name: name}
	return isOurs(name) || inList(ruled, name) || inList(scripted, name) || inList(compilers, name) || c.interpreter() >= 0 ||
		slices.ContainsFunc(agentPrograms, func(a struct{ name, prompt string }) bool { return a.name == name })
}

// ruled are programs that rules of their own follow.
const ruled = "git find gfind test [ tar dd"

// lookup finds a command's row.
func lookup(name string) (*row, bool) {
	i := sort.Search(len(table), func(i int) bool { return table[i].name >= name })
	if i == len(table) || table[i].name != name {
		return nil, false
	}
	if same, ok := strings.CutPrefix(table[i].operands, "="); ok {
		return lookup(same)
	}
	return &table[i], true
}

// option is one option of a row.
type option struct {
	name     string
	kind     string // of its value; "" when it takes none
	optional bool   // the value is only taken when it is part of the word
	effect   uint
}

// next cuts the first token off a list of words with single spaces between them.
func next(list string) (token, rest string) {
	if list != "" && list[0] == ' ' {
		list = list[1:]
	}
	if i := strings.IndexByte(list, ' '); i >= 0 {
		return list[:i], list[i:]
	}
	return list, ""
}

// inList says whether a word is in such a list.
func inList(list, word string) bool {
	for tok, rest := next(list); tok != ""; tok, rest = next(rest) {
		if tok == word {
			return true
		}
	}
	return false
}

func parseOption(token string) option {
	var o option
	token, effects, _ := strings.Cut(token, "!")
	for effects != "" {
		var one string
		one, effects, _ = strings.Cut(effects, ",")
		for i, n := range effectNames {
			if n == one {
				o.effect |= 1 << i
			}
		}
	}
	o.name, o.kind, _ = strings.Cut(token, ":")
	if n, ok := strings.CutSuffix(o.name, "?"); ok {
		o.name, o.optional = n, true
	}
	return o
}

// short finds the option of one letter.
func (r *row) short(letter byte) (option, bool) {
	for tok, rest := next(r.options); tok != ""; tok, rest = next(rest) {
		if len(tok) < 2 || tok[0] != '-' || tok[1] == '-' {
			continue
		}
		if len(tok) > 2 && (tok[2] == ':' || tok[2] == '?' || tok[2] == '!') {
			if tok[1] == letter {
				return parseOption(tok), true
			}
			continue
		}
		if i := strings.IndexByte(tok[1:], letter); i >= 0 && !strings.ContainsAny(tok, ":?!") {
			return option{name: tok[:1] + tok[i+1:i+2]}, true
		}
	}
	return option{}, false
}

// long finds a long option, which may be cut short.
func (r *row) long(name string) (found option, ok bool) {
	several := false
	for tok, rest := next(r.options); tok != ""; tok, rest = next(rest) {
		if !strings.HasPrefix(tok, name) || tok[0] != '-' {
			continue
		}
		o := parseOption(tok)
		switch {
		case o.name == name:
			return o, true
		case !strings.HasPrefix(tok, "--"):
		case !ok:
			found, ok = o, true
		case found.kind != o.kind || found.effect != o.effect:
			several = true
		}
	}
	return found, ok && !several && len(name) > 3
}

// parsed are the words of a command, told apart.
type parsed struct {
	operands []field
	ended    int // how many operands stand before "--"; -1 without one
	values   []optionValue
	effects  uint
	rest     []field // the words of another command
	// texts are the values without a meaning as a path that are words of their own.
	texts []field
}

type optionValue struct {
	option option
	field  field
}

func (p *parsed) has(effect uint) bool { return p.effects&effect != 0 }

// value returns the value of an option, the last one's when there are several.
func (p *parsed) value(names ...string) (*field, bool) {
	for i := len(p.values) - 1; i >= 0; i-- {
		for _, n := range names {
			if p.values[i].option.name == n {
				return &p.values[i].field, true
			}
		}
	}
	return nil, false
}

// parse tells options from operands as GNU's programs do.
func (c *command) parse(r *row) *parsed {
	p := &parsed{ended: -1}
	stop := cmdAt(r.operands)
	anything := r.options == "*"
	for i := 0; i < len(c.args); i++ {
		f := c.args[i]
		if stop >= 0 && len(p.operands) == stop && (p.ended >= 0 || !f.dash()) {
			p.rest = c.args[i:]
			return p
		}
		if f.loose && !anything {
			c.e.opaque(f.pos, "a word that is computed")
		}
		switch {
		case p.ended >= 0 || anything:
			p.operands = append(p.operands, f)
		case f.text == "--" && !f.unknown && !f.glob:
			p.ended = len(p.operands)
		case f.dash() && f.text != "-":
			i += c.takeOption(r, p, f, c.args[i+1:])
		default:
			if f.unknown && !f.number && f.text == "" {
				c.e.opaque(f.pos, "a word that is computed")
			}
			p.operands = append(p.operands, f)
		}
	}
	c.maybeOperands(r, p)
	return p
}

// maybeOperands reports the values that are operands where a program of that name has
// the option without a value, or takes no options behind operands.
func (c *command) maybeOperands(r *row, p *parsed) {
	if r.operands == "text*" && !inList("cp mv ln install", c.name) || cmdAt(r.operands) >= 0 || c.name == "git" {
		return
	}
	for i := range p.texts {
		if f := &p.texts[i]; f.plain() && (strings.Contains(f.text, "/") || c.isThere(f)) {
			c.report(f, Read, Fact{Guess: true})
		}
	}
}

func cmdAt(operands string) int {
	n := 0
	for tok, rest := next(operands); tok != ""; tok, rest = next(rest) {
		if tok == "cmd" {
			return n
		}
		n++
	}
	return -1
}

// takeOption reads one word of options, and returns how many more words it took.
func (c *command) takeOption(r *row, p *parsed, f field, more []field) int {
	name, v, glued := strings.Cut(f.text, "=")
	if strings.HasPrefix(f.text, "--") || len(name) > 2 && r.exact(name) {
		o, ok := r.long(name)
		if !ok {
			c.strange(name)
			if glued {
				c.guessWord(&f)
			}
			return 0
		}
		if !glued && f.unknown {
			c.e.opaque(f.pos, "an option that is computed")
		}
		return c.optionValue(p, o, f, v, glued, more)
	}
	for i := 1; i < len(f.text); i++ {
		if f.text[i] >= '0' && f.text[i] <= '9' && strings.Contains(r.options, "-#") {
			continue
		}
		o, ok := r.short(f.text[i])
		if !ok {
			c.strange("-" + string(f.text[i]))
			c.guessWord(&f)
			return 0
		}
		if o.kind != "" {
			rest := f.text[i+1:]
			return c.optionValue(p, o, f, rest, rest != "" || f.unknown, more)
		}
		p.effects |= o.effect
		p.values = append(p.values, optionValue{option: o})
	}
	if f.unknown && !(f.number && strings.Contains(r.options, "-#")) {
		c.e.opaque(f.pos, "an option that is computed")
	}
	return 0
}

// exact says whether a word with one dash is an option of more than one letter.
func (r *row) exact(name string) bool {
	for tok, rest := next(r.options); tok != ""; tok, rest = next(rest) {
		if strings.HasPrefix(tok, name) && len(tok) > len(name) && strings.IndexByte(":?!", tok[len(name)]) >= 0 {
			return true
		}
	}
	return false
}

// strange makes a command opaque for an option that its row does not have.
func (c *command) strange(name string) {
	c.e.opaqueBy(c.pos, "it has an option that is not known: "+name, c.index)
}

// optionValue takes the value of an option, from its own word or the next.
func (c *command) optionValue(p *parsed, o option, f field, v string, glued bool, more []field) int {
	p.effects |= o.effect
	kind, second, pair := strings.Cut(o.kind, "+")
	o.kind = kind
	switch {
	case kind == "":
		p.values = append(p.values, optionValue{option: o})
		return 0
	case glued:
		f = f.tail(v)
		if rest, ok := strings.CutPrefix(v, "="); ok && len(o.name) == 2 && kind != "text" {
			p.values = append(p.values, optionValue{o, f.tail(rest)}) // some programs take the "=" away
		}
	case o.optional:
		p.values = append(p.values, optionValue{option: o})
		return 0
	case len(more) == 0:
		return 0
	case pair && len(more) > 1:
		o2 := o
		o2.kind = second
		p.values = append(p.values, optionValue{o, more[0]}, optionValue{o2, more[1]})
		return 2
	default:
		if f = more[0]; f.loose {
			c.e.opaque(f.pos, "a word that is computed")
		}
		c.severalValues(&f, List)
		p.values = append(p.values, optionValue{o, f})
		if kind == "text" && o.effect&noFirst == 0 {
			p.texts = append(p.texts, f)
		}
		return 1
	}
	p.values = append(p.values, optionValue{o, f})
	return 0
}

// severalValues reports a pattern that stands for an option's value, of which a further
// match is an operand, another option, or the command that is run.
func (c *command) severalValues(f *field, op Op) {
	if !f.glob || f.number {
		return
	}
	c.report(f, op, Fact{Options: leads(f.pat), Follows: op == Search})
	if r, ok := lookup(c.name); ok && cmdAt(r.operands) >= 0 {
		c.e.opaque(f.pos, "a pattern for the value of an option")
	}
}

// tail returns the field for the end of a word. A pattern matches the word as a whole:
// what is behind an option is the rest of a name, which may lead anywhere.
func (f field) tail(text string) field {
	out := f
	if f.number {
		// The pattern of an option's name has no wildcards: it is as long as its text.
		if i := strings.LastIndex(f.pat, f.text[:len(f.text)-len(text)]); i == 0 {
			out.pat = f.pat[len(f.text)-len(text):]
		}
	}
	out.text, out.below = text, nil
	if f.below != nil || f.glob {
		out.unknown, out.number, out.glob = true, false, false
	}
	return out
}

// kindOf returns the kind of the n-th operand.
func kindOf(operands string, n int) string {
	tok, rest := next(operands)
	for ; tok != ""; tok, rest = next(rest) {
		if k, all := strings.CutSuffix(tok, "*"); all {
			return k
		}
		if n == 0 {
			return tok
		}
		n--
	}
	return "text"
}

// plain follows a command that is all said by its row.
func (c *command) plain(r *row, p *parsed) {
	c.optionFacts(p)
	c.operandFacts(r, p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
}

// optionFacts reports the values of options.
func (c *command) optionFacts(p *parsed) {
	for i := range p.values {
		if v := &p.values[i]; v.option.kind != "" {
			c.kind(v.option.kind, &v.field, p.effects&follow, false)
		}
	}
}

func (c *command) operandFacts(r *row, p *parsed) {
	operands := r.operands
	if p.has(noFirst) {
		_, operands = next(operands)
	}
	files := 0
	for i := range p.operands {
		f := &p.operands[i]
		k := kindOf(operands, i)
		c.kind(k, f, p.effects, p.ended < 0 || i < p.ended)
		if k != "text" {
			files++
		}
		if f.glob && !f.number {
			// It may be several words, which take the places of the ones after it.
			if after := kindOf(operands, i+1); after != k {
				c.kind(after, f, p.effects, p.ended < 0 || i < p.ended)
				files++
			}
		}
	}
	if files > 0 {
		return
	}
	switch {
	case p.has(outside) && r.none != "":
		c.implied(Enter, ".", Fact{})
	case r.none == "list" && !p.has(recurse):
		c.implied(List, ".", Fact{})
	case r.none == "search" && !(c.fedSearch() && r.operands == "text search*"), p.has(recurse) && r.none != "search":
		c.implied(Search, ".", Fact{Follows: p.has(follow)})
	}
}

// fedSearch says whether a search without a folder goes through what is fed to it:
// not fd's, and not where that may be a device.
func (c *command) fedSearch() bool {
	return c.in.given && !c.in.file && c.name != "fd" && c.name != "fdfind"
}

// kind reports a word of a kind, as the effects of options change it. free says
// that a match of a pattern may be taken as an option.
func (c *command) kind(kind string, f *field, effects uint, free bool) {
	op := Op(0)
	switch kind {
	case "text":
		if f.glob && !f.number {
			c.report(f, List, Fact{Options: free && leads(f.pat)})
		}
		return
	case "opaque":
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
		c.guessWord(f)
		return
	case "read":
		op = Read
	case "paths":
		if strings.Contains(f.text, ":") {
			c.e.opaqueBy(c.pos, "a list of files", c.index)
		}
		op = Read
	case "write":
		op = Write
	case "put":
		op = Place
	case "list":
		op = List
	case "search":
		op = Search
	case "enter":
		op = Enter
	}
	switch {
	case effects&outside != 0:
		op = Enter
	case effects&alter != 0 && (op == Read || op == Search):
		op = Write
	case effects&recurse != 0 && (op == Read || op == List):
		op = Search
	}
	if f.text == "-" && !f.glob && !f.unknown && (op == Read || op == Place) {
		return // its own streams
	}
	c.report(f, op, Fact{Options: free && leads(f.pat) && f.glob, Follows: op == Search && effects&follow != 0})
	if op == Write && effects&follow != 0 {
		c.report(f, Search, Fact{Follows: true}) // what the links below it lead to is changed too
	}
}

// leads says whether a pattern may match a name that begins with a dash.
func leads(pat string) bool {
	return pat != "" && strings.IndexByte("*?[-", pat[0]) >= 0
}
