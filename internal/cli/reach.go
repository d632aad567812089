package cli

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/seed6310be5c/conduct/install"
	"github.com/seed6310be5c/conduct/wire"
)

// Who holds a kind of access.
const (
	byHook    = "hook"
	bySandbox = "sandbox"
	byNothing = "nothing"
	byNone    = "–" // the program has no such thing
	byUnknown = "unknown"
)

// covered is who holds one kind of access in one program.
type covered struct{ client, kind, by, why string }

// kinds are the ways to a file, in the order of the table's columns.
var kinds = [...]string{"file tools", "searches", "commands", "opaque commands", "agents", "MCP arguments", "MCP servers", "mentions", "listing", "typed input"}

// rewrites are the programs in which an opaque command can be confined: in the
// others it is blocked, which is the hook's doing.
var rewrites = []string{"claude-code", "codex", "gemini-cli", "opencode", "copilot"}

// round is what goes round the hook, per program, beside what does so in all of them.
var round = map[string][]covered{
	"claude-code": {{kind: "mentions", by: byNothing, why: "@path in a person's prompt is read without a tool call"}},
	"codex": {
		{kind: "typed input", by: byNothing, why: "write_stdin into a running program fires no hook"},
		{kind: "opaque commands", by: bySandbox, why: "in permission mode bypassPermissions; else blocked by the hook"},
	},
	"gemini-cli": {
		{kind: "mentions", by: byNothing, why: "@path in a person's prompt is read without a tool call"},
		{kind: "listing", by: byNothing, why: "names of the workspace's files go into an agent's first request"},
	},
	"qwen-code": {
		{kind: "mentions", by: byUnknown, why: "@path in a person's prompt was not tried"},
		{kind: "listing", by: byNothing, why: "up to 20 names of the workspace's files go into an agent's first request"},
	},
	"copilot":  {{kind: "typed input", by: byHook, why: "write_bash is not understood, so it is blocked for a dispatched agent"}},
	"cursor":   {{kind: "mentions", by: byUnknown}, {kind: "listing", by: byUnknown}, {kind: "typed input", by: byUnknown}},
	"kiro":     {{kind: "mentions", by: byUnknown}, {kind: "listing", by: byUnknown}, {kind: "typed input", by: byUnknown}},
	"opencode": {{kind: "mentions", by: byHook, why: "@path in an agent's prompt is judged at its launch; one in a person's own prompt is not"}},
}

// reachOf is the table for some programs.
func reachOf(programs []install.Client, sandbox bool) []covered {
	var out []covered
	for _, c := range programs {
		for _, kind := range kinds {
			out = append(out, reach(c.Name, kind, sandbox))
		}
	}
	return out
}

// reach is one cell.
func reach(client, kind string, sandbox bool) covered {
	out := covered{client: client, kind: kind, by: byHook}
	switch kind {
	case "opaque commands":
		if slices.Contains(rewrites, client) {
			out.by = bySandbox
		}
	case "MCP servers":
		out.by, out.why = byNothing, "what a server opens by itself is not seen; its arguments are"
	case "mentions", "listing", "typed input":
		out.by = byNone
	}
	for _, r := range round[client] {
		if r.kind == kind {
			out.by, out.why = r.by, r.why
		}
	}
	if out.by == bySandbox && !sandbox {
		out.by, out.why = byHook, "blocked: no sandbox works here"
	}
	return out
}

func writeReach(w *wire.Writer, all []covered) {
	w.Array("reach")
	for _, c := range all {
		by := c.by
		if by == byNone {
			by = "" // the program has no such thing, as far as is known
		}
		w.Object("").String("client", c.client).String("kind", c.kind).String("by", by).String("why", c.why).End()
	}
	w.End()
}

// printReach prints the table, one line for each program, and why where it is not
// the hook.
func printReach(to io.Writer, all []covered) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(to, "\nwhat holds an agent to its unit, by program and way:")
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "PROGRAM")
	for _, k := range kinds {
		fmt.Fprint(t, "\t"+k)
	}
	last := ""
	for _, c := range all {
		if c.client != last {
			fmt.Fprint(t, "\n"+c.client)
			last = c.client
		}
		fmt.Fprint(t, "\t"+c.by)
	}
	fmt.Fprintln(t)
	_ = t.Flush() // what cannot be printed is noted by the writer
	for _, c := range all {
		if c.why != "" && c.kind != "MCP servers" {
			fmt.Fprintf(to, "%s, %s: %s\n", c.client, c.kind, c.why)
		}
	}
}
