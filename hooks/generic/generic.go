// Package generic is the client for programs that have no folder of their own:
// Claude Code's payload comes in, and the decision always goes out.
package generic

import (
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// Name is the client's name on the command line.
const Name = "generic"

// blocked is the exit code beside a block, for callers that look at nothing else.
const blocked = 2

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: events(), Tools: Tools(), Started: "agentId"}}
}

func (client) Name() string          { return Name }
func (client) ProjectDirs() []string { return []string{"CLAUDE_PROJECT_DIR"} }
func (client) SessionVar() string    { return "" }

// Decode reads Claude Code's payload. Nothing is rewritten, and no transcript of
// an agent is looked for: that is a fact of Claude Code's disk, not of its payload.
func (c client) Decode(payload []byte) (guard.Call, error) {
	p, err := c.format.Decode(payload)
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client, call.Marks, call.Marked = Name, true, p.AgentID != "" || p.AgentType != ""
	call.CallID = p.ToolUseID
	return call, nil
}

// Encode always answers: the decision, its code and the reason; a block exits
// with 2 and has the reason on stderr too.
func (client) Encode(a hooks.Answer) hooks.Response {
	if _, _, ok := a.Rewrites(); ok {
		a = a.Unrewritten()
	}
	decision, reason := "allow", a.Decision.Reason
	var r hooks.Response
	if !a.Decision.Allowed() {
		decision, reason = "block", a.Text()
		r.Exit, r.Stderr = blocked, []byte(reason+"\n")
	}
	var w wire.Writer
	w.Object("").
		String("decision", decision).
		String("code", a.Decision.Code.String()).
		String("reason", reason).
		End()
	r.Stdout = append(w.Bytes(), '\n')
	return r
}
