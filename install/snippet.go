package install

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrClient is returned for a client that there is no text for.
var ErrClient = errors.New("no settings known for client")

// Paste is what a person puts into the settings of a client.
type Paste struct {
	// File is where, relative to the home or to the workspace; "" for a bare command line.
	File string
	// Text is a JSON object, or a command line.
	Text string
	// Note is what to know besides, one sentence; "" for nothing.
	Note string
}

// style is how a client writes a hook.
type style struct {
	paste   Paste
	events  []entry // without commands
	timeout int     // in the client's own unit; 0 leaves it to the client
	named   bool    // the hook has a name
}

// styles are the clients that are installed by hand.
func styles() map[string]style {
	return map[string]style{
		"codex": {
			paste: Paste{
				File: ".codex/hooks.json",
				Note: "Codex skips hooks that it was not told to trust, without a word: confirm this one under /hooks.",
			},
			events: []entry{
				{event: "PreToolUse", matcher: ".*"}, {event: "PostToolUse", matcher: ".*"},
				{event: "SubagentStart"}, {event: "SubagentStop"},
			},
			timeout: timeout,
		},
		"gemini-cli": {
			paste: Paste{
				File: ".gemini/settings.json",
				Note: "Gemini CLI does not say which agent calls: run one dispatched agent at a time.",
			},
			events: []entry{
				{event: "BeforeTool", matcher: "*"}, {event: "AfterTool", matcher: "*"}, {event: "BeforeAgent"},
			},
			timeout: timeout * 1000,
			named:   true,
		},
		"qwen-code": {
			paste: Paste{File: ".qwen/settings.json"},
			events: []entry{
				{event: "PreToolUse", matcher: "*"}, {event: "PostToolUse", matcher: "*"}, {event: "PostToolUseFailure", matcher: "*"},
				{event: "SubagentStart"}, {event: "SubagentStop"},
			},
			named: true,
		},
	}
}

// Snippet returns what to paste into the settings of a client that Plan does
// not know: codex, gemini-cli, qwen-code, and generic, which is the command line alone.
func Snippet(client string, opts Options) (Paste, error) {
	if err := opts.check(); err != nil {
		return Paste{}, err
	}
	command, notice := commandFor(client, opts), noticeFor(client, opts)
	if client == "generic" {
		return Paste{Text: command + "\n", Note: "The payload is Claude Code's; the answer is one JSON object."}, nil
	}
	s, ok := styles()[client]
	if !ok {
		return Paste{}, fmt.Errorf("%w %q", ErrClient, client)
	}
	var events []string
	for i, e := range s.events {
		// The first event is the one that is judged.
		if e.command = notice; i == 0 {
			e.command = command
		}
		events = append(events, "    "+quoted(e.event)+": [\n      "+s.text(e)+"\n    ]")
	}
	s.paste.Text = "{\n  \"hooks\": {\n" + strings.Join(events, ",\n") + "\n  }\n}\n"
	return s.paste, nil
}

// text is an entry as this client writes it.
func (s style) text(e entry) string {
	hook := `"type": "command", "command": ` + quoted(e.command)
	if s.named {
		hook = `"name": "conduct", ` + hook
	}
	if s.timeout > 0 {
		hook += `, "timeout": ` + strconv.Itoa(s.timeout)
	}
	matcher := ""
	if e.matcher != "" {
		matcher = `"matcher": ` + quoted(e.matcher) + `, `
	}
	return "{" + matcher + `"hooks": [{` + hook + "}]}"
}
