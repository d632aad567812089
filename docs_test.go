package conduct_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// skipReasons are all the reasons for which a command in the documentation is
// not run. Each needs something that a test has not got.
var skipReasons = map[string]string{
	"network":   "it fetches from a server",
	"this-test": "it runs this very test",
	"terminal":  "it needs a person at a terminal",
	"agent":     "it starts a real agent program",
}

// docBlock is one fenced block of commands.
type docBlock struct {
	at        string // file:line
	text      string
	workspace string
	exit      int
	skip      string
	output    string // of the text block that follows, "" for none
}

var (
	docComment = regexp.MustCompile(`^<!-- run: (.*) -->$`)
	docFence   = regexp.MustCompile("^```([a-z]*)$")
)

// documents are the files whose commands are run.
func documents(t *testing.T) []string {
	t.Helper()
	more, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	deeper, err := filepath.Glob("docs/*/*.md")
	require.NoError(t, err)
	more = append(more, deeper...)
	return append([]string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}, more...)
}

// docBlocks reads the blocks of commands of a document.
func docBlocks(t *testing.T, name string) []docBlock {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	var out []docBlock
	var comment, kind string
	var body []string
	var last *docBlock // the block of commands that an output may belong to
	start := 0
	for i, line := range strings.Split(string(data), "\n") {
		fence := docFence.FindStringSubmatch(line)
		switch {
		case kind != "" && line == "```":
			text := strings.Join(body, "\n") + "\n"
			switch {
			case kind == "sh" || kind == "console":
				b := docBlock{at: fmt.Sprintf("%s:%d", name, start), text: text}
				b.read(t, comment)
				out, comment = append(out, b), ""
				last = &out[len(out)-1]
			case kind == "text" && last != nil:
				last.output, last = text, nil
			}
			kind, body = "", nil
		case kind != "":
			body = append(body, line)
		case fence != nil:
			kind, start = fence[1], i+1
			require.NotEmpty(t, kind, "%s:%d: a fence without a language", name, i+1)
		case docComment.MatchString(line):
			comment = docComment.FindStringSubmatch(line)[1]
			last = nil
		case strings.TrimSpace(line) != "":
			last = nil
		}
	}
	require.Empty(t, kind, "%s: a fence is not closed", name)
	return out
}

func (b *docBlock) read(t *testing.T, comment string) {
	t.Helper()
	require.NotEmpty(t, comment, "%s: a comment must say how this block is run", b.at)
	for _, word := range strings.Fields(comment) {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "workspace":
			b.workspace = value
		case "exit":
			b.exit, err = strconv.Atoi(value)
		case "skip-because":
			require.Contains(t, skipReasons, value, b.at)
			b.skip = value
		default:
			err = errors.New("unknown word")
		}
		require.NoError(t, err, "%s: %s", b.at, word)
	}
	require.NotEqual(t, b.workspace == "", b.skip == "", "%s: a workspace, or a reason to skip", b.at)
}

// docSkips are all blocks that are not run: a new one has to be added here too.
var docSkips = map[string][]string{
	"README.md":               {"network", "this-test", "agent"},
	"CONTRIBUTING.md":         {"this-test"},
	"docs/troubleshooting.md": {"terminal"},
}

func TestSkippedCommandsAreFew(t *testing.T) {
	got := map[string][]string{}
	for _, name := range documents(t) {
		for _, b := range docBlocks(t, name) {
			if b.skip != "" {
				got[name] = append(got[name], b.skip)
			}
		}
	}
	require.Equal(t, docSkips, got)
}

// Every command in the documentation works as it stands there.
func TestCommandsInDocuments(t *testing.T) {
	tools := newDocTools(t)
	total := 0
	for _, name := range documents(t) {
		t.Run(name, func(t *testing.T) {
			var at *docPlace
			for _, b := range docBlocks(t, name) {
				if b.skip != "" {
					continue
				}
				total++
				if b.workspace != "same" {
					at = newDocPlace(t, tools, b.workspace)
				}
				require.NotNil(t, at, "%s: same as which?", b.at)
				got, code := at.run(t, b.text)
				require.Equal(t, b.exit, code, "%s\n%s\n%s", b.at, b.text, got)
				if b.output != "" {
					same, why := docSame(b.output, got)
					require.True(t, same, "%s: %s\nprinted:\n%s", b.at, why, got)
				}
			}
		})
	}
	require.Greater(t, total, 20)
}

// docFlags let builds in different folders share what the cache holds.
const docFlags = "-trimpath -buildvcs=false"

// docTools are the programs that the commands use.
type docTools struct {
	bin string   // the folder of ours
	env []string // what the go command needs to find its caches below another home
}

// newDocTools builds the programs once.
func newDocTools(t *testing.T) docTools {
	t.Helper()
	tools := docTools{bin: t.TempDir()}
	build := exec.Command("go", "build", "-o", tools.bin+string(filepath.Separator), "./cmd/...")
	build.Env = append(os.Environ(), "GOFLAGS="+docFlags)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOROOT", "GOTOOLCHAIN"}
	out, err = exec.Command("go", append([]string{"env"}, names...)...).Output()
	require.NoError(t, err)
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		tools.env = append(tools.env, names[i]+"="+value)
	}
	return tools
}

// docPlace is where blocks run.
type docPlace struct {
	dir, home string
	tools     docTools
}

func newDocPlace(t *testing.T, tools docTools, kind string) *docPlace {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := &docPlace{dir: filepath.Join(top, "project"), home: filepath.Join(top, "home"), tools: tools}
	require.NoError(t, os.Mkdir(p.dir, 0o755))
	require.NoError(t, os.Mkdir(p.home, 0o755))
	units := `
mkdir -p construction/units/U03 construction/units/U04 construction/units/U05 docs
for u in U03 U04 U05; do echo "# $u" > construction/units/$u/design.md; done
echo shared > docs/guide.md
git init -q . && git add . && git commit -qm start
`
	switch kind {
	case "checkout":
		docCopy(t, p.dir)
	case "empty":
	case "three-units":
		p.setUp(t, units)
	case "dispatched":
		p.setUp(t, units+"conduct init && conduct dispatch --unit U03 --agent architecture-reviewer")
	case "two-reviewers":
		p.setUp(t, units+"conduct init && conduct dispatch --unit U03 --agent reviewer && conduct dispatch --unit U04 --agent reviewer")
	case "ai-dlc":
		p.setUp(t, `
record=aidlc/spaces/default/intents/shop
mkdir -p $record/construction/units/auth $record/construction/units/billing $record/inception
for u in auth billing; do echo "# $u" > $record/construction/units/$u/design.md; done
echo '# contracts' > $record/inception/contract-summary.md
cat > $record/.aidlc-reviewer-dispatch.json << END
{"reviewer": "aidlc-architecture-reviewer-agent", "stage": "nfr-design", "unit": "auth",
 "exempt": ["$record/inception/contract-summary.md", "$record/construction/units/billing/design.md"]}
END
git init -q . && git add . && git commit -qm start
`)
	case "monorepo":
		p.setUp(t, `
mkdir -p packages/a/node_modules/@acme packages/b/dist
echo '{}' | tee package.json > packages/b/dist/index.json
echo 'lockfileVersion: 9' > pnpm-lock.yaml
ln -s ../../../b packages/a/node_modules/@acme/b
git init -q . && git add . && git commit -qm start
`)
	default:
		t.Fatalf("no workspace of kind %q", kind)
	}
	return p
}

func (p *docPlace) setUp(t *testing.T, script string) {
	t.Helper()
	out, code := p.run(t, script)
	require.Zero(t, code, out)
}

// run runs a script as a reader would paste it, and returns what it prints.
func (p *docPlace) run(t *testing.T, script string) (string, int) {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = p.dir
	cmd.Env = []string{
		"HOME=" + p.home, "PATH=" + p.tools.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "GOBIN=" + filepath.Join(p.home, "bin"),
		"GIT_AUTHOR_NAME=You", "GIT_AUTHOR_EMAIL=you@example.org", "GIT_COMMITTER_NAME=You", "GIT_COMMITTER_EMAIL=you@example.org",
		"LC_ALL=C", "TMPDIR=" + os.TempDir(), "GOFLAGS=" + docFlags,
	}
	cmd.Env = append(cmd.Env, p.tools.env...)
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	said := both.String()
	for _, r := range [][2]string{{p.dir, "/home/you/project"}, {p.home, "/home/you"}, {p.tools.bin, "/home/you/go/bin"}} {
		said = strings.ReplaceAll(said, r[0], r[1])
	}
	return said, cmd.ProcessState.ExitCode()
}

// docCopy copies what is needed to build: it also tells the test cache which
// files the result depends on.
func docCopy(t *testing.T, to string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "docs" || d.Name() == "bin" || len(name) > 1 && name[0] == '.'):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	})
	require.NoError(t, err)
}

// docMoving is what differs from run to run.
var docMoving = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`), "ID"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "SHA"},
	{regexp.MustCompile(`\b[0-9a-f]{32}\b`), "KEY"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`), "CLOCK"},
	{regexp.MustCompile(`\b\d+h\d+m\d+s\b`), "SPAN"},
	{regexp.MustCompile(`\b\d+s ago\b`), "AGO"},
	{regexp.MustCompile(`[ \t]+`), " "},
}

func docLines(s string) []string {
	for _, m := range docMoving {
		s = m.is.ReplaceAllString(s, m.as)
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}

// docSame compares what the documentation shows with what was printed. A line
// "…" stands for any lines.
func docSame(want, got string) (bool, string) {
	ws, gs := docLines(want), docLines(got)
	skip := false
	for _, w := range ws {
		if w == "…" {
			skip = true
			continue
		}
		at := slices.Index(gs, w)
		switch {
		case at < 0:
			return false, fmt.Sprintf("not printed: %q", w)
		case at > 0 && !skip:
			return false, fmt.Sprintf("printed and not shown: %q", gs[0])
		}
		gs, skip = gs[at+1:], false
	}
	if len(gs) > 0 && !skip {
		return false, fmt.Sprintf("printed and not shown: %q", gs[0])
	}
	return true, ""
}

func TestDocSame(t *testing.T) {
	got := "one\n01M8Q2ZHKY0G54W50WRGX68HE3   since 2026-11-30T20:40:12Z\n\nthree\n"
	for want, same := range map[string]bool{
		"one\n01M8Q2ZHKY0G54W50WRGX68HE4 since 2027-11-30T20:40:12Z\nthree\n": true,
		"one\n…\nthree": true, "…\nthree": true, "one\n…": true, "one": false, "three": false, "one\nthree": false, "one\n…\nfour": false,
	} {
		is, _ := docSame(want, got)
		require.Equal(t, same, is, want)
	}
}

var docLink = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// Links within the documentation lead to files that are there.
func TestLinksInDocuments(t *testing.T) {
	for _, name := range documents(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range docLink.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			_, err := os.Stat(filepath.Join(filepath.Dir(name), m[1]))
			require.NoError(t, err, "%s: %s", name, m[1])
		}
	}
}

var (
	threatTest   = regexp.MustCompile("`([a-z0-9/-]*)\\.(Test[A-Za-z0-9]+)`") // without a package: the top
	threatAttack = regexp.MustCompile(`attack: ([a-z/-]+)`)
	threatScript = regexp.MustCompile(`script: ([a-z_]+)`)
)

// Every threat names a test that exists, and every mechanism of attack is a threat.
func TestThreatsAreHeld(t *testing.T) {
	data, err := os.ReadFile("docs/threat-model.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(data), "\n| threat | held by |\n|---|---|\n")
	require.True(t, ok)
	rows, _, _ := strings.Cut(rest, "\n\n")
	tests := testFunctions(t)
	named := map[string]bool{}
	for _, row := range strings.Split(rows, "\n") {
		held := 0
		for _, m := range threatTest.FindAllStringSubmatch(row, -1) {
			require.Contains(t, tests[cmp.Or(m[1], ".")], m[2], row)
			held++
		}
		for _, m := range threatAttack.FindAllStringSubmatch(row, -1) {
			_, err := os.Stat("testdata/attacks/" + m[1] + ".json")
			require.NoError(t, err, row)
			named[m[1]] = true
			held++
		}
		for _, m := range threatScript.FindAllStringSubmatch(row, -1) {
			_, err := os.Stat("cmd/conduct/testdata/script/" + m[1] + ".txtar")
			require.NoError(t, err, row)
			held++
		}
		require.NotZero(t, held, row)
	}
	attacks, err := filepath.Glob("testdata/attacks/*.json")
	require.NoError(t, err)
	shell, err := filepath.Glob("testdata/attacks/shell/*.json")
	require.NoError(t, err)
	for _, a := range append(attacks, shell...) {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(a), "testdata/attacks/"), ".json")
		require.True(t, named[name], "docs/threat-model.md: no threat names the attack %s", name)
	}
}

// testFunctions lists the tests of each package.
func testFunctions(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, s := range sources(t) {
		if !s.test {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				out[s.pkg] = append(out[s.pkg], f.Name.Name)
			}
		}
	}
	return out
}

// constants returns the constants of a file whose names begin with prefix, in
// their order, and their values where they are written.
func constants(t *testing.T, name, prefix string) (names, values []string) {
	t.Helper()
	for _, s := range sources(t) {
		if s.name != name {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				return true
			}
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				for i, id := range v.Names {
					if !strings.HasPrefix(id.Name, prefix) {
						continue
					}
					names = append(names, id.Name)
					value := ""
					if i < len(v.Values) {
						if lit, ok := v.Values[i].(*ast.BasicLit); ok {
							value = lit.Value
						}
					}
					values = append(values, value)
				}
			}
			return true
		})
	}
	require.NotEmpty(t, names, name)
	return names, values
}

var exitRow = regexp.MustCompile("(?m)^\\| (\\d) \\| `(exit[A-Za-z]+)` \\|")

// The table of exit codes is that of the code, and of the help.
func TestExitCodes(t *testing.T) {
	data, err := os.ReadFile("docs/exit-codes.md")
	require.NoError(t, err)
	var got []string
	for _, m := range exitRow.FindAllStringSubmatch(string(data), -1) {
		got = append(got, m[2]+" "+m[1])
	}
	names, values := constants(t, "internal/cli/errors.go", "exit")
	var want []string
	for i, n := range names {
		want = append(want, n+" "+values[i])
	}
	require.Equal(t, want, got)
}

var ruleRow = regexp.MustCompile("(?m)^(\\d)\\. \\*\\*[A-Za-z]+\\*\\* \\(`(Rule[A-Za-z]+)`\\)")

// The rules of attribution have the numbers that the guard gives them.
func TestRulesOfAttribution(t *testing.T) {
	data, err := os.ReadFile("docs/architecture.md")
	require.NoError(t, err)
	names, _ := constants(t, "guard/guard.go", "Rule")
	require.Equal(t, "RuleNone", names[0])
	var got []string
	for i, m := range ruleRow.FindAllStringSubmatch(string(data), -1) {
		require.Equal(t, strconv.Itoa(i+1), m[1])
		got = append(got, m[2])
	}
	require.Equal(t, names[1:], got)
	require.Contains(t, string(data), "(`RuleNone`)")
}

// A change that users notice has a file of its own, which begins with its kind.
func TestChangelog(t *testing.T) {
	names, err := filepath.Glob("changelog/unreleased/*")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 12)
	first := regexp.MustCompile(`^(Added|Changed|Fixed|Security): [^\n]{10,90}\n\n[^\n]`)
	for _, name := range append(names, "changelog/TEMPLATE") {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		text := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(string(data), "")
		require.Regexp(t, first, text, name)
	}
	for _, name := range names {
		require.Equal(t, ".md", filepath.Ext(name))
	}
}
