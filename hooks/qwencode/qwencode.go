// Package qwencode knows Qwen Code's hooks (measured with 0.24.4).
package qwencode

import (
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// Name is the client's name on the command line.
const Name = "qwen-code"

type client struct{ format hooks.Format }

// New returns the client.
func New() hooks.Client {
	return client{format: hooks.Format{Events: events(), Tools: Tools()}}
}

func (client) Name() string { return Name }

// ProjectDirs has the variables that Qwen Code sets for hooks made for other programs too.
func (client) ProjectDirs() []string {
	return []string{"QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"}
}
func (client) SessionVar() string { return "QWEN_CODE_SESSION_ID" }

// Decode reads a payload. An agent's id is its type and the model's id of the call
// that launched it; such ids count from one again in another session.
func (c client) Decode(payload []byte) (guard.Call, error) {
	p, err := c.format.Decode(payload)
	if err != nil {
		return guard.Call{}, err
	}
	call := p.Call
	call.Client, call.Marks, call.Marked, call.PerSession = Name, true, p.AgentID != "", true
	call.CallID = p.ToolUseID
	call.AgentType, call.LaunchKey = identity(p.AgentID, p.AgentType)
	if call.Launch != nil {
		call.Launch.Key = p.ToolCallID
	}
	return call, nil
}

// identity splits an agent's id into the agent's type and the id of its launch.
// Both parts may hold dashes, so without the type, which only the start and the
// end of an agent tell, the split rests on how ids of calls begin.
func identity(id, agentType string) (string, string) {
	if agentType != "" {
		key, _ := strings.CutPrefix(id, agentType+"-")
		if key == id {
			key = ""
		}
		return agentType, key
	}
	for _, mark := range callMarks() {
		if at := strings.LastIndex(id, mark); at > 0 {
			return id[:at], id[at+1:]
		}
	}
	return "", ""
}

// Encode answers with silence or a denial: rewrites are ignored.
func (client) Encode(a hooks.Answer) hooks.Response { return hooks.DenyOrPass(a) }
