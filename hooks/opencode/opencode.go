// Package opencode knows opencode (measured with 1.18.33) and what is made from it,
// such as Kilo. Its hooks are functions of a plugin that runs within the program;
// ours asks the guard and does what the answer says.
package opencode

import (
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// Name is the client's name on the command line.
const Name = "opencode"

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: Events(), Tools: Tools(), Started: "sessionId"}}
}

func (client) Name() string { return Name }

// Verified says that the program was run and its hooks recorded.
func (client) Verified() bool { return true }

// ProjectDirs is empty: opencode tells its plugins and commands nothing by variables.
func (client) ProjectDirs() []string { return nil }
func (client) SessionVar() string    { return "" }

// sent is what the plugin sends: the hook's two arguments as they came, and what
// it found out about the session.
type sent struct {
	Event               string // of the program's bus: "type"
	Tool, Session, Call string
	Args, After         []byte // of the call, and of one that has ended
	Started             string // the session that a task ran in
	Owner               owner
	Directory, Worktree string
	Opening             string
}

// owner is a session as the program describes it.
type owner struct{ ID, Parent, Agent, Title, Directory string }

// Decode reads what the plugin sends. A subagent is a session with a parent.
func (c client) Decode(payload []byte) (guard.Call, error) {
	s, err := read(payload)
	if err != nil {
		return guard.Call{}, err
	}
	data, err := s.flat()
	if err != nil {
		return guard.Call{}, err
	}
	p, err := c.format.Decode(data)
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client, call.Marks, call.Marked = Name, true, p.AgentID != "" || p.AgentType != ""
	call.CallID = p.ToolUseID
	if p.AgentID != "" {
		call.Opening = s.Opening
	}
	if call.Event == guard.ToolCall && call.Launch != nil {
		call.Launch.Inlined = mentions(call.Launch.Prompt, s.Worktree)
	}
	hooks.Rewritable(&call)
	return call, nil
}

// flat writes what was sent as hooks.Format reads it.
func (s sent) flat() ([]byte, error) {
	event := s.Event
	if event == "" && s.Tool != "" {
		// A call that has ended has its arguments in the first object.
		if event = "tool.execute.after"; s.After == nil || s.Args != nil {
			event = "tool.execute.before"
		}
	}
	if event == "tool.execute.before" && (s.Owner.ID == "" || s.Owner.ID != s.Session) {
		// Nobody's call cannot be judged: it is blocked while a dispatch is in force.
		return nil, errNobody
	}
	input := s.Args
	if event == "tool.execute.after" {
		input = s.After
	}
	if input == nil {
		input = []byte("null")
	}
	id, agentType := s.Owner.agent()
	var w wire.Writer
	w.Object("").String("hook_event_name", event).String("session_id", s.Session).
		String("agent_id", id).String("agent_type", agentType).String("cwd", s.cwd()).
		String("tool_name", s.Tool).String("tool_use_id", s.Call).
		Raw("tool_input", input).
		Object("tool_response").String("sessionId", s.Started).End().
		End()
	return w.Bytes(), nil
}

// cwd is the folder that tools work in. Where the program names two, relative paths
// cannot be judged.
func (s sent) cwd() string {
	switch {
	case s.Directory == "":
		return s.Owner.Directory
	case s.Owner.Directory == "" || s.Owner.Directory == s.Directory:
		return s.Directory
	}
	return ""
}

// agent says who a session is: a subagent by its id and type, or a main session by
// its agent's name, unless that is one that comes with the program.
func (o owner) agent() (id, agentType string) {
	agentType = o.Agent
	if o.Parent == "" {
		if agentType == "build" || agentType == "plan" {
			agentType = ""
		}
		return "", agentType
	}
	if agentType == "" {
		// Earlier versions say it in the title only: "what to do (@reviewer subagent)".
		if at := strings.LastIndex(o.Title, "(@"); at >= 0 {
			agentType, _ = strings.CutSuffix(o.Title[at+2:], " subagent)")
		}
	}
	return o.ID, agentType
}

// Encode answers the plugin: with silence, a block, or texts that replace the call's.
// The program asks the person after its hooks, so a rewrite skips no prompt.
func (client) Encode(a hooks.Answer) hooks.Response {
	var w wire.Writer
	field, text, rewrites := a.Rewrites()
	switch {
	case a.Blocks():
		w.Object("").String("decision", "block").String("reason", a.Text()).End()
	case rewrites:
		w.Object("").Object("args").String(field, text).End().End()
	default:
		return hooks.Response{}
	}
	return hooks.Response{Stdout: append(w.Bytes(), '\n')}
}
