//go:build linux && e2e

package e2e

import (
	"path/filepath"
	"strings"

	"github.com/seed6310be5c/conduct/e2e/model"
)

const oneByOne = "nothing in a call says which agent makes it: of two launches at once the second is refused or, where both hooks run at the same moment, both agents are kept out of units; launched after the other's end, each reaches its own"

func gemini() program {
	return program{
		name: "gemini-cli", pack: geminiPackage(), protocol: model.Gemini(),
		settings: func(w *world, _ string) {
			w.put(filepath.Join(w.home, ".gemini/settings.json"), `{
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
  "general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
  "experimental": {"enableAgents": true}
}`)
			tools := "read_file write_file replace glob grep_search list_directory run_shell_command"
			w.agents(".gemini/agents", "tools:\n  - "+strings.Join(strings.Fields(tools), "\n  - ")+"\nmax_turns: 100\n")
		},
		start: func(w *world, url, prompt string) (argv, env []string) {
			cli := geminiPackage().module(w.t, "@google/gemini-cli/bundle/gemini.js")
			return []string{node(w), cli, "-m", "gemini-2.5-pro", "--yolo", "-p", prompt},
				[]string{"GEMINI_API_KEY=fake", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		tools: geminiTools(),
		instead: map[string]instead{
			conductorReads: {blocked, "nothing in a call says who makes it, so unit paths are judged against every dispatch in force"},
			twoTypes:       {oneAtATime, oneByOne},
			oneType:        {oneAtATime, oneByOne},
		},
	}
}

// node is the Node that every program is started with.
func node(w *world) string { return nodePackage().module(w.t, nodePackage().name, "bin/node") }

func geminiTools() tools {
	return tools{
		files: []tool{
			{kind: reads, call: func(p string) model.Call { return call("read_file", "file_path", p) }},
			{kind: writes, call: func(p string) model.Call { return call("write_file", "file_path", p, "content", "WRITTEN\n") }},
			{kind: writes, old: true, call: func(p string) model.Call {
				return call("replace", "file_path", p, "instruction", "x", "old_string", "alpha", "new_string", "WRITTEN")
			}},
			{kind: searches, call: func(p string) model.Call { return call("glob", "pattern", "**/*.md", "dir_path", p) }},
			{kind: searches, call: func(p string) model.Call { return call("grep_search", "pattern", "alpha", "dir_path", p) }},
			{kind: lists, call: func(p string) model.Call { return call("list_directory", "dir_path", p) }},
		},
		shell: func(line string) model.Call {
			return call("run_shell_command", "command", line, "description", "x")
		},
		launch: func(agent, prompt string) model.Call {
			return call("invoke_agent", "agent_name", agent, "prompt", prompt)
		},
		finish: func() model.Call { return call("complete_task", "result", "done") },
	}
}
