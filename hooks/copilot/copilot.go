// Package copilot knows the hooks of GitHub's Copilot CLI (measured with 1.0.102).
package copilot

import (
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// Name is the client's name on the command line.
const Name = "copilot"

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: Events(), Tools: Tools()}}
}

func (client) Name() string { return Name }

// Verified says that the program was run and its hooks recorded.
func (client) Verified() bool { return true }

// ProjectDirs has the variable that Copilot sets for hooks made for Claude Code too.
func (client) ProjectDirs() []string { return []string{"COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"} }
func (client) SessionVar() string    { return "" }

// sent is a payload, by its members: those of a hook under a name such as preToolUse and
// those of one under Claude Code's name for it, PreToolUse.
type sent struct {
	Event, Session, Agent, Type, Cwd, Transcript, Tool string
	Opening                                            string
	Args, Result                                       []byte
	// hint is the event that the members speak for: payloads of the first kind do not name it.
	hint string
	// claude says that the payload names its tool as Claude Code does.
	claude bool
}

// Decode reads a payload of either kind. A subagent's call has an agent id, which is
// the id of its session too; the payload that tells an agent's first prompt has it as well.
func (c client) Decode(payload []byte) (guard.Call, error) {
	s, err := read(payload)
	if err != nil {
		return guard.Call{}, err
	}
	p, err := c.format.Decode(s.flat())
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client, call.Marks, call.Marked = Name, true, p.AgentID != "" || p.AgentType != ""
	if p.Event == prompted {
		if call.Opening = s.Opening; p.AgentID == "" {
			call.Event, call.Opening = guard.TurnStart, ""
		}
	}
	if s.claude {
		// What becomes of a change without a decision was not measured for these.
		if call.Launch != nil {
			call.Launch.Rewrites = false
		}
	} else {
		hooks.Rewritable(&call)
	}
	return call, nil
}

// flat writes what was sent as hooks.Format reads it.
func (s sent) flat() []byte {
	event := s.Event
	if event == "" {
		event = s.hint
	}
	var w wire.Writer
	w.Object("").String("hook_event_name", event).String("session_id", s.Session).
		String("agent_id", s.Agent).String("agent_type", s.Type).String("cwd", s.Cwd).
		String("transcript_path", s.Transcript).String("tool_name", s.Tool)
	if s.Args != nil {
		w.Raw("tool_input", s.Args)
	}
	return w.End().Bytes()
}

// Encode answers with silence, a denial, or new arguments. Those come without a
// permission decision, so that the person's own permission prompt judges them.
func (client) Encode(a hooks.Answer) hooks.Response {
	claude := claudeNames(a.Payload)
	if field, text, ok := a.Rewrites(); ok {
		input, err := hooks.ReplaceIn(a.Payload, "toolArgs", field, text)
		if err == nil && !claude {
			var w wire.Writer
			w.Object("").Raw("modifiedArgs", input).End()
			return hooks.Response{Stdout: append(w.Bytes(), '\n')}
		}
		a = a.Unrewritten()
	}
	if !a.Blocks() || claude {
		return hooks.DenyOrPass(a)
	}
	// An exit code would block too, but its text is lost.
	var w wire.Writer
	w.Object("").String("permissionDecision", "deny").String("permissionDecisionReason", a.Text()).End()
	return hooks.Response{Stdout: append(w.Bytes(), '\n')}
}

// claudeNames says whether a payload is one of those with Claude Code's names. Of
// one that cannot be read the first kind is assumed.
func claudeNames(payload []byte) bool {
	s, err := read(payload)
	return err == nil && s.claude
}
