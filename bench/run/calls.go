package main

import (
	"fmt"
	"time"
)

// decode is what a hook written in Python does at the least.
const decode = "import sys, json; json.load(sys.stdin)"

// agentID names the one agent that is bound.
const agentID = "a2f4e6a8c0b1d3e5f"

// largest is the payload that the goals speak of, in bytes.
const largest = 64 << 10

// one makes a workspace with one live dispatch whose agent has made its first call.
func (b *bench) one(name string, units int) (*world, error) {
	w, err := newWorld(b.tools, b.place(name), units)
	if err != nil {
		return nil, err
	}
	if err := w.dispatch(0); err != nil {
		return nil, err
	}
	_, err = w.guard(w.read(agentID, "docs/guide.md"), false).run()
	return w, err
}

// floor is the empty program with an input.
func (b *bench) floor(stdin []byte) proc {
	return proc{argv: []string{b.tools.empty}, dir: b.dir, env: b.tools.env, stdin: stdin}
}

func guardCalls(b *bench) ([]row, error) {
	w, err := b.one("one", 10)
	if err != nil {
		return nil, err
	}
	var rows []row
	var peak int64
	for _, c := range []struct {
		what    string
		payload []byte
		blocked bool
	}{
		{"allowed, a Read", w.read(agentID, unitPath(0)+"/design.md"), false},
		{"blocked, a Read of a sibling", w.read(agentID, unitPath(1)+"/design.md"), true},
		{"allowed, a Write of 64 KiB", w.write(agentID, unitPath(0)+"/design.md", largest), false},
		{"blocked, a Write of 64 KiB", w.write(agentID, unitPath(1)+"/design.md", largest), true},
	} {
		python := proc{argv: []string{b.tools.python, "-S", "-c", decode}, dir: w.root, env: b.tools.env, stdin: c.payload}
		// Apart, since the interpreter would leave nothing of ours in the processor's caches.
		got, err := together(b.rounds, w.guard(c.payload, c.blocked), b.floor(c.payload))
		if err != nil {
			return nil, err
		}
		slow, err := together(b.rounds, w.guard(c.payload, c.blocked), python)
		if err != nil {
			return nil, err
		}
		peak = max(peak, got[0].peak(), slow[0].peak())
		rows = append(rows,
			ratio(c.what, "≤ 1.5 × an empty Go program", 1.5, got[0].p50(), got[1].p50()),
			ratio(c.what, "≤ 1/6 of `python3 -S` that decodes it", 1.0/6, slow[0].p50(), slow[1].p50()))
	}
	return append(rows, row{what: "peak memory, payloads to 64 KiB", goal: "≤ 16 MB", limit: 16, value: float64(peak) / (1 << 20), unit: "MB"}), nil
}

func manyRecords(b *bench) ([]row, error) {
	ended, live := 100_000, 10_000
	small, err := b.one("small", 10)
	if err != nil {
		return nil, err
	}
	layout, err := b.one("layout", 10_000)
	if err != nil {
		return nil, err
	}
	past, err := b.one("past", 10)
	if err == nil {
		err = past.fillEnded(ended, time.Hour)
	}
	if err != nil {
		return nil, err
	}
	hundred, err := b.several("hundred", 100)
	if err != nil {
		return nil, err
	}
	thousands, err := b.several("thousands", live)
	if err != nil {
		return nil, err
	}
	const shared = "docs/guide.md"
	got, err := together(b.rounds,
		small.guard(small.read(agentID, shared), false),
		hundred.guard(hundred.read("anew", shared), false),
		layout.guard(layout.read(agentID, shared), false),
		past.guard(past.read(agentID, shared), false),
		thousands.guard(thousands.read("anew", shared), false),
		thousands.guard(thousands.read("anew", unitPath(1)+"/design.md"), true),
	)
	if err != nil {
		return nil, err
	}
	least := got[0].p50()
	return []row{
		ratio("100 live dispatches of one agent name, unbound caller", "≤ 1.15 × one live dispatch, bound caller", 1.15, got[1].p50(), least),
		ratio("layout of 10,000 units", "≤ 1.15 ×", 1.15, got[2].p50(), least),
		ratio("100,000 ended dispatches", "≤ 1.15 ×", 1.15, got[3].p50(), least),
		ratio("10,000 live dispatches of one agent name, unbound caller, allowed", "≤ 1.5 ×", 1.5, got[4].p50(), least),
		ratio("the same, blocked", "≤ 1.5 ×", 1.5, got[5].p50(), least),
	}, nil
}

// several makes a workspace with n live dispatches of one agent name.
func (b *bench) several(name string, n int) (*world, error) {
	w, err := newWorld(b.tools, b.place(name), n)
	if err != nil {
		return nil, err
	}
	if err := w.dispatch(0); err != nil {
		return nil, err
	}
	if err := w.fillLive(1, n); err != nil {
		return nil, err
	}
	return w, w.count(n)
}

// count fails unless conduct itself knows of n live dispatches.
func (w *world) count(n int) error {
	st, book, err := w.records(clock())
	if err != nil {
		return err
	}
	defer st.Close()
	found, err := book.List(false)
	if err != nil {
		return err
	}
	if len(found.Dispatches) != n || len(found.Damaged) > 0 {
		return fmt.Errorf("%d live dispatches and %d damaged ones, not %d", len(found.Dispatches), len(found.Damaged), n)
	}
	return nil
}

func installedLine(b *bench) ([]row, error) {
	w, err := b.one("installed", 10)
	if err != nil {
		return nil, err
	}
	line, err := w.installed()
	if err != nil {
		return nil, err
	}
	shell := func(line string, stdin []byte, says string) proc {
		return proc{argv: []string{b.tools.shell, "-c", line}, dir: w.root, env: w.env(), stdin: stdin, says: says}
	}
	allowed, blocked := w.read(agentID, unitPath(0)+"/design.md"), w.read(agentID, unitPath(1)+"/design.md")
	bare := "'" + b.tools.empty + "'"
	got, err := together(b.rounds, shell(line, allowed, ""), shell(line, blocked, denied), shell(bare, allowed, ""), b.floor(allowed))
	if err != nil {
		return nil, err
	}
	return []row{
		ratio("allowed", "≤ 1.5 × the same shell that starts the empty program", 1.5, got[0].p50(), got[2].p50()),
		ratio("blocked", "≤ 1.5 ×", 1.5, got[1].p50(), got[2].p50()),
		ratio("allowed, against the empty program without a shell", "", 0, got[0].p50(), got[3].p50()),
	}, nil
}
