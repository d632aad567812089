package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks/claudecode"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/unit"
)

func clock() dispatch.Clock { return &system.Clock{} }

const (
	batches = 200
	batch   = 25 // calls
)

// timed is the median over batches of what one call takes.
func timed(call func() error) (time.Duration, error) { return repeated(batches, batch, call) }

// repeated is timed with other numbers, for what takes long.
func repeated(batches, batch int, call func() error) (time.Duration, error) {
	all := make([]time.Duration, 0, batches)
	for range batches {
		start := time.Now()
		for range batch {
			if err := call(); err != nil {
				return 0, err
			}
		}
		all = append(all, time.Since(start)/time.Duration(batch))
	}
	return median(all, func(d time.Duration) time.Duration { return d }), nil
}

// deep makes a file twelve components below the workspace, the way to which
// leads through one link, and returns its path.
func (w *world) deep() (string, error) {
	own := filepath.Join(w.root, unitPath(0))
	if err := os.MkdirAll(filepath.Join(own, "real/d/e/f/g/h/i/j"), 0o755); err != nil {
		return "", err
	}
	if err := os.Symlink("real", filepath.Join(own, "link")); err != nil {
		return "", err
	}
	path := filepath.Join(own, "link/d/e/f/g/h/i/j/file.txt")
	return path, os.WriteFile(path, []byte("own\n"), 0o644)
}

func inProcess(b *bench) ([]row, error) {
	w, err := b.one("inprocess", 10)
	if err != nil {
		return nil, err
	}
	deep, err := w.deep()
	if err != nil {
		return nil, err
	}
	var rows []row
	file := w.payload(call{agentID: agentID, tool: "Read", field: "file_path", path: deep})
	words := make([]string, 64)
	for i := range words {
		words[i] = fmt.Sprintf("cat a%d b%d", i, i)
	}
	for _, c := range []struct {
		what, goal string
		limit      float64
		payload    []byte
	}{
		{"a file 12 components deep, through one link", "≤ 60 µs", 60, file},
		{"`cat a b`", "≤ 25 µs", 25, w.payload(call{agentID: agentID, tool: "Bash", command: "cat a b"})},
		{"a line of 64 commands", "≤ 300 µs", 300, w.payload(call{agentID: agentID, tool: "Bash", command: strings.Join(words, "; ")})},
	} {
		took, err := w.decide(c.payload)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.what, err)
		}
		rows = append(rows, absolute(c.what, c.goal, c.limit, took))
	}
	took, err := timed(func() error { return w.answer(file) })
	if err != nil {
		return nil, err
	}
	return append(rows, absolute("the same file, from the payload to the answer, with the audit's line", "", 0, took)), nil
}

// decide times the guard's decision alone, on the real disk.
func (w *world) decide(payload []byte) (time.Duration, error) {
	c, err := claudecode.New().Decode(payload)
	if err != nil {
		return 0, err
	}
	st, book, err := w.records(clock())
	if err != nil {
		return 0, err
	}
	defer st.Close()
	root := unit.Split(w.root)
	return timed(func() error {
		out := guard.Decide(guard.Input{
			Call: c, Now: time.Now(), FS: unit.NewDisk(), Env: guard.Env{Temp: []string{"/tmp"}},
			Workspaces: []guard.Workspace{{Root: root, Records: book, Roots: func() unit.Roots { return unit.Roots{root} }}},
		})
		if !out.Allowed() || len(out.Rulings) != 1 || out.Rulings[0].Rule != guard.RuleBound {
			return fmt.Errorf("it was not allowed as a call of a bound agent: %s", out.Code)
		}
		return nil
	})
}

// answer is the hook's process without the process.
func (w *world) answer(payload []byte) error {
	o := gate.Options{
		Client: claudecode.New(), Dir: w.root, Stdin: bytes.NewReader(payload), Clock: clock(),
		Getenv: func(name string) string {
			if name == "CLAUDE_PROJECT_DIR" {
				return w.root
			}
			return ""
		},
	}
	if r := gate.Run(o); r.Exit != 0 {
		return fmt.Errorf("it was blocked: %s", r.Stderr)
	}
	return nil
}
