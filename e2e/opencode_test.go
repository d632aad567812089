//go:build linux && e2e

package e2e

import (
	"path/filepath"
	"strings"

	"github.com/seed6310be5c/conduct/e2e/model"
)

func opencode() program {
	return program{
		name: "opencode", pack: opencodePackage(), protocol: model.Chat(),
		settings: func(w *world, url string) {
			var agents []string
			for _, a := range agentTypes() {
				agents = append(agents, `"`+a+`": {"description": "Works on one unit", "mode": "subagent", "prompt": "You work on one unit only."}`)
			}
			w.put(filepath.Join(w.home, ".config/opencode/opencode.json"), `{
  "autoupdate": false, "share": "disabled", "snapshot": false, "model": "fake/fake-model", "small_model": "fake/fake-model",
  "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": {"baseURL": "`+url+`/v1", "apiKey": "fake"},
    "models": {"fake-model": {"name": "Fake model", "tool_call": true, "limit": {"context": 100000, "output": 8000}}}}},
  "agent": {`+strings.Join(agents, ", ")+`},
  "permission": "allow"
}`)
			// What it would otherwise wait for from the network, a minute each.
			for _, dir := range []string{filepath.Join(w.home, ".config/opencode"), w.path(".opencode")} {
				w.put(filepath.Join(dir, "package-lock.json"), `{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}`)
				w.put(filepath.Join(dir, "node_modules/.keep"), "")
			}
		},
		start: func(w *world, _, prompt string) (argv, env []string) {
			bin := opencodePackage().module(w.t, "opencode-linux-"+arch(), "bin/opencode")
			return []string{bin, "run", "--print-logs", "--format", "json", prompt},
				[]string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		tools: tools{
			files: []tool{
				{kind: reads, call: func(p string) model.Call { return call("read", "filePath", p) }},
				{kind: writes, call: func(p string) model.Call { return call("write", "filePath", p, "content", "WRITTEN\n") }},
				{kind: writes, old: true, call: func(p string) model.Call {
					return call("edit", "filePath", p, "oldString", "alpha", "newString", "WRITTEN")
				}},
				{kind: searches, call: func(p string) model.Call { return call("glob", "pattern", "**/*.md", "path", p) }},
				{kind: searches, call: func(p string) model.Call { return call("grep", "pattern", "alpha", "path", p) }},
				{kind: lists, call: func(p string) model.Call { return call("read", "filePath", p) }},
			},
			shell: func(line string) model.Call { return call("bash", "command", line, "description", "x") },
			launch: func(agent, prompt string) model.Call {
				return call("task", "description", "x", "prompt", prompt, "subagent_type", agent)
			},
		},
	}
}
