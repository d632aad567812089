package conduct_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A message is fetched by the worker that it is for, and begins nothing. What could
// put it in front of a model without being asked is listed here, and no shipped file
// may have it; the one thing that this project adds to a prompt is the launch line,
// in guard/launch.go.

// turnWords are the names with which a hook or a plugin of an agent program adds to a
// model's context, queues a prompt, or types into a terminal.
var turnWords = []string{
	"additionalContext", "additional_context", "systemMessage", "system_message", "initialUserMessage", // answers of hooks
	"followup_message", "followupMessage", // Cursor: what is submitted when an agent has ended
	"session.prompt", "promptAsync", "session.command", "session.chat", "appendPrompt", "submitPrompt", // opencode's client
	"turn/start", "turn/steer", "thread/inject", // Codex's app server
	"TIOCSTI", "send-keys", // terminals
}

// promptWriters are the functions that give something named Prompt a value.
var promptWriters = map[string]string{
	"guard/launch.go:launch":                "the launch line",
	"guard/launch.go:conductorLaunch":       "the launch line",
	"guard/guard.go:Decide":                 "hands the launch line on",
	"internal/gate/gate.go:answer":          "hands the launch line on",
	"hooks/tool.go:String":                  "a field's name",
	"hooks/input.go:text":                   "reads the call's own prompt",
	"shell/launch.go:launches":              "reads the command's own prompt",
	"internal/docgen/filters.go:filterRows": "an example of a call",
}

// turnStarters lists what in a shipped file could begin a turn of an agent.
func turnStarters(name string, src []byte) []string {
	var out []string
	for _, w := range turnWords {
		if strings.Contains(string(src), w) {
			out = append(out, name+" has "+w)
		}
	}
	if !strings.HasSuffix(name, ".go") {
		return out
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return append(out, err.Error())
	}
	for _, d := range f.Decls {
		in := name + ":"
		if fn, ok := d.(*ast.FuncDecl); ok {
			in += fn.Name.Name
		}
		if _, known := promptWriters[in]; known {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if writesPrompt(n) {
				out = append(out, in+" writes a prompt")
			}
			return true
		})
	}
	return out
}

// writesPrompt says whether a node gives a field named Prompt or prompt a value.
func writesPrompt(n ast.Node) bool {
	isPrompt := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.SelectorExpr:
			return strings.EqualFold(e.Sel.Name, "prompt")
		case *ast.Ident:
			return e.Name == "Prompt"
		}
		return false
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			if isPrompt(l) {
				return true
			}
		}
	case *ast.KeyValueExpr:
		return isPrompt(n.Key)
	}
	return false
}

// TestNothingStartsATurn looks through everything that is shipped.
func TestNothingStartsATurn(t *testing.T) {
	files := 0
	look := func(name string) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Empty(t, turnStarters(filepath.ToSlash(name), data))
		files++
	}
	for _, s := range shipped(t) {
		if !strings.HasPrefix(s.name, "e2e/") && !strings.HasSuffix(s.pkg, "test") { // these play the part of a program
			look(s.name)
		}
	}
	for name, why := range promptWriters {
		file, fn, _ := strings.Cut(name, ":")
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(data), fn, why)
	}
	look("hooks/opencode/plugin.js")
	require.Greater(t, files, 150)
}

// The test above finds what it is there for.
func TestTurnStartersAreFound(t *testing.T) {
	for what, src := range map[string]string{
		"an answer with context": `package p; var s = "{\"additionalContext\":" + inbox`,
		"another prompt":         `package p; func f(a *Answer) { a.Prompt = inbox() }`,
		"a literal":              `package p; func f() any { return Answer{Prompt: inbox()} }`,
		"a judge's":              `package guard; func (j *judge) late() { j.prompt += inbox() }`,
		"terminals":              `package p; func f() { ioctl(0, unix.TIOCSTI, text) }`,
		"not Go":                 `package`,
	} {
		require.NotEmpty(t, turnStarters("guard/other.go", []byte(src)), what)
	}
	require.NotEmpty(t, turnStarters("plugin.js", []byte(`await client.session.prompt({ body })`)))
	require.Empty(t, turnStarters("guard/other.go", []byte(`package p; func f(p string) string { prompt := p; return prompt }`)))
}
