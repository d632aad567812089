package hooks

import (
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/wire"
)

// maxPairs bounds how many search roots and patterns of one call are combined.
const maxPairs = 4096

// input walks the input of one tool call and collects what it may touch.
type input struct {
	r     *wire.Reader
	tool  *Tool
	guess guesses

	targets  []guard.Target
	roots    []guard.Target // without their patterns
	globs    []string
	filters  []string
	commands []string
	tasks    []string
	dir      string
	launch   guard.Launch
	deep     bool // a folder is shown deeper than its entries
	fault    string
}

// readInput reads the input of a call of the named tool into call; tool is nil
// when no table knows it. The error is one of the JSON.
func readInput(r *wire.Reader, tool *Tool, call *guard.Call) error {
	if tool != nil && tool.NoPaths {
		return r.Object(func(string) error { return r.Skip() })
	}
	in := input{r: r, tool: tool}
	if tool == nil {
		if err := in.guess.object(r, 0); err != nil {
			return err
		}
		call.Targets, call.Commands = in.guess.targets, in.guess.commands
		return nil
	}
	if err := in.object(tool.Fields); err != nil {
		return err
	}
	in.finish(call)
	return nil
}

func (in *input) object(fields []Field) error {
	return in.r.Object(func(name string) error {
		f, ok := field(fields, name)
		if !ok {
			in.guess.add(name)
			return in.guess.value(in.r, 0)
		}
		return in.value(f)
	})
}

func (in *input) value(f Field) error {
	switch f.Kind {
	case Text:
		return in.r.Skip()
	case Unread:
		in.blame(f)
		return in.r.Skip()
	case Depth:
		raw, err := in.r.Raw()
		in.deep = in.deep || string(raw) != "0" && string(raw) != "null"
		return err
	case Objects:
		return in.objects(f)
	}
	switch in.r.Kind() {
	case '"':
		s, err := in.r.String()
		if err == nil && s != "" {
			in.text(f, s)
		}
		return err
	case 'n':
		return in.r.Skip()
	case '[':
		return in.list(f)
	}
	in.blame(f)
	return in.r.Skip()
}

// objects reads an object, or a list of them, each by the field's own table.
func (in *input) objects(f Field) error {
	switch in.r.Kind() {
	case '{':
		return in.object(f.Fields)
	case '[':
		return in.r.Array(func() error { return in.objects(f) })
	}
	return in.guess.value(in.r, 0)
}

// list reads a path field that holds several.
func (in *input) list(f Field) error {
	if !f.Kind.several() {
		in.blame(f)
		return in.r.Skip()
	}
	return in.r.Array(func() error {
		if in.r.Kind() != '"' {
			in.blame(f)
			return in.r.Skip()
		}
		s, err := in.r.String()
		if err == nil && s != "" {
			in.text(f, s)
		}
		return err
	})
}

func (k Kind) several() bool {
	switch k {
	case ReadPath, WritePath, EditPath, ListRoot, SearchRoot, Glob, Filter, URL:
		return true
	}
	return false
}

// blame keeps the first reason why the call cannot be judged.
func (in *input) blame(f Field) {
	if in.fault == "" {
		in.fault = fmt.Sprintf("the field %q holds no text", f.Name)
		if f.Kind == Unread {
			in.fault = fmt.Sprintf("what is behind %q is not seen", f.Name)
		}
	}
}

func (in *input) text(f Field, s string) {
	switch f.Kind {
	case ReadPath:
		in.path(guard.Read, s)
	case WritePath:
		in.path(guard.Write, s)
	case EditPath:
		in.path(guard.Read|guard.Write, s)
	case ListRoot:
		in.root(guard.List, s)
	case SearchRoot:
		in.root(guard.Search, s)
	case Glob:
		in.globs = append(in.globs, s)
	case Filter:
		in.filters = append(in.filters, filters(s)...)
	case Patch:
		in.patch(s)
	case Command:
		in.commands = append(in.commands, s)
	case CommandDir:
		in.dir = s
	case TaskID:
		in.tasks = append(in.tasks, s)
	case Prompt:
		if in.launch.Prompt != "" {
			in.launch.Prompt += "\n"
		}
		in.launch.Prompt += s
	case AgentType:
		in.launch.AgentType = s
	case LaunchDir:
		// A folder that is named wins over a word that says there will be one.
		if in.launch.Dir == "" || strings.HasPrefix(s, "/") {
			in.launch.Dir = s
		}
	case URL:
		in.url(s)
	}
}

// path adds a path as it stands and, since some clients trim, also trimmed.
func (in *input) path(op guard.Op, s string) {
	in.targets = append(in.targets, guard.Target{Op: op, Path: s})
	if t := strings.TrimSpace(s); t != s && t != "" {
		in.targets = append(in.targets, guard.Target{Op: op, Path: t})
	}
}

func (in *input) root(op guard.Op, s string) {
	in.roots = append(in.roots, guard.Target{Op: op, Path: s})
	if t := strings.TrimSpace(s); t != s && t != "" {
		in.roots = append(in.roots, guard.Target{Op: op, Path: t})
	}
}

func (in *input) url(s string) {
	scheme, _, _ := strings.Cut(s, "://")
	switch strings.ToLower(scheme) {
	case "http", "https":
	case "file":
		in.path(guard.Read, s)
	default:
		in.guess.add(s)
	}
}

func (in *input) patch(s string) {
	targets, err := ParsePatch(s)
	if err != nil && in.fault == "" {
		in.fault = err.Error()
	}
	for _, t := range targets {
		in.path(t.Op, t.Path)
	}
}

// finish puts what belongs together together.
func (in *input) finish(call *guard.Call) {
	if len(in.roots) == 0 && in.tool.Implied != 0 {
		in.roots = append(in.roots, guard.Target{Op: in.tool.Implied, Implied: true})
	}
	for i := range in.targets {
		if in.deep && in.targets[i].Op == guard.Read {
			in.targets[i].Op |= guard.Search
		}
	}
	in.searches()
	call.Targets = append(in.targets, in.guess.targets...)
	for _, text := range in.commands {
		call.Commands = append(call.Commands, guard.Command{Text: text, Cwd: in.dir, Foreign: in.tool.Foreign})
	}
	call.Commands = append(call.Commands, in.guess.commands...)
	call.Tasks = in.tasks
	if in.tool.Launch {
		in.launch.Rewrites, in.launch.Script = in.tool.Rewrites, in.tool.Script
		call.Launch = &in.launch
	}
	call.Fault = in.fault
}

// searches adds every root with every pattern.
func (in *input) searches() {
	if len(in.roots)*max(len(in.globs), len(in.filters), 1) > maxPairs {
		in.fault = "more folders and patterns than can be judged"
		return
	}
	for _, root := range in.roots {
		switch {
		case len(in.globs) > 0:
			for _, g := range in.globs {
				in.targets = append(in.targets, in.glob(root, g)...)
			}
		case len(in.filters) > 0:
			for _, f := range in.filters {
				root.Pattern, root.AnyDepth = f, true
				in.targets = append(in.targets, root)
			}
		default:
			in.targets = append(in.targets, root)
		}
	}
}

// glob is a pattern below root. An absolute one is a pattern below "/" and does
// not narrow a root that was given beside it.
func (in *input) glob(root guard.Target, pattern string) []guard.Target {
	root.Op = guard.Search
	anywhere := guard.Target{Op: guard.Search, Path: "/"}
	switch {
	case strings.HasPrefix(pattern, "/"):
		anywhere.Pattern = strings.TrimLeft(pattern, "/")
		anywhere.Follows = in.tool.Links && globFollows(anywhere.Pattern)
	case strings.HasPrefix(pattern, "{") && (strings.Contains(pattern, "{/") || strings.Contains(pattern, ",/")):
		// Some of its alternatives are absolute.
	default:
		root.Pattern, root.AnyDepth = pattern, in.tool.AnyDepth
		root.Follows = in.tool.Links && globFollows(pattern)
		return []guard.Target{root}
	}
	if root.Implied {
		return []guard.Target{anywhere}
	}
	return []guard.Target{anywhere, root}
}

// globFollows says whether the glob package of npm, which Gemini CLI and Qwen
// Code use, can go through a linked folder for this pattern: a wildcard other
// than "**" enters links, "**" enters one unless it is the pattern's first part
// (its README, "follow").
func globFollows(pattern string) bool {
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if !strings.ContainsAny(part, "*?[{(") {
			continue
		}
		if part != "**" {
			return i < len(parts)-1
		}
		return i > 0 || len(parts) > 2
	}
	return false
}

// filters are the readings of a name filter: Claude Code splits it at white
// space, and at commas where there are no braces; others take it whole.
func filters(s string) []string {
	out := []string{s}
	for _, word := range strings.Fields(s) {
		parts := []string{word}
		if !strings.Contains(word, "{") || !strings.Contains(word, "}") {
			parts = strings.Split(word, ",")
		}
		for _, p := range parts {
			if p != "" && p != s {
				out = append(out, p)
			}
		}
	}
	return out
}
