package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/install"
	"github.com/seed6310be5c/conduct/wire"
)

var (
	errNotBlocked = errors.New("the canary was NOT blocked")
	errNotAllowed = errors.New("the canary's own file was blocked too")
	errNotRun     = errors.New("it could not be run here")
)

// canaryTime is how long the calls of one canary may take.
const canaryTime = 20 * time.Second

// canary runs a hook on a call that must be blocked, and on one that must not: in
// a workspace of its own, so that nothing here is touched. The line's own
// workspace is put in place of it by CONDUCT_DIR.
func (d *desk) canary(ctx context.Context, h install.Installed) error {
	root, err := os.MkdirTemp("", "conduct-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	id, err := d.env.canaryWorkspace(ctx, root)
	if err != nil {
		return fmt.Errorf("cannot make the canary: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, canaryTime)
	defer cancel()
	c := canaryRun{ctx, h, root, id}
	for _, try := range []struct {
		file    string
		blocked bool
		wrong   error
	}{{"units/B/canary.md", true, errNotBlocked}, {"units/A/canary.md", false, errNotAllowed}} {
		blocked, err := c.blocks(filepath.Join(root, try.file))
		if err != nil {
			return err
		}
		if blocked != try.blocked {
			return try.wrong
		}
	}
	return nil
}

// canaryWorkspace makes a workspace of two units with one dispatched.
func (e *Env) canaryWorkspace(ctx context.Context, root string) (string, error) {
	ce := *e
	ce.dir, ce.json = root, false
	o := initOptions{layouts: []string{"units/{unit}"}, scope: "local"}
	for _, u := range []string{"A", "B"} {
		if err := os.MkdirAll(filepath.Join(root, "units", u), 0o700); err != nil {
			return "", err
		}
	}
	if _, err := o.workspace(&ce, root); err != nil {
		return "", err
	}
	ce.Getenv = func(string) string { return "" }
	d, err := ce.open()
	if err != nil {
		return "", err
	}
	defer d.close()
	q, err := d.request(dispatchOptions{unit: "A", agent: "canary"}, false)
	if err != nil {
		return "", err
	}
	got, err := d.book.Open(ctx, q)
	if err != nil {
		return "", err
	}
	return string(got.ID), nil
}

// canaryRun is one hook in the canary's workspace.
type canaryRun struct {
	ctx  context.Context
	hook install.Installed
	root string
	id   string
}

// lineFailed is in what a command line of ours prints when it blocks by itself.
const lineFailed = "the guard is missing or has failed"

// blocks says whether the hook blocks the read of a file.
func (c canaryRun) blocks(file string) (bool, error) {
	client, err := install.ByName(c.hook.Client)
	if err != nil {
		return false, err
	}
	if client.Plugin {
		return c.pluginBlocks(file)
	}
	out, stderr, code, err := c.run(exec.CommandContext(c.ctx, client.Shell, "-c", c.hook.Command), canaryCall(client.Name, c.root, file))
	switch {
	case err != nil:
		return false, err
	case code == 0:
		return strings.Contains(out, `"deny"`) || strings.Contains(out, `"block"`), nil
	case code == 2 && client.Name == "kiro" && strings.HasPrefix(stderr, "conduct: ") && !strings.Contains(stderr, lineFailed):
		return true, nil // the one way that this program knows
	case code == 2 && stderr != "":
		return false, fmt.Errorf("the guard did not answer, the line itself blocked: %s", oneLine(stderr))
	}
	return false, nil
}

// run starts a command in the canary's workspace.
func (c canaryRun) run(cmd *exec.Cmd, stdin string) (stdout, stderr string, code int, err error) {
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "CONDUCT_DIR="+filepath.Join(c.root, ".conduct"), "CONDUCT_DISPATCH="+c.id, "CLAUDE_PROJECT_DIR="+c.root, "CONDUCT_OFF=")
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(stdin), time.Second
	var a, b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &a, &b
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return a.String(), b.String(), exit.ExitCode(), nil
	}
	return a.String(), b.String(), 0, err
}

// driver calls the plugin as opencode would. It is given the plugin's file, the
// workspace and the file that is read.
const driver = `
const [plugin, root, filePath] = process.argv.slice(1)
const { readFileSync } = await import("node:fs")
const { Conduct } = await import("data:text/javascript," + encodeURIComponent(readFileSync(plugin, "utf8")))
const session = { get: async () => ({ data: { id: "doctor" } }) }
const hooks = await Conduct({ client: { session }, directory: root, worktree: root })
let said = "passed"
try {
  await hooks["tool.execute.before"]({ tool: "read", sessionID: "doctor", callID: "doctor" }, { args: { filePath } })
} catch (err) {
  said = "blocked " + err.message
}
console.log(said)
process.exit(0)
`

// pluginBlocks runs a plugin in Node. Its own program brings a runtime of its own,
// which cannot be asked.
func (c canaryRun) pluginBlocks(file string) (bool, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return false, fmt.Errorf("%w: there is no node on the PATH", errNotRun)
	}
	out, stderr, code, err := c.run(exec.CommandContext(c.ctx, node, "--input-type=module", "-e", driver, "--", c.hook.File, c.root, file), "")
	switch {
	case err != nil:
		return false, err
	case code != 0:
		return false, fmt.Errorf("%w: node: %s", errNotRun, oneLine(stderr))
	case strings.Contains(out, lineFailed):
		return false, fmt.Errorf("the guard did not answer, the plugin itself blocked: %s", oneLine(out))
	}
	return strings.HasPrefix(out, "blocked "), nil
}

// canaryCall is a read of a file as a program reports it.
func canaryCall(client, root, file string) string {
	var w wire.Writer
	w.Object("")
	switch client {
	case "copilot":
		w.String("sessionId", "doctor").Int("timestamp", 1).String("cwd", root).String("toolName", "view").
			Object("toolArgs").String("path", file).End()
	case "kiro":
		w.String("hook_event_name", "preToolUse").String("cwd", root).String("tool_name", "fs_read").
			Object("tool_input").Array("operations").Object("").String("mode", "Line").String("path", file).End().End().End()
	case "cursor":
		w.String("conversation_id", "doctor").String("hook_event_name", "preToolUse").Strings("workspace_roots", []string{root}).
			String("tool_name", "Read").Object("tool_input").String("file_path", file).End()
	default:
		said := map[string][3]string{
			"codex": {"PreToolUse", "Bash", "command"}, "gemini-cli": {"BeforeTool", "read_file", "file_path"},
			"qwen-code": {"PreToolUse", "read_file", "file_path"}, "claude-code": {"PreToolUse", "Read", "file_path"},
		}[client]
		value := file
		if said[2] == "command" {
			value = "cat '" + file + "'"
		}
		w.String("session_id", "doctor").String("cwd", root).String("hook_event_name", said[0]).
			String("tool_name", said[1]).Object("tool_input").String(said[2], value).End().String("tool_use_id", "doctor")
	}
	return string(w.End().Bytes())
}
