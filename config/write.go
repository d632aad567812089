package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/renameio/v2"

	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
)

// example is the commented file. A test holds that each line is right when its
// "# " is taken off.
const example = `# conduct.yaml: what the units of this workspace are. Keys that are not here have the values shown.

# Where units lie: each folder at {unit} is one; "*" stands for any one folder. Or a list of such places.
# layout: construction/units/{unit}

# Units by name, beside or instead of a layout. "reads" is what a unit may read of others.
# units:
#   auth:
#     paths: [services/auth, docs/auth.md]
#     reads: [proto/pay, "**/*.proto"]

# Block agents that nobody dispatched when they touch a unit?
# strict: false
# block, or observe: let calls pass and log what would have been blocked.
# enforce: block
# Which dispatch an agent belongs to: by its name and launch only (agent), or else by the unit that it touches first.
# bind: agent
# What dispatched agents may do with paths of no unit: write or read.
# shared: write
# How long a dispatch lives. At most 7d.
# ttl: 6h

# Commands that cannot be understood: confine them (in a sandbox), block or allow them.
# opaque: confine
# Which commands run confined: those (opaque), or all.
# confine: opaque
# Commands that you trust to run as they are, and commands that no dispatched agent may run.
# commands: [go test, npm test]
# commands_deny: [gh pr diff]

# Which calls leave a line in the log: all, or those that were blocked.
# audit: all
# How long what is over is kept.
# retention: 7d
# Where the records are.
# store: file
`

// Example returns a commented conduct.yaml which says nothing yet.
func Example() []byte { return []byte(example) }

// candidates are the layouts that Detect tries, in this order.
func candidates() []string {
	return []string{
		"aidlc/spaces/*/intents/*/construction/units/{unit}",
		"aidlc/spaces/*/intents/*/construction/{unit}",
		"construction/units/{unit}",
		"construction/{unit}",
		"units/{unit}",
	}
}

// Detect returns the first known layout under which a folder lies in the
// workspace whose root is root; nil when there is none.
func Detect(root string) []string {
	at, err := filepath.Abs(root)
	if err != nil {
		return nil
	}
	for _, c := range candidates() {
		if l, err := unit.ParseLayout(c); err == nil && fits(at, l) {
			return []string{c}
		}
	}
	return nil
}

// fits says whether one unit of a layout is there.
func fits(at string, l unit.Layout) bool {
	set := unit.Set{Root: unit.Split(at), Layouts: []unit.Layout{l}}
	found, err := set.All(unit.NewDisk(), 1)
	return err == nil && len(found) > 0
}

// Write sets the layouts in the conduct.yaml of the workspace whose root is
// root, and makes the file from the example where there is none. Comments, order
// and the other keys stay. Without layouts an existing file stays as it is. It
// reports whether the file changed.
//
// A file that cannot be parsed is an *Error, as is one whose layout cannot be
// set in place.
func Write(root string, layouts []string) (changed bool, err error) {
	before, err := read(root)
	missing := errors.Is(err, ErrNone)
	if err != nil && !missing {
		return false, err
	}
	after := before
	if missing {
		after = Example()
	}
	if len(layouts) > 0 {
		if after, err = setLayouts(after, layouts); err != nil {
			return false, err
		}
	}
	if !missing && bytes.Equal(before, after) {
		return false, nil
	}
	return true, replace(root, after)
}

// replace puts a file in the place of the old one, whole or not at all.
func replace(root string, data []byte) error {
	fail := func(err error) error { return fmt.Errorf("write %q: %w", filepath.Join(root, File), err) }
	dir, err := os.OpenRoot(root)
	if err != nil {
		return fail(err)
	}
	defer dir.Close()
	if st, err := dir.Lstat(File); err == nil && !st.Mode().IsRegular() {
		return fail(errors.New("it is a link; write the file that it leads to"))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	err = renameio.WriteFile(File, data, 0o644, renameio.WithRoot(dir))
	if err != nil {
		return fail(err)
	}
	return nil
}

// setLayouts returns the text with its layout key set.
func setLayouts(text []byte, want []string) ([]byte, error) {
	old, err := Parse(text)
	if err != nil {
		return nil, err
	}
	checked, err := Parse(layoutLines(want, ""))
	if err != nil {
		return nil, &Error{Reason: strings.TrimPrefix(err.Error(), File+": line 1: ")}
	}
	if slices.Equal(old.Layouts, checked.Layouts) {
		return text, nil
	}
	out, err := spliceLayout(text, checked.Layouts)
	if err != nil {
		return nil, err
	}
	// The splice works on lines. Whatever it did not foresee shows here.
	now, err := Parse(out)
	old.Layouts = checked.Layouts
	if err != nil || !reflect.DeepEqual(now, old) {
		return nil, &Error{Reason: `"layout" cannot be changed in place: set it by hand`}
	}
	return out, nil
}

// spliceLayout replaces the lines of the layout key, or adds them: after the
// example's comment on it, else at the end.
func spliceLayout(text []byte, want []string) ([]byte, error) {
	top, err := parseTop(text)
	if err != nil {
		return nil, err
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	lines := strings.SplitAfter(string(text), "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	} else {
		lines[last] += newline
	}
	from, to, note := len(lines), len(lines), ""
	if i := slices.IndexFunc(top, func(m member) bool { return m.name == "layout" }); i >= 0 {
		from = top[i].line - 1
		to = len(lines)
		if i+1 < len(top) {
			to = top[i+1].line - 1
		}
		to = max(from+1, lastOf(lines[:to]))
		note = comment(top[i].value, top[i].line)
	} else if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "# layout:") }); i >= 0 {
		from, to = i+1, i+1
	}
	added := strings.ReplaceAll(string(layoutLines(want, note)), "\n", newline)
	return []byte(strings.Join(lines[:from], "") + added + strings.Join(lines[to:], "")), nil
}

// lastOf counts the lines up to the last one that is neither empty nor a comment.
func lastOf(lines []string) int {
	n := len(lines)
	for n > 0 {
		l := strings.TrimSpace(lines[n-1])
		if l != "" && l[0] != '#' {
			break
		}
		n--
	}
	return n
}

// comment is the comment behind a value that stands on the line of its key.
func comment(value ast.Node, line int) string {
	if _, plain := scalar(value); !plain || lineOf(value) != line || value.GetComment() == nil {
		return ""
	}
	return " " + strings.SplitN(value.GetComment().String(), "\n", 2)[0]
}

// layoutLines is the layout key in YAML. A text in JSON's quotes is YAML too.
func layoutLines(layouts []string, note string) []byte {
	if len(layouts) == 1 {
		return append(wire.Quote([]byte("layout: "), layouts[0]), note+"\n"...)
	}
	out := []byte("layout:" + note + "\n")
	for _, l := range layouts {
		out = append(wire.Quote(append(out, "  - "...), l), '\n')
	}
	return out
}
