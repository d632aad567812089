// Package cursor knows the hooks of Cursor, from its documentation and published
// payloads of 3.18.25: the program itself was not run with it.
package cursor

import (
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// Name is the client's name on the command line.
const Name = "cursor"

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: Events(), Tools: Tools()}}
}

func (client) Name() string { return Name }

// Verified says that nobody has run Cursor with this yet.
func (client) Verified() bool { return false }

// ProjectDirs has the variables that Cursor is documented to set.
func (client) ProjectDirs() []string { return []string{"CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"} }
func (client) SessionVar() string    { return "" }

// Decode reads a payload. A subagent has a conversation of its own, and nothing in its
// calls says whose subagent it is: who calls is not known.
func (c client) Decode(payload []byte) (guard.Call, error) {
	p, err := c.format.Decode(payload)
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client, call.Apart = Name, true
	call.AgentID, call.AgentType = "", ""
	call.CallID = p.ToolUseID
	if call.Cwd == "" {
		call.Cwd = root(payload)
	}
	return call, nil
}

// root is the workspace's folder, in which a call works that names none. Of several
// it is not known which one is meant: relative paths cannot be judged then.
func root(payload []byte) string {
	var roots []string
	err := hooks.Outer(payload, func(r *wire.Reader, name string) (err error) {
		if name != "workspace_roots" || r.Kind() != '[' {
			return r.Skip()
		}
		return r.Array(func() error {
			if r.Kind() != '"' {
				return r.Skip()
			}
			s, err := r.String()
			roots = append(roots, s)
			return err
		})
	})
	if err != nil || len(roots) != 1 {
		return ""
	}
	return roots[0]
}

// Encode always answers a call: Cursor asks for a permission. It rewrites nothing.
func (client) Encode(a hooks.Answer) hooks.Response {
	if _, _, ok := a.Rewrites(); ok {
		a = a.Unrewritten()
	}
	var w wire.Writer
	switch {
	case a.Blocks():
		w.Object("").String("permission", "deny").String("user_message", a.Text()).String("agent_message", a.Text()).End()
	case a.Event == guard.ToolCall || a.Event == guard.Other:
		w.Object("").String("permission", "allow").End()
	default:
		return hooks.Response{}
	}
	return hooks.Response{Stdout: append(w.Bytes(), '\n')}
}
