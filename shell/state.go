package shell

import (
	"path"
	"slices"
	"strings"
)

// state is what a shell process knows at one point of a line. It is a value:
// a subshell's is a copy, and branches are merged.
type state struct {
	at     []string // the folders it may be in; never changed in place
	old    []string // OLDPWD
	stack  [][]string
	vars   *binding
	params params
	// dead says that the line does not get here, as far as can be told: its facts
	// count all the same, but it takes no part in a merge.
	dead bool
}

// params are the positional parameters.
type params struct {
	list    []value
	unknown bool
}

// open says whether the last of the parameters stands for any number of them.
func (p params) open() bool { return len(p.list) > 0 && p.list[len(p.list)-1].several }

// binding is one assignment; the newest comes first.
type binding struct {
	name string
	val  value
	next *binding
}

// value is what a variable or a word may stand for.
type value struct {
	text    string
	pat     string   // the pattern, with glob
	glob    bool     // it stands for what the pattern matches
	unknown bool     // text is not all of it
	below   []string // it is any path below one of these (find's {}), written from here
	solid   bool     // with below: it is a file, and no link to one
	stream  bool     // it is a pipe (a process substitution)
	number  bool     // with unknown: some number, or one beside the text
	hollow  bool     // with number: it may be nothing at all
	loose   bool     // with unknown: it may be several words, or none
	several bool     // it stands for any number of such words
	matched bool     // with glob: it is the name that the pattern has matched
	split   bool     // with matched: it stands unquoted, so that the shell reads that name anew
}

func (s state) lookup(name string) (value, bool) {
	for b := s.vars; b != nil; b = b.next {
		if b.name == name {
			return b.val, true
		}
	}
	return value{}, false
}

func (s state) set(name string, v value) state {
	s.vars = &binding{name, v, s.vars}
	return s
}

// forgotten returns the state in which every variable may have been set.
func (s state) forgotten() state {
	for b := s.vars; b != nil; b = b.next {
		if v, _ := s.lookup(b.name); !v.unknown || v.number {
			s = s.set(b.name, value{unknown: true})
		}
	}
	for _, name := range []string{"CDPATH", "HOME", "PWD", "OLDPWD"} {
		s = s.set(name, value{unknown: true})
	}
	return s
}

// merge returns the state after either of two.
func merge(a, b state) state {
	switch {
	case a.dead && !b.dead:
		return b
	case b.dead && !a.dead:
		return a
	}
	out := a
	out.at, out.old = union(a.at, b.at), union(a.old, b.old)
	out.stack = mergeStacks(a.stack, b.stack)
	if a.params.unknown != b.params.unknown || !slices.EqualFunc(a.params.list, b.params.list, value.equal) {
		out.params = params{unknown: true}
	}
	if a.vars != b.vars {
		out.vars = mergeVars(a, b)
	}
	return out
}

// mergeStacks returns the folders that popd may lead to after either of two states.
func mergeStacks(a, b [][]string) [][]string {
	if len(a) != len(b) {
		return nil
	}
	out := slices.Clone(a)
	for i := range out {
		out[i] = union(a[i], b[i])
	}
	return out
}

// knowsLess says whether a state that a merge with another one has made knows less
// than that one.
func (s state) knowsLess(than state) bool {
	if s.params.unknown && !than.params.unknown || !slices.EqualFunc(s.stack, than.stack, slices.Equal[[]string]) {
		return true
	}
	if !s.params.unknown && !slices.EqualFunc(s.params.list, than.params.list, value.equal) {
		return true
	}
	seen := map[string]bool{}
	for b := s.vars; b != nil && b != than.vars; b = b.next {
		if seen[b.name] {
			continue
		}
		seen[b.name] = true
		if v, ok := than.lookup(b.name); !ok && !b.val.unknown || ok && !v.equal(b.val) {
			return true
		}
	}
	return false
}

// mergeVars makes what differs between two states unknown.
func mergeVars(a, b state) *binding {
	older := map[*binding]bool{}
	for x := a.vars; x != nil; x = x.next {
		older[x] = true
	}
	common := b.vars
	for common != nil && !older[common] {
		common = common.next
	}
	out := a
	for _, head := range []*binding{a.vars, b.vars} {
		for x := head; x != nil && x != common; x = x.next {
			va, okA := a.lookup(x.name)
			vb, okB := b.lookup(x.name)
			if okA != okB || !va.equal(vb) {
				out = out.set(x.name, value{unknown: true, number: va.numeric() && vb.numeric() && okA && okB, hollow: va.hollow || vb.hollow})
			}
		}
	}
	return out.vars
}

// numeric says whether a value is certainly a number, or nothing.
func (v value) numeric() bool {
	return v.number && strings.Trim(v.text, "0123456789") == "" || !v.unknown && !v.glob && v.below == nil && !v.stream && isNumber(v.text)
}

func (v value) equal(w value) bool {
	return v.text == w.text && v.pat == w.pat && v.glob == w.glob && v.unknown == w.unknown &&
		v.stream == w.stream && v.number == w.number && v.hollow == w.hollow && v.several == w.several && v.matched == w.matched && v.split == w.split && v.solid == w.solid && slices.Equal(v.below, w.below)
}

func union(a, b []string) []string {
	if len(b) == 0 || slices.Equal(a, b) {
		return a
	}
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// joinPath joins a folder, which may be "" for the unknown start, and a path.
func joinPath(dir, p string) string {
	switch {
	case strings.HasPrefix(p, "/") || dir == "":
		return p
	case p == "" || p == ".":
		return dir
	case strings.HasSuffix(dir, "/"):
		return dir + p
	}
	return dir + "/" + p
}

// enter returns where a cd leads: as the kernel takes the path, and with ".."
// taken out of the text, as the shell does.
func enter(at []string, to string) []string {
	var out []string
	for _, dir := range at {
		p := joinPath(dir, to)
		out = union(out, []string{p})
		if strings.Contains(p, "..") {
			out = union(out, []string{path.Clean(p)})
		}
	}
	return out
}

// pwd returns the one folder that some folders are, by the shell's reading. Through a
// link there are two readings, and which is the shell's is for its options to say, and
// for how it was started.
func (e *eval) pwd(at []string) (string, bool) {
	one := ""
	for i, dir := range at {
		c := path.Clean(dir)
		if dir == "" || !strings.HasPrefix(c, "/") || i > 0 && c != one {
			return "", false
		}
		one = c
	}
	for up := one; len(up) > 1; up = path.Dir(up) {
		if e.env.Link == nil || e.env.Link(up) {
			return "", false
		}
	}
	return one, one != ""
}
