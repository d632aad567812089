// Run measures the programs of this repository against the bare ones in
// bench/floor, prints the ratios, and writes them down as a page. Nothing fails
// when a goal is not met: figures are for reading, tests are for failing.
//
//	go run ./bench/run [-out docs/performance.md] [-dir FOLDER] [-only TEXT] [-rounds N]
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type options struct {
	out    string
	dir    string
	only   string
	rounds int
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "", "file for the page")
	flag.StringVar(&o.dir, "dir", "", "folder on a real disk for the workspaces (default: the system's for temporary files)")
	flag.StringVar(&o.only, "only", "", "measure only the groups whose name has this text")
	flag.IntVar(&o.rounds, "rounds", 400, "runs of each process that is quick")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// group is a table of the page.
type group struct {
	name    string
	measure func(*bench) ([]row, error)
}

// bench is what all groups share.
type bench struct {
	tools  tools
	dir    string
	rounds int
}

// place names a new folder for a workspace.
func (b *bench) place(name string) string { return filepath.Join(b.dir, name) }

func run(o options) (err error) {
	dir, err := os.MkdirTemp(o.dir, "conduct-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	t, err := build(bin)
	if err != nil {
		return err
	}
	b := &bench{tools: t, dir: dir, rounds: o.rounds}
	var rows []row
	for _, g := range groups() {
		if !strings.Contains(g.name, o.only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s\n", g.name)
		got, err := g.measure(b)
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		for i := range got {
			got[i].group = g.name
			fmt.Fprintf(os.Stderr, "  %-70s %10s %s %s (%s / %s)\n", got[i].what, got[i].measured(), got[i].goal, got[i].verdict(), got[i].ours, got[i].than)
		}
		rows = append(rows, got...)
	}
	where, err := machine(dir)
	if err != nil {
		return err
	}
	if o.out == "" {
		return write(os.Stdout, where, rows)
	}
	f, err := os.Create(o.out)
	if err != nil {
		return err
	}
	return errors.Join(write(f, where, rows), f.Close())
}

func groups() []group {
	return []group{
		{"A guard call", guardCalls},
		{"A guard call among many records", manyRecords},
		{"The installed command line", installedLine},
		{"In process", inProcess},
		{"Dispatch and release", writes},
		{"Concurrent dispatchers", concurrent},
		{"A worker writes to the board", boardWrites},
		{"The board is read", boardReads},
		{"A confined command", confined},
		{"The janitor", sweeping},
		{"Size", sizes},
	}
}
