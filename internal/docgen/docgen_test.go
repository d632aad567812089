package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const top = "../.."

// What is generated in the documents is what would be generated now.
func TestDocumentsAreCurrent(t *testing.T) {
	names, err := documents(top)
	require.NoError(t, err)
	used := map[string]int{}
	for _, name := range names {
		before, err := os.ReadFile(name)
		require.NoError(t, err)
		after, err := rewrite(before, blocks(top))
		require.NoError(t, err, name)
		require.Equal(t, string(before), string(after), "%s: go run ./internal/docgen", name)
		for part := range blocks(top) {
			used[part] += strings.Count(string(before), begin+part+" -->")
		}
	}
	for part, n := range used {
		require.Equal(t, 1, n, "part %q stands in %d places", part, n)
	}
}

func TestRewrite(t *testing.T) {
	made := map[string]block{
		"a": func() (string, error) { return "new\n", nil },
		"b": func() (string, error) { return "", errors.New("broken") },
	}
	got, err := rewrite([]byte("x\n<!-- generated: a -->\nold\nolder\n<!-- end -->\ny\n"), made)
	require.NoError(t, err)
	require.Equal(t, "x\n<!-- generated: a -->\n\nnew\n\n<!-- end -->\ny\n", string(got))
	again, err := rewrite(got, made)
	require.NoError(t, err)
	require.Equal(t, string(got), string(again))

	for doc, want := range map[string]string{
		"<!-- generated: a -->\n":                        `"a" has no end`,
		"<!-- end -->\n":                                 "an end without a beginning",
		"<!-- generated: a -->\n<!-- generated: b -->\n": `"b" within "a"`,
		"<!-- generated: c -->\n<!-- end -->\n":          `there is no part "c"`,
		"<!-- generated: b -->\n<!-- end -->\n":          "broken",
	} {
		_, err := rewrite([]byte(doc), made)
		require.ErrorContains(t, err, want)
	}
}

// The rows that carry the promise: the filter of the record at the time of the
// call decides, and it comes before the unit.
func TestFilters(t *testing.T) {
	got, err := filters()
	require.NoError(t, err)
	for _, row := range []string{
		"| none | – | the dispatched agent | Read, own file | allowed | `own_unit` |",
		"| `Read` | – | the dispatched agent | Read, own file | blocked | `tool_denied` |",
		"| `read` | – | the dispatched agent | Read, own file | blocked | `tool_denied` |",
		"| `mcp__*` | – | the dispatched agent | mcp__tracker__list_issues, no path | blocked | `tool_denied` |",
		"| `Read` | – | the dispatched agent | Read, a sibling's file | blocked | `tool_denied` |",
		"| `Write` | – | the dispatched agent | Read, a sibling's file | blocked | `sibling_unit` |",
		"| `Read` | the conductor opens the sibling's file | the dispatched agent | Read, a sibling's file | blocked | `tool_denied` |",
		"| `Write` | the conductor opens the sibling's file | the dispatched agent | Read, a sibling's file | allowed | `exempt` |",
		"| `Read` | the dispatch is renewed | the dispatched agent | Read, own file | blocked | `tool_denied` |",
		"| `Read` | released, dispatched anew without a filter | the dispatched agent | Read, own file | allowed | `own_unit` |",
		"| none | released, dispatched anew with `--deny-tool Read` | the dispatched agent | Read, own file | blocked | `tool_denied` |",
		"| `Read` | – | the conductor | Read, own file | allowed | `not_dispatched` |",
	} {
		require.Contains(t, got, row+"\n")
	}
}

func TestResultTable(t *testing.T) {
	all, err := readResults([]byte(`[
  {"program": "a", "version": "1", "scenario": "reads", "outcome": "allowed"},
  {"program": "b", "version": "2", "scenario": "reads", "outcome": "blocked by hook", "why": "nothing says who calls"},
  {"program": "b", "version": "2", "scenario": "writes", "outcome": "confined", "why": "nothing says who calls"}
]`))
	require.NoError(t, err)
	require.Equal(t, "| scenario | `a` 1 | `b` 2 |\n| --- | --- | --- |\n| reads | allowed | blocked by hook (1) |\n"+
		"| writes | – | confined (1) |\n\n1. Nothing says who calls.\n", resultTable(all))
	_, err = readResults([]byte(`[{"proram": "a"}]`))
	require.ErrorContains(t, err, "proram")
}
