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
	// TrustNoProject is that the hook stands in a project that was not trusted, so
	// that the program does not read its settings.
	TrustNoProject
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
	if h.Scope != User && !projectTrusted(string(text), files) {
		return TrustNoProject
	}
	for _, file := range files {
		key := fmt.Sprintf("%s:%s:%d:%d", file, snake(h.Event), h.Group, h.Place)
		if at := hookState(string(text), key); at != TrustNever {
			return at
		}
	}
	return TrustNever
}

// projectTrusted says whether a folder above one of the files is a trusted project.
func projectTrusted(text string, files []string) bool {
	for _, file := range files {
		for dir := filepath.Dir(filepath.Dir(file)); ; dir = filepath.Dir(dir) {
			if _, ok := inTable(text, "projects", dir)["trust_level"]; ok {
				return inTable(text, "projects", dir)["trust_level"] == `"trusted"`
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return false
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

// hookState reads the table [hooks.state."KEY"].
func hookState(text, key string) Trust {
	state := inTable(text, "hooks.state", key)
	switch hash := state["trusted_hash"]; {
	case state["enabled"] == "false":
		return TrustOff
	case hash != "" && hash != `""`:
		return TrustOnce
	}
	return TrustNever
}

// inTable reads the lines of a table [NAME."KEY"] as Codex writes it. Other ways to
// write the same in TOML are not read: then nothing was found.
func inTable(text, name, key string) map[string]string {
	out := map[string]string{}
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inside = tableKey(line, name) == key
			continue
		}
		if field, value, ok := strings.Cut(line, "="); inside && ok {
			out[strings.TrimSpace(field)] = strings.TrimSpace(value)
		}
	}
	return out
}

// tableKey is the last part of a header [NAME."KEY"], "" for another.
func tableKey(line, name string) string {
	rest, ok := strings.CutPrefix(line, "["+name+".")
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
