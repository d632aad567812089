package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/wire"
)

// call is a tool call as Claude Code reports it.
type call struct {
	agentID string // "" leaves it out
	tool    string
	field   string // the input's field that is a path
	path    string
	content string // of a Write
	command string // of a Bash
}

// payload is the text that the hook gets, with the members and in the order of a real one.
func (w *world) payload(c call) []byte {
	var j wire.Writer
	j.Object("").String("session_id", "7c2a63a6-5f0e-4f4e-9d3c-3c8c5d1f0a11").
		String("transcript_path", "/nonexistent/projects/ws/7c2a63a6-5f0e-4f4e-9d3c-3c8c5d1f0a11.jsonl").
		String("cwd", w.root).String("prompt_id", "0b0f6f0e-0d57-4a0c-8a5f-7d5f9f9f3d55").
		String("permission_mode", "default")
	if c.agentID != "" {
		j.String("agent_id", c.agentID)
	}
	j.String("agent_type", agent).String("hook_event_name", "PreToolUse").String("tool_name", c.tool)
	j.Object("tool_input")
	if c.field != "" {
		j.String(c.field, c.path)
	}
	if c.content != "" {
		j.String("content", c.content)
	}
	if c.command != "" {
		j.String("command", c.command)
	}
	j.End().String("tool_use_id", "toolu_01PyhQZcXxmyc9jw00000000").End()
	return j.Bytes()
}

// numbered is a payload as that of the n-th call: its id ends in another
// number. Payloads of one length stay of it.
func numbered(payload []byte, n int) []byte {
	const end = `"}`
	if !bytes.HasSuffix(payload, []byte("00"+end)) {
		return payload
	}
	out := bytes.Clone(payload)
	copy(out[len(out)-len(end)-8:], fmt.Sprintf("%08d", n))
	return out
}

// read is the payload of a Read of a path below the workspace.
func (w *world) read(agentID, rel string) []byte {
	return w.payload(call{agentID: agentID, tool: "Read", field: "file_path", path: w.root + "/" + rel})
}

// write is the payload of a Write that fills size bytes.
func (w *world) write(agentID, rel string, size int) []byte {
	c := call{agentID: agentID, tool: "Write", field: "file_path", path: w.root + "/" + rel, content: "x"}
	room := size - len(w.payload(c))
	const line = "\t\"a line with quotes\" and a tab, as source text has them\n"
	escaped := strings.Count(line, "\n") + strings.Count(line, "\t") + strings.Count(line, `"`)
	c.content = strings.Repeat(line, room/(len(line)+escaped))
	c.content += strings.Repeat("x", size-len(w.payload(c)))
	return w.payload(c)
}
