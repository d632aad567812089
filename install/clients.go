package install

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ErrClient is returned for a client that has no settings.
var ErrClient = errors.New("no settings known for client")

// Client says how one agent program keeps its hooks. What differs from program
// to program is in the table of Clients, and nowhere else.
type Client struct {
	// Name is the client's name on the command line, Title the program's own.
	Name, Title string
	// Programs are the names of its binaries.
	Programs []string
	// Tested is the version that the hook was tried with, "" for a program that
	// is known from its documentation only.
	Tested string
	// Agents says that hooks belong to one agent's file, so that its name is needed.
	Agents bool
	// Plugin says that the hook is a program of our own in a folder for such.
	Plugin bool
	// Shell is what the program hands a hook's command line to.
	Shell string
	// Note is what to know after an installation, one sentence; "" for nothing.
	Note string

	files  map[Scope]string // slashes, below the root or the home; NAME is the agent's
	whole  bool             // every .json file beside ours is read too
	folder string           // whose being there shows that the program is in use, in a root or a home
	form   form
	events []event
}

// event is one of a program's events.
type event struct {
	name    string
	matcher string // "" where there is none to give
	judged  bool   // the call is judged; else the event is only noted
}

// form is how a program writes a hook.
type form struct {
	flat    bool   // the hook stands in its event's list, not in a group there
	typed   bool   // "type": "command"
	named   bool   // "name": "conduct"
	command string // the member that holds the command line
	limit   string // the member that holds the time limit
	perUnit int    // how many of its units are a second
	closed  bool   // "failClosed": true on what is judged
	version bool   // "version": 1 in the file
}

// seconds is how long a program waits for the hook. The guard gives up long before,
// also when it asks a person.
const seconds = 60

// Clients are the agent programs whose hook can be installed, in the order in
// which the documentation names them.
func Clients() []Client {
	groups := form{typed: true, command: "command", limit: "timeout", perUnit: 1}
	named := groups
	named.named = true
	inMilliseconds := named
	inMilliseconds.perUnit = 1000
	return []Client{
		{
			Name: "claude-code", Title: "Claude Code", Programs: []string{"claude"}, Tested: "2.1.332", Shell: "sh",
			files: map[Scope]string{
				Local: ".claude/settings.local.json", Project: ".claude/settings.json", User: ".claude/settings.json",
			},
			folder: ".claude", form: groups,
			// What comes after a tool matters for launches only, and a process less is saved for the others.
			events: []event{
				{"PreToolUse", "*", true}, {"PostToolUse", "Agent|Task", false}, {"SubagentStart", "*", false}, {"SubagentStop", "*", false},
			},
		},
		{
			Name: "codex", Title: "Codex", Programs: []string{"codex"}, Tested: "0.171.0", Shell: "sh",
			Note: "Codex skips hooks that it was not told to trust, without a word: confirm this one under /hooks, " +
				"and again when doctor says that it changed.",
			files:  map[Scope]string{Local: ".codex/hooks.json", Project: ".codex/hooks.json", User: ".codex/hooks.json"},
			folder: ".codex", form: groups,
			events: []event{{"PreToolUse", ".*", true}, {"PostToolUse", ".*", false}, {"SubagentStart", "", false}, {"SubagentStop", "", false}},
		},
		{
			Name: "gemini-cli", Title: "Gemini CLI", Programs: []string{"gemini"}, Tested: "0.61.0", Shell: "bash",
			Note:   "Gemini CLI does not say which agent calls: run one dispatched agent at a time.",
			files:  map[Scope]string{Local: ".gemini/settings.json", Project: ".gemini/settings.json", User: ".gemini/settings.json"},
			folder: ".gemini", form: inMilliseconds,
			events: []event{{"BeforeTool", "*", true}, {"AfterTool", "*", false}, {"BeforeAgent", "", false}},
		},
		{
			Name: "qwen-code", Title: "Qwen Code", Programs: []string{"qwen"}, Tested: "0.24.4", Shell: "bash",
			files:  map[Scope]string{Local: ".qwen/settings.json", Project: ".qwen/settings.json", User: ".qwen/settings.json"},
			folder: ".qwen", form: named,
			events: []event{
				{"PreToolUse", "*", true}, {"PostToolUse", "*", false}, {"PostToolUseFailure", "*", false},
				{"SubagentStart", "", false}, {"SubagentStop", "", false},
			},
		},
		{
			Name: "opencode", Title: "opencode", Programs: []string{"opencode"}, Tested: "1.18.33", Shell: "sh", Plugin: true,
			files: map[Scope]string{
				Local: ".opencode/plugins/conduct.js", Project: ".opencode/plugins/conduct.js", User: ".config/opencode/plugins/conduct.js",
			},
			folder: ".opencode .config/opencode",
		},
		{
			Name: "copilot", Title: "GitHub Copilot CLI", Programs: []string{"copilot"}, Tested: "1.0.102", Shell: "bash",
			files: map[Scope]string{
				Local: ".github/hooks/conduct.json", Project: ".github/hooks/conduct.json", User: ".copilot/hooks/conduct.json",
			},
			whole: true, folder: ".copilot .github/hooks",
			form: form{flat: true, typed: true, command: "bash", limit: "timeoutSec", perUnit: 1, version: true},
			events: []event{
				{"preToolUse", "", true}, {"postToolUse", "", false}, {"subagentStart", "", false}, {"subagentStop", "", false},
				{"userPromptSubmitted", "", false},
			},
		},
		{
			Name: "cursor", Title: "Cursor", Programs: []string{"cursor-agent", "cursor"}, Shell: "sh",
			Note:   "Cursor does not say which agent calls: run one dispatched agent at a time. It is known from its documentation only.",
			files:  map[Scope]string{Local: ".cursor/hooks.json", Project: ".cursor/hooks.json", User: ".cursor/hooks.json"},
			folder: ".cursor",
			form:   form{flat: true, command: "command", limit: "timeout", perUnit: 1, closed: true, version: true},
			events: []event{{"preToolUse", "", true}},
		},
		{
			Name: "kiro", Title: "Kiro CLI", Programs: []string{"kiro-cli"}, Shell: "sh", Agents: true,
			Note: "The hook is this one agent's: install it for each agent that you dispatch. Kiro is known from its documentation only.",
			files: map[Scope]string{
				Local: ".kiro/agents/NAME.json", Project: ".kiro/agents/NAME.json", User: ".kiro/agents/NAME.json",
			},
			whole: true, folder: ".kiro",
			form:   form{flat: true, command: "command", limit: "timeout_ms", perUnit: 1000},
			events: []event{{"preToolUse", "*", true}},
		},
	}
}

// ByName is the client of a name.
func ByName(name string) (Client, error) {
	all := Clients()
	if i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Client{}, fmt.Errorf("%w %q", ErrClient, name)
}

// Shares says that a program knows no settings of a workspace that are one
// person's alone: what is local stands in the same file as what everybody has.
func (c Client) Shares() bool { return c.files[Local] == c.files[Project] }

// Judged is the name of the event at which calls are judged; "" for a plugin.
func (c Client) Judged() string {
	if c.Plugin {
		return ""
	}
	return c.events[0].name
}

// Events are the events that the hook is installed for.
func (c Client) Events() []string {
	var out []string
	for _, e := range c.events {
		out = append(out, e.name)
	}
	return out
}

// base is the folder that a scope's file lies below.
func base(scope Scope, root, home string) string {
	if scope == User {
		return home
	}
	return root
}

// file is where a scope's hooks are; an agent's name of "*" makes it a pattern.
func (c Client) file(scope Scope, root, home, agent string) (string, error) {
	name, ok := c.files[scope]
	if !ok {
		return "", fmt.Errorf("%q: %w", scope, ErrScope)
	}
	return filepath.Join(base(scope, root, home), filepath.FromSlash(strings.Replace(name, "NAME", agent, 1))), nil
}

// read lists the files from which the program takes hooks of a scope.
func (c Client) read(scope Scope, root, home string) []string {
	file, err := c.file(scope, root, home, "*")
	if err != nil {
		return nil
	}
	if !c.whole {
		return []string{file}
	}
	found, _ := filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(file)), "*.json")) // the pattern is well-formed
	return found
}

// escapeGlob makes a pattern of a path that matches that path alone.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// made are the folders below a root or home that an installation may have made, deepest first.
func (c Client) made(scope Scope) []string {
	var out []string
	for dir := path.Dir(c.files[scope]); dir != "." && dir != ".config"; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	return out
}
