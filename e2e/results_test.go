//go:build linux && e2e

package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// row is one program's outcome of one scenario, as it is committed.
type row struct {
	Program  string  `json:"program"`
	Version  string  `json:"version"`
	Scenario string  `json:"scenario"`
	Outcome  outcome `json:"outcome"`
	Why      string  `json:"why,omitempty"`
}

// results is what the runs of all programs came to.
type results struct {
	mu   sync.Mutex
	rows map[string]row
}

// note keeps an outcome. Where a scenario has several, all of them are kept, and differ from what is committed.
func (r *results) note(p program, scenario string, got outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := p.name + "\x00" + scenario
	old, ok := r.rows[key]
	if ok && !slices.Contains(strings.Split(string(old.Outcome), "; "), string(got)) {
		got = old.Outcome + "; " + got
	} else if ok {
		got = old.Outcome
	}
	r.rows[key] = row{p.name, p.pack.version, scenario, got, p.instead[scenario].why}
}

// sorted are the rows in the order of the programs and scenarios.
func (r *results) sorted() []row {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []row
	for _, p := range programs() {
		for _, s := range scenarioNames() {
			if got, ok := r.rows[p.name+"\x00"+s]; ok {
				out = append(out, got)
			}
		}
	}
	return out
}

const resultsFile = "testdata/results.json"

func committed(t *testing.T) []row {
	t.Helper()
	data, err := os.ReadFile(resultsFile)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	var out []row
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// compare compares what was run with what is committed. With -update it writes,
// and keeps the rows of programs that were not run.
func (r *results) compare(t *testing.T) {
	t.Helper()
	if t.Failed() {
		return // a run that failed says nothing of what a program does
	}
	got, had := r.sorted(), committed(t)
	ran := map[string]bool{}
	for _, g := range got {
		ran[g.Program+"\x00"+g.Scenario] = true
	}
	if !*update {
		want := slices.DeleteFunc(had, func(h row) bool { return !ran[h.Program+"\x00"+h.Scenario] })
		require.Equal(t, want, got, "go test -tags e2e ./e2e -update, then go run ./internal/docgen")
		return
	}
	all := &results{rows: map[string]row{}}
	for _, h := range slices.Concat(had, got) {
		all.rows[h.Program+"\x00"+h.Scenario] = h
	}
	data, err := json.MarshalIndent(all.sorted(), "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	require.NoError(t, os.WriteFile(resultsFile, append(data, '\n'), 0o644))
}

// TestPrograms runs every scenario with every program.
func TestPrograms(t *testing.T) {
	res := &results{rows: map[string]row{}}
	t.Run("programs", func(t *testing.T) {
		for _, p := range programs() {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				need(t, p.pack, nodePackage())
				scenarios(t, p, res)
			})
		}
	})
	res.compare(t)
}

// scenarios runs one program's sessions one after the other.
func scenarios(t *testing.T, p program, res *results) {
	t.Run("agent", func(t *testing.T) { oneAgent(t, p, res) })
	t.Run("types", func(t *testing.T) { parallel(t, p, res, twoTypes, [2]string{"reviewer", "worker"}) })
	t.Run("type", func(t *testing.T) { parallel(t, p, res, oneType, [2]string{"reviewer", "reviewer"}) })
	t.Run("removed", func(t *testing.T) { removed(t, p, res) })
	t.Run("unhooked", func(t *testing.T) { unhooked(t, p, res) })
}
