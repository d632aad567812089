package install

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The hook of some programs is a file of our own. It begins with two comments:
// that it is ours, and which guard it starts.
const (
	pluginMark  = "// conduct-hook: conduct init writes this file and takes it away again; what you change in it is lost\n"
	pluginGuard = "// guard: "
)

// planPlugin is the file with a client's plugin. One of somebody else's is left alone.
func planPlugin(before []byte, opts Options) ([]byte, error) {
	if len(before) > 0 && !isPlugin(before) {
		return nil, fmt.Errorf("%w: it is not ours", ErrSettings)
	}
	if opts.Plugin == "" {
		return nil, fmt.Errorf("%w %q: no plugin", ErrClient, opts.Client)
	}
	guard := opts.Guard
	if opts.Scope == Project {
		guard = Program
	}
	return []byte(pluginMark + pluginGuard + quoted(guard) + "\n" + opts.Plugin), nil
}

// removePlugin leaves a file that is not ours alone.
func removePlugin(before []byte) (after []byte, removed bool) {
	if isPlugin(before) {
		return nil, true
	}
	return before, false
}

func isPlugin(text []byte) bool { return bytes.HasPrefix(text, []byte(pluginMark)) }

// pluginIn is the one hook of a plugin's file.
func (c Client) pluginIn(file string, scope Scope, text []byte) []Installed {
	rest, ok := strings.CutPrefix(string(text), pluginMark+pluginGuard)
	if !ok {
		return nil
	}
	line, _, _ := strings.Cut(rest, "\n")
	guard, err := jsontext.AppendUnquote(nil, line)
	if err != nil {
		return nil
	}
	return []Installed{{Client: c.Name, Scope: scope, File: file, Path: string(guard), Ours: true}}
}
