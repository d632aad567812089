package cli

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/guardcmd"
)

// captured are payloads of a real agent program; only the paths, the agent's
// name and the call's id are filled in.
//
//go:embed demo/*.json
var captured embed.FS

// demoCall is one call of the demonstration.
type demoCall struct {
	tool  string
	say   string
	input map[string]any
}

func newDemo(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "show a block happening, in a throw-away workspace", Args: cobra.NoArgs,
		Long: `Makes a workspace of three units in a temporary folder, dispatches a reviewer to
U03, sends captured payloads of a real agent program through the guard, and
releases. Nothing is left behind.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), env) },
	}
}

func runDemo(ctx context.Context, env *Env) error {
	root, err := os.MkdirTemp("", "conduct-demo-")
	if err != nil {
		return fmt.Errorf("cannot make a workspace: %w", err)
	}
	defer os.RemoveAll(root)
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return err
	}
	de := *env
	de.dir, de.json = root, false
	de.Getenv = func(name string) string {
		if name == "HOME" || name == "PATH" {
			return env.Getenv(name)
		}
		return ""
	}
	d, err := de.demoWorkspace(root)
	if err != nil {
		return err
	}
	defer d.close()
	q, err := d.request(dispatchOptions{unit: "U03", agent: "architecture-reviewer", role: "reviewer"}, false)
	if err != nil {
		return err
	}
	if err := d.log.Prepare(); err != nil {
		return err
	}
	got, err := d.book.Open(ctx, q)
	if err != nil {
		return err
	}
	if env.json {
		de.Stdout = &bytes.Buffer{}
	}
	out := de.Stdout
	fmt.Fprintf(out, "$ conduct dispatch --unit U03 --agent architecture-reviewer --role reviewer\n%s\n%s\n\n", got.ID, got.Line())
	for i, c := range demoCalls(root) {
		if err := de.demoCall(root, i, c); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\n$ conduct release --unit U03 --verdict ready\n")
	end, err := d.book.Release(ctx, dispatch.Selector{Unit: "U03", AnyAgent: true}, dispatch.VerdictReady, d.receipt)
	if err != nil {
		return err
	}
	if env.json {
		de.Stdout, d.env.Stdout, d.env.json = env.Stdout, env.Stdout, true
	}
	return d.printReceipt(end)
}

func (e *Env) demoWorkspace(root string) (*desk, error) {
	files := map[string]string{
		"construction/units/U03/design.md": "# U03\n", "construction/units/U04/design.md": "# U04\n",
		"construction/units/U05/design.md": "# U05\n", "docs/guide.md": "shared\n",
	}
	for name, text := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	if err := os.Symlink("../U04", filepath.Join(root, "construction/units/U03/peek")); err != nil {
		return nil, err
	}
	o := initOptions{layouts: []string{"construction/units/{unit}"}, scope: "local"}
	if _, err := o.workspace(e, root); err != nil {
		return nil, err
	}
	return e.open()
}

func demoCalls(root string) []demoCall {
	u := root + "/construction/units/"
	return []demoCall{
		{"Read", "its own file", map[string]any{"file_path": u + "U03/design.md"}},
		{"Read", "a shared file", map[string]any{"file_path": root + "/docs/guide.md"}},
		{"Grep", "its own unit", map[string]any{"pattern": "TODO"}},
		{"Read", "a sibling's file", map[string]any{"file_path": u + "U04/design.md"}},
		{"Read", "the same through a link", map[string]any{"file_path": u + "U03/peek/design.md"}},
		{"Grep", "all units at once", map[string]any{"pattern": "TODO", "path": root}},
		{"Glob", "every design", map[string]any{"pattern": "../*/design.md"}},
		{"Bash", "a sibling by cat", map[string]any{"command": "cat ../U05/design.md"}},
		{"Write", "its own verdict", map[string]any{"file_path": root + "/.conduct/live/forged.json", "content": "{}"}},
		{"Bash", "its own release", map[string]any{"command": "conduct release --unit U03 --verdict ready"}},
	}
}

// demoCall sends one call through the hook and shows the answer.
func (e *Env) demoCall(root string, n int, c demoCall) error {
	data, err := captured.ReadFile("demo/PreToolUse-" + c.tool + "-subagent.json")
	if err != nil {
		return err
	}
	var p map[string]any
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	p["cwd"] = root + "/construction/units/U03"
	p["transcript_path"] = "/nonexistent/.claude/projects/-demo/none.jsonl"
	p["agent_type"] = "architecture-reviewer"
	p["tool_use_id"] = fmt.Sprintf("toolu_demo%d", n)
	p["tool_input"] = c.input
	payload, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var stdout, stderr bytes.Buffer
	guardcmd.Run([]string{"--client", "claude-code", "--dir", root},
		gate.Options{Stdin: bytes.NewReader(payload), Getenv: e.Getenv, Clock: e.Clock}, &stdout, &stderr)
	shown := []string{}
	for _, k := range []string{"file_path", "pattern", "path", "command"} {
		if v, ok := c.input[k].(string); ok {
			shown = append(shown, strings.ReplaceAll(v, root+"/", ""))
		}
	}
	reason := denial(stdout.Bytes())
	said := "allowed"
	if reason != "" {
		said = "BLOCKED"
	}
	fmt.Fprintf(e.Stdout, "%s  %-5s %-44s (%s)\n", said, c.tool, strings.Join(shown, " in "), c.say)
	if reason != "" {
		fmt.Fprintf(e.Stdout, "         %s\n", strings.ReplaceAll(reason, root+"/", ""))
	}
	return nil
}

// denial returns the reason of a block in Claude Code's form, "" for an allowed call.
func denial(answer []byte) string {
	var a struct {
		Out struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(answer, &a) != nil || a.Out.Decision != "deny" {
		return ""
	}
	return a.Out.Reason
}
