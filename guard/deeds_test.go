//go:build linux

package guard_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/guard"
)

// tool is a way in which agent programs use a path.
type tool struct {
	name string
	draw func(f *forest, cwd string) (guard.Target, func() string)
}

// draw draws a call of one to three fields, or a command line, and the deed that
// makes it: it returns what of a sibling was seen or changed, "" for nothing.
func (f *forest) draw() (guard.Call, func() string) {
	cwd := f.cwd()
	call := f.w.call()
	call.Cwd = cwd
	if rapid.IntRange(0, 5).Draw(f.rt, "shell") == 0 {
		text := f.command(cwd)
		call.Tool, call.Commands = "Bash", []guard.Command{{Text: text}}
		return call, func() string { return f.verdict(f.run(cwd, text)) }
	}
	var deeds []func() string
	for range rapid.IntRange(1, 3).Draw(f.rt, "fields") {
		x := rapid.SampledFrom(tools).Draw(f.rt, "tool")
		t, deed := x.draw(f, cwd)
		call.Targets = append(call.Targets, t)
		call.Writes = call.Writes || t.Op&guard.Write != 0
		deeds = append(deeds, deed)
	}
	return call, func() string {
		seen := ""
		for _, d := range deeds {
			seen += d()
		}
		return f.verdict(seen)
	}
}

// verdict says what of a sibling is in what a tool showed, or was changed by it.
func (f *forest) verdict(shown string) string {
	for _, c := range []string{canary, canaryName} {
		if i := strings.Index(shown, c); i >= 0 {
			return "it shows " + shown[max(0, i-60):min(len(shown), i+40)]
		}
	}
	return f.changed()
}

// tools is data and never written to.
var tools = []tool{
	{"read", func(f *forest, cwd string) (guard.Target, func() string) {
		p := f.spell(f.aim("file"), cwd)
		return guard.Target{Op: guard.Read, Path: p}, func() string { return f.read(cwd, p) }
	}},
	{"read as Node resolves it", func(f *forest, cwd string) (guard.Target, func() string) {
		p := f.spell(f.aim("file"), cwd)
		return guard.Target{Op: guard.Read, Path: p}, func() string { return f.read("/", lexical(cwd, p)) }
	}},
	{"write", func(f *forest, cwd string) (guard.Target, func() string) {
		p := f.spell(f.aim("file"), cwd)
		if rapid.Bool().Draw(f.rt, "a new file") {
			p += "-new"
		}
		return guard.Target{Op: guard.Write, Path: p}, func() string { f.write(cwd, p); return "" }
	}},
	{"edit", func(f *forest, cwd string) (guard.Target, func() string) {
		p := f.spell(f.aim("file"), cwd)
		return guard.Target{Op: guard.Read | guard.Write, Path: p}, func() string {
			seen := f.read(cwd, p)
			f.write(cwd, p)
			return seen
		}
	}},
	{"list", func(f *forest, cwd string) (guard.Target, func() string) {
		p := f.spell(f.aim("folder"), cwd)
		return guard.Target{Op: guard.List, Path: p}, func() string { return f.list(cwd, p) }
	}},
	{"grep", func(f *forest, cwd string) (guard.Target, func() string) {
		t := guard.Target{Op: guard.Search, Path: f.spell(f.aim("folder"), cwd)}
		if rapid.Bool().Draw(f.rt, "filter") {
			t.Pattern, t.AnyDepth = f.pattern(), true
		}
		return t, func() string { return f.search(cwd, t, true) }
	}},
	{"grep here", func(f *forest, cwd string) (guard.Target, func() string) {
		t := guard.Target{Op: guard.Search, Implied: true}
		return t, func() string { return f.search(cwd, t, true) }
	}},
	{"glob", func(f *forest, cwd string) (guard.Target, func() string) {
		t := guard.Target{Op: guard.Search, Pattern: f.pattern(), AnyDepth: rapid.Bool().Draw(f.rt, "any depth")}
		if rapid.Bool().Draw(f.rt, "path") {
			t.Path = f.spell(f.aim("folder"), cwd)
		}
		t.Follows = rapid.IntRange(0, 3).Draw(f.rt, "follows") == 0
		return t, func() string { return f.search(cwd, t, false) }
	}},
	{"unknown tool", func(f *forest, cwd string) (guard.Target, func() string) {
		p := f.spell(f.aim("file"), cwd)
		base := rapid.SampledFrom([]string{cwd, f.w.root}).Draw(f.rt, "base")
		return guard.Target{Op: guard.Read | guard.Write | guard.Search, Path: p, Guess: true}, func() string {
			return f.read(base, p) + f.list(base, p) + f.search(base, guard.Target{Path: p}, true)
		}
	}},
}

// open opens a path as the kernel does from a folder: nothing is cleaned.
func open(cwd, p string, flags int) (*os.File, error) {
	dir, err := unix.Open(cwd, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	fd, err := unix.Openat(dir, p, flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), p), nil
}

// lexical joins as programs do that clean the text first.
func lexical(cwd, p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(cwd, p)
}

func (f *forest) read(cwd, p string) string {
	file, err := open(cwd, p, unix.O_RDONLY)
	if err != nil {
		return ""
	}
	defer file.Close()
	data, _ := io.ReadAll(io.LimitReader(file, 4096)) // a folder shows nothing
	return string(data)
}

// write puts a text into a file, where it lies inside of the case's own folder.
func (f *forest) write(cwd, p string) {
	base := p[strings.LastIndexByte(p, '/')+1:]
	if base == "" || base == "." || base == ".." {
		return
	}
	dir, err := open(cwd, "./"+p[:len(p)-len(base)], unix.O_RDONLY|unix.O_DIRECTORY)
	if strings.HasPrefix(p, "/") {
		dir, err = open("/", p[:len(p)-len(base)], unix.O_RDONLY|unix.O_DIRECTORY)
	}
	if err != nil {
		return
	}
	defer dir.Close()
	at, err := os.Readlink("/proc/self/fd/" + itoa(int(dir.Fd())))
	if err != nil || !within(f.top, at) {
		return
	}
	if real, err := filepath.EvalSymlinks(at + "/" + base); err == nil && !within(f.top, real) {
		return
	}
	file, err := open(at, base, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return
	}
	_, err = file.WriteString("changed by the agent\n")
	require.NoError(f.w.t, err)
	require.NoError(f.w.t, file.Close())
}

// real is where a path of a folder leads; ok is false when it is nothing, and
// everywhere when it is above the case's folder, where a walk would take too long.
func (f *forest) real(cwd, p string) (at string, everywhere, ok bool) {
	if p == "" {
		p = "."
	}
	file, err := open(cwd, p, unix.O_RDONLY)
	if err != nil {
		return "", false, false
	}
	defer file.Close()
	at, err = os.Readlink("/proc/self/fd/" + itoa(int(file.Fd())))
	require.NoError(f.w.t, err)
	switch {
	case within(f.top, at):
		return at, false, true
	case within(at, f.top) || at == "/":
		return at, true, true
	}
	return "", false, false
}

func (f *forest) list(cwd, p string) string {
	at, everywhere, ok := f.real(cwd, p)
	if !ok || everywhere {
		return ""
	}
	es, err := os.ReadDir(at)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, e := range es {
		b.WriteString(e.Name() + "\n")
	}
	return b.String()
}

// search walks a folder and shows what its pattern matches: the contents, or
// the names. It goes through links only if the tool does.
func (f *forest) search(cwd string, t guard.Target, contents bool) string {
	root, pattern := t.Path, t.Pattern
	if pattern != "" && !contents {
		// A glob's fixed part belongs to its root.
		if strings.HasPrefix(pattern, "/") {
			root = "/"
		}
		parts := strings.Split(strings.Trim(pattern, "/"), "/")
		n := 0
		for n < len(parts)-1 && !strings.ContainsAny(parts[n], "*?[{") {
			n++
		}
		if n > 0 {
			root = strings.TrimPrefix(root+"/", "/")
			if t.Path != "" && strings.HasPrefix(t.Path, "/") || strings.HasPrefix(pattern, "/") {
				root = "/" + root
			}
			root += strings.Join(parts[:n], "/")
			pattern = strings.Join(parts[n:], "/")
		}
	}
	at, everywhere, ok := f.real(cwd, root)
	switch {
	case !ok, everywhere && !(t.AnyDepth && !strings.Contains(t.Pattern, "/")) && !f.leadsHere(at, pattern):
		return ""
	case everywhere && (pattern == "" || strings.Contains(pattern, "**") || t.AnyDepth && !strings.Contains(t.Pattern, "/")):
		return canary
	case everywhere:
		return ""
	}
	match := matcher(pattern, t.AnyDepth && !strings.Contains(t.Pattern, "/"))
	var b strings.Builder
	f.walk(at, "", t.Follows, 0, func(p, rel string, d fs.DirEntry) {
		if !match.MatchString(rel) {
			return
		}
		if !contents {
			b.WriteString(rel + "\n")
		} else if d.Type().IsRegular() {
			data, err := os.ReadFile(p)
			require.NoError(f.w.t, err)
			b.Write(data)
		}
	})
	return b.String()
}

// acrossFolders finds braces with a slash in them.
var acrossFolders = regexp.MustCompile(`\{[^}]*/`)

// leadsHere says whether a pattern can go down from a folder above to the case's own:
// whether its components before any "**" are those on the way.
func (f *forest) leadsHere(above, pattern string) bool {
	if acrossFolders.MatchString(pattern) {
		return true
	}
	way := strings.Split(strings.Trim(strings.TrimPrefix(f.top, above), "/"), "/")
	for i, part := range strings.Split(strings.Trim(pattern, "/"), "/") {
		if i == len(way) || strings.Contains(part, "**") || pattern == "" {
			return true
		}
		if !matcher(part, false).MatchString(way[i]) {
			return false
		}
	}
	return true
}

// walk visits everything below a folder, or the one file.
func (f *forest) walk(at, rel string, follow bool, depth int, visit func(p, rel string, d fs.DirEntry)) {
	es, err := os.ReadDir(at)
	if err != nil {
		if st, err := os.Lstat(at); err == nil && depth == 0 && st.Mode().IsRegular() {
			visit(at, filepath.Base(at), fs.FileInfoToDirEntry(st))
		}
		return
	}
	for _, e := range es {
		p, r := at+"/"+e.Name(), strings.TrimPrefix(rel+"/"+e.Name(), "/")
		visit(p, r, e)
		dir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 && follow && depth < 4 {
			if real, err := filepath.EvalSymlinks(p); err == nil && within(f.top, real) {
				st, err := os.Stat(real)
				dir = err == nil && st.IsDir()
			}
		}
		if dir {
			f.walk(p, r, follow, depth+1, visit)
		}
	}
}

// matcher makes a regular expression of a glob, independently of the guard's own matching.
func matcher(glob string, anyDepth bool) *regexp.Regexp {
	if glob == "" {
		return regexp.MustCompile("")
	}
	var b strings.Builder
	b.WriteString(`^`)
	if anyDepth {
		b.WriteString(`(.*/)?`)
	}
	glob = strings.ReplaceAll(strings.TrimPrefix(glob, "/"), "//", "/")
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString(`(.*/)?`)
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(`.*`)
			i++
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?':
			b.WriteString(`[^/]`)
		case c == '[' && strings.Contains(glob[i:], "]"):
			end := i + strings.IndexByte(glob[i:], ']')
			b.WriteString("[" + strings.Replace(glob[i+1:end], "!", "^", 1) + "]")
			i = end
		case c == '{':
			b.WriteString("(")
		case c == '}':
			b.WriteString(")")
		case c == ',':
			b.WriteString("|")
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return regexp.MustCompile(b.String() + `$`)
}

// pattern draws a glob: components that match those of the units, and some that do not.
func (f *forest) pattern() string {
	rel, _ := filepath.Rel(f.w.root, f.aim("match"))
	parts := strings.Split(rel, "/")
	if from := rapid.IntRange(0, len(parts)-1).Draw(f.rt, "from"); from > 0 {
		parts = parts[from:]
	}
	for i, p := range parts {
		if p == ".." || p == "" {
			continue
		}
		switch rapid.SampledFrom([]string{"", "", "*", "?", "[]", "{}", "**", "p*"}).Draw(f.rt, "component") {
		case "*":
			parts[i] = "*"
		case "?":
			parts[i] = p[:len(p)-1] + "?"
		case "[]":
			parts[i] = "[" + p[:1] + "x]" + p[1:]
		case "{}":
			parts[i] = "{" + p + ",x}"
		case "**":
			parts[i] = "**"
		case "p*":
			parts[i] = p[:1] + "*"
		}
	}
	if rapid.IntRange(0, 4).Draw(f.rt, "climb") == 0 {
		parts = slices.Insert(parts, 0, "..")
	}
	if rapid.IntRange(0, 4).Draw(f.rt, "deep") == 0 {
		parts = append(parts, "**")
	}
	return strings.Join(parts, "/")
}

// command draws a command line of plain words.
func (f *forest) command(cwd string) string {
	word := func() string {
		p := f.spell(f.aim("word"), cwd)
		if rapid.IntRange(0, 3).Draw(f.rt, "wild") == 0 {
			p = f.wild(p)
		}
		return p
	}
	switch rapid.SampledFrom([]string{"cat", "cat2", "<", "ls", "grep", "grepR", "cp", ">", "cd", "or", "ln", "tee", "glob"}).Draw(f.rt, "command") {
	case "cat":
		return "cat " + word()
	case "cat2":
		return "cat README.md design.md " + word()
	case "<":
		return "cat < " + f.spell(f.aim("word"), cwd)
	case "ls":
		return "ls " + word()
	case "grep":
		return "grep -r . " + f.near(cwd, word())
	case "grepR":
		return "grep -R . " + f.near(cwd, word())
	case "cp":
		return "cp " + word() + " mine.txt; cat mine.txt"
	case ">":
		return "echo x > " + f.near(cwd, f.spell(f.aim("word"), cwd))
	case "cd":
		return "cd " + rapid.SampledFrom([]string{f.own, "..", "code", "nowhere", "l0/..", "../.."}).Draw(f.rt, "folder") + "; cat " + f.spell(f.aim("word"), cwd)
	case "or":
		return "cd /tmp || true && cat " + word()
	case "ln":
		return "ln -s " + f.spell(f.aim("word"), cwd) + " made; cat made/design.md made"
	case "tee":
		return "echo x | tee " + f.near(cwd, f.spell(f.aim("word"), cwd))
	}
	return "cat " + f.wild(f.spell(f.aim("word"), cwd)) + " *"
}

// wild puts a wildcard of the shell into a path.
func (f *forest) wild(p string) string {
	parts := strings.Split(p, "/")
	at := rapid.IntRange(0, len(parts)-1).Draw(f.rt, "wild at")
	if c := parts[at]; c != "" && c != "." && c != ".." {
		parts[at] = rapid.SampledFrom([]string{"*", c[:1] + "*", c[:len(c)-1] + "?", "{" + c + ",x}", "[" + c[:1] + "]" + c[1:]}).Draw(f.rt, "wildcard")
	}
	return strings.Join(parts, "/")
}

// near returns a word that leads into the case's folder: a search or a write
// elsewhere is none of the test's business.
func (f *forest) near(cwd, p string) string {
	if strings.ContainsAny(p, "*?[{") {
		return p[:strings.IndexAny(p, "*?[{")] + "nothing"
	}
	for at := p; ; {
		real, everywhere, ok := f.real(cwd, at)
		switch {
		case ok && !everywhere && within(f.top, real):
			return p
		case ok:
			return "design.md"
		case !strings.Contains(at, "/"):
			return p
		}
		// Not filepath.Dir: it would clean the rest.
		if at = at[:strings.LastIndexByte(at, '/')]; at == "" {
			return "design.md"
		}
	}
}

// run runs a command line in the real shell and returns what it shows.
func (f *forest) run(cwd, text string) string {
	cmd := exec.CommandContext(f.w.t.Context(), "bash", "--norc", "--noprofile", "-c", text)
	cmd.Dir = cwd
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.w.home, "LC_ALL=C"}
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run() // most of these commands fail, and show something all the same
	return out.String()
}

func itoa(n int) string { return strconv.Itoa(n) }
