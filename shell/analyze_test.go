package shell

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// world is a checkout at /w with units U03 to U05; lines run in U03.
var world = map[string]bool{ // a folder, or a file
	"/w": true, "/w/.git": true, "/w/construction": true, "/w/construction/units": true, "/w/docs": true, "/w/docs/guide.md": false,
	"/w/construction/units/U03": true, "/w/construction/units/U03/sub": true, "/w/construction/units/U03/design.md": false,
	"/w/construction/units/U03/main.go": false, "/w/construction/units/U03/sub/notes.md": false,
	"/w/construction/units/U04": true, "/w/construction/units/U04/secret.txt": false, "/w/construction/units/U05": true,
}

const unitFolder = "/w/construction/units/U03"

func worldEnv() Env {
	return Env{
		Cwd: unitFolder, Home: "/home/u", Top: "/w",
		Exists: func(abs string) (isDir, exists bool) {
			isDir, exists = world[cleaned(abs)]
			return isDir, exists
		},
		Link: func(string) bool { return false },
	}
}

func cleaned(p string) string {
	parts := []string{}
	for _, c := range strings.Split(p, "/") {
		switch c {
		case "", ".":
		case "..":
			parts = parts[:max(0, len(parts)-1)]
		default:
			parts = append(parts, c)
		}
	}
	return "/" + strings.Join(parts, "/")
}

var opNames = map[Op]string{Read: "read", Write: "write", Place: "place", List: "list", Search: "search", Enter: "enter"}

// said writes down what an analysis says, in the words of the table files.
func said(a Analysis) []string {
	var out []string
	for _, f := range a.Facts {
		l := opNames[f.Op] + " " + f.Path
		if len(f.Cwds) > 0 && (len(f.Cwds) > 1 || f.Cwds[0] != unitFolder) {
			l += " @" + strings.Join(f.Cwds, ",")
		}
		for _, flag := range []struct {
			on   bool
			name string
		}{{f.Glob, "glob"}, {f.Options, "options"}, {f.Follows, "follows"}, {f.Implied, "implied"}, {f.Guess, "guess"}, {f.Top, "top"}} {
			if flag.on {
				l += " " + flag.name
			}
		}
		if f.Remedy != "" {
			l += " | " + f.Remedy
		}
		out = append(out, l)
	}
	for _, o := range a.Opaque {
		out = append(out, "opaque "+o.Reason)
	}
	for _, c := range a.Controls {
		l := "control " + c.Verb
		if c.Computed {
			l += " computed"
		}
		out = append(out, l)
	}
	for _, l := range a.Launches {
		out = append(out, "launch "+l.Program)
	}
	if a.Wipes {
		out = append(out, "wipes")
	}
	return out
}

// entry is one line of a table file with what is to be said of it.
type entry struct {
	line string
	want []string
}

// entries reads a table file: a line that begins with "$ " is a command ("\n" is a
// line break), the lines below it what Analyze says.
func entries(t *testing.T, file string) []entry {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var out []entry
	s := bufio.NewScanner(f)
	for s.Scan() {
		switch l := s.Text(); {
		case l == "" || l[0] == '#':
		case strings.HasPrefix(l, "$ "):
			out = append(out, entry{line: strings.ReplaceAll(l[2:], `\n`, "\n")})
		default:
			last := &out[len(out)-1]
			last.want = append(last.want, strings.TrimSpace(l))
		}
	}
	require.NoError(t, s.Err())
	return out
}

func TestAnalyze(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/facts.txt", "testdata/git.txt"} {
		for _, c := range entries(t, file) {
			t.Run(c.line, func(t *testing.T) {
				a, err := Analyze(c.line, worldEnv())
				if err != nil {
					require.ErrorIs(t, err, ErrSyntax)
					require.Equal(t, []string{"error"}, c.want)
					return
				}
				require.Equal(t, c.want, said(a))
			})
		}
	}
}
