//go:build linux

package guard_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutant is one planted bug: a piece of a source file, and what to put there.
type mutant struct {
	Why     string `json:"why"`
	File    string `json:"file"` // relative to the module
	Find    string `json:"find"`
	Replace string `json:"replace"`
}

// TestThePropertyFindsPlantedBugs holds the property test to its word: with each
// bug planted, it has to fail, and within as many cases as it always tries. The
// bug is compiled in by "go test -overlay", so that none is in the sources.
func TestThePropertyFindsPlantedBugs(t *testing.T) {
	files, err := filepath.Glob("testdata/mutants/*.json")
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			out, err := propertyWith(t, file)
			require.Error(t, err, "the property holds with the bug planted:\n%s", out)
			require.Contains(t, out, reached)
		})
	}
}

// propertyWith runs the property test with one mutant in the place of a source file.
func propertyWith(t *testing.T, file string) (string, error) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var m mutant
	require.NoError(t, json.Unmarshal(data, &m))
	require.NotEmpty(t, m.Why)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	source := filepath.Join(root, m.File)
	code, err := os.ReadFile(source)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(code), m.Find), "%s: the code that it replaces is no longer in %q, once", file, m.File)

	mutated := filepath.Join(t.TempDir(), filepath.Base(m.File))
	require.NoError(t, os.WriteFile(mutated, []byte(strings.Replace(string(code), m.Find, m.Replace, 1)), 0o600))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: mutated}})
	require.NoError(t, err)
	list := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(list, overlay, 0o600))

	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay="+list, "-count=1", "-vet=off",
		"-run=^TestNothingOfASiblingIsReached$", ".", "-rapid.checks=2000", "-rapid.nofailfile", "-rapid.shrinktime=0s")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
