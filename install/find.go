package install

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Installed is a hook that some settings hold.
type Installed struct {
	Client  string
	Scope   Scope
	File    string
	Event   string
	Matcher string
	Command string
	// Timeout is in seconds, 0 where none is given.
	Timeout float64
	// Path is the guard that the command line starts, as it spells it; "" when it starts none.
	Path string
	// Ours says that Plan wrote it, so that Remove takes it out.
	Ours bool
	// Group and Place are where it stands among its event's groups, and in its group.
	Group, Place int
}

// Judges says that calls are judged at the hook's event.
func (h Installed) Judges() bool {
	c, err := ByName(h.Client)
	return err == nil && h.Event == c.Judged()
}

// Find returns the hooks of every client that start the guard, whoever wrote
// them, from the settings of a workspace's root and of a home, either of which
// may be "". Settings that cannot be read are an error beside what was found in the others.
func Find(root, home string) ([]Installed, error) {
	return scan(root, home, func(h Installed) bool { return h.Path != "" })
}

// Others returns the hooks that run before a tool and do not start the guard.
// One of them may rewrite the same call, and the last to answer wins.
func Others(root, home string) ([]Installed, error) {
	return scan(root, home, func(h Installed) bool { return h.Path == "" && h.Judges() })
}

func scan(root, home string, wanted func(Installed) bool) ([]Installed, error) {
	var out []Installed
	var failed error
	for _, c := range Clients() {
		seen := map[string]bool{}
		for _, scope := range []Scope{Local, Project, User} {
			if base(scope, root, home) == "" {
				continue
			}
			for _, file := range c.read(scope, root, home) {
				if seen[file] {
					continue
				}
				seen[file] = true
				all, err := c.hooksIn(file, scope)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					failed = errors.Join(failed, err)
				}
				for _, h := range all {
					if wanted(h) {
						out = append(out, h)
					}
				}
			}
		}
	}
	return out, failed
}

// hooksIn lists the command hooks of a settings file.
func (c Client) hooksIn(file string, scope Scope) ([]Installed, error) {
	text, err := readSettings(file)
	if err != nil {
		return nil, err
	}
	if c.Plugin {
		return c.pluginIn(file, scope, text), nil
	}
	d, err := parse(text)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: file, Err: err}
	}
	hooks, _ := d.top.get("hooks")
	var out []Installed
	for _, event := range hooks.items {
		for i, group := range event.value.items {
			matcher, _ := group.value.get("matcher")
			inner := []item{group}
			if !c.form.flat {
				list, _ := group.value.get("hooks")
				inner = list.items
			}
			for j, h := range inner {
				one := Installed{Client: c.Name, Scope: scope, File: file, Event: event.name, Matcher: matcher.text, Group: i, Place: j}
				if c.form.read(d, h.value, &one) {
					out = append(out, one)
				}
			}
		}
	}
	return out, nil
}

// read fills in what a hook says of itself, and says whether it is a command.
func (f form) read(d document, h node, into *Installed) bool {
	command, ok := h.get(f.command)
	if !ok || command.kind != '"' {
		return false
	}
	into.Command = command.text
	into.Path, into.Ours = guardOf(command.text), isOurs(command.text)
	if t, ok := h.get(f.limit); ok {
		n, _ := strconv.ParseFloat(string(d.text[t.start:t.end]), 64) // what is no number is no limit
		into.Timeout = n / float64(f.perUnit)
	}
	return true
}

// isOurs says whether Plan wrote a command line, in this version or another.
func isOurs(command string) bool {
	return strings.HasPrefix(command, mark) && guardOf(command) != ""
}

// guardOf is the guard that a command line starts with a client's name, ""
// when it starts none. The line is parsed: a hook of somebody else may well
// have a like name.
func guardOf(command string) string {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(command), "")
	if err != nil {
		return ""
	}
	guard := ""
	syntax.Walk(f, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || guard != "" || len(call.Args) < 3 {
			return guard == ""
		}
		program := word(call.Args[0])
		client := slices.IndexFunc(call.Args[1:], func(w *syntax.Word) bool { return word(w) == "--client" })
		if path.Base(program) == Program && client >= 0 {
			guard = program
		}
		return true
	})
	return guard
}

// word is the text of a word without expansions, "" when it has some.
func word(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return ""
				}
				b.WriteString(lit.Value)
			}
		default:
			return ""
		}
	}
	return b.String()
}

// unescape takes the backslashes off unquoted text.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
