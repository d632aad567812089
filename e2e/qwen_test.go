//go:build linux && e2e

package e2e

import (
	"path/filepath"
	"strings"

	"github.com/seed6310be5c/conduct/e2e/model"
)

func qwen() program {
	return program{
		name: "qwen-code", pack: qwenPackage(), protocol: model.Chat(),
		settings: func(w *world, _ string) {
			w.put(filepath.Join(w.home, ".qwen/settings.json"), `{
  "$version": 4,
  "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
  "model": {"name": "fake-model"},
  "tools": {"listDirectory": {"enabled": true}}
}`)
			w.agents(".qwen/agents", "")
		},
		start: func(w *world, url, prompt string) (argv, env []string) {
			cli := qwenPackage().module(w.t, "@qwen-code/qwen-code/cli-entry.js")
			return []string{node(w), cli, "--yolo", "-p", prompt},
				[]string{"OPENAI_API_KEY=fake", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=fake-model"}
		},
		strangers: []string{"tool_call"}, // hooks get the tool that it calls
		tools: tools{
			files: []tool{
				{kind: reads, call: func(p string) model.Call { return call("read_file", "file_path", p) }},
				{kind: writes, call: func(p string) model.Call { return call("write_file", "file_path", p, "content", "WRITTEN\n") }},
				{kind: writes, old: true, call: func(p string) model.Call {
					return call("edit", "file_path", p, "old_string", "alpha", "new_string", "WRITTEN")
				}},
				{kind: writes, old: true, call: func(p string) model.Call {
					return call("notebook_edit", "notebook_path", strings.TrimSuffix(p, ".md")+".ipynb", "cell_id", "c1", "new_source", "WRITTEN")
				}},
				{kind: reads, old: true, call: func(p string) model.Call {
					return call("zoom_image", "file_path", p, "x1", 0, "y1", 0, "x2", 9, "y2", 9)
				}},
				{kind: searches, call: func(p string) model.Call { return call("glob", "pattern", "**/*.md", "path", p) }},
				{kind: searches, call: func(p string) model.Call { return call("grep_search", "pattern", "alpha", "path", p) }},
				{kind: lists, call: func(p string) model.Call { return call("list_directory", "path", p) }},
			},
			// The output of a command that ends at once is sometimes lost.
			shell: func(line string) model.Call {
				return call("run_shell_command", "command", line+"; sleep 0.5", "description", "x", "is_background", false)
			},
			launch: func(agent, prompt string) model.Call {
				return call("agent", "description", "x", "prompt", prompt, "subagent_type", agent, "run_in_background", false)
			},
		},
		instead: map[string]instead{
			opaqueCommand: {blocked, "the program ignores a changed command, so it cannot be confined"},
		},
	}
}
