package shell

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every row of the table is held against what the real program opens: each run of
// testdata/runs.txt goes through strace in a throw-away folder, and each path that
// it opens, lists or changes there must be among the facts.
func TestFactsCoverWhatProgramsOpen(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		lacking(t, "strace")
		return
	}
	seen := map[string]bool{}
	var missing []string
	for _, line := range runs(t) {
		a, err := Analyze(line, Env{Cwd: "/w"})
		require.NoError(t, err, line)
		var absent []string
		unheld := false
		for _, words := range a.Commands {
			seen[words[0]] = true
			if !installed(words[0]) && !otherName(words[0]) {
				absent = append(absent, words[0])
			}
			unheld = unheld || !installed(words[0])
		}
		if len(absent) > 0 || unheld {
			missing = append(missing, absent...)
			continue
		}
		t.Run(line, func(t *testing.T) { coveredRun(t, line) })
	}
	for _, r := range table {
		require.True(t, seen[r.name] || alike(r.name, seen), "no run of %q in testdata/runs.txt", r.name)
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		lacking(t, strings.Join(slices.Compact(missing), " "))
	}
}

// lacking reports programs that are not on this machine; where everything is
// installed, that is an error.
func lacking(t *testing.T, programs string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Errorf("not installed (see .ci/packages): %s", programs)
	}
	t.Logf("not installed, not held: %s", programs)
}

// alike says whether another name of the same program has a run.
func alike(name string, seen map[string]bool) bool {
	r, _ := lookup(name)
	for _, o := range table {
		if other, _ := lookup(o.name); seen[o.name] && other.options == r.options && other.operands == r.operands && r.options != "*" {
			return true
		}
	}
	return false
}

// otherName says whether a program that is not here is here by another name.
func otherName(name string) bool {
	r, ok := lookup(name)
	return ok && slices.ContainsFunc(table, func(o row) bool {
		other, _ := lookup(o.name)
		return other == r && o.name != name && installed(o.name)
	})
}

func runs(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/runs.txt")
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

func installed(name string) bool {
	out, err := exec.Command("bash", "-c", "type -t -- \"$1\"", "_", name).Output()
	return err == nil && len(out) > 0
}

func coveredRun(t *testing.T, line string) {
	base := prepared(t)
	own := filepath.Join(base, "own")
	a, err := Analyze(line, Env{Cwd: own, Home: filepath.Join(base, "home"), Exists: isThere, Link: isLink})
	require.NoError(t, err)
	require.Empty(t, a.Opaque, "a run that is opaque shows nothing")
	facts := covered(a.Facts)
	for _, u := range traced(t, base, line) {
		require.True(t, facts.hold(u), "%s %q is in no fact; facts: %v", u.how, strings.TrimPrefix(u.path, base), a.Facts)
	}
}

// prepared makes the folder that a run works in, with one beside it.
func prepared(t *testing.T) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	script := `mkdir -p home own/dir/sub own/empty other && cd own &&
		printf 'a 1\nb 2\nc 3\n' | tee a.txt b.txt dir/x.txt dir/sub/y.md ../other/z.txt > dir/-dash &&
		printf 'a 1\nb 3\nd 4\n' > c.txt && printf '{"k":[1,2]}' > f.json && printf '<a><b/></a>' > f.xml &&
		printf '#!/bin/sh\necho hi\n' > s.sh && printf 'package p\n' > p.go && printf 'k: 1\n' > f.yaml &&
		printf -- '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n-a 1\n+z 1\n b 2\n c 3\n' > p.diff &&
		ln -s ../other link && tar cf t.tar a.txt dir && gzip -k b.txt && cp a.txt move.txt && cp a.txt del.txt`
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = base
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return base
}

// used is one use of a path that strace has seen.
type used struct {
	how  string // read, list or write
	path string
}

var (
	callLine  = regexp.MustCompile(`^(\d+) (\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?`)
	cwdMark   = regexp.MustCompile(`AT_FDCWD<([^>]*)>`)
	pathWord  = regexp.MustCompile(`(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`)
	firstFile = regexp.MustCompile(`^\d+<([^>]*)>`)
)

// changing are the system calls that change what they name.
var changing = []string{
	"unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "chmod", "fchmodat", "chown", "lchown",
	"fchownat", "link", "linkat", "symlink", "symlinkat", "truncate", "utimensat", "utime", "utimes", "mknod", "mknodat", "setxattr", "lsetxattr", "removexattr",
}

// traced runs a line and returns what it used below base.
func traced(t *testing.T, base, line string) []used {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	own := filepath.Join(base, "own")
	cmd := exec.Command("strace", "-f", "-y", "-qq", "-s", "4096", "-e", "signal=none", "-e",
		"trace=%file,getdents64,fchdir,clone,clone3,fork,vfork", "-o", log, "bash", "-c", line)
	cmd.Dir = own
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(base, "home"), "TMPDIR="+os.TempDir(), "LC_ALL=C", "TERM=dumb", "PWD="+own)
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.False(t, bytes.Contains(out, []byte("ptrace")), string(out))
	}
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	at := map[string]string{}
	var all []used
	for l := range strings.Lines(string(text)) {
		m := callLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		pid, call, args := m[1], m[2], m[3]
		dir := cmp.Or(at[pid], own)
		if c := cwdMark.FindStringSubmatch(args); c != nil {
			dir, at[pid] = c[1], c[1]
		}
		for _, u := range usesOf(call, args, m[4], m[5], dir) {
			if u.how == "cwd" {
				at[pid] = u.path
			} else if u.how == "child" {
				at[u.path] = dir
			} else if inTree(base, u.path) && !slices.Contains(all, u) {
				all = append(all, u)
			}
		}
	}
	return all
}

// inTree leaves out what programs look for by themselves: their settings.
func inTree(base, p string) bool {
	rel, ok := strings.CutPrefix(p, base+"/")
	if !ok || strings.HasPrefix(rel, "home") {
		return false
	}
	name := filepath.Base(p)
	return !slices.Contains([]string{".gitignore", ".ignore", ".rgignore", ".fdignore", ".git", ".agignore", ".hgignore", ".shellcheckrc", "shellcheckrc", ".ackrc", "_ackrc", ".editorconfig"}, name)
}

func usesOf(call, args, result, file, dir string) []used {
	abs := func(m []string) string {
		from := dir
		if m[1] != "" {
			from = m[1]
		}
		p := strings.ReplaceAll(m[2], `\"`, `"`)
		if filepath.IsAbs(p) {
			return filepath.Clean(p)
		}
		return filepath.Join(from, p)
	}
	names := pathWord.FindAllStringSubmatch(args, -1)
	failed := strings.HasPrefix(result, "-")
	switch {
	case strings.HasPrefix(call, "clone") || strings.HasSuffix(call, "fork"):
		return []used{{"child", result}}
	case call == "chdir" && !failed && len(names) > 0:
		return []used{{"cwd", abs(names[0])}}
	case call == "fchdir" && !failed:
		if m := firstFile.FindStringSubmatch(args); m != nil {
			return []used{{"cwd", m[1]}}
		}
	case call == "getdents64":
		if m := firstFile.FindStringSubmatch(args); m != nil {
			return []used{{"list", m[1]}}
		}
	case (call == "open" || call == "openat" || call == "openat2" || call == "creat") && !failed:
		switch {
		case strings.Contains(args, "O_DIRECTORY") || strings.Contains(args, "O_PATH"):
			return nil // only what is listed counts
		case strings.Contains(args, "O_WRONLY") || strings.Contains(args, "O_RDWR") || strings.Contains(args, "O_CREAT"):
			return []used{{"write", file}}
		}
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return nil
		}
		return []used{{"read", file}}
	case slices.Contains(changing, call) && !failed:
		var out []used
		for i, n := range names {
			if strings.HasPrefix(call, "symlink") && i == 0 || strings.Contains(call, "xattr") && i > 0 {
				continue // a text
			}
			out = append(out, used{"write", abs(n)})
		}
		return out
	case call == "execve" && !failed && len(names) > 0:
		return []used{{"read", abs(names[0])}}
	}
	return nil
}

// helper matches the names of files that sed, shred, dos2unix, zip and patch make for themselves.
var helper = regexp.MustCompile(`^(sed\w{6}|0+|d2utmp\w+|zi\w{6}|.+\.[or]\w{6})$`)

// cover is what facts allow.
type cover []Fact

func covered(facts []Fact) cover { return facts }

func (c cover) hold(u used) bool {
	return slices.ContainsFunc(c, func(f Fact) bool {
		return slices.ContainsFunc(places(f), func(p string) bool { return allowedBy(f, p, u) })
	})
}

// places returns the paths that a fact stands for now.
func places(f Fact) []string {
	var out []string
	for _, dir := range append(slices.Clone(f.Cwds), "") {
		p := f.Path
		switch {
		case filepath.IsAbs(p):
		case dir == "":
			continue
		default:
			p = dir + "/" + p
		}
		if !f.Glob {
			out = append(out, p)
			continue
		}
		matches, _ := filepath.Glob(p)
		out = append(out, matches...)
	}
	return out
}

func allowedBy(f Fact, p string, u used) bool {
	clean := filepath.Clean(p)
	same := u.path == clean || u.path == resolved(p)
	below := strings.HasPrefix(u.path, clean+"/") || strings.HasPrefix(u.path, resolved(p)+"/")
	// Some make files for themselves beside what they write, and mkdir -p the folders above.
	beside := filepath.Dir(u.path) == filepath.Dir(clean) && helper.MatchString(filepath.Base(u.path))
	above := strings.HasPrefix(clean, u.path+"/")
	switch u.how {
	case "write":
		return f.Op == Write && (same || below || beside) || f.Op == Place && beside || f.Op == Place && (same || above && u.how == "write")
	case "list":
		return (f.Op == List || f.Op == Search || f.Op == Write) && same || (f.Op == Search || f.Op == Write) && below ||
			f.Glob && u.path == filepath.Dir(clean) || f.Op == Search && f.Follows
	}
	return f.Op != Enter && f.Op != List && same || (f.Op == Search || f.Op == Write) && below || f.Op == Search && f.Follows || f.Op == List && same
}

func resolved(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return filepath.Clean(p)
}
