package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/wire"
)

// result is what a scenario came to with one program, as the tests with the real
// programs wrote it.
type result struct{ program, version, scenario, outcome, why string }

// results writes what the real programs did: a row for each scenario, a column for each program.
func results(top string) (string, error) {
	data, err := os.ReadFile(filepath.Join(top, "e2e", "testdata", "results.json"))
	if err != nil {
		return "", fmt.Errorf("read the results: %w", err)
	}
	all, err := readResults(data)
	if err != nil {
		return "", fmt.Errorf("read the results: %w", err)
	}
	return resultTable(all), nil
}

func readResults(data []byte) ([]result, error) {
	var out []result
	r := wire.NewReader(data)
	err := r.Array(func() error {
		var got result
		fields := map[string]*string{
			"program": &got.program, "version": &got.version, "scenario": &got.scenario, "outcome": &got.outcome, "why": &got.why,
		}
		err := r.Object(func(name string) (err error) {
			to, ok := fields[name]
			if !ok {
				return fmt.Errorf("there is no member %q", name)
			}
			*to, err = r.String()
			return err
		})
		out = append(out, got)
		return err
	})
	return out, err
}

// resultTable numbers the reasons, each once.
func resultTable(all []result) string {
	var programs, scenarios, reasons []string
	cells := map[[2]string]string{}
	add := func(to *[]string, s string) int {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
		return slices.Index(*to, s)
	}
	for _, r := range all {
		program := code(r.program) + " " + r.version
		add(&programs, program)
		add(&scenarios, r.scenario)
		cell := r.outcome
		if r.why != "" {
			cell = fmt.Sprintf("%s (%d)", r.outcome, add(&reasons, r.why)+1)
		}
		cells[[2]string{r.scenario, program}] = cell
	}
	var rows [][]string
	for _, s := range scenarios {
		row := []string{s}
		for _, p := range programs {
			cell, ok := cells[[2]string{s, p}]
			if !ok {
				cell = "–"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	text := table(append([]string{"scenario"}, programs...), rows)
	for i, r := range reasons {
		if i == 0 {
			text += "\n"
		}
		text += fmt.Sprintf("%d. %s.\n", i+1, strings.ToUpper(r[:1])+r[1:])
	}
	return text
}
