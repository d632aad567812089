package shell

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// corpusLine is one command of the pinned corpus: what agents run from the folder
// of their unit, U03 of the workspace /w with the layout construction/units/{unit}.
type corpusLine struct {
	Command string `json:"command"`
	Class   string `json:"class"`   // plain, or opaque
	Verdict string `json:"verdict"` // allow, or block for what it reaches
}

func corpus(t testing.TB) []corpusLine {
	t.Helper()
	text, err := os.ReadFile("../testdata/shell/corpus.json")
	require.NoError(t, err)
	var out []corpusLine
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	opaque := 0
	lines := corpus(t)
	require.Len(t, lines, 300)
	for _, l := range lines {
		got := judged(t, l.Command)
		require.Equal(t, l, got)
		if got.Class == "opaque" {
			opaque++
		}
	}
	t.Logf("%d of %d are opaque", opaque, len(lines))
	require.LessOrEqual(t, opaque*10, len(lines), "more than a tenth of everyday commands is opaque")
}

// judged is what a command is by the rules of the workspace, without a file system.
func judged(t testing.TB, line string) corpusLine {
	a, err := Analyze(line, worldEnv())
	require.NoError(t, err, line)
	out := corpusLine{line, "plain", "allow"}
	if len(a.Opaque) > 0 {
		out.Class = "opaque"
	}
	if slices.ContainsFunc(a.Facts, reachesSibling) {
		out.Verdict = "block"
	}
	return out
}

func reachesSibling(f Fact) bool {
	dirs := f.Cwds
	if f.Top || len(dirs) == 0 {
		dirs = []string{"/w"}
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		at := strings.Split(path.Clean(joinPath(dir, f.Path)), "/")[1:]
		for _, unit := range []string{"U04", "U05"} {
			sibling := []string{"w", "construction", "units", unit}
			n := 0
			for n < len(at) && n < len(sibling) && matches(f, at[n], sibling[n]) {
				n++
			}
			if n == len(sibling) || n == len(at) || len(at) == 1 && at[0] == "" {
				if n == len(sibling) || f.Op == Search || f.Op == Write || n == 3 && (f.Op == List || f.Op == Read) {
					return true
				}
			}
		}
		return false
	})
}

func matches(f Fact, pattern, name string) bool {
	if !f.Glob {
		return pattern == name
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
