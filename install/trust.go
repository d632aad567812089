package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Trust is what a program's own files say about a hook that it runs only when it
// was told to trust it.
type Trust int

// What can be known. That a hook was trusted is not that it still is: the program
// compares a hash of the hook, which we do not know how to make.
const (
	// TrustUnneeded is for programs that ask for none.
	TrustUnneeded Trust = iota
	// TrustUnknown is that there is nothing to read.
	TrustUnknown
	// TrustNever is that nobody has said so.
	TrustNever
	// TrustOff is that a person has switched the hook off.
	TrustOff
	// TrustOnce is that a hook was trusted at this place.
	TrustOnce
)

// TrustOf looks a hook up. Codex keeps its answer in ~/.codex/config.toml, by the
// file, the event and the place in the event's list.
func TrustOf(h Installed, home string) Trust {
	if h.Client != "codex" {
		return TrustUnneeded
	}
	text, err := os.ReadFile(filepath.Join(home, ".codex", "config.toml"))
	if err != nil {
		return TrustUnknown
	}
	files := []string{h.File}
	if real, err := filepath.EvalSymlinks(h.File); err == nil && real != h.File {
		files = append(files, real)
	}
	for _, file := range files {
		key := fmt.Sprintf("%s:%s:%d:%d", file, snake(h.Event), h.Group, h.Place)
		if at := hookState(string(text), key); at != TrustNever {
			return at
		}
	}
	return TrustNever
}

// snake spells an event's name as Codex does there: pre_tool_use.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// hookState reads the table [hooks.state."KEY"] as Codex writes it. Other ways to
// write the same in TOML are not read: then nothing was found.
func hookState(text, key string) Trust {
	inside, found := false, TrustNever
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inside = tableKey(line) == key
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !inside || !ok {
			continue
		}
		switch name, value = strings.TrimSpace(name), strings.TrimSpace(value); {
		case name == "enabled" && strings.HasPrefix(value, "false"):
			return TrustOff
		case name == "trusted_hash" && value != `""`:
			found = TrustOnce
		}
	}
	return found
}

// tableKey is the last part of a header [hooks.state."KEY"], "" for another.
func tableKey(line string) string {
	rest, ok := strings.CutPrefix(line, "[hooks.state.")
	end := strings.LastIndexByte(rest, ']')
	if !ok || end < 2 {
		return ""
	}
	switch part := rest[:end]; {
	case part[0] == '\'' && part[end-1] == '\'':
		return part[1 : end-1]
	case part[0] == '"':
		// The escapes of TOML's strings are those of JSON, but for \U and \e.
		out, err := jsontext.AppendUnquote(nil, part)
		if err == nil {
			return string(out)
		}
	}
	return ""
}
