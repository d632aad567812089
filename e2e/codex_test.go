//go:build linux && e2e

package e2e

import (
	"path/filepath"

	"github.com/seed6310be5c/conduct/e2e/model"
)

func codex() program {
	return program{
		name: "codex", pack: codexPackage(), protocol: model.Responses(),
		settings: func(w *world, url string) {
			agents := ""
			for _, a := range agentTypes() {
				agents += "[agents." + a + "]\ndescription = \"Works on one unit\"\n"
			}
			w.put(filepath.Join(w.home, ".codex/config.toml"), `model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "`+url+`/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[feedback]
enabled = false
[features]
apps = false
plugins = false
[projects."`+w.root+`"]
trust_level = "trusted"
`+agents)
		},
		start: func(w *world, _, prompt string) (argv, env []string) {
			bin := codexPackage().module(w.t, "@openai/codex-linux-"+arch(), "vendor", triple(), "bin/codex")
			return []string{bin, "exec", "--json", "--dangerously-bypass-hook-trust", prompt}, []string{"FAKE_KEY=fake"}
		},
		renamed: map[string]string{"exec_command": "Bash"},
		tools: tools{
			files: []tool{
				{kind: writes, call: func(p string) model.Call { return patch("*** Add File: " + p + "\n+WRITTEN\n") }},
				{kind: writes, old: true, call: func(p string) model.Call {
					return patch("*** Update File: " + p + "\n@@\n-alpha\n+WRITTEN\n")
				}},
				{kind: writes, old: true, call: func(p string) model.Call { return patch("*** Delete File: " + p + "\n") }},
				{kind: writes, old: true, call: func(p string) model.Call {
					return patch("*** Update File: docs/guide.md\n*** Move to: " + p + "\n@@\n-# Guide\n+WRITTEN\n")
				}},
				{kind: reads, old: true, call: func(p string) model.Call { return call("view_image", "path", p) }},
			},
			reader: func(p string) model.Call { return call("exec_command", "cmd", "cat "+p) },
			shell:  func(line string) model.Call { return call("exec_command", "cmd", line) },
			launch: func(agent, prompt string) model.Call {
				c := call("spawn_agent", "message", prompt, "agent_type", agent)
				c.Namespace = "multi_agent_v1"
				return c
			},
		},
	}
}

// patch is a call of apply_patch.
func patch(hunks string) model.Call {
	return model.Call{Name: "apply_patch", Input: "*** Begin Patch\n" + hunks + "*** End Patch\n"}
}

// triple is what Codex calls this machine.
func triple() string {
	if arch() == "x64" {
		return "x86_64-unknown-linux-musl"
	}
	return "aarch64-unknown-linux-musl"
}
