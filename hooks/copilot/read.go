package copilot

import (
	"fmt"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// read takes a payload apart. Both names of one member in a payload are an error:
// nobody could say which one counts.
func read(payload []byte) (sent, error) {
	var s sent
	var seen [members]bool
	err := hooks.Outer(payload, func(r *wire.Reader, name string) (err error) {
		m := memberOf(name)
		s.note(name)
		if m == other {
			return r.Skip()
		}
		if seen[m] {
			return fmt.Errorf("%w: %q is there under another name", wire.ErrSyntax, name)
		}
		seen[m] = true
		switch m {
		case args:
			s.Args, err = r.Raw()
			return err
		case result:
			return r.Skip()
		}
		return hooks.ReadText(r, s.text(m))
	})
	s.claude = s.claude && s.Event != ""
	return s, err
}

// member is one member of a payload, whatever it is called.
type member uint8

const (
	other member = iota
	event
	session
	agent
	agentType
	cwd
	transcript
	tool
	opening
	args
	result
	members
)

func memberOf(name string) member {
	switch name {
	case "hook_event_name", "hookName":
		return event
	case "sessionId", "session_id":
		return session
	case "agentId", "agent_id":
		return agent
	case "agentType", "agent_type":
		return agentType
	case "cwd":
		return cwd
	case "transcriptPath", "transcript_path":
		return transcript
	case "toolName", "tool_name":
		return tool
	case "prompt":
		return opening
	case "toolArgs", "tool_input":
		return args
	case "toolResult", "tool_result":
		return result
	}
	return other
}

func (s *sent) text(m member) *string {
	return map[member]*string{
		event: &s.Event, session: &s.Session, agent: &s.Agent, agentType: &s.Type, cwd: &s.Cwd,
		transcript: &s.Transcript, tool: &s.Tool, opening: &s.Opening,
	}[m]
}

// note keeps what a member's name says of the event. A call that has ended has a result
// or an error; what has a tool and neither is a call.
func (s *sent) note(name string) {
	rank := func(event string) int {
		for i, e := range []string{"", prompted, "subagentStart", "subagentStop", called, ended} {
			if e == event {
				return i
			}
		}
		return 0
	}
	says := ""
	switch name {
	case "toolResult", "error":
		says = ended
	case "toolName":
		says = called
	case "response":
		says = "subagentStop"
	case "agentName":
		says = "subagentStart"
	case "prompt":
		says = prompted
	case "tool_name", "tool_input":
		s.claude = true
	}
	if rank(says) > rank(s.hint) {
		s.hint = says
	}
}
