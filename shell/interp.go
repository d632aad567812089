package shell

import (
	"slices"
	"strings"
)

// interpreter returns the index of the command in interpreters, or -1.
func (c *command) interpreter() int {
	// python3.12 is called as python3 is.
	name := c.name
	if head, _, ok := strings.Cut(name, "."); ok && strings.HasPrefix(name, "python") {
		name = head
	}
	return slices.IndexFunc(interpreters, func(x struct{ name, code string }) bool { return x.name == name })
}

// interprets reports the run of an interpreter: opaque, with what its code names.
func (c *command) interprets() bool {
	i := c.interpreter()
	if i < 0 {
		return false
	}
	if len(c.args) == 1 && slices.Contains([]string{"--version", "-V", "-v", "--help", "-h"}, c.args[0].text) {
		return true
	}
	c.e.opaqueBy(c.pos, "it runs code in another language", c.index)
	options := strings.Fields(interpreters[i].code)
	for k := range c.args {
		f := &c.args[k]
		if k > 0 && takesCode(c.args[k-1].text, options) {
			c.guessCode(f.text, f.pos)
			continue
		}
		for _, o := range options {
			if code, ok := strings.CutPrefix(f.text, o); ok && len(o) == 2 && code != "" {
				c.guessCode(code, f.pos) // -c'…' in one word
			}
		}
		c.guessWord(f)
	}
	if c.in.text != nil {
		c.guessCode(c.in.text.text, c.pos)
	}
	for _, v := range c.values {
		c.guessWord(&field{value: v, written: v.text, pos: c.pos})
	}
	c.control(c.e.out.Commands[c.index][1:])
	return true
}

// takesCode says whether a word is an option that holds code, alone or at the end
// of a cluster (perl -ne).
func takesCode(word string, options []string) bool {
	if slices.Contains(options, word) {
		return true
	}
	return len(word) > 2 && word[0] == '-' && word[1] != '-' && slices.Contains(options, "-"+word[len(word)-1:])
}

// maxGuesses bounds how many paths are looked for in one piece of code.
const maxGuesses = 256

// guessCode reports what in code may be paths: the literals, and the words that
// have a slash.
func (c *command) guessCode(code string, pos int) {
	var seen []string
	add := func(t string) {
		if t == "" || t == "." || t == ".." || t == "/" || len(t) > 1024 || len(seen) >= maxGuesses ||
			strings.ContainsAny(t, "\n\t") || slices.Contains(seen, t) {
			return
		}
		seen = append(seen, t)
		c.e.fact(Fact{Op: Read, Path: t, Cwds: c.s.at, Guess: true, Written: t})
	}
	for _, t := range literals(code) {
		add(t)
	}
	for _, t := range strings.FieldsFunc(code, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`()[]{}<>,;|&=", r) }) {
		if strings.Contains(t, "/") {
			add(t)
		}
	}
}

// literals returns what stands in quotes of any kind.
func literals(code string) []string {
	var out []string
	for i := 0; i < len(code); i++ {
		q := code[i]
		if q != '\'' && q != '"' && q != '`' {
			continue
		}
		end := i + 1
		for end < len(code) && code[end] != q {
			if code[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(code) {
			continue
		}
		if t := code[i+1 : end]; !strings.Contains(t, " ") || strings.Contains(t, "/") {
			out = append(out, t)
		}
		i = end
	}
	return out
}

// programs returns the texts of a program: the values of an option, or the first operand.
func (p *parsed) programs(options ...string) []field {
	var out []field
	for _, v := range p.values {
		if slices.Contains(options, v.option.name) {
			out = append(out, v.field)
		}
	}
	if !p.has(noFirst) && len(p.operands) > 0 {
		out = append(out, p.operands[0])
	}
	return out
}

// scripted reports the operands of a command whose first one is a program.
func (c *command) scripted(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "a program in a file", c.index)
	}
	c.operandFacts(&row{operands: "text read*"}, p)
}

// loaders are the words with which programs of jq and yq read other files.
const loaders = "import include load load_str load_xml load_props load_base64 strload eval"

// jq follows jq: its program may only read modules.
func (c *command) jq(r *row, p *parsed) {
	if p.has(stopped) {
		// The words after --args are texts, but for the program.
		c.optionFacts(p)
		c.operandFacts(r, c.beforeArgs(r, p))
	} else {
		c.plain(r, p)
	}
	programs := p.programs()
	if c.name == "yq" {
		programs = append(programs, p.operands...) // the first one may be a verb
		if len(p.operands) > 0 {
			c.fileOrProgram(p)
		}
	}
	for _, f := range programs {
		if loads(f.text) && !(c.name == "yq" && inList("eval eval-all", f.text)) {
			c.e.opaqueBy(f.pos, "a program that reads others", c.index)
			c.guessCode(f.text, f.pos)
		}
		if f.unknown {
			c.e.opaqueBy(f.pos, "a program that is computed", c.index)
		}
	}
}

// loads says whether a program has a word with which it may read others. Behind a dot
// it is the name of a field.
func loads(program string) bool {
	for i := 0; i < len(program); i++ {
		from := i
		for i < len(program) && isNameByte(program[i]) {
			i++
		}
		w := program[from:i]
		if field := from > 0 && program[from-1] == '.' && (from == 1 || program[from-2] != '.'); !field && (inList(loaders, w) || strings.HasPrefix(w, "load_")) {
			return true
		}
	}
	return false
}

// fileOrProgram reports the first operand of yq: where there is a file of that name,
// it is no program.
func (c *command) fileOrProgram(p *parsed) {
	if f := &p.operands[0]; strings.Trim(f.text, "./") != "" && c.isThere(f) {
		c.kind("read", f, p.effects, p.ended != 0)
	}
}

// beforeArgs is what stands before --args and --jsonargs: where there may be
// several, before the last one.
func (c *command) beforeArgs(r *row, p *parsed) *parsed {
	args := c.args
	for i := len(args) - 1; i >= 0; i-- {
		if t := args[i].text; t == "--args" || t == "--jsonargs" {
			c.args = args[:i]
			break
		}
	}
	before := c.parse(r)
	c.args = args
	before.effects |= p.effects &^ stopped
	return before
}
