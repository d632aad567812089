package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store/file"
)

// agent is the name of every agent that is dispatched here.
const agent = "architecture-reviewer"

// world is a workspace made with the real commands.
type world struct {
	root  string
	tools tools
}

// unitName names the i-th unit.
func unitName(i int) string { return fmt.Sprintf("U%05d", i) }

// unitPath is where the i-th unit lies below the workspace.
func unitPath(i int) string { return "construction/units/" + unitName(i) }

// newWorld makes a workspace with a number of units and a few shared files.
func newWorld(t tools, root string, units int) (*world, error) {
	for i := range units {
		if err := os.MkdirAll(filepath.Join(root, unitPath(i)), 0o755); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{
		unitPath(0) + "/design.md": "own", unitPath(1) + "/design.md": "a sibling's",
		"docs/guide.md": "shared", "README.md": "shared",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			return nil, err
		}
	}
	w := &world{root: root, tools: t}
	_, err := w.conduct("init", "--client", "claude-code", "--layout", "construction/units/{unit}")
	return w, err
}

// conduct runs a command in the workspace and returns what it printed.
func (w *world) conduct(args ...string) (string, error) {
	cmd := exec.Command(w.tools.conduct, args...)
	cmd.Dir, cmd.Env = w.root, w.tools.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("conduct %q: %w: %s", args, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}

// dispatch dispatches the i-th unit.
func (w *world) dispatch(i int) error {
	_, err := w.conduct("dispatch", "--unit", unitName(i), "--agent", agent)
	return err
}

// records opens the workspace's records.
func (w *world) records(clock dispatch.Clock) (*file.Store, *dispatch.Book, error) {
	st, err := file.Open(filepath.Join(w.root, ".conduct"), file.Options{})
	if err != nil {
		return nil, nil, err
	}
	return st, &dispatch.Book{Store: st, Clock: clock}, nil
}

// denied is what the answer to a blocked call holds.
const denied = `"permissionDecision":"deny"`

// guard is the hook's process for a payload that is allowed or blocked.
func (w *world) guard(payload []byte, blocked bool) proc {
	p := proc{
		argv: []string{w.tools.guard, "--client", "claude-code", "--dir", w.root},
		dir:  w.root, env: w.env(), stdin: payload,
	}
	if blocked {
		p.says = denied
	}
	return p
}

// env is the environment of a hook of Claude Code.
func (w *world) env() []string {
	return append(append([]string(nil), w.tools.env...), "CLAUDE_PROJECT_DIR="+w.root)
}

// installed is the command line that conduct init wrote into the client's settings.
func (w *world) installed() (string, error) {
	data, err := os.ReadFile(filepath.Join(w.root, ".claude", "settings.local.json"))
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(data), `"command": "`)
	if !ok {
		return "", errors.New("the settings hold no command")
	}
	return jsonString(rest)
}
