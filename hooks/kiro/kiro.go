// Package kiro knows the hooks of the Kiro CLI, from its documentation: the program
// itself was not run with it.
package kiro

import (
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// Name is the client's name on the command line.
const Name = "kiro"

// blocked is the one exit code that Kiro takes for a block; what is on stderr goes
// to the model.
const blocked = 2

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: Events(), Tools: Tools()}}
}

func (client) Name() string { return Name }

// Verified says that nobody has run Kiro with this yet.
func (client) Verified() bool { return false }

// ProjectDirs is empty: no variable is documented.
func (client) ProjectDirs() []string { return nil }
func (client) SessionVar() string    { return "" }

// Decode reads a payload. It names neither a session nor an agent: whose hook it is
// stands in the agent's own file, and so in the hook's command line (--agent or
// --dispatch). Without, who calls is not known.
func (c client) Decode(payload []byte) (guard.Call, error) {
	p, err := c.format.Decode(payload)
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client, call.Apart = Name, true
	call.AgentID, call.AgentType = "", ""
	return call, nil
}

// Encode answers with silence, or with the exit code of a block and its reason.
// JSON is not read, and nothing is rewritten.
func (client) Encode(a hooks.Answer) hooks.Response {
	if _, _, ok := a.Rewrites(); ok {
		a = a.Unrewritten()
	}
	if !a.Blocks() {
		return hooks.Response{}
	}
	return hooks.Response{Stderr: []byte(a.Text() + "\n"), Exit: blocked}
}
