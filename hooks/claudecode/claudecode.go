// Package claudecode knows Claude Code's hooks (measured with 2.1.332).
package claudecode

import (
	"path"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// Name is the client's name on the command line.
const Name = "claude-code"

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: events(), Tools: Tools(), Started: "agentId"}}
}

func (client) Name() string          { return Name }
func (client) ProjectDirs() []string { return []string{"CLAUDE_PROJECT_DIR"} }
func (client) SessionVar() string    { return "CLAUDE_CODE_SESSION_ID" }

// Decode reads a payload. A subagent's call is known by its agent id alone: the
// main session has an agent type too when it was started with --agent.
func (c client) Decode(payload []byte) (guard.Call, error) {
	p, err := c.format.Decode(payload)
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client, call.Marks, call.Marked = Name, true, p.AgentID != "" || p.AgentType != ""
	call.CallID = p.ToolUseID
	call.Transcript = transcript(p)
	hooks.Rewritable(&call)
	return call, nil
}

// transcript is the file of a subagent's own conversation. It is there from the
// subagent's first tool call on; where it lies is not documented.
func transcript(p hooks.Payload) string {
	if !path.IsAbs(p.TranscriptPath) || !plain(p.Session) || !plain(p.AgentID) {
		return ""
	}
	return path.Join(path.Dir(p.TranscriptPath), p.Session, "subagents", "agent-"+p.AgentID+".jsonl")
}

// plain says whether an id is one path component and nothing else.
func plain(id string) bool {
	for _, c := range []byte(id) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return id != "" && len(id) <= 128
}

// Encode answers with silence, a denial, or a new prompt or command. Those come
// without a permission decision: "allow" would skip the person's own permission
// prompt, which judges the new command.
func (client) Encode(a hooks.Answer) hooks.Response {
	field, text, ok := a.Rewrites()
	if !ok {
		return hooks.DenyOrPass(a)
	}
	// Claude Code replaces the whole input.
	input, err := hooks.ReplaceInput(a.Payload, field, text)
	if err != nil {
		return hooks.DenyOrPass(a)
	}
	var w wire.Writer
	w.Object("").Object("hookSpecificOutput").
		String("hookEventName", "PreToolUse").
		Raw("updatedInput", input).
		End().End()
	return hooks.Response{Stdout: append(w.Bytes(), '\n')}
}
