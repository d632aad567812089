package hooks

import (
	"fmt"
	"path"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/wire"
)

// Event names one event of a client.
type Event struct {
	Name  string
	Event guard.Event
}

// Format is how a client's payload is read. The clients that take commands as
// hooks agree on the names of the outer fields; they differ in what is here.
type Format struct {
	// Events are those that mean something to the guard: the end of a launch tool is
	// LaunchDone, the end of every other tool is Other.
	Events []Event
	Tools  []Tool
	// Started is the field of a launch tool's result that holds the new agent's id, or "".
	Started string
}

// Payload is one payload, read. The strings are as sent, "" where absent or null.
type Payload struct {
	Event          string // hook_event_name
	Session        string // session_id
	AgentID        string // agent_id
	AgentType      string // agent_type
	Cwd            string // cwd
	TranscriptPath string // transcript_path
	Tool           string // tool_name
	ToolUseID      string // tool_use_id
	ToolCallID     string // tool_call_id (Qwen Code: the model's id of the call)
	PermissionMode string // permission_mode
	// Call holds what was found in the tool's input and result, the event, and
	// the fields above that mean the same for every client.
	Call guard.Call
}

// Decode reads a payload in one pass; every error is an ErrPayload. What it
// returns shares no memory with data.
func (f Format) Decode(data []byte) (Payload, error) {
	if len(data) > MaxPayload {
		return Payload{}, fmt.Errorf("%w: more than %d bytes", ErrPayload, MaxPayload)
	}
	d := decoder{Format: f, r: wire.NewReader(data)}
	err := d.r.Object(d.member)
	if err == nil {
		err = d.r.End()
	}
	if err == nil {
		err = d.late()
	}
	if err != nil {
		return Payload{}, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	d.settle()
	return d.Payload, nil
}

// Outer reads the outer object of a payload: member reads or skips each value. It is
// for clients whose payloads have another shape than a Format reads; what they
// found they write anew and give to one. Every error is an ErrPayload.
func Outer(data []byte, member func(r *wire.Reader, name string) error) error {
	if len(data) > MaxPayload {
		return fmt.Errorf("%w: more than %d bytes", ErrPayload, MaxPayload)
	}
	r := wire.NewReader(data)
	err := r.Object(func(name string) error { return member(r, name) })
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPayload, err)
	}
	return nil
}

// ReadText reads a text; null is as good as absent.
func ReadText(r *wire.Reader, to *string) (err error) {
	if r.Kind() == 'n' {
		return r.Skip()
	}
	*to, err = r.String()
	return err
}

type decoder struct {
	Format
	Payload
	r *wire.Reader
	// input and result are those that came before the names which say how to read them.
	input, result []byte
	judged        bool // an input was read
}

func (d *decoder) member(name string) error {
	switch name {
	case "hook_event_name":
		return d.string(&d.Payload.Event)
	case "session_id":
		return d.string(&d.Session)
	case "agent_id":
		return d.string(&d.AgentID)
	case "agent_type":
		return d.string(&d.AgentType)
	case "cwd":
		return d.string(&d.Cwd)
	case "transcript_path":
		return d.string(&d.TranscriptPath)
	case "tool_name":
		return d.string(&d.Tool)
	case "tool_use_id":
		return d.string(&d.ToolUseID)
	case "permission_mode":
		return d.string(&d.PermissionMode)
	case "tool_call_id":
		return d.string(&d.ToolCallID)
	case "tool_input":
		if !d.named() {
			return d.keep(&d.input)
		}
		return d.readInput(d.r)
	case "tool_response":
		if !d.named() {
			return d.keep(&d.result)
		}
		return d.readResult(d.r)
	}
	return d.r.Skip()
}

func (d *decoder) string(to *string) error { return ReadText(d.r, to) }

func (d *decoder) keep(to *[]byte) (err error) {
	*to, err = d.r.Raw()
	return err
}

// named says whether the event and the tool are known by now.
func (d *decoder) named() bool { return d.Payload.Event != "" && d.Tool != "" }

// late reads what had to wait until the whole payload was seen.
func (d *decoder) late() error {
	for _, part := range []struct {
		raw  []byte
		read func(*wire.Reader) error
	}{{d.input, d.readInput}, {d.result, d.readResult}} {
		if part.raw == nil {
			continue
		}
		if err := part.read(wire.NewReader(part.raw)); err != nil {
			return err
		}
	}
	return nil
}

// event is what the payload reports as far as its names tell. One without an
// event name but with a tool is a tool call: better judged than passed.
func (d *decoder) event() guard.Event {
	if d.Payload.Event == "" && d.Tool != "" {
		return guard.ToolCall
	}
	for _, e := range d.Events {
		if e.Name == d.Payload.Event {
			return e.Event
		}
	}
	return guard.Other
}

func (d *decoder) readInput(r *wire.Reader) error {
	event := d.event()
	if event != guard.ToolCall && event != guard.LaunchDone || r.Kind() == 'n' {
		return r.Skip()
	}
	tool := findTool(d.Tools, d.Tool)
	if event == guard.LaunchDone && (tool == nil || !tool.Launch || r.Kind() != '{') {
		return r.Skip()
	}
	d.judged = true
	if tool == nil {
		if d.Call.Board = boardTool(d.Tool); d.Call.Board != nil {
			return readBoard(r, d.Call.Board, &d.Call)
		}
	}
	return readInput(r, tool, &d.Call)
}

// readResult looks for the new agent's id. Only malformed JSON is an error: a
// result of another shape names no agent.
func (d *decoder) readResult(r *wire.Reader) error {
	tool := findTool(d.Tools, d.Tool)
	if d.event() != guard.LaunchDone || tool == nil || !tool.Launch || d.Started == "" {
		return r.Skip()
	}
	switch r.Kind() {
	case '{':
		return d.started(r)
	case '"':
		// Codex sends its result as JSON in a string.
		s, err := r.String()
		if err != nil {
			return err
		}
		inner := wire.NewReader([]byte(s))
		if d.started(inner) != nil || inner.End() != nil {
			d.Call.Started = ""
		}
		return nil
	}
	return r.Skip()
}

func (d *decoder) started(r *wire.Reader) error {
	return r.Object(func(name string) (err error) {
		if name != d.Format.Started || r.Kind() != '"' {
			return r.Skip()
		}
		d.Call.Started, err = r.String()
		return err
	})
}

// settle fills in what follows from the payload as a whole.
func (d *decoder) settle() {
	c, tool := &d.Call, findTool(d.Tools, d.Tool)
	c.Event, c.Session, c.Cwd, c.Tool = d.event(), d.Session, d.Cwd, d.Tool
	c.AgentID, c.AgentType = d.AgentID, d.AgentType
	if path.IsAbs(d.TranscriptPath) {
		c.Transcripts = path.Dir(d.TranscriptPath)
	}
	switch c.Event {
	case guard.ToolCall:
		c.Writes = tool != nil && tool.Writes || tool == nil && namesWriting(d.Tool)
		if tool == nil && !d.judged {
			c.Board = boardTool(d.Tool)
		}
		// A call without an input launches, lists or searches all the same.
		if tool != nil && !d.judged {
			in := input{tool: tool}
			in.finish(c)
		}
	case guard.LaunchDone:
		c.Targets, c.Commands, c.Fault = nil, nil, ""
		if tool == nil || !tool.Launch {
			c.Event = guard.Other
		} else if c.Launch == nil {
			c.Launch = &guard.Launch{Rewrites: tool.Rewrites, Script: tool.Script}
		}
	case guard.TurnStart:
		// Codex reports the prompt of a subagent too.
		if d.AgentID != "" {
			c.Event = guard.Other
		}
	}
}
