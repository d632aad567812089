package main

import (
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/all"
	"github.com/seed6310be5c/conduct/hooks/claudecode"
	"github.com/seed6310be5c/conduct/hooks/codex"
	"github.com/seed6310be5c/conduct/hooks/copilot"
	"github.com/seed6310be5c/conduct/hooks/cursor"
	"github.com/seed6310be5c/conduct/hooks/geminicli"
	"github.com/seed6310be5c/conduct/hooks/generic"
	"github.com/seed6310be5c/conduct/hooks/kiro"
	"github.com/seed6310be5c/conduct/hooks/opencode"
	"github.com/seed6310be5c/conduct/hooks/qwencode"
	"github.com/seed6310be5c/conduct/install"
	"github.com/seed6310be5c/conduct/wire"
)

// tools returns a client's table.
func tools(name string) ([]hooks.Tool, error) {
	switch name {
	case claudecode.Name:
		return claudecode.Tools(), nil
	case codex.Name:
		return codex.Tools(), nil
	case geminicli.Name:
		return geminicli.Tools(), nil
	case qwencode.Name:
		return qwencode.Tools(), nil
	case opencode.Name:
		return opencode.Tools(), nil
	case copilot.Name:
		return copilot.Tools(), nil
	case cursor.Name:
		return cursor.Tools(), nil
	case kiro.Name:
		return kiro.Tools(), nil
	case generic.Name:
		return generic.Tools(), nil
	}
	return nil, fmt.Errorf("no client is called %q", name)
}

// client writes what the code knows of an agent program.
func client(name string) (string, error) {
	c, ok := all.ByName(name)
	if !ok {
		return "", fmt.Errorf("no client is called %q", name)
	}
	table, err := tools(name)
	if err != nil {
		return "", err
	}
	events, err := eventTable(c, table)
	if err != nil {
		return "", err
	}
	session := "none: name the conductor's session with `--session`"
	if v := c.SessionVar(); v != "" {
		session = code(v)
	}
	project := "none"
	if dirs := c.ProjectDirs(); len(dirs) > 0 {
		project = code(strings.Join(dirs, "`, `"))
	}
	text := fmt.Sprintf("Variable of the project's folder: %s. Variable of the session: %s.\n\n", project, session)
	if name == generic.Name {
		return text + events + "\nTools and fields are those of Claude Code; no prompt is rewritten.\n", nil
	}
	return text + events + "\n" + toolTable(table), nil
}

// reported lists the events of the clients whose payloads have shapes of their own.
func reported(name string) []hooks.Event {
	switch name {
	case opencode.Name:
		return opencode.Events()
	case copilot.Name:
		return copilot.Events()
	case cursor.Name:
		return cursor.Events()
	case kiro.Name:
		return kiro.Events()
	}
	return nil
}

// eventTable asks the client what it makes of each event that its hook is installed for.
func eventTable(c hooks.Client, tools []hooks.Tool) (string, error) {
	var rows [][]string
	for _, e := range reported(c.Name()) {
		say, ok := acts()[e.Event]
		if !ok {
			return "", fmt.Errorf("event %q means nothing", e.Name)
		}
		rows = append(rows, []string{code(e.Name), say})
	}
	head := []string{"event", "what the guard does"}
	if rows != nil {
		return table(head, rows), nil
	}
	names, err := installed(c.Name())
	if err != nil {
		return "", err
	}
	var launch string
	for _, t := range tools {
		if t.Launch {
			launch = t.Name
			break
		}
	}
	for _, n := range names {
		var w wire.Writer
		w.Object("").String("hook_event_name", n).String("tool_name", launch).Object("tool_input").End().End()
		call, err := c.Decode(w.Bytes())
		if err != nil {
			return "", fmt.Errorf("event %q: %w", n, err)
		}
		say, ok := acts()[call.Event]
		if !ok {
			return "", fmt.Errorf("event %q means nothing", n)
		}
		rows = append(rows, []string{code(n), say})
	}
	return table(head, rows), nil
}

// acts says what the guard does at an event.
func acts() map[guard.Event]string {
	return map[guard.Event]string{
		guard.ToolCall:   "judges the call",
		guard.LaunchDone: "after a launch tool: binds the agent that the result names; closes a launch window",
		guard.AgentStart: "binds the agent where a link names its dispatch already",
		guard.AgentStop:  "notes in the log that the agent has ended",
		guard.TurnStart:  "closes launch windows that were left open",
	}
}

// installed lists the events that a client's hook is installed for, in the order of its settings.
func installed(name string) ([]string, error) {
	if name == generic.Name {
		name = claudecode.Name
	}
	c, err := install.ByName(name)
	if !c.Plugin {
		return c.Events(), err
	}
	var out []string
	for _, e := range opencode.Events() {
		out = append(out, e.Name)
	}
	return out, err
}

// toolTable writes the tools that touch paths, and then those that touch none.
func toolTable(all []hooks.Tool) string {
	var rows [][]string
	var none []string
	for _, t := range all {
		if t.NoPaths {
			none = append(none, code(t.Name))
			continue
		}
		judged, text := fields(t.Fields, "")
		rows = append(rows, []string{code(t.Name), orDash(judged), orDash(text), orDash(notes(t))})
	}
	return table([]string{"tool", "judged", "text, never a path", "notes"}, rows) +
		"\nNo paths: " + strings.Join(none, ", ") + ".\n"
}

func orDash(list []string) string {
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}

func fields(all []hooks.Field, below string) (judged, text []string) {
	for _, f := range all {
		name := below + f.Name
		switch f.Kind {
		case hooks.Text:
			text = append(text, code(name))
		case hooks.Objects:
			j, t := fields(f.Fields, name+"[].")
			judged, text = append(judged, j...), append(text, t...)
		default:
			judged = append(judged, code(name)+" ("+f.Kind.String()+")")
		}
	}
	return judged, text
}

func notes(t hooks.Tool) []string {
	var out []string
	add := func(is bool, say string) {
		if is {
			out = append(out, say)
		}
	}
	add(t.Writes, "writes")
	add(t.Implied == guard.Search, "searches the current folder when no root is given")
	add(t.Implied == guard.List, "lists the current folder when no root is given")
	add(t.AnyDepth, "a glob without a slash matches at every depth")
	add(t.Links, "goes through linked folders")
	add(t.Foreign, "no POSIX shell: opaque")
	add(t.Launch && !t.Script, "launches an agent")
	add(t.Script, "a program that launches agents")
	add(t.Rewrites, "the guard can add the launch line")
	return out
}
