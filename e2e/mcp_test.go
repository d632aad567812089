//go:build linux && e2e

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// inspect runs the inspector's command line against a server and returns what it
// prints, with its exit code: 5 is a tool's refusal, or a tool that is not there.
func (w *world) inspect(role string, args ...string) (out string, exit int) {
	w.t.Helper()
	cli := inspectorPackage().module(w.t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	argv := append([]string{cli, "--cli"}, args...)
	cmd := exec.Command(node(w), append(argv, "--", "conduct", "mcp", "--as", role)...)
	cmd.Dir, cmd.Env = w.root, w.env()
	var errs strings.Builder
	cmd.Stderr = &errs
	data, err := cmd.Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		require.NoError(w.t, err)
	}
	return string(data) + errs.String(), cmd.ProcessState.ExitCode()
}

// The protocol's own inspector lists the tools of each role, finds nothing wrong with
// their schemas, and holds what they return against those.
func TestInspector(t *testing.T) {
	need(t, inspectorPackage(), nodePackage())
	w := newWorld(t)
	for role, want := range map[string][]string{
		"worker":    {"work_brief", "work_report", "work_request", "work_message"},
		"conductor": {"work_ledger_read", "work_ledger_record", "work_dispatch", "work_release"},
	} {
		out, exit := w.inspect(role, "--method", "tools/list", "--strict")
		require.Zero(t, exit, out)
		var doc struct{ Tools []struct{ Name string } }
		require.NoError(t, json.NewDecoder(strings.NewReader(out)).Decode(&doc))
		var names []string
		for _, tool := range doc.Tools {
			names = append(names, tool.Name)
		}
		require.ElementsMatch(t, want, names)
	}
	call := func(role, tool string, args ...string) (string, int) {
		line := []string{"--method", "tools/call", "--tool-name", tool}
		for _, a := range args {
			line = append(line, "--tool-arg", a)
		}
		return w.inspect(role, line...)
	}
	out, exit := call("conductor", "work_ledger_record", "action=create", "title=pay by card")
	require.Zero(t, exit, out)
	item := strings.Split(out, `"item": "`)[1][:26]
	out, exit = call("conductor", "work_dispatch", "unit=U03", "agent=worker", "item="+item)
	require.Zero(t, exit, out)
	id := strings.Split(out, `"launch_line": "conduct:`)[1][:26]
	out, exit = call("worker", "work_report", "dispatch="+id, "kind=done", "summary=it works", `artifacts=["pr:12"]`)
	require.Zero(t, exit, out)
	for _, c := range []struct {
		role, tool string
		args       []string
		says       string
	}{
		{"worker", "work_brief", []string{"dispatch=" + item}, `"code": "undispatched"`},
		{"conductor", "work_ledger_read", []string{"item=" + id}, `"code": "unknown_item"`},
		{"worker", "work_dispatch", []string{"unit=U03"}, "not found"},
		{"conductor", "work_brief", []string{"dispatch=" + id}, "not found"},
	} {
		out, exit = call(c.role, c.tool, c.args...)
		require.Equal(t, 5, exit, out)
		require.Contains(t, out, c.says)
	}
	out, exit = call("conductor", "work_ledger_read", "item="+item)
	require.Zero(t, exit, out)
	require.Contains(t, out, `"summary": "it works"`)
	out, exit = call("conductor", "work_release", "unit=U03", "verdict=ready")
	require.Zero(t, exit, out)
	require.Regexp(t, `done +judged +1 +ready`, w.conduct("board", "show"))
}

// server is how one program is told of our servers, and what it calls their tools.
type server struct {
	program program
	// settings puts what conduct mcp --print-config says into the program's settings.
	settings func(w *world, config func(role string) string)
	// start adds to how the program is started.
	start []string
	// tool is what the program calls a tool.
	tool func(server, name string) model.Call
}

// servers are the programs in which workers and a conductor use our tools.
func servers() []server {
	return []server{
		{
			program: claude(), start: []string{"--allowedTools", "mcp__conduct,mcp__conductor"},
			settings: func(w *world, config func(string) string) {
				w.write(".mcp.json", merge(w.t, config("worker"), config("conductor")))
				w.put(filepath.Join(w.home, ".claude/settings.json"), `{"enableAllProjectMcpServers": true}`)
			},
			tool: func(server, name string) model.Call { return model.Call{Name: "mcp__" + server + "__" + name} },
		},
		{
			program: gemini(),
			settings: func(w *world, config func(string) string) {
				file := filepath.Join(w.home, ".gemini/settings.json")
				data, err := os.ReadFile(file)
				require.NoError(w.t, err)
				w.put(file, merge(w.t, string(data), config("worker"), config("conductor")))
				agents := filepath.Join(w.home, ".gemini/agents/worker.md")
				data, err = os.ReadFile(agents)
				require.NoError(w.t, err)
				w.put(agents, strings.Replace(string(data), "tools:\n", "tools:\n  - mcp_conduct_*\n  - mcp_conductor_*\n", 1))
			},
			tool: func(server, name string) model.Call { return model.Call{Name: "mcp_" + server + "_" + name} },
		},
		{
			program: codex(),
			settings: func(w *world, config func(string) string) {
				file := filepath.Join(w.home, ".codex/config.toml")
				data, err := os.ReadFile(file)
				require.NoError(w.t, err)
				w.put(file, string(data)+config("worker")+config("conductor"))
			},
			tool: func(server, name string) model.Call {
				return model.Call{Name: name, Namespace: "mcp__" + server}
			},
		},
		{
			program: qwen(),
			settings: func(w *world, config func(string) string) {
				file := filepath.Join(w.home, ".qwen/settings.json")
				data, err := os.ReadFile(file)
				require.NoError(w.t, err)
				w.put(file, merge(w.t, string(data), config("worker"), config("conductor")))
			},
			tool: func(server, name string) model.Call { return model.Call{Name: "mcp__" + server + "__" + name} },
		},
		{
			program: opencode(),
			settings: func(w *world, config func(string) string) {
				w.write("opencode.json", merge(w.t, config("worker"), config("conductor")))
			},
			tool: func(server, name string) model.Call { return model.Call{Name: server + "_" + name} },
		},
		{
			program: copilot(),
			settings: func(w *world, config func(string) string) {
				w.put(filepath.Join(w.home, ".copilot/mcp-config.json"), merge(w.t, config("worker"), config("conductor")))
			},
			tool: func(server, name string) model.Call { return model.Call{Name: server + "-" + name} },
		},
	}
}

// merge makes one object of several, and of objects in them too.
func merge(t *testing.T, docs ...string) string {
	t.Helper()
	into := map[string]any{}
	for _, doc := range docs {
		var one map[string]any
		require.NoError(t, json.Unmarshal([]byte(doc), &one))
		mergeInto(into, one)
	}
	out, err := json.MarshalIndent(into, "", "  ")
	require.NoError(t, err)
	return string(out)
}

func mergeInto(into, one map[string]any) {
	for k, v := range one {
		inner, ok := v.(map[string]any)
		if there, both := into[k].(map[string]any); ok && both {
			mergeInto(there, inner)
			continue
		}
		into[k] = v
	}
}

// In a real program, a worker reads its brief and reports through our server, and the
// board shows it. The hook sees the calls, and refuses another one's dispatch and the
// conductor's tools.
func TestToolsInPrograms(t *testing.T) {
	for _, s := range servers() {
		t.Run(s.program.name, func(t *testing.T) {
			need(t, s.program.pack, nodePackage())
			runTools(t, s)
		})
	}
}

// equipped is the program with our servers in its settings.
func (sv server) equipped() program {
	p := sv.program
	settings, start := p.settings, p.start
	p.settings = func(w *world, url string) {
		settings(w, url)
		sv.settings(w, func(role string) string {
			out, err := exec.Command(filepath.Join(w.bin, "conduct"), "mcp", "--as", role, "--print-config", "--client", p.name).Output()
			require.NoError(w.t, err)
			return string(out)
		})
	}
	p.start = func(w *world, url, prompt string) (argv, env []string) {
		argv, env = start(w, url, prompt)
		return append(argv, sv.start...), env
	}
	return p
}

// call is a call of one of our tools, with arguments as pairs.
func (sv server) call(server, name string, pairs ...any) model.Call {
	c := sv.tool(server, name)
	c.Args = call("", pairs...).Args
	return c
}

func runTools(t *testing.T, sv server) {
	w := newWorld(t)
	w.hook(sv.program)
	item := strings.TrimSpace(w.conduct("board", "create", "--title", "pay by card", "--acceptance", "CHARGED-ONCE"))
	other := strings.TrimSpace(w.conduct("board", "create", "--title", "send the bill", "--acceptance", "NOT-YOURS"))
	line, foreign := w.dispatch("U03", "worker"), w.dispatch("U04", "reviewer")
	mine, theirs := strings.TrimPrefix(line, "conduct:"), strings.TrimPrefix(foreign, "conduct:")
	w.conduct("board", "bind", "--item", item, "--dispatch", mine)
	w.conduct("board", "bind", "--item", other, "--dispatch", theirs)

	p, tool := sv.equipped(), sv.call
	agent := []step{
		{call: tool("conduct", "work_brief", "dispatch", mine)},
		{call: tool("conduct", "work_report", "dispatch", mine, "kind", "done", "summary", "charged once, see construction/units/U04/design.md", "artifacts", []string{"pr:12"})},
		{call: tool("conduct", "work_brief", "dispatch", theirs)},
		{call: tool("conductor", "work_release", "dispatch", mine, "verdict", "ready")},
	}
	turns, done := ends(play("agent", agent), p)
	launch := p.tools.launch("worker", model.Prompt("agent", "do the work")+"\n"+line).As("launch")
	root := play("root", []step{{call: tool("conductor", "work_ledger_read")}})
	root[0].Before = func() { await(done) }
	s := w.run(p, model.Script{"agent": turns, "root": append([]model.Turn{{Calls: []model.Call{launch}}}, root...)})

	result := func(role, key string) string {
		text, ok := s.model.Result(role, key)
		require.True(t, ok, "%s %s: no result; offered: %v", role, key, s.model.Tools(role))
		return text
	}
	require.Contains(t, result("agent", "agent-0"), "CHARGED-ONCE")
	require.NotContains(t, result("agent", "agent-0"), "NOT-YOURS")
	require.Contains(t, result("agent", "agent-1"), "done")
	require.Contains(t, result("agent", "agent-2"), "with your own id")
	require.Contains(t, result("agent", "agent-3"), "that tool is the conductor's")
	require.False(t, s.model.Saw("agent", "NOT-YOURS"))
	require.Contains(t, result("root", "root-0"), "charged once, see")

	board := w.conduct("board", "show", "--item", item)
	require.Contains(t, board, `reported done: "charged once, see construction/units/U04/design.md" pr:12`)
	require.Contains(t, board, "bound")
	log := w.conduct("log", "--unit", "U03", "--json")
	require.Contains(t, log, "work_report")
	require.Contains(t, log, "control_command")
}
