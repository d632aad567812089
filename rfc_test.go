package conduct_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rfcHead is how a design document begins.
var rfcHead = regexp.MustCompile(`^# RFC (\d+): [^\n]+\n\n- status: (implemented|partial|proposed)\n- code: ([^\n]+)\n- missing: ([^\n]+)\n\n`)

// TestDesignDocuments holds the status of each document against the code that it names.
func TestDesignDocuments(t *testing.T) {
	names, err := filepath.Glob("docs/rfc/0*.md")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 10)
	known := symbols(t)
	for i, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		m := rfcHead.FindStringSubmatch(string(data))
		require.NotNil(t, m, "%s: it begins otherwise than it should", name)
		require.Equal(t, m[1], strings.TrimLeft(filepath.Base(name)[:4], "0"), name)
		require.Equal(t, i+1, atoi(t, m[1]), name)
		require.Equal(t, m[2], rfcStatus(known, listOf(m[3]), listOf(m[4])), name)
	}
}

// rfcStatus is the status that the code shows: "" when a document names code that is not
// there, or calls missing what is.
func rfcStatus(known map[string]bool, code, missing []string) string {
	for _, s := range code {
		if !known[s] {
			return "no " + s
		}
	}
	for _, s := range missing {
		if known[s] {
			return s + " is there"
		}
	}
	switch {
	case len(code) == 0 && len(missing) > 0:
		return "proposed"
	case len(missing) > 0:
		return "partial"
	case len(code) > 0:
		return "implemented"
	}
	return ""
}

func listOf(s string) []string {
	if s == "none" {
		return nil
	}
	return strings.Split(s, ", ")
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n := 0
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}

// The status of a document that says too much, or too little, is found.
func TestDesignDocumentsFindsLies(t *testing.T) {
	known := map[string]bool{"a.B": true}
	require.Equal(t, "implemented", rfcStatus(known, []string{"a.B"}, nil))
	require.Equal(t, "partial", rfcStatus(known, []string{"a.B"}, []string{"a.C"}))
	require.Equal(t, "proposed", rfcStatus(known, nil, []string{"a.C"}))
	require.Equal(t, "no a.C", rfcStatus(known, []string{"a.C"}, nil))
	require.Equal(t, "a.B is there", rfcStatus(known, nil, []string{"a.B"}))
}

// symbols are the types, functions and methods of the tree: package.Name or
// package.Type.Method, tests too; those of the top begin with a dot.
func symbols(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, s := range sources(t) {
		pkg := strings.TrimPrefix(s.pkg, ".")
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				out[pkg+"."+receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						out[pkg+"."+ts.Name.Name] = true
					}
				}
			}
		}
	}
	require.Greater(t, len(out), 1000)
	return out
}

// receiver is a method's type and a dot, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	x := d.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if id, ok := x.(*ast.Ident); ok {
		return id.Name + "."
	}
	return ""
}

// The index is in order, and complete.
func TestDesignDocumentsAreListed(t *testing.T) {
	data, err := os.ReadFile("docs/rfc/README.md")
	require.NoError(t, err)
	names, err := filepath.Glob("docs/rfc/0*.md")
	require.NoError(t, err)
	var listed []string
	for _, m := range regexp.MustCompile(`\]\((0[^)]+)\)`).FindAllStringSubmatch(string(data), -1) {
		listed = append(listed, "docs/rfc/"+m[1])
	}
	require.True(t, slices.Equal(names, listed), "run internal/docgen")
}
