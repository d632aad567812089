package shell

import "strings"

// awk follows awk: its program may read, write and run.
func (c *command) awk(p *parsed) {
	// An operand like "name=value" is an assignment.
	kept := *p
	kept.operands = nil
	for i, f := range p.operands {
		if i > 0 || p.has(noFirst) {
			if name, v, ok := strings.Cut(f.text, "="); ok && isName(name) && !strings.HasPrefix(v, "=") {
				continue
			}
		}
		kept.operands = append(kept.operands, f)
	}
	c.scripted(&kept)
	for _, v := range p.values {
		switch {
		case v.option.name == "-W" && !inList("version interactive posix usage help", v.field.text):
			c.e.opaqueBy(v.field.pos, "a program in a file", c.index)
		case v.option.kind == "put" && v.field.text == "":
			c.e.opaqueBy(c.pos, "a file whose name is not said", c.index)
		}
	}
	for _, f := range p.programs("-e", "--source") {
		if f.unknown || f.glob || !plainAwk(f.text) {
			c.e.opaqueBy(f.pos, "a program of awk that does more than print", c.index)
			c.guessCode(f.text, f.pos)
		}
	}
}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// plainAwk says whether a program neither opens files, nor runs commands, nor
// changes its own arguments.
func plainAwk(code string) bool {
	for _, w := range awkWords(code) {
		if inList("getline system ARGV ARGC ARGIND PROCINFO SYMTAB", w) {
			return false // wherever it stands: what is a string depends on what is a pattern
		}
	}
	sends := strings.ContainsAny(code, "|>@")
	prints := false // within the words of a print statement
	value := false  // what stands before is a value, so that a slash divides
	depth := 0
	unsure := false // whether a slash would divide cannot be told
	last := byte(0) // what stands before, without blanks and comments
	for i := 0; i < len(code); i++ {
		b := code[i]
		if b == '\\' {
			if !strings.HasPrefix(code[i+1:], "\n") {
				return false
			}
			i++
			continue // the line goes on
		}
		before := last
		if b != ' ' && b != '\t' && b != '#' {
			last = b
		}
		if b != ' ' && b != '\t' && b != '/' {
			unsure = b == ')' || i > 0 && (b == '+' || b == '-') && code[i-1] == b
		}
		switch {
		case b == '"':
			for i++; i < len(code) && code[i] != '"'; i++ {
				if code[i] == '\\' {
					i++
				}
			}
			value = true
		case b == '#':
			for i+1 < len(code) && code[i+1] != '\n' {
				i++
			}
		case b == '/' && unsure && sends:
			return false
		case b == '/' && !value:
			end, sure := awkRegex(code, i+1)
			if !sure && sends {
				return false
			}
			i, value = end, true
		case isNameByte(b):
			from := i
			for i+1 < len(code) && isNameByte(code[i+1]) {
				i++
			}
			switch code[from : i+1] {
			case "print", "printf":
				prints, value, depth = true, false, 0
			case "in", "return", "else", "do", "delete", "exit", "next", "case":
				value = false
			default:
				value = true
			}
		case b == '@':
			return false
		case b == '|':
			if i++; i >= len(code) || code[i] != '|' {
				return false
			}
			value = false
		case b == '>' && prints && depth <= 0:
			if !toStream(strings.TrimLeft(code[i:], "> ")) {
				return false
			}
			value = false
		case b == '\n' && (depth > 0 || before != 0 && strings.IndexByte(",&|?:", before) >= 0):
			last, value = before, false // the statement goes on
		case b == ';' || b == '\n' || b == '}' || b == '{':
			prints, value = false, false
		case b == '(':
			depth++
			value = false
		case b == ')':
			depth--
			value = true
		case b == ']':
			value = true
		case b == ' ' || b == '\t':
		default:
			value = false
		}
	}
	return true
}

// awkRegex returns where a regular expression of awk ends. It returns false where
// that depends on the awk: with a slash within brackets.
func awkRegex(code string, at int) (end int, sure bool) {
	sure = true
	depth, begun := 0, -1
	for ; at < len(code); at++ {
		switch b := code[at]; {
		case b == '\\':
			at++
		case b == '/':
			return at, sure && depth == 0
		case b == '\n':
			sure = false
		case b == '[' && depth == 0:
			if depth = 1; strings.HasPrefix(code[at+1:], "^") {
				at++
			}
			begun = at
		case b == '[':
			if depth++; !strings.HasPrefix(code[at+1:], ":") {
				sure = false
			}
		case b == ']' && depth > 0:
			if depth--; at == begun+1 {
				sure = false
			}
		}
	}
	return at, false
}

// toStream says whether what follows ">" is one of awk's own streams and no more.
func toStream(rest string) bool {
	for _, s := range []string{`"/dev/stderr"`, `"/dev/stdout"`} {
		if tail, ok := strings.CutPrefix(rest, s); ok {
			tail = strings.TrimLeft(tail, " \t")
			return tail == "" || strings.IndexByte(";}\n#", tail[0]) >= 0
		}
	}
	return false
}

// awkWords returns all that looks like a name.
func awkWords(code string) []string {
	return strings.FieldsFunc(code, func(r rune) bool { return r > 0x7f || !isNameByte(byte(r)) })
}

func isNameByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}
