package hooktest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// said is what a payload says outside of the tool's input.
type said struct{ Session, Cwd, Tool, Use, Agent string }

// outer reads a payload as its client's program writes it.
func outer(t *testing.T, client string, data []byte) said {
	t.Helper()
	switch client {
	case "opencode":
		return outerOfOpencode(t, data)
	case "copilot":
		return outerOfCopilot(t, data)
	}
	var p struct {
		Session string   `json:"session_id"`
		Cwd     string   `json:"cwd"`
		Tool    string   `json:"tool_name"`
		Use     string   `json:"tool_use_id"`
		Agent   string   `json:"agent_id"`
		Roots   []string `json:"workspace_roots"`
	}
	require.NoError(t, json.Unmarshal(data, &p))
	if p.Cwd == "" && len(p.Roots) == 1 {
		p.Cwd = p.Roots[0]
	}
	return said{p.Session, p.Cwd, p.Tool, p.Use, p.Agent}
}

func outerOfOpencode(t *testing.T, data []byte) said {
	t.Helper()
	var p struct {
		Tool  string `json:"tool_name"`
		Input struct {
			Session string `json:"sessionID"`
			Call    string `json:"callID"`
		} `json:"input"`
		Properties struct {
			Session string `json:"sessionID"`
		} `json:"properties"`
		Owner struct {
			ID        string `json:"id"`
			Parent    string `json:"parentID"`
			Directory string `json:"directory"`
		} `json:"session_lookup"`
	}
	require.NoError(t, json.Unmarshal(data, &p))
	s := said{p.Input.Session + p.Properties.Session, p.Owner.Directory, p.Tool, p.Input.Call, ""}
	if p.Owner.Parent != "" {
		s.Agent = p.Owner.ID
	}
	return s
}

func outerOfCopilot(t *testing.T, data []byte) said {
	t.Helper()
	var p struct {
		Session  string `json:"sessionId"`
		Session2 string `json:"session_id"`
		Cwd      string `json:"cwd"`
		Tool     string `json:"toolName"`
		Tool2    string `json:"tool_name"`
		Agent    string `json:"agentId"`
		Agent2   string `json:"agent_id"`
	}
	require.NoError(t, json.Unmarshal(data, &p))
	return said{p.Session + p.Session2, p.Cwd, p.Tool + p.Tool2, "", p.Agent + p.Agent2}
}

// misshapen are payloads with a value of another kind than belongs there.
func misshapen(client string) map[string]string {
	switch client {
	case "opencode":
		const call = `,"tool_name":"read","input":{"sessionID":"s"},"session_lookup":{"id":"s"}}`
		return map[string]string{
			"text as the input":   `{"output":{"args":"x"}` + call,
			"list as the input":   `{"output":{"args":[{}]}` + call,
			"number as the event": `{"type":1}`,
			"list as the tool":    `{"tool_name":["read"]}`,
			"nobody's call":       `{"output":{"args":{}},"tool_name":"read","input":{"sessionID":"s"}}`,
			"another's call":      `{"output":{"args":{}},"tool_name":"read","input":{"sessionID":"s"},"session_lookup":{"id":"t"}}`,
		}
	case "copilot":
		return map[string]string{
			"text as the input":   `{"toolArgs":"x","toolName":"view"}`,
			"list as the input":   `{"toolArgs":[{}],"toolName":"unheard"}`,
			"number as the event": `{"hookName":1}`,
			"list as the tool":    `{"toolName":["view"]}`,
			"two names of a tool": `{"toolName":"view","tool_name":"Read"}`,
		}
	}
	return map[string]string{
		"text as the input":   `{"tool_input":"x","tool_name":"Read"}`,
		"list as the input":   `{"tool_input":[{}],"tool_name":"Unheard"}`,
		"number as the event": `{"hook_event_name":1}`,
		"list as the tool":    `{"tool_name":["Read"]}`,
	}
}
