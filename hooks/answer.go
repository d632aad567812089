package hooks

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/wire"
)

// NoReason stands where a decision has no text: clients take a block without
// a reason for a broken hook and let the call through.
const NoReason = "conduct blocked this call; run conduct status to see the live dispatches"

// noRewrite is the block where a prompt had to change and could not.
const noRewrite = "conduct blocked this launch: the prompt of the new agent cannot be given its launch line"

// Blocks says whether the answer stops something: a tool call or, when nothing could be
// decoded, what may have been one. To other events a block would mean something
// else (a session that does not start, an agent that does not end).
func (a Answer) Blocks() bool {
	return !a.Decision.Allowed() && (a.Event == guard.ToolCall || a.Event == guard.Other)
}

// Text is the decision's reason, never empty.
func (a Answer) Text() string {
	if strings.TrimSpace(a.Decision.Reason) == "" {
		return NoReason
	}
	return a.Decision.Reason
}

// noConfine is the block where a command had to change and could not.
const noConfine = "conduct blocked this command: it would have to be changed, and cannot be"

// Rewrites says whether the answer changes the call: its field and the new text.
func (a Answer) Rewrites() (field, text string, ok bool) {
	switch {
	case !a.Decision.Allowed():
	case a.Prompt != "":
		return "prompt", a.Prompt, true
	case a.Command != "":
		return "command", a.Command, true
	case a.Dispatch != "":
		return DispatchField, a.Dispatch, true
	}
	return "", "", false
}

// Unrewritten turns an answer whose prompt, command or dispatch cannot be set into a block.
func (a Answer) Unrewritten() Answer {
	reason := noRewrite
	switch {
	case a.Command != "":
		reason = noConfine
	case a.Dispatch != "":
		reason = `conduct blocked this call: name your own dispatch in it, "dispatch": "` + a.Dispatch + `"`
	}
	a.Decision = guard.Decision{Code: guard.Internal, Op: a.Decision.Op, Reason: reason}
	return a
}

// DenyTool is the block that Claude Code, Codex and Qwen Code honour: exit 0
// and a denial of the tool call as JSON.
func DenyTool(reason string) Response {
	var w wire.Writer
	w.Object("").Object("hookSpecificOutput").
		String("hookEventName", "PreToolUse").
		String("permissionDecision", "deny").
		String("permissionDecisionReason", reason).
		End().End()
	return Response{Stdout: line(w)}
}

// DenyOrPass answers as a client does that honours DenyTool and rewrites nothing.
func DenyOrPass(a Answer) Response {
	if _, _, ok := a.Rewrites(); ok {
		a = a.Unrewritten()
	}
	if a.Blocks() {
		return DenyTool(a.Text())
	}
	return Response{}
}

// line is what was written, ended like a line.
func line(w wire.Writer) []byte { return append(w.Bytes(), '\n') }

// ReplaceInput returns the tool's input of a payload with one of its texts
// replaced; the values of the other fields keep their bytes. It fails with an
// ErrPayload when the payload has no input with that field. DispatchField alone is
// added where it is not there.
func ReplaceInput(payload []byte, field, text string) ([]byte, error) {
	return ReplaceIn(payload, "tool_input", field, text)
}

// ReplaceIn is ReplaceInput for a client that calls the tool's input by another name.
func ReplaceIn(payload []byte, member, field, text string) ([]byte, error) {
	var input []byte
	r := wire.NewReader(payload)
	err := r.Object(func(name string) (err error) {
		if name != member {
			return r.Skip()
		}
		input, err = r.Raw()
		return err
	})
	if err == nil && input == nil {
		err = errors.New("no tool input")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	out, found, err := replaceMember(input, field, text)
	if err == nil && !found {
		err = fmt.Errorf("no field %q in the tool input", field)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	return out, nil
}

// replaceMember writes the members one by one: a wire.Writer takes an empty
// name for none at all, and a payload may hold one.
func replaceMember(object []byte, field, text string) (out []byte, found bool, err error) {
	out = append(make([]byte, 0, len(object)+len(text)), '{')
	r := wire.NewReader(object)
	err = r.Object(func(name string) error {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(wire.Quote(out, name), ':')
		if name == field {
			found = true
			out = wire.Quote(out, text)
			return r.Skip()
		}
		raw, err := r.Raw()
		out = append(out, raw...)
		return err
	})
	if !found && field == DispatchField {
		if len(out) > 1 {
			out = append(out, ',')
		}
		found = true
		out = append(wire.Quote(out, field), ':')
		out = wire.Quote(out, text)
	}
	return append(out, '}'), found, err
}

// Rewritable notes that the client runs another command line, or adds an argument to a
// call of our own tools, when the hook says so.
func Rewritable(call *guard.Call) {
	if call.Board != nil {
		call.Board.Rewrites = true
	}
	for i := range call.Commands {
		c := &call.Commands[i]
		c.Rewrites = !c.Foreign && !c.Guess
	}
}
