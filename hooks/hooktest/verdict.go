package hooktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/hooks"
)

// Verdict is what a client makes of a response to a tool call.
type Verdict struct {
	Blocked bool
	Reason  string // of a block: what the model sees
	changed
	Silent bool   // nothing was said
	Code   string // of the generic client
}

// changed are the arguments that a client replaces or adds.
type changed struct {
	Prompt   string // of a rewritten launch
	Command  string // that runs in place of the call's
	Dispatch string // that a call of our own tools names
}

func changes(args map[string]any) changed {
	text := func(name string) string { s, _ := args[name].(string); return s }
	return changed{Prompt: text("prompt"), Command: text("command"), Dispatch: text(hooks.DispatchField)}
}

// answer is the union of what the clients read.
type answer struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Code     string `json:"code"`
	// Copilot.
	Top      string         `json:"permissionDecision"`
	Because  string         `json:"permissionDecisionReason"`
	Modified map[string]any `json:"modifiedArgs"`
	// Cursor.
	Permission string `json:"permission"`
	ToUser     string `json:"user_message"`
	ToAgent    string `json:"agent_message"`
	// The plugin of opencode.
	Args map[string]any `json:"args"`

	Specific struct {
		Event    string         `json:"hookEventName"`
		Decision string         `json:"permissionDecision"`
		Reason   string         `json:"permissionDecisionReason"`
		Updated  map[string]any `json:"updatedInput"`
		Input    map[string]any `json:"tool_input"`
	} `json:"hookSpecificOutput"`
}

// Read decides as the named client would what becomes of a tool call. An
// error is a response that the client takes for a broken hook, or one that
// conduct must never give: "ask", or "allow" where silence is owed.
func Read(client string, r hooks.Response) (Verdict, error) {
	switch client {
	case "generic":
		return readGeneric(r)
	case "kiro":
		return readKiro(r)
	}
	if r.Exit != 0 || len(r.Stderr) > 0 {
		return Verdict{}, fmt.Errorf("exit %d with %q on stderr, where only JSON counts", r.Exit, r.Stderr)
	}
	if len(r.Stdout) == 0 {
		return Verdict{Silent: true}, nil
	}
	a, err := parse(r.Stdout)
	if err != nil {
		return Verdict{}, err
	}
	switch client {
	case "gemini-cli":
		return readGemini(a)
	case "opencode":
		return readOpencode(a)
	case "cursor":
		return readCursor(a)
	case "copilot":
		if a.Top != "" || a.Modified != nil {
			return readCopilot(a)
		}
	}
	return readClaude(client, a)
}

// readKiro decides by the exit code: Kiro reads no JSON.
func readKiro(r hooks.Response) (Verdict, error) {
	switch {
	case len(r.Stdout) > 0:
		return Verdict{}, fmt.Errorf("%q on stdout, which goes to the model or nowhere", r.Stdout)
	case r.Exit == 0 && len(r.Stderr) == 0:
		return Verdict{Silent: true}, nil
	case r.Exit == 2:
		reason := strings.TrimSuffix(string(r.Stderr), "\n")
		return Verdict{Blocked: true, Reason: reason}, reasoned(reason)
	}
	return Verdict{}, fmt.Errorf("exit %d with %q on stderr", r.Exit, r.Stderr)
}

// readOpencode decides as the plugin does.
func readOpencode(a answer) (Verdict, error) {
	if a.Decision == "block" {
		return Verdict{Blocked: true, Reason: a.Reason}, reasoned(a.Reason)
	}
	if a.Decision != "" || changes(a.Args) == (changed{}) {
		return Verdict{}, fmt.Errorf("decision %q with the arguments %v", a.Decision, a.Args)
	}
	return Verdict{changed: changes(a.Args)}, nil
}

func readCursor(a answer) (Verdict, error) {
	switch {
	case a.Permission == "allow" && a.ToUser+a.ToAgent == "":
		return Verdict{}, nil
	case a.Permission == "deny" && a.ToUser == a.ToAgent:
		return Verdict{Blocked: true, Reason: a.ToAgent}, reasoned(a.ToAgent)
	}
	return Verdict{}, fmt.Errorf("permission %q", a.Permission)
}

func readCopilot(a answer) (Verdict, error) {
	switch {
	case a.Top == "deny" && a.Modified == nil:
		return Verdict{Blocked: true, Reason: a.Because}, reasoned(a.Because)
	case a.Top != "":
		return Verdict{}, fmt.Errorf("permission %q, or with new arguments", a.Top)
	}
	return Verdict{changed: changes(a.Modified)}, nil
}

func parse(stdout []byte) (answer, error) {
	var a answer
	d := json.NewDecoder(bytes.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, fmt.Errorf("stdout %q: %w", stdout, err)
	}
	if d.More() {
		return a, fmt.Errorf("more than one value in stdout %q", stdout)
	}
	return a, nil
}

func readGeneric(r hooks.Response) (Verdict, error) {
	a, err := parse(r.Stdout)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Code: a.Code, Reason: a.Reason}
	switch {
	case a.Code == "":
		return v, fmt.Errorf("no code in %q", r.Stdout)
	case a.Decision == "allow" && r.Exit == 0 && len(r.Stderr) == 0:
		return v, nil
	case a.Decision == "block" && r.Exit == 2 && len(bytes.TrimSpace(r.Stderr)) > 0:
		v.Blocked = true
		return v, reasoned(a.Reason)
	}
	return v, fmt.Errorf("decision %q with exit %d and %q on stderr", a.Decision, r.Exit, r.Stderr)
}

func readGemini(a answer) (Verdict, error) {
	if a.Decision == "deny" {
		return Verdict{Blocked: true, Reason: a.Reason}, reasoned(a.Reason)
	}
	if a.Decision != "" || a.Specific.Event != "BeforeTool" {
		return Verdict{}, fmt.Errorf("decision %q for event %q", a.Decision, a.Specific.Event)
	}
	return Verdict{changed: changes(a.Specific.Input)}, nil
}

func readClaude(client string, a answer) (Verdict, error) {
	s := a.Specific
	if s.Event != "PreToolUse" || a.Decision != "" {
		return Verdict{}, fmt.Errorf("decision %q for event %q", a.Decision, s.Event)
	}
	if s.Decision == "deny" {
		return Verdict{Blocked: true, Reason: s.Reason}, reasoned(s.Reason)
	}
	set := changes(s.Updated)
	if client == "codex" && s.Decision == "allow" && set.Command != "" {
		return Verdict{changed: changed{Command: set.Command}}, nil
	}
	if s.Decision != "" || client != "claude-code" {
		return Verdict{}, fmt.Errorf("%s does not take the decision %q and the input %v so", client, s.Decision, s.Updated)
	}
	return Verdict{changed: set}, nil
}

func reasoned(reason string) error {
	if strings.TrimSpace(reason) == "" {
		return fmt.Errorf("a block without a reason")
	}
	return nil
}
