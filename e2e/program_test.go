//go:build linux && e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// program is all that the tests know of one agent program.
type program struct {
	// name is what conduct calls it.
	name     string
	pack     npmPackage
	protocol model.Protocol
	// settings writes the program's own settings and the agents into the home.
	settings func(w *world, url string)
	// start is how it is started, without anybody to ask, and what is added to the environment.
	start func(w *world, url, prompt string) (argv, env []string)
	tools tools
	// renamed has tools that hooks know by another name, strangers those that the guard has no table of.
	renamed   map[string]string
	strangers []string
	// lost, if not "", is what the model is told where the hook's own line blocks, and the program loses its reason.
	lost string
	// instead is what a scenario comes to here, where it is not what it ought to.
	instead map[string]instead
}

// instead is another outcome, with its reason.
type instead struct {
	outcome outcome
	why     string
}

// kind is what a tool does with a path. What it lists is one folder; what it searches, all below.
type kind int

const (
	reads kind = iota
	writes
	searches
	lists
)

// tool is one of a program's tools that take a path.
type tool struct {
	kind kind
	// old says that it needs a file that is there: with another the program fails before any hook.
	old bool
	// first, if not "", is what the program itself says to a sibling's file before any hook.
	first string
	call  func(path string) model.Call
}

// tools are a program's tools.
type tools struct {
	// files are all that read, write or search.
	files []tool
	// reader reads a file, where that is not the first tool that reads.
	reader func(path string) model.Call
	// shell runs a command line.
	shell func(line string) model.Call
	// launch starts an agent of a type.
	launch func(agent, prompt string) model.Call
	// finish, if set, is how an agent says that it is done.
	finish func() model.Call
}

func (t tools) of(k kind) []tool {
	var out []tool
	for _, f := range t.files {
		if f.kind == k {
			out = append(out, f)
		}
	}
	return out
}

// call makes a call of a tool with arguments as pairs.
func call(name string, pairs ...any) model.Call {
	args := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i].(string)] = pairs[i+1]
	}
	return model.Call{Name: name, Args: args}
}

// agentTypes are the agents that every program knows.
func agentTypes() []string { return []string{"reviewer", "worker"} }

// hook puts the hook into the settings of the workspace.
func (w *world) hook(p program) { w.conduct("init", "--client", p.name) }

func programs() []program {
	return []program{claude(), codex(), copilot(), gemini(), opencode(), qwen()}
}

func TestTableOfPrograms(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range programs() {
		require.False(t, seen[p.name], p.name)
		seen[p.name] = true
		for name, in := range p.instead {
			require.Contains(t, scenarioNames(), name, p.name)
			require.NotEmpty(t, in.why, name)
		}
	}
}
