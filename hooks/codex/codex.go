// Package codex knows the hooks of OpenAI's Codex CLI (measured with 0.171.0).
package codex

import (
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// Name is the client's name on the command line.
const Name = "codex"

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: events(), Tools: Tools(), Started: "agent_id"}}
}

func (client) Name() string { return Name }

// ProjectDirs is empty: Codex tells its hooks and commands nothing by variables.
func (client) ProjectDirs() []string { return nil }
func (client) SessionVar() string    { return "" }

// Decode reads a payload. Its cwd is the folder that the one call asked for, not the session's.
func (c client) Decode(payload []byte) (guard.Call, error) {
	p, err := c.format.Decode(payload)
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client, call.Marks, call.Marked = Name, true, p.AgentID != "" || p.AgentType != ""
	call.CallID = p.ToolUseID
	call.Transcripts = sessions(call.Transcripts)
	if p.PermissionMode == unasked {
		hooks.Rewritable(&call)
	}
	if call.Board != nil {
		call.Board.Rewrites = false // a change was measured for commands and patches alone
	}
	return call, nil
}

// sessions is the folder above those of the single days in which Codex keeps its transcripts.
func sessions(day string) string {
	const name = "/sessions/"
	if at := strings.LastIndex(day, name); at >= 0 {
		return day[:at+len(name)-1]
	}
	return day
}

// unasked is the permission mode in which nobody is asked.
const unasked = "bypassPermissions"

// Encode answers with silence, a denial, or a new command. Codex takes a new
// command only with the decision "allow", which skips the person's own prompt:
// Decode lets commands be rewritten only where nobody would be asked.
func (client) Encode(a hooks.Answer) hooks.Response {
	field, text, ok := a.Rewrites()
	if !ok || field != "command" {
		return hooks.DenyOrPass(a)
	}
	input, err := hooks.ReplaceInput(a.Payload, field, text)
	if err != nil {
		return hooks.DenyOrPass(a)
	}
	var w wire.Writer
	w.Object("").Object("hookSpecificOutput").
		String("hookEventName", "PreToolUse").
		String("permissionDecision", "allow").
		Raw("updatedInput", input).
		End().End()
	return hooks.Response{Stdout: append(w.Bytes(), '\n')}
}
