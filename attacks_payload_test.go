package conduct_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

// payload writes a call as its client does, and returns the client. What is left
// out of a call: the generic client, an agent "reviewer" with the id "one", in
// its own unit.
func (s *site) payload(c call) ([]byte, string) {
	client := c.Client
	if client == "" {
		client = "generic"
	}
	agent, id := "reviewer", "one"
	if c.Agent != nil {
		agent = *c.Agent
	}
	if c.AgentID != nil {
		id = *c.AgentID
	}
	session := s.vars["S"]
	if c.Session != "" {
		session = c.Session
	}
	s.n++
	callID := fmt.Sprintf("toolu_%d", s.n)
	if c.CallID != "" {
		callID = c.CallID
	}
	p := map[string]any{
		"session_id": session, "hook_event_name": "PreToolUse", "tool_name": c.Tool, "tool_input": s.fill(c.Input),
		"tool_use_id": callID, "transcript_path": s.vars["H"] + "/.claude/projects/-ws/" + session + ".jsonl",
	}
	if cwd := s.cwd(c); cwd != "" {
		p["cwd"] = cwd
	}
	marks := agent != "" || id != ""
	switch client {
	case "codex":
		p["turn_id"], p["model"], p["permission_mode"] = "turn", "gpt-5.5", "bypassPermissions"
		p["transcript_path"] = s.vars["H"] + "/.codex/sessions/rollout-" + session + ".jsonl"
	case "gemini-cli":
		p["hook_event_name"], marks = "BeforeTool", false
		p["transcript_path"] = s.vars["H"] + "/.gemini/tmp/ws/chats/" + session + ".jsonl"
	case "qwen-code":
		p["permission_mode"], p["prompt_id"], p["tool_call_id"] = "yolo", session+"########0", callID
		p["transcript_path"] = s.vars["H"] + "/.qwen/projects/-ws/chats/" + session + ".jsonl"
		if p["agent_id"], marks = agent+"-call_"+id, false; agent == "" {
			delete(p, "agent_id")
		}
	}
	if marks {
		p["agent_id"], p["agent_type"] = id, agent
	}
	data, err := json.Marshal(p)
	require.NoError(s.t, err)
	for _, e := range c.Edit {
		data = s.edited(data, e)
	}
	return data, client
}

func (s *site) edited(data []byte, e edit) []byte {
	if e.Cut > 0 {
		data = data[:len(data)*e.Cut/100]
	}
	if e.Nest > 0 {
		data = append([]byte(`{"deep":`+strings.Repeat("[", e.Nest)+strings.Repeat("]", e.Nest)+","), data[1:]...)
	}
	if e.Replace != nil {
		old := []byte(s.text(e.Replace[0]))
		require.True(s.t, bytes.Contains(data, old), "%s lacks %s", data, old)
		data = bytes.Replace(data, old, []byte(s.text(e.Replace[1])), 1)
	}
	return append(data, s.text(e.Append)...)
}

// cwd is the folder that a call is made in: the own unit, "" for a payload without one.
func (s *site) cwd(c call) string {
	switch {
	case c.Cwd == nil:
		return s.text("$U/U03")
	case *c.Cwd == "":
		return ""
	}
	return s.path(*c.Cwd)
}
