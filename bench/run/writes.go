package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// slowRounds is how often a process runs that waits for the disk.
const slowRounds = 120

// pairFloor makes the folder of the program that only locks and writes.
func (b *bench) pairFloor(name string) (func(i int) proc, error) {
	dir := b.place(name)
	for _, d := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	return func(i int) proc {
		return proc{argv: []string{b.tools.lockwrite, dir, strconv.Itoa(i)}, dir: b.dir, env: b.tools.env}
	}, nil
}

// dispatching dispatches the i-th unit, with further flags.
func (w *world) dispatching(i int, more ...string) proc {
	argv := append([]string{w.tools.conduct, "dispatch", "--unit", unitName(i), "--agent", agent}, more...)
	return proc{argv: argv, dir: w.root, env: w.tools.env, says: "conduct:"}
}

func (w *world) releasing(i int) proc {
	return proc{argv: []string{w.tools.conduct, "release", "--unit", unitName(i), "--verdict", "ready"}, dir: w.root, env: w.tools.env, says: "ready"}
}

func writes(b *bench) ([]row, error) {
	w, err := newWorld(b.tools, b.place("writes"), 2*slowRounds)
	if err != nil {
		return nil, err
	}
	floor, err := b.pairFloor("writes-floor")
	if err != nil {
		return nil, err
	}
	// A first pair makes the folders.
	if err := w.dispatch(0); err != nil {
		return nil, err
	}
	if _, err := w.releasing(0).run(); err != nil {
		return nil, err
	}
	var got [7]series
	for i := range slowRounds {
		other := slowRounds + i
		for k, p := range []proc{
			w.dispatching(i), floor(3 * i), w.dispatching(other, "--opaque", "block"), floor(3*i + 1), w.releasing(i), floor(3*i + 2), w.releasing(other),
		} {
			c, err := p.run()
			if err != nil {
				return nil, err
			}
			got[k] = append(got[k], c)
		}
	}
	bare := slices.Concat(got[1], got[3], got[5]).p50()
	const goal = "≤ 2 × bare lock and two (write, fsync, rename, folder fsync)"
	return []row{
		ratio("dispatch", goal, 2, got[0].p50(), bare),
		ratio("dispatch that needs no sandbox (`--opaque block`)", goal, 2, got[2].p50(), bare),
		ratio("release", goal, 2, append(got[4], got[6]...).p50(), bare),
	}, nil
}

// dispatchers is how many conductors dispatch at once.
const dispatchers = 64

func concurrent(b *bench) ([]row, error) {
	type times struct{ serial, parallel time.Duration }
	var all []times
	for round := range 5 {
		w, err := newWorld(b.tools, b.place(fmt.Sprintf("concurrent-%d", round)), 2*dispatchers)
		if err != nil {
			return nil, err
		}
		var t times
		serial := func() error { t.serial, err = w.oneByOne(0); return err }
		parallel := func() error { t.parallel, err = w.atOnce(dispatchers); return err }
		steps := []func() error{serial, parallel}
		if round%2 == 1 {
			steps[0], steps[1] = parallel, serial
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return nil, err
			}
		}
		if err := w.count(2 * dispatchers); err != nil {
			return nil, fmt.Errorf("some are lost: %w", err)
		}
		all = append(all, t)
	}
	r := ratio("64 dispatchers of 64 units at once, none lost", "≤ 1.5 × the same 64 one after another", 1.5,
		median(all, func(t times) time.Duration { return t.parallel }), median(all, func(t times) time.Duration { return t.serial }))
	return []row{r}, nil
}

func (w *world) oneByOne(from int) (time.Duration, error) {
	start := time.Now()
	for i := range dispatchers {
		if _, err := w.dispatching(from + i).run(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

func (w *world) atOnce(from int) (time.Duration, error) {
	errs := make([]error, dispatchers)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range dispatchers {
		wg.Go(func() { _, errs[i] = w.dispatching(from + i).run() })
	}
	wg.Wait()
	took := time.Since(start)
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return took, nil
}

// sweeps is how often the janitor is measured.
const sweeps = 2

func sweeping(b *bench) ([]row, error) {
	type times struct{ ours, bare time.Duration }
	var all []times
	for round := range sweeps {
		ours, bare, err := b.sweep(round)
		if err != nil {
			return nil, err
		}
		all = append(all, times{ours, bare})
	}
	return []row{ratio("100,000 ended records, each with its grant",
		"≤ 3 × read the folder, read and unlink the 100,000 records", 3,
		median(all, func(t times) time.Duration { return t.ours }), median(all, func(t times) time.Duration { return t.bare }))}, nil
}

// sweep times the janitor and the bare program on the same records.
func (b *bench) sweep(round int) (ours, bare time.Duration, err error) {
	const records = 100_000
	w, err := b.one(fmt.Sprintf("sweep-%d", round), 10)
	if err != nil {
		return 0, 0, err
	}
	if err := w.fillEnded(records, 9*24*time.Hour); err != nil {
		return 0, 0, err
	}
	ended, folder := filepath.Join(w.root, ".conduct", "ended"), b.place(fmt.Sprintf("sweep-floor-%d", round))
	if err := os.CopyFS(folder, os.DirFS(ended)); err != nil {
		return 0, 0, err
	}
	janitor := func() error {
		start := time.Now()
		out, err := w.conduct("janitor", "--json")
		ours = time.Since(start)
		if err != nil {
			return err
		}
		var said struct{ Deleted int }
		if err := json.Unmarshal([]byte(out), &said); err != nil {
			return err
		}
		if said.Deleted != records {
			return fmt.Errorf("the janitor deleted %d, not %d", said.Deleted, records)
		}
		return nil
	}
	floor := func() error {
		c, err := proc{argv: []string{b.tools.sweep, folder}, dir: b.dir, env: b.tools.env}.run()
		bare = c.wall
		return err
	}
	steps := []func() error{janitor, floor}
	if round%2 == 1 {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		settle() // else the first pays for writing what both read
		if err := step(); err != nil {
			return 0, 0, err
		}
	}
	return ours, bare, nil
}

func sizes(b *bench) ([]row, error) {
	size := func(name string, n int64) row {
		return row{what: "`" + name + "`", goal: "≤ 8 MB", limit: 8, value: float64(n) / (1 << 20), unit: "MB"}
	}
	return []row{size("conduct-guard", b.tools.conductGuard), size("conduct", b.tools.conductSize)}, nil
}
