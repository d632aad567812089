package shell

import (
	"slices"
	"strings"
)

// The predicates of find, by the words that follow them.
const (
	findBare = "-print -print0 -ls -prune -depth -d -xdev -mount -x -empty -delete -executable -readable -writable " +
		"-true -false -follow -daystart -noleaf -not -a -and -o -or ! ( ) , -quit -nouser -nogroup -ignore_readdir_race " +
		"-noignore_readdir_race -nowarn -warn -E -X -s"
	findText = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -atime -ctime " +
		"-mmin -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -regextype -printf -lname " +
		"-ilname -used -context -D -Btime -Bmin -flags"
	findLook = "-newer -anewer -cnewer -samefile"
	findPut  = "-fprint -fprint0 -fls"
)

// find follows find: its roots are searched, and what it runs gets any path below them.
func (c *command) find() {
	args := c.args
	follows := false
	for len(args) > 0 && (args[0].text == "-H" || args[0].text == "-L" || args[0].text == "-P" || strings.HasPrefix(args[0].text, "-O")) {
		follows = args[0].text == "-L" || follows && args[0].text != "-P"
		args = args[1:]
	}
	n := 0
	for n < len(args) && !args[n].dash() && args[n].text != "!" && args[n].text != "(" {
		n++
	}
	roots, expr := args[:n], args[n:]
	x := findExpr{c: c, op: Search, follows: follows}
	if x.names = c.matches(roots); len(roots) == 0 {
		x.names.below = []string{"."}
	}
	x.read(expr)
	if c.e.listing = nil; x.null && !x.prints {
		c.e.listing = &listing{names: x.names, null: true}
		c.e.listing.names.solid = !x.links
	}
	for i := range roots {
		c.report(&roots[i], x.op, Fact{Follows: x.follows && x.op == Search, Options: roots[i].glob && leads(roots[i].pat)})
		if x.deletes {
			c.use(&roots[i], Write)
		}
	}
	if len(roots) == 0 {
		c.implied(x.op, ".", Fact{Follows: x.follows && x.op == Search})
		if x.deletes {
			c.implied(Write, ".", Fact{})
		}
	}
}

type findExpr struct {
	c             *command
	op            Op
	names         value
	follows, null bool
	deletes       bool
	deep          bool // a -maxdepth leaves all that lies below
	prints        bool // more than the names with a NUL after each
	depth         int  // of parentheses
	solid         bool // what is found up to here are files, and no links
	links         bool // names are printed that may be links
}

// read goes through the predicates.
func (x *findExpr) read(args []field) {
	c := x.c
	for i := 0; i < len(args); i++ {
		f := &args[i]
		value := func() *field {
			if i++; i < len(args) {
				return &args[i]
			}
			return &field{}
		}
		switch t := f.text; {
		case f.unknown || f.glob:
			c.e.opaque(f.pos, "an expression that is computed")
		case t == "-exec" || t == "-ok" || t == "-execdir" || t == "-okdir":
			i += x.exec(args[i+1:], strings.HasSuffix(t, "dir"))
		case inList(findBare, t):
			x.prints = x.prints || t == "-print" || t == "-ls"
			x.follows = x.follows || t == "-follow"
			x.deletes = x.deletes || t == "-delete"
			x.links = x.links || t == "-print0" && !x.solid
			x.null = x.null || t == "-print0"
			x.nests(t)
		case inList(findText, t):
			v := value()
			x.prints = x.prints || t == "-printf"
			c.kind("text", v, 0, true)
			if t == "-maxdepth" {
				x.limit(v.text)
			}
			if t == "-type" && x.depth == 0 && v.plain() && v.text == "f" && !x.follows {
				x.solid = i < 2 || !inList("! -not", args[i-2].text)
			}
		case inList(findLook, t), strings.HasPrefix(t, "-newer") && len(t) == 8:
			if v := value(); !strings.HasSuffix(t, "t") || len(t) != 8 {
				c.use(v, Enter)
			}
		case inList(findPut, t):
			x.prints = true
			c.use(value(), Place)
		case t == "-fprintf":
			x.prints = true
			c.use(value(), Place)
			value()
		default:
			c.e.opaqueBy(f.pos, "an expression that is not known: "+t, c.index)
		}
	}
}

// nests takes what joins predicates: after an "or" that stands in no parentheses, what
// was said before does not hold.
func (x *findExpr) nests(t string) {
	switch t {
	case "(":
		x.depth++
	case ")":
		x.depth--
	case "-o", "-or", ",", "-follow":
		x.solid = x.solid && x.depth > 0 && t != "-follow"
	}
}

// limit takes a -maxdepth. The deepest one counts, wherever it stands.
func (x *findExpr) limit(depth string) {
	switch {
	case depth == "0" && x.op == Search && !x.deep:
		x.op = Enter
	case depth == "1" && !x.deep:
		x.op = List
	case depth != "0" && depth != "1":
		x.op, x.deep = Search, true
	}
}

// exec follows -exec, and returns how many words belong to it.
func (x *findExpr) exec(args []field, dir bool) int {
	x.prints = true
	end := len(args)
	for i, f := range args {
		if f.text == ";" || f.text == "+" && i > 0 && args[i-1].text == "{}" {
			end = i
			break
		}
		if f.loose || f.glob || f.unknown && !f.number && strings.Trim(f.text, ";+") == "" {
			x.c.e.opaque(f.pos, "an expression that is computed") // its end may be in there
		}
	}
	words := slices.Clone(args[:end])
	names := x.names
	names.solid = x.solid
	names.several = end < len(args) && args[end].text == "+"
	for i, f := range words {
		switch {
		case f.text == "{}" && !f.glob:
			words[i].value = names
		case strings.Contains(f.text, "{}"):
			words[i].value = value{unknown: true}
		}
	}
	if dir {
		x.c.e.opaqueBy(x.c.pos, "a command in many folders", x.c.index)
	}
	x.c.e.invoke(x.c.s, words, stdin{}, x.c.values)
	return min(end+1, len(args))
}
