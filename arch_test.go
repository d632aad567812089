package conduct_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/seed6310be5c/conduct"

// may lists, for every package, the packages of this module that it imports. It
// is exact: a new folder or a new import needs a line here, which is the moment
// to think about it, and so does one that goes.
var may = map[string]string{
	".": "",

	// Nothing of ours below these.
	"wire": "", "store": "", "unit": "", "shell": "", "nearest": "", "install": "", "internal/system": "", "knobs": "",

	// Records.
	"store/file": "store wire", "store/mem": "store", "store/storetest": "store",
	"grants": "knobs store unit wire", "dispatch": "grants knobs store unit wire", "dispatch/mint": "store",
	"audit": "store wire", "janitor": "audit dispatch store",

	// The board.
	"ledger": "dispatch knobs store wire", "ledger/file": "ledger store store/file wire",
	"news":    "ledger mailbox store wire",
	"mailbox": "ledger store wire", "mailbox/file": "ledger mailbox store store/file",

	// Questions to a person.
	"approval": "store wire", "approval/file": "approval store store/file",

	// Tools for agent programs.
	"mcpserver": "dispatch ledger mailbox wire", "mcpserver/stdio": "mcpserver wire", "cmd/conduct-mcp": "internal/cli mcpserver/stdio",

	// The workspace.
	"config": "nearest unit wire", "workspace": "wire",

	// The decision, and the agent programs.
	"guard": "dispatch grants knobs shell store unit wire",
	"hooks": "guard wire", "hooks/hooktest": "guard hooks wire",
	"hooks/claudecode": "guard hooks wire", "hooks/codex": "guard hooks wire", "hooks/geminicli": "guard hooks wire",
	"hooks/qwencode": "guard hooks", "hooks/opencode": "guard hooks wire", "hooks/copilot": "guard hooks wire",
	"hooks/cursor": "guard hooks wire", "hooks/kiro": "guard hooks", "hooks/generic": "guard hooks wire",
	"hooks/all": "hooks hooks/claudecode hooks/codex hooks/copilot hooks/cursor hooks/geminicli hooks/generic hooks/kiro hooks/opencode hooks/qwencode",

	// Confinement.
	"sandbox": "", "sandbox/bwrap": "sandbox", "sandbox/landlock": "sandbox", "sandbox/seatbelt": "sandbox", "sandbox/sandboxtest": "sandbox",

	// Front ends.
	"internal/agents":   "",
	"internal/broker":   "",
	"internal/confine":  "dispatch grants guard knobs sandbox unit",
	"internal/gate":     "approval approval/file audit dispatch guard hooks internal/system store store/file unit workspace",
	"internal/guardcmd": "hooks hooks/all internal/gate",
	"internal/cli": "approval approval/file audit config dispatch dispatch/mint grants guard hooks/all hooks/generic hooks/opencode install internal/agents internal/broker internal/confine internal/gate internal/guardcmd " +
		"internal/system janitor knobs ledger ledger/file mailbox mailbox/file mcpserver nearest news sandbox sandbox/bwrap sandbox/landlock sandbox/seatbelt store store/file unit wire workspace",
	"cmd/conduct": "internal/cli", "cmd/conduct-guard": "internal/guardcmd",

	// Tests with the real agent programs, and with processes that are killed.
	"e2e/model": "", "internal/crashtest": "",

	// What is run by hand.
	"internal/docgen": "config dispatch dispatch/mint grants guard hooks hooks/all hooks/claudecode hooks/codex hooks/copilot hooks/cursor hooks/geminicli hooks/generic " +
		"hooks/kiro hooks/opencode hooks/qwencode install ledger mailbox mcpserver store/mem unit wire",
}

// only lists imports from elsewhere that belong into a few packages, with the reason.
var only = []struct{ path, in, why string }{
	{"github.com/modelcontextprotocol/go-sdk", "mcpserver/stdio", "what it links would cost every command half of its time again"},
	{"github.com/spf13/cobra", "internal/cli", "flags are a front end's business"},
	{"github.com/spf13/pflag", "internal/cli", "flags are a front end's business"},
	{"github.com/goccy/go-yaml", "config", "the hook reads no YAML: its scope is compiled into the grant"},
	{"github.com/gofrs/flock", "store/file", "the guard takes no lock"},
	{"github.com/google/renameio/v2", "store/file config install internal/agents", "only these replace files"},
	{"github.com/oklog/ulid/v2", "dispatch/mint store/storetest bench/run", "the hook mints no id, and the library seeds a generator when it starts"},
	{"mvdan.cc/sh/v3", "shell install", "the guard sees facts, not syntax; install reads the hook's own line"},
	{"encoding/json", "internal/cli hooks/hooktest e2e/model", "reflection is too slow for the hook, and takes duplicate keys; wire reads and writes JSON"},
	{"os/exec", "internal/cli install internal/crashtest sandbox/sandboxtest", "nothing that the hook runs may start a process"},
	{"net", "internal/broker sandbox/sandboxtest e2e/model", "nothing here talks to a network; the broker has a socket on this machine"},
	{"net/http", "e2e/model", "nothing here talks to a network"},
	{"github.com/anishathalye/porcupine", "internal/crashtest", "it checks histories, in tests"},
	{"github.com/landlock-lsm/go-landlock", "sandbox", "restricts the first process inside, nothing else"},
	{"plugin", "", "what runs is what was built"},
	{"log", "", "errors are returned, calls are audited"},
	{"log/slog", "", "errors are returned, calls are audited"},
}

// source is one parsed file of the tree.
type source struct {
	name string // slashes, relative to the top
	pkg  string // its folder
	test bool
	file *ast.File
	set  *token.FileSet
	size int // lines
}

// sources parses the tree. It does so here and not by "go list": the test cache
// notes files that this process opens, and none that a child process opens.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 1 && strings.ContainsRune("._", rune(d.Name()[0]))) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		slashed := filepath.ToSlash(name)
		out = append(out, source{slashed, path.Dir(slashed), strings.HasSuffix(name, "_test.go"), f, set, bytes.Count(data, []byte("\n"))})
		return nil
	})
	require.NoError(t, err)
	return out
}

// shipped are the sources without tests.
func shipped(t *testing.T) []source {
	t.Helper()
	return slices.DeleteFunc(sources(t), func(s source) bool { return s.test })
}

func (s source) imports(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, i := range s.file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		require.NoError(t, err)
		out = append(out, p)
	}
	return out
}

// ours returns what the packages import of this module, and of others.
func ours(t *testing.T) (inside, outside map[string][]string) {
	t.Helper()
	inside, outside = map[string][]string{}, map[string][]string{}
	for _, s := range shipped(t) {
		inside[s.pkg] = append(inside[s.pkg], []string{}...)
		for _, i := range s.imports(t) {
			if in, ok := strings.CutPrefix(i, module+"/"); ok {
				inside[s.pkg] = append(inside[s.pkg], in)
			} else {
				outside[s.pkg] = append(outside[s.pkg], i)
			}
		}
	}
	for _, m := range []map[string][]string{inside, outside} {
		for p := range m {
			sort.Strings(m[p])
			m[p] = slices.Compact(m[p])
		}
	}
	return inside, outside
}

func TestImportsWithin(t *testing.T) {
	inside, _ := ours(t)
	for pkg, got := range inside {
		want, ok := may[pkg]
		if !ok && measures(pkg) {
			continue // may import anything, and nothing imports it
		}
		if !ok {
			t.Errorf("%s: no line in the table; add one", pkg)
			continue
		}
		for _, i := range got {
			if !slices.Contains(strings.Fields(want), i) {
				t.Errorf("%s imports %s; it may import: %s", pkg, i, want)
			}
		}
		for _, i := range strings.Fields(want) {
			if !slices.Contains(got, i) {
				t.Errorf("%s no longer imports %s; take it out of the table", pkg, i)
			}
		}
	}
	for pkg := range may {
		if _, ok := inside[pkg]; !ok {
			t.Errorf("%s is in the table but not in the tree", pkg)
		}
	}
}

// A client of one agent program knows nothing of others, nor of records.
func TestHookClientsKnowTheContractOnly(t *testing.T) {
	inside, _ := ours(t)
	clients := 0
	for pkg, got := range inside {
		if !strings.HasPrefix(pkg, "hooks/") || pkg == "hooks/all" || pkg == "hooks/hooktest" {
			continue
		}
		clients++
		require.Subset(t, []string{"guard", "hooks", "wire"}, got, pkg)
	}
	require.Equal(t, 9, clients)
}

func TestImportsFromElsewhere(t *testing.T) {
	_, outside := ours(t)
	for pkg, got := range outside {
		for _, i := range got {
			if measures(pkg) {
				continue
			}
			for _, o := range only {
				if (i == o.path || strings.HasPrefix(i, o.path+"/") && strings.Contains(o.path, ".")) && !slices.Contains(strings.Fields(o.in), pkg) {
					t.Errorf("%s imports %s, which is for %q alone: %s", pkg, i, o.in, o.why)
				}
			}
			if i == "testing" && !strings.HasSuffix(pkg, "test") {
				t.Errorf("%s imports testing: only packages whose names end in test may", pkg)
			}
		}
	}
}

// linkedBy returns the packages of ours that a program links, and what each package
// imports from elsewhere.
func linkedBy(t *testing.T, program string) (linked map[string]bool, outside map[string][]string) {
	t.Helper()
	inside, outside := ours(t)
	linked = map[string]bool{}
	var walk func(pkg string)
	walk = func(pkg string) {
		if linked[pkg] {
			return
		}
		linked[pkg] = true
		for _, i := range inside[pkg] {
			walk(i)
		}
	}
	walk(program)
	return linked, outside
}

// What the hook links decides how fast it starts, so what it needs from elsewhere is
// listed to the last package.
func TestHookLinksLittle(t *testing.T) {
	linked, outside := linkedBy(t, "cmd/conduct-guard")
	got := map[string]bool{}
	for pkg := range linked {
		for _, i := range outside[pkg] {
			if first, _, _ := strings.Cut(i, "/"); strings.Contains(first, ".") {
				got[i] = true
			}
		}
	}
	want := []string{
		"github.com/go-json-experiment/json/jsontext", "github.com/gofrs/flock", "github.com/google/renameio/v2",
		"golang.org/x/sys/unix", "mvdan.cc/sh/v3/pattern", "mvdan.cc/sh/v3/syntax",
	}
	var names []string
	for i := range got {
		names = append(names, i)
	}
	require.ElementsMatch(t, want, names)
	for _, pkg := range []string{"config", "internal/cli", "install", "janitor", "ledger", "ledger/file", "mailbox", "mailbox/file", "news", "mcpserver"} {
		require.False(t, linked[pkg], "conduct-guard links %s", pkg)
	}
}

// The protocol's library links net/http and more: only the program that needs it does.
func TestOnlyTheServerLinksItsLibrary(t *testing.T) {
	for _, program := range []string{"cmd/conduct", "cmd/conduct-guard"} {
		linked, _ := linkedBy(t, program)
		require.True(t, linked[program])
		require.False(t, linked["mcpserver/stdio"], program)
	}
	linked, _ := linkedBy(t, "cmd/conduct-mcp")
	require.True(t, linked["mcpserver/stdio"])
}

// What we measure ourselves against must not be sped up or slowed down with us.
func TestFloorsAreBare(t *testing.T) {
	inside, _ := ours(t)
	for pkg, got := range inside {
		if strings.HasPrefix(pkg, "bench/floor") {
			require.Empty(t, got, pkg)
		}
	}
}

// Only front ends print, and only main ends the process: a domain package that
// writes to stdout would write into the hook's answer.
func TestOnlyFrontEndsPrint(t *testing.T) {
	frontEnds := []string{"internal/cli", "internal/guardcmd", "cmd/conduct", "cmd/conduct-guard", "cmd/conduct-mcp", "internal/docgen", "sandbox/sandboxtest"}
	mains := []string{"cmd/conduct", "cmd/conduct-guard", "cmd/conduct-mcp", "internal/docgen"}
	for _, s := range shipped(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			what, name := selector(n)
			switch {
			case what == "os" && name == "Exit" && !within(mains, s.pkg):
				t.Errorf("%s: os.Exit", s.at(n))
			case what == "os" && (name == "Stdout" || name == "Stderr") && !within(frontEnds, s.pkg),
				what == "fmt" && (name == "Print" || name == "Printf" || name == "Println") && !within(frontEnds, s.pkg):
				t.Errorf("%s: %s.%s", s.at(n), what, name)
			}
			if c, ok := n.(*ast.CallExpr); ok {
				if id, ok := c.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
					t.Errorf("%s: %s", s.at(n), id.Name)
				}
			}
			return true
		})
	}
}

// measures says whether a package is one of the programs that measure, or one
// that is measured against: they are not linked into anything.
func measures(pkg string) bool { return pkg == "bench" || strings.HasPrefix(pkg, "bench/") }

func within(some []string, pkg string) bool { return slices.Contains(some, pkg) || measures(pkg) }

func selector(n ast.Node) (what, name string) {
	if s, ok := n.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name, s.Sel.Name
		}
	}
	return "", ""
}

func (s source) at(n ast.Node) string { return s.set.Position(n.Pos()).String() }

func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: func init runs before every call of the hook; make a constructor", s.at(f))
			}
		}
	}
}

// maxLines is the length of a file from which on it has more than one subject.
const maxLines = 600

func TestFilesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		require.LessOrEqual(t, s.size, maxLines, s.name)
	}
}

func TestNamesSaySomething(t *testing.T) {
	for _, s := range sources(t) {
		for _, bad := range []string{"util", "utils", "common", "shared", "base", "helpers", "misc"} {
			require.NotEqual(t, bad, path.Base(s.pkg), s.name)
			require.NotEqual(t, bad, strings.TrimSuffix(strings.TrimSuffix(path.Base(s.name), ".go"), "_test"), s.name)
		}
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	comments := map[string][]string{}
	for _, s := range shipped(t) {
		comments[s.pkg] = append(comments[s.pkg], []string{}...)
		if s.file.Doc == nil {
			continue
		}
		comments[s.pkg] = append(comments[s.pkg], s.name)
		prefix := "Package " + s.file.Name.Name + " "
		if s.file.Name.Name == "main" {
			base := path.Base(s.pkg) // as in "Conduct-guard is …"
			prefix = strings.ToUpper(base[:1]) + base[1:] + " "
		}
		require.True(t, strings.HasPrefix(s.file.Doc.Text(), prefix), "%s: its comment must begin with %q", s.name, prefix)
	}
	for pkg, files := range comments {
		require.Len(t, files, 1, "%s: package comments in %v", pkg, files)
	}
}

// selfEvident are methods whose interface says all that there is to say.
var selfEvident = []string{"Error", "Unwrap", "Is", "String"}

func TestExportedIsDocumented(t *testing.T) {
	for _, s := range shipped(t) {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !(d.Recv != nil && slices.Contains(selfEvident, d.Name.Name)) {
					t.Errorf("%s: %s has no comment", s.at(d), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					for _, name := range undocumented(d, spec) {
						t.Errorf("%s: %s has no comment", s.at(spec), name)
					}
				}
			}
		}
	}
}

// exportedReceiver says whether a function can be called from outside: it has no
// receiver, or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	x := d.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if index, ok := x.(*ast.IndexExpr); ok {
		x = index.X
	}
	id, ok := x.(*ast.Ident)
	return ok && id.IsExported()
}

func undocumented(d *ast.GenDecl, spec ast.Spec) []string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
			return []string{spec.Name.Name}
		}
	case *ast.ValueSpec:
		if d.Doc != nil || spec.Doc != nil || spec.Comment != nil {
			return nil
		}
		var out []string
		for _, n := range spec.Names {
			if n.IsExported() {
				out = append(out, n.Name)
			}
		}
		return out
	}
	return nil
}
