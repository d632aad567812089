package conduct_test

import (
	"go/ast"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// steps are the steps in the life of a dispatch, each with the one method of
// dispatch.Book that takes it, and the one file that calls it. docs/architecture.md has
// the same table in words.
var steps = []struct {
	step, method string
	owners       []string
}{
	{"reserved", "Open", []string{"internal/cli/bound.go"}},
	{"set up", "Release", []string{"internal/cli/bound.go", "internal/cli/define.go"}}, // which takes back what could not be set up
	{"published", "See", []string{"internal/gate/record.go"}},
	{"published", "Ran", []string{"internal/cli/confined.go"}},
	{"quiescent", "Release", []string{"internal/cli/change.go"}},
	{"quiescent", "Expire", []string{"janitor/janitor.go", "dispatch/book.go"}}, // the holder of a claim that is wanted
	{"retired", "Remove", []string{"janitor/janitor.go"}},
}

// TestEachStepHasOneOwner finds every call of a step.
func TestEachStepHasOneOwner(t *testing.T) {
	want := map[string][]string{}
	for _, s := range steps {
		want[s.method] = append(want[s.method], s.owners...)
	}
	got := map[string]map[string]bool{}
	for _, s := range shipped(t) {
		if measures(s.pkg) || s.pkg == "internal/docgen" || s.name == "internal/cli/demo.go" || s.name == "internal/cli/doctor_canary.go" {
			continue // these have a workspace of their own
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || want[sel.Sel.Name] == nil || !onBook(sel.X) {
				return true
			}
			if got[sel.Sel.Name] == nil {
				got[sel.Sel.Name] = map[string]bool{}
			}
			got[sel.Sel.Name][s.name] = true
			return true
		})
	}
	for method, owners := range want {
		var files []string
		for f := range got[method] {
			files = append(files, f)
		}
		require.ElementsMatch(t, owners, files, "Book.%s", method)
	}
	data, err := os.ReadFile("docs/architecture.md")
	require.NoError(t, err)
	for _, s := range steps {
		require.Contains(t, string(data), "| "+s.step+" |")
	}
}

// onBook says whether an expression is a Book: they are called so everywhere.
func onBook(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "book" || x.Name == "b"
	case *ast.SelectorExpr:
		return strings.EqualFold(x.Sel.Name, "book")
	}
	return false
}
