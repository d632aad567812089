package file

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// changes are the calls that change something on disk.
var changes = map[string]bool{
	"Chmod": true, "Chtimes": true, "CloseAtomicallyReplace": true, "Cleanup": true, "Link": true, "Mkdir": true,
	"MkdirAll": true, "NewPendingFile": true, "Remove": true, "RemoveAll": true, "Rename": true, "Symlink": true,
	"Sync": true, "Write": true, "WriteAt": true, "WriteFile": true, "WriteString": true,
}

// exempt are the functions that change what no pair depends on: marks are not
// durable and one call each, a lock file's content is only shown, a folder
// that Init made and did not finish is made again, and a journal's owner dies at the
// steps that it is told of.
var exempt = map[string]bool{
	"Mark": true, "Unmark": true, "makeLock": true, "sign": true, "initFolder": true, "kill": true,
	"Append": true, "Flush": true,
}

func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	out := map[string]*ast.File{}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		require.NoError(t, err)
		out[e.Name()] = f
	}
	return out
}

// killStep is the name that a statement kill("name") gives.
func killStep(s ast.Stmt) (string, bool) {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return "", false
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	name, ok := call.Fun.(*ast.Ident)
	lit, isLit := call.Args[0].(*ast.BasicLit)
	if !ok || name.Name != "kill" || !isLit {
		return "", false
	}
	step, err := strconv.Unquote(lit.Value)
	return step, err == nil
}

// killSteps are the names of all kill points.
func killSteps(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(ast.Stmt); ok {
				if step, ok := killStep(s); ok {
					require.False(t, out[step], "two kill points are called %q", step)
					out[step] = true
				}
			}
			return true
		})
	}
	return out
}

// unguarded finds the changes in a list of statements that no kill point comes
// before, statement by statement.
func unguarded(list []ast.Stmt) []string {
	var out []string
	for i, s := range list {
		guarded := false
		if i > 0 {
			_, guarded = killStep(list[i-1])
		}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				out = append(out, unguarded(n.List)...)
				return false
			case *ast.CaseClause:
				out = append(out, unguarded(n.Body)...)
				return false
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && changes[sel.Sel.Name] && !guarded {
					out = append(out, sel.Sel.Name)
				}
			}
			return true
		})
	}
	return out
}

// TestEachStepHasAKillPoint: a write step without one would not be tested.
func TestEachStepHasAKillPoint(t *testing.T) {
	found := 0
	for name, f := range sources(t) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || exempt[fn.Name.Name] {
				continue
			}
			found++
			require.Empty(t, unguarded(fn.Body.List), "%s: %s", name, fn.Name.Name)
		}
	}
	require.Greater(t, found, 50)
	require.Greater(t, len(killSteps(t)), 15)
}

// TestUnguardedIsFound tries the test above on a step that has no kill point.
func TestUnguardedIsFound(t *testing.T) {
	const src = `package p
func f() {
	kill("a")
	if err := r.Rename("a", "b"); err != nil {
		r.Remove("c")
	}
	for {
		kill("b")
		_ = r.Link("d", "e")
	}
	go func() { d.Sync() }()
}`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"Remove", "Sync"}, unguarded(f.Decls[0].(*ast.FuncDecl).Body.List))
}
