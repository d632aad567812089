//go:build linux && e2e

package e2e

import "github.com/seed6310be5c/conduct/e2e/model"

func copilot() program {
	return program{
		name: "copilot", pack: copilotPackage(), protocol: model.Chat(),
		settings: func(w *world, _ string) { w.agentFiles(".copilot/agents", ".agent.md", "") },
		start: func(w *world, url, prompt string) (argv, env []string) {
			bin := copilotPackage().module(w.t, "@github/copilot-linux-"+arch(), "copilot")
			return []string{bin, "-p", prompt, "--allow-all-tools", "--add-dir", w.bin, "--trust-folder"}, []string{
				"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=fake",
				"COPILOT_MODEL=fake-model", "COPILOT_AUTO_UPDATE=false",
			}
		},
		tools: tools{
			files: []tool{
				{kind: reads, call: func(p string) model.Call { return call("view", "path", p) }},
				{kind: writes, call: func(p string) model.Call { return call("create", "path", p, "file_text", "WRITTEN\n") }},
				{kind: writes, old: true, call: func(p string) model.Call {
					return call("edit", "path", p, "old_str", "alpha", "new_str", "WRITTEN")
				}},
				{kind: searches, call: func(p string) model.Call { return call("glob", "pattern", "**/*.md", "paths", p) }},
				{kind: searches, call: func(p string) model.Call {
					return call("grep", "pattern", "alpha", "paths", p, "output_mode", "content")
				}},
				{kind: lists, call: func(p string) model.Call { return call("view", "path", p) }},
			},
			shell: func(line string) model.Call { return call("bash", "command", line, "description", "x") },
			launch: func(agent, prompt string) model.Call {
				return call("task", "description", "x", "prompt", prompt, "agent_type", agent, "name", "x", "mode", "sync")
			},
		},
		lost: "hook exited with code 2",
		instead: map[string]instead{
			guardRemoved: {blocked, "the program loses the reason: the model is told that the hook exited with code 2"},
		},
	}
}
