package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/all"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/system"
)

// coded is a client whose answers are codes.
type coded struct{ hooks.Client }

func (coded) Encode(a hooks.Answer) hooks.Response {
	return hooks.Response{Stdout: []byte(a.Decision.Code.String())}
}

// payloads write a call of the dispatched agent, as the client's program would.
var payloads = map[string]func(root, tool string, input any) any{
	"opencode": func(root, tool string, input any) any {
		return map[string]any{
			"tool_name": tool, "input": map[string]any{"sessionID": "s", "callID": "c"}, "output": map[string]any{"args": input},
			"session_lookup": map[string]any{"id": "s", "parentID": "p", "agent": "rev", "directory": root}, "worktree": root,
		}
	},
	"copilot": func(root, tool string, input any) any {
		return map[string]any{"sessionId": "s", "agentId": "s", "agentType": "rev", "cwd": root, "toolName": tool, "toolArgs": input}
	},
	"cursor": func(root, tool string, input any) any {
		return map[string]any{
			"hook_event_name": "preToolUse", "session_id": "s", "workspace_roots": []string{root}, "tool_name": tool, "tool_input": input,
		}
	},
	"kiro": func(root, tool string, input any) any {
		return map[string]any{"hook_event_name": "preToolUse", "cwd": root, "tool_name": tool, "tool_input": input}
	},
}

type fields = map[string]any

// What the calls of each client's tools come to, from a payload to the exact code.
func TestToolsOfEachClient(t *testing.T) {
	const own, sib = "units/U03/a.md", "units/U04/a.md"
	patched := "*** Begin Patch\n*** Update File: " + own + "\n*** Move to: " + sib + "\n@@\n-a\n+b\n*** End Patch"
	tests := []struct {
		client, tool string
		input        any
		want         string
	}{
		{"opencode", "read", fields{"filePath": own}, "own_unit"},
		{"opencode", "read", fields{"filePath": sib}, "sibling_unit"},
		{"opencode", "read", fields{"filePath": "units"}, "sibling_unit"},
		{"opencode", "read", fields{"filePath": "."}, "shared"},
		{"opencode", "write", fields{"filePath": sib, "content": "x"}, "sibling_unit"},
		{"opencode", "edit", fields{"filePath": own, "oldString": sib, "newString": sib}, "own_unit"},
		{"opencode", "multiedit", fields{"filePath": own, "edits": []fields{{"filePath": sib}}}, "sibling_unit"},
		{"opencode", "apply_patch", fields{"patchText": patched}, "sibling_unit"},
		{"opencode", "apply_patch", fields{"patchText": "hello"}, "unresolvable"},
		{"opencode", "glob", fields{"pattern": "*.md"}, "sibling_search"},
		{"opencode", "glob", fields{"pattern": "docs/*.md"}, "shared"},
		{"opencode", "glob", fields{"pattern": "*.md", "path": "units/U03"}, "own_unit"},
		{"opencode", "grep", fields{"pattern": sib}, "sibling_search"},
		{"opencode", "grep", fields{"pattern": "x", "path": "units/U04", "include": "*.md"}, "sibling_unit"},
		{"opencode", "list", fields{}, "sibling_search"},
		{"opencode", "bash", fields{"command": "cat " + sib, "description": "x"}, "sibling_unit"},
		{"opencode", "bash", fields{"command": "cat a.md", "workdir": "units/U04"}, "sibling_unit"},
		{"opencode", "bash", fields{"command": "cat a.md", "workdir": "units/U03"}, "own_unit"},
		{"opencode", "batch", fields{"tool_calls": []fields{{"tool": "read"}}}, "unresolvable"},
		{"opencode", "task", fields{"prompt": "x", "subagent_type": "rev"}, "depth_exceeded"},
		{"opencode", "webfetch", fields{"url": "https://example.invalid/units/U04"}, "no_target"},
		{"opencode", "webfetch", fields{"url": "file:///etc/hostname"}, "shared"},
		{"opencode", "todowrite", fields{"todos": []fields{{"content": sib}}}, "no_target"},
		{"opencode", "fakemcp_fs_read", fields{"path": sib}, "sibling_unit"},
		{"opencode", "unheard", fields{"x": fields{"y": []string{"z", sib}}}, "sibling_unit"},
		{"opencode", "read", fields{"filePath": own, "brand_new": sib}, "sibling_unit"},
		{"opencode", "read", fields{"filePath": ".conduct/workspace.json"}, "protected"},
		{"opencode", "write", fields{"filePath": ".opencode/plugins/conduct.js", "content": ""}, "protected"},

		{"copilot", "view", fields{"path": own}, "own_unit"},
		{"copilot", "view", fields{"path": sib}, "sibling_unit"},
		{"copilot", "view", fields{"path": "."}, "shared"},
		{"copilot", "view", fields{"path": "units"}, "sibling_unit"},
		{"copilot", "view", fields{"path": "units/U03"}, "own_unit"},
		{"copilot", "create", fields{"path": sib, "file_text": "x"}, "sibling_unit"},
		{"copilot", "edit", fields{"path": own, "old_str": sib, "new_str": sib}, "own_unit"},
		{"copilot", "apply_patch", fields{"input": patched}, "sibling_unit"},
		{"copilot", "glob", fields{"pattern": "**/*.md"}, "sibling_search"},
		{"copilot", "glob", fields{"pattern": "*.md", "paths": []string{"units/U03", "units/U04"}}, "sibling_unit"},
		{"copilot", "grep", fields{"pattern": "x", "paths": "units/U03"}, "own_unit"},
		{"copilot", "grep", fields{"pattern": "x"}, "sibling_search"},
		{"copilot", "bash", fields{"command": "cd units/U04 && cat a.md"}, "sibling_unit"},
		{"copilot", "write_bash", fields{"shellId": "0", "input": "ls{enter}"}, "no_target"},
		{"copilot", "write_bash", fields{"shellId": "0", "input": "cat " + sib}, "no_target"},
		{"copilot", "task", fields{"prompt": "x", "agent_type": "rev"}, "depth_exceeded"},
		{"copilot", "web_fetch", fields{"url": "https://example.invalid/"}, "no_target"},
		{"copilot", "fakemcp-fs_read", fields{"path": sib}, "sibling_unit"},
		{"copilot", "session_store_sql", fields{"query": "select 1"}, "unresolvable"},
		{"copilot", "read_agent", fields{"agent_id": "unit-a"}, "unresolvable"},
		{"copilot", "report_intent", fields{"intent": sib}, "no_target"},
		{"copilot", "create", fields{"path": ".github/hooks/x.json", "file_text": "x"}, "protected"},

		// Nobody knows who calls: unit paths are judged, and nothing else.
		{"cursor", "Read", fields{"file_path": own}, "own_unit"},
		{"cursor", "Read", fields{"file_path": sib}, "sibling_unit"},
		{"cursor", "Read", fields{"file_path": "docs/x.md"}, "shared"},
		{"cursor", "Write", fields{"file_path": sib, "content": "x"}, "sibling_unit"},
		{"cursor", "Delete", fields{"path": sib}, "sibling_unit"},
		{"cursor", "Grep", fields{"pattern": "x"}, "sibling_search"},
		{"cursor", "Grep", fields{"pattern": "x", "file_path": "units/U03"}, "own_unit"},
		{"cursor", "Shell", fields{"command": "cat " + sib, "cwd": "", "timeout": 30000}, "sibling_unit"},
		{"cursor", "Shell", fields{"command": "cat a.md", "cwd": "units/U04"}, "sibling_unit"},
		{"cursor", "Task", fields{"prompt": "x", "subagent_type": "rev"}, "no_target"},
		{"cursor", "MCP:fs_read", fields{"path": sib}, "sibling_unit"},
		{"cursor", "Unheard", fields{"x": sib}, "sibling_unit"},

		{"kiro", "fs_read", fields{"operations": []fields{{"mode": "Line", "path": own}}}, "own_unit"},
		{"kiro", "fs_read", fields{"operations": []fields{{"mode": "Line", "path": own}, {"mode": "Line", "path": sib}}}, "sibling_unit"},
		{"kiro", "fs_read", fields{"operations": []fields{{"mode": "Directory", "path": "."}}}, "shared"},
		{"kiro", "fs_read", fields{"operations": []fields{{"mode": "Directory", "path": ".", "depth": 3}}}, "sibling_search"},
		{"kiro", "read", fields{"operations": []fields{{"mode": "Image", "image_paths": []string{sib}}}}, "sibling_unit"},
		{"kiro", "fs_write", fields{"command": "create", "path": sib, "file_text": "x"}, "sibling_unit"},
		{"kiro", "write", fields{"command": "append", "path": own, "new_str": sib}, "own_unit"},
		{"kiro", "execute_bash", fields{"command": "grep -r x units"}, "sibling_search"},
		{"kiro", "shell", fields{"command": "cat " + own}, "own_unit"},
		{"kiro", "grep", fields{"pattern": "x"}, "sibling_search"},
		{"kiro", "glob", fields{"pattern": "units/*/a.md"}, "sibling_search"},
		{"kiro", "use_subagent", fields{"content": fields{"subagents": []fields{{"query": "x"}}}}, "depth_exceeded"},
		{"kiro", "@fakemcp/fs_read", fields{"path": sib}, "sibling_unit"},
		{"kiro", "thinking", fields{"thought": sib}, "no_target"},
		{"kiro", "fs_write", fields{"command": "create", "path": ".kiro/agents/x.json", "file_text": "x"}, "protected"},
	}
	root, _ := workspace(t, true)
	for _, tt := range tests {
		data, err := json.Marshal(payloads[tt.client](root, tt.tool, tt.input))
		require.NoError(t, err)
		t.Run(tt.client+" "+tt.tool+" "+string(data[len(data)-min(len(data), 60):]), func(t *testing.T) {
			c, ok := all.ByName(tt.client)
			require.True(t, ok)
			o := gate.Options{Client: coded{c}, Dir: root, Stdin: strings.NewReader(string(data)), Clock: &system.Clock{}}
			if tt.client == "kiro" {
				o.Agent = "rev"
			}
			require.Equal(t, tt.want, string(gate.Run(o).Stdout))
		})
	}
}
