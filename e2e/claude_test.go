//go:build linux && e2e

package e2e

import (
	"strings"

	"github.com/seed6310be5c/conduct/e2e/model"
)

func claude() program {
	return program{
		name: "claude-code", pack: claudePackage(), protocol: model.Anthropic(),
		settings: func(w *world, _ string) { w.agents(".claude/agents", "") },
		start: func(w *world, url, prompt string) (argv, env []string) {
			bin := claudePackage().module(w.t, "@anthropic-ai/claude-code-linux-"+arch(), "claude")
			return []string{
					bin, "-p", prompt, "--allowedTools", "Read,Write,Edit,NotebookEdit,Glob,Grep,Bash,Agent",
					"--output-format", "stream-json", "--verbose",
				}, []string{
					"ANTHROPIC_API_KEY=fake", "ANTHROPIC_BASE_URL=" + url, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
					"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "IS_SANDBOX=1",
				}
		},
		strangers: []string{"DeferredToolPlaceholder"}, // its description says that it is none
		tools: tools{
			files: []tool{
				{kind: reads, call: func(p string) model.Call { return call("Read", "file_path", p) }},
				{kind: writes, call: func(p string) model.Call { return call("Write", "file_path", p, "content", "WRITTEN\n") }},
				{kind: writes, old: true, call: func(p string) model.Call {
					return call("Edit", "file_path", p, "old_string", "alpha", "new_string", "WRITTEN")
				}},
				{kind: writes, old: true, first: "File has not been read yet", call: func(p string) model.Call {
					return call("NotebookEdit", "notebook_path", strings.TrimSuffix(p, ".md")+".ipynb", "cell_id", "c1", "new_source", "WRITTEN")
				}},
				{kind: searches, call: func(p string) model.Call { return call("Glob", "pattern", "**/*.md", "path", p) }},
				{kind: searches, call: func(p string) model.Call {
					return call("Grep", "pattern", "alpha", "path", p, "output_mode", "content")
				}},
			},
			shell: func(line string) model.Call { return call("Bash", "command", line, "description", "x") },
			launch: func(agent, prompt string) model.Call {
				return call("Agent", "description", "x", "prompt", prompt, "subagent_type", agent, "run_in_background", false)
			},
		},
	}
}
