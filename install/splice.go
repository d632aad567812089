package install

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Putting in and taking out undo each other to the byte. One rule makes that
// possible: what is put into something empty that was there before follows its
// bracket at once; what is made anew has a new line there. So the text itself
// tells which empty brackets to leave.

// timeout is how long the client waits for the hook, in seconds. The guard
// gives up long before.
const timeout = 10

// entry is the hook of one event.
type entry struct {
	event   string
	matcher string // "" for an event that knows none
	command string
}

// entries are the hooks of Claude Code. Every tool call is judged; what comes
// after a tool matters for launches only, and a process less is saved for the others.
func entries(command, notice string) []entry {
	return []entry{
		{"PreToolUse", "*", command},
		{"PostToolUse", "Agent|Task", notice},
		{"SubagentStart", "*", notice},
		{"SubagentStop", "*", notice},
	}
}

// text is the entry as an element of its event's array.
func (e entry) text() string { return style{timeout: timeout}.text(e) }

// quoted is a JSON string. The callers' texts are UTF-8.
func quoted(s string) string {
	out, _ := jsontext.AppendQuote(nil, s)
	return string(out)
}

// layout is how a file is laid out.
type layout struct{ newline, indent string }

// layoutOf takes the indent of the first member that stands on a line of its own.
func layoutOf(text []byte, top node) layout {
	l := layout{"\n", "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		l.newline = "\r\n"
	}
	for _, m := range top.items {
		line := text[bytes.LastIndexByte(text[:m.start], '\n')+1 : m.start]
		if len(line) > 0 && m.start > len(line) && len(bytes.Trim(line, " \t")) == 0 {
			l.indent = string(line)
			break
		}
	}
	return l
}

// at begins a line at a depth.
func (l layout) at(depth int) string { return l.newline + strings.Repeat(l.indent, depth) }

// event is a new member of the hooks object.
func (l layout) event(e entry) string {
	return quoted(e.event) + ": [" + l.at(3) + e.text() + l.at(2) + "]"
}

// hooks is a new hooks member.
func (l layout) hooks(want []entry) string {
	var events []string
	for _, e := range want {
		events = append(events, l.at(2)+l.event(e))
	}
	return `"hooks": {` + strings.Join(events, ",") + l.at(1) + "}"
}

// fresh is a new file.
func fresh(want []entry) []byte {
	l := layout{"\n", "  "}
	return []byte("{" + l.at(1) + l.hooks(want) + "\n}\n")
}

// edit replaces a piece of a text.
type edit struct {
	from, to int
	text     string
}

// apply makes the edits, which do not overlap.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...)
}

// insert returns the settings with every entry that is not there yet, and with
// command lines of ours that differ replaced.
func insert(text []byte, want []entry) ([]byte, error) {
	top, err := parse(text)
	if err != nil {
		return nil, err
	}
	l := layoutOf(text, top)
	hooks, ok := top.get("hooks")
	if !ok {
		return apply(text, []edit{add(text, top, l.at(1), l.hooks(want))}), nil
	}
	if err := checkHooks(hooks); err != nil {
		return nil, err
	}
	var edits []edit
	var missing []string
	for _, e := range want {
		event, ok := hooks.get(e.event)
		if !ok {
			missing = append(missing, l.event(e))
			continue
		}
		found := commandsOf(event, isOurs)
		if len(found) == 0 {
			edits = append(edits, add(text, event, l.at(3), e.text()))
		}
		for _, old := range found {
			if old.text != e.command {
				edits = append(edits, edit{old.start, old.end, quoted(e.command)})
			}
		}
	}
	if len(missing) > 0 {
		edits = append(edits, add(text, hooks, l.at(2), strings.Join(missing, ","+l.at(2))))
	}
	return apply(text, edits), nil
}

// add puts an item behind the last one of an object or array, spaced as that one.
func add(text []byte, in node, space, what string) edit {
	if len(in.items) == 0 {
		return edit{in.start + 1, in.start + 1, what}
	}
	last := in.items[len(in.items)-1]
	before := bytes.TrimRight(text[:last.start], " \t\r\n")
	if own := string(text[len(before):last.start]); len(in.items) > 1 || own != "" {
		space = own
	}
	return edit{last.value.end, last.value.end, "," + space + what}
}

// checkHooks holds the hooks object to the form that Claude Code reads.
func checkHooks(hooks node) error {
	if hooks.kind != '{' {
		return fmt.Errorf(`%w: "hooks" is not an object`, ErrSettings)
	}
	for _, e := range hooks.items {
		if e.value.kind != '[' {
			return fmt.Errorf(`%w: "hooks" has %q, which is not an array`, ErrSettings, e.name)
		}
	}
	return nil
}

// commandsOf returns the command lines of an event that are wanted, as nodes.
func commandsOf(event node, wanted func(string) bool) []node {
	var out []node
	for _, group := range event.items {
		inner, _ := group.value.get("hooks")
		for _, h := range inner.items {
			if c, ok := h.value.get("command"); ok && c.kind == '"' && wanted(c.text) {
				out = append(out, c)
			}
		}
	}
	return out
}

// remove returns the settings without any entry of ours; empty says that then
// nothing is left of what was made for them.
func remove(text []byte) (after []byte, empty bool, err error) {
	top, err := parse(text)
	if err != nil {
		return nil, false, err
	}
	hooks, ok := top.get("hooks")
	if !ok {
		return text, false, nil
	}
	if err := checkHooks(hooks); err != nil {
		return nil, false, err
	}
	var edits []edit
	gone := cut(hooks, &edits, roomy(hooks), func(event item, edits *[]edit) bool {
		return cut(event.value, edits, roomy(event.value), func(group item, edits *[]edit) bool {
			inner, _ := group.value.get("hooks")
			return cut(inner, edits, true, func(h item, _ *[]edit) bool {
				c, ok := h.value.get("command")
				return ok && c.kind == '"' && isOurs(c.text)
			})
		})
	})
	if gone {
		edits = nil
		empty = cut(top, &edits, roomy(top), func(m item, _ *[]edit) bool { return m.name == "hooks" })
	}
	return apply(text, edits), empty, nil
}

// cut adds the edits that take out the items which drop asks for. When none
// would be left and made says that the brackets were made for them, it returns
// true and adds nothing: the whole is to go. What drop itself adds is for an item that stays.
func cut(in node, edits *[]edit, made bool, drop func(item, *[]edit) bool) (whole bool) {
	var inner []edit
	dropped := make([]bool, len(in.items))
	left := len(in.items)
	for i, m := range in.items {
		if dropped[i] = drop(m, &inner); dropped[i] {
			left--
		}
	}
	if left == 0 && len(in.items) > 0 {
		if made {
			return true
		}
		*edits = append(*edits, edit{in.start + 1, in.items[len(in.items)-1].value.end, ""})
		return false
	}
	*edits = append(*edits, inner...)
	first := slices.Index(dropped, false)
	if first > 0 {
		*edits = append(*edits, edit{in.items[0].start, in.items[first].start, ""})
	}
	for i := first + 1; i < len(dropped); i++ {
		if dropped[i] {
			*edits = append(*edits, edit{in.items[i-1].value.end, in.items[i].value.end, ""})
		}
	}
	return false
}

// roomy says whether brackets were made for what is in them: see the rule above.
func roomy(in node) bool { return len(in.items) > 0 && in.items[0].start > in.start+1 }
