package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"
)

// proc is a process that is measured.
type proc struct {
	argv  []string // argv[0] is a path
	dir   string
	env   []string
	stdin []byte // at most 64 KiB, which a pipe takes before anyone reads it
	exit  int    // the exit code that is expected
	says  string // what its output must hold; "" for a program that says nothing
}

// cost is what one run took.
type cost struct {
	wall time.Duration
	rss  int64 // peak memory in bytes
}

// run starts the process and waits for its end. Its input lies ready in a pipe,
// so that the time is the process's own.
func (p proc) run() (cost, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return cost{}, err
	}
	defer r.Close()
	if _, err := w.Write(p.stdin); err != nil {
		return cost{}, errors.Join(err, w.Close())
	}
	if err := w.Close(); err != nil {
		return cost{}, err
	}
	said, out, err := os.Pipe()
	if err != nil {
		return cost{}, err
	}
	defer said.Close()
	attr := &os.ProcAttr{Dir: p.dir, Env: p.env, Files: []*os.File{r, out, out}}
	start := time.Now()
	child, err := os.StartProcess(p.argv[0], p.argv, attr)
	if err != nil {
		return cost{}, errors.Join(err, out.Close())
	}
	state, err := child.Wait()
	wall := time.Since(start)
	if err := errors.Join(err, out.Close()); err != nil {
		return cost{}, err
	}
	text, err := io.ReadAll(said)
	if err != nil {
		return cost{}, err
	}
	if state.ExitCode() != p.exit || (p.says == "") != (len(text) == 0) || !bytes.Contains(text, []byte(p.says)) {
		return cost{}, fmt.Errorf("%q ended with %d and said %q", p.argv, state.ExitCode(), text)
	}
	c := cost{wall: wall}
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		c.rss = maxRSS(u)
	}
	return c, nil
}

// series are the runs of one process.
type series []cost

// p50 is the median time.
func (s series) p50() time.Duration { return median(s, func(c cost) time.Duration { return c.wall }) }

// peak is the largest memory of any run in bytes.
func (s series) peak() int64 {
	return slices.MaxFunc(s, func(a, b cost) int { return int(a.rss - b.rss) }).rss
}

// median returns the lower one of the two middle values of an even number.
func median[T any](xs []T, of func(T) time.Duration) time.Duration {
	ds := make([]time.Duration, len(xs))
	for i, x := range xs {
		ds[i] = of(x)
	}
	slices.Sort(ds)
	return ds[(len(ds)-1)/2]
}

// interleave runs each of n processes once a round, starting with another one
// in every round, so that whatever else the machine does falls on all alike.
// make is asked for the process of a round.
func interleave(rounds, n int, make func(round, which int) proc) ([]series, error) {
	out := slices.Repeat([]series{nil}, n)
	for round := range rounds {
		for k := range n {
			i := (k + round) % n
			c, err := make(round, i).run()
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], c)
		}
	}
	return out, nil
}

// together interleaves processes that differ in nothing but the calls' ids,
// after one round that is not counted.
func together(rounds int, procs ...proc) ([]series, error) {
	of := func(round, which int) proc {
		p := procs[which]
		p.stdin = numbered(p.stdin, round+1)
		return p
	}
	if _, err := interleave(1, len(procs), func(_, which int) proc { return of(-1, which) }); err != nil {
		return nil, err
	}
	return interleave(rounds, len(procs), of)
}
