package install

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Putting in and taking out undo each other to the byte. Two rules make that
// possible. What is put into something empty that was there before follows its
// bracket at once; what is made anew has a new line there; what is put into a
// file without any value has one blank there. So the text itself tells which
// empty brackets to leave. And what is put behind an item stands behind the
// comments on that item's line, with a comma of its own where the last item had one.

// entry is the hook of one event.
type entry struct {
	event
	command string
}

// entries are the hooks of a client, in the order of its events.
func (c Client) entries(opts Options) []entry {
	var out []entry
	for _, e := range c.events {
		line := Notice(opts)
		if e.judged {
			line = Command(opts)
		}
		out = append(out, entry{e, line})
	}
	return out
}

// text is an entry as an element of its event's array.
func (f form) text(e entry) string {
	var hook []string
	put := func(is bool, name, value string) {
		if is {
			hook = append(hook, quoted(name)+": "+value)
		}
	}
	put(f.flat && e.matcher != "", "matcher", quoted(e.matcher))
	put(f.named, "name", quoted("conduct"))
	put(f.typed, "type", quoted("command"))
	put(true, f.command, quoted(e.command))
	put(true, f.limit, strconv.Itoa(seconds*f.perUnit))
	put(f.closed && e.judged, "failClosed", "true")
	one := "{" + strings.Join(hook, ", ") + "}"
	if f.flat {
		return one
	}
	if e.matcher == "" {
		return `{"hooks": [` + one + "]}"
	}
	return `{"matcher": ` + quoted(e.matcher) + `, "hooks": [` + one + "]}"
}

// quoted is a JSON string. The callers' texts are UTF-8.
func quoted(s string) string {
	out, _ := jsontext.AppendQuote(nil, s)
	return string(out)
}

// layout is how a file is laid out.
type layout struct {
	newline, indent string
	form            form
}

// layoutOf takes the indent of the first member that stands on a line of its own.
func layoutOf(d document, f form) layout {
	l := layout{"\n", "  ", f}
	if bytes.Contains(d.text, []byte("\r\n")) {
		l.newline = "\r\n"
	}
	for _, m := range d.top.items {
		line := d.text[bytes.LastIndexByte(d.text[:m.start], '\n')+1 : m.start]
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
	return quoted(e.name) + ": [" + l.at(3) + l.form.text(e) + l.at(2) + "]"
}

// hooks are the new members of the file.
func (l layout) hooks(want []entry, version bool) string {
	var events []string
	for _, e := range want {
		events = append(events, l.at(2)+l.event(e))
	}
	out := `"hooks": {` + strings.Join(events, ",") + l.at(1) + "}"
	if version {
		out += "," + l.at(1) + `"version": 1`
	}
	return out
}

// fresh is a new file.
func fresh(want []entry, f form) []byte {
	l := layout{"\n", "  ", f}
	return []byte("{" + l.at(1) + l.hooks(want, f.version) + "\n}\n")
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
func insert(text []byte, want []entry, f form) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	l := layoutOf(d, f)
	if d.blank() {
		return append(bytes.Clone(text), intoBlank(text, l, want)...), nil
	}
	hooks, ok := d.top.get("hooks")
	if !ok {
		_, versioned := d.top.get("version")
		return apply(text, d.add(d.top, l.at(1), l.hooks(want, f.version && !versioned))), nil
	}
	if err := checkHooks(hooks); err != nil {
		return nil, err
	}
	var edits []edit
	var missing []string
	for _, e := range want {
		event, ok := hooks.get(e.name)
		if !ok {
			missing = append(missing, l.event(e))
			continue
		}
		found := commandsOf(event, f, isOurs)
		if len(found) == 0 {
			edits = append(edits, d.add(event, l.at(3), f.text(e))...)
		}
		for _, old := range found {
			if old.text != e.command {
				edits = append(edits, edit{old.start, old.end, quoted(e.command)})
			}
		}
	}
	if len(missing) > 0 {
		edits = append(edits, d.add(hooks, l.at(2), strings.Join(missing, ","+l.at(2)))...)
	}
	return apply(text, edits), nil
}

// intoBlank is what is put behind a text without any value: see the first rule.
func intoBlank(text []byte, l layout, want []entry) string {
	between := ""
	if len(text) > 0 {
		between = "\n"
	}
	return between + "{ " + l.hooks(want, l.form.version) + l.newline + "}"
}

// outOfBlank undoes intoBlank.
func (d document) outOfBlank() (text []byte, ok bool) {
	if len(d.top.items) == 0 || d.top.items[0].start != d.top.start+2 || d.text[d.top.start+1] != ' ' || d.top.end != len(d.text) {
		return nil, false
	}
	return bytes.TrimSuffix(d.text[:d.top.start], []byte("\n")), true
}

// add puts an item behind the last one of an object or array, spaced as that one.
func (d document) add(in node, space, what string) []edit {
	if len(in.items) == 0 {
		return []edit{{in.start + 1, in.start + 1, what}}
	}
	last := in.items[len(in.items)-1]
	if own := d.space(last.start); len(in.items) > 1 || own != "" {
		space = own
	}
	comma := d.comma(in, len(in.items)-1)
	from := last.value.end
	if comma >= 0 {
		from = comma + 1
	}
	end, inLine := d.behind(from, in.end-1)
	if inLine && !strings.ContainsAny(space, "\n") {
		space = "\n" // else it would be part of the comment
	}
	if comma >= 0 {
		return []edit{{end, end, space + what + ","}}
	}
	return []edit{{last.value.end, last.value.end, ","}, {end, end, space + what}}
}

// space is the blank text before a place.
func (d document) space(at int) string {
	return string(d.text[len(bytes.TrimRight(d.text[:at], blanks)):at])
}

// comma is the place of the comma behind an item, -1 where there is none.
func (d document) comma(in node, i int) int {
	end := in.end - 1
	if i+1 < len(in.items) {
		end = in.items[i+1].start
	}
	for at := in.items[i].value.end; at < end; {
		switch next, err := commentEnd(d.text, at); {
		case err == nil && next > at:
			at = next
		case d.text[at] == ',':
			return at
		default:
			at++
		}
	}
	return -1
}

// behind is where the comments end that begin at a place or in the rest of its line, and
// whether the last of them goes to the end of its line. Without a comment it is the place itself.
func (d document) behind(from, limit int) (end int, inLine bool) {
	end = from
	for at := from; at < limit; {
		next, err := commentEnd(d.text, at)
		switch {
		case err == nil && next > at:
			inLine = d.text[at+1] == '/'
			end = at + len(bytes.TrimRight(d.text[at:next], blanks))
			at = next
		case d.text[at] == ' ' || d.text[at] == '\t':
			at++
		default:
			return end, inLine
		}
	}
	return end, inLine
}

// checkHooks holds the hooks object to the form that the programs read.
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

// hooksOf are the hooks of an event: those in its groups, or its own elements.
func hooksOf(event node, f form) []node {
	var out []node
	for _, group := range event.items {
		if f.flat {
			out = append(out, group.value)
			continue
		}
		inner, _ := group.value.get("hooks")
		for _, h := range inner.items {
			out = append(out, h.value)
		}
	}
	return out
}

// commandsOf returns the command lines of an event that are wanted, as nodes.
func commandsOf(event node, f form, wanted func(string) bool) []node {
	var out []node
	for _, h := range hooksOf(event, f) {
		if c, ok := h.get(f.command); ok && c.kind == '"' && wanted(c.text) {
			out = append(out, c)
		}
	}
	return out
}
