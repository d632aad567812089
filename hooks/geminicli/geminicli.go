// Package geminicli knows the hooks of Google's Gemini CLI (measured with 0.61.0).
package geminicli

import (
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// Name is the client's name on the command line.
const Name = "gemini-cli"

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: events(), Tools: Tools()}}
}

func (client) Name() string { return Name }

// ProjectDirs has the variable that Gemini CLI sets for hooks made for Claude Code too.
func (client) ProjectDirs() []string { return []string{"GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"} }
func (client) SessionVar() string    { return "GEMINI_SESSION_ID" }

// Decode reads a payload. Nothing in it tells a subagent's call from the main
// agent's, and calls have no ids.
func (c client) Decode(payload []byte) (guard.Call, error) {
	p, err := c.format.Decode(payload)
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client = Name
	call.AgentID, call.AgentType = "", ""
	hooks.Rewritable(&call)
	return call, nil
}

// Encode answers with silence, a denial, or a new prompt or command without a
// decision. Gemini CLI merges it into the input on one of its ways and replaces
// the input by it on another, so it is the whole input.
func (client) Encode(a hooks.Answer) hooks.Response {
	var input []byte
	field, text, rewrites := a.Rewrites()
	if rewrites {
		var err error
		if input, err = hooks.ReplaceInput(a.Payload, field, text); err != nil {
			a, rewrites = a.Unrewritten(), false
		}
	}
	var w wire.Writer
	switch {
	case a.Blocks():
		w.Object("").String("decision", "deny").String("reason", a.Text()).End()
	case rewrites:
		w.Object("").Object("hookSpecificOutput").
			String("hookEventName", "BeforeTool").
			Raw("tool_input", input).
			End().End()
	default:
		return hooks.Response{}
	}
	return hooks.Response{Stdout: append(w.Bytes(), '\n')}
}
