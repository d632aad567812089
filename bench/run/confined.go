package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// The numbers of units that are compared: what a command costs must not grow with its siblings.
const (
	fewSiblings  = 10
	manySiblings = 2000
)

// entriesAbove is how many entries there are at least in the folders above the
// units: Landlock allows them one by one.
const entriesAbove = 200

// confined compares a command that does nothing with the same one without us.
func confined(b *bench) ([]row, error) {
	few, err := b.crowd("few", fewSiblings)
	if err != nil {
		return nil, err
	}
	many, err := b.crowd("many", manySiblings)
	if err != nil {
		return nil, err
	}
	plain, err := exec.LookPath("true")
	if err != nil {
		return nil, err
	}
	// Where it is missing, conduct says so first.
	bwrap, _ := exec.LookPath("bwrap")
	rows, err := b.backend(few, many, against{
		name: "bwrap", goal: "≤ bare bwrap + 5 ms", limit: 5,
		floor: []string{bwrap, "--unshare-pid", "--unshare-ipc", "--as-pid-1", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", plain},
	})
	if err != nil {
		return nil, err
	}
	more, err := b.backend(few, many, against{
		name: "landlock", goal: "≤ plain exec + 4 ms", limit: 4, floor: []string{plain},
	})
	return append(rows, more...), err
}

// against is what a backend is compared with.
type against struct {
	name  string
	goal  string
	limit float64 // in milliseconds
	floor []string
}

// noSandbox is the exit code of conduct where a backend does not work.
const noSandbox = 8

// works says why a backend cannot be measured, or "".
func (w *world) works(backend string) (string, error) {
	p := w.exec(backend)
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case errors.As(err, &exit) && exit.ExitCode() == noSandbox:
		return "no " + backend, nil
	}
	return "", fmt.Errorf("%q: %w: %s", p.argv, err, out)
}

func (b *bench) backend(few, many *world, a against) ([]row, error) {
	what := "`conduct exec -- true`, " + a.name
	crowd := fmt.Sprintf("the same, %d siblings", manySiblings)
	crowdGoal := fmt.Sprintf("≤ 1.3 × %d siblings", fewSiblings)
	why, err := few.works(a.name)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return []row{{what: what, goal: a.goal, why: why}, {what: crowd, goal: crowdGoal, why: why}}, nil
	}
	got, err := together(b.rounds,
		few.exec(a.name), many.exec(a.name), proc{argv: a.floor, dir: few.root, env: b.tools.env})
	if err != nil {
		return nil, err
	}
	return []row{
		difference(what, a.goal, a.limit, got[0].p50(), got[2].p50()),
		ratio(crowd, crowdGoal, 1.3, got[1].p50(), got[0].p50()),
	}, nil
}

// exec is a command that does nothing, confined by a backend.
func (w *world) exec(backend string) proc {
	argv := []string{w.tools.conduct, "exec", "--unit", unitName(0), "--sandbox", backend, "--", "true"}
	return proc{argv: argv, dir: w.root, env: w.tools.env}
}

// crowd makes a workspace with one dispatch, and with files above its units.
func (b *bench) crowd(name string, units int) (*world, error) {
	w, err := newWorld(b.tools, b.place("confined-"+name), units)
	if err != nil {
		return nil, err
	}
	n := 0
	for dir := filepath.Join(w.root, filepath.Dir(unitPath(0))); dir != "/"; {
		dir = filepath.Dir(dir)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		n += len(entries)
	}
	for i := n; i < entriesAbove; i++ {
		if err := os.WriteFile(filepath.Join(w.root, fmt.Sprintf("file%03d", i)), nil, 0o644); err != nil {
			return nil, err
		}
	}
	return w, w.dispatch(0)
}

// difference is a row whose limit is in milliseconds above what it is compared with.
func difference(what, goal string, limit float64, ours, floor time.Duration) row {
	return row{
		what: what, goal: goal, limit: limit, value: float64(ours-floor) / float64(time.Millisecond), unit: "+ms",
		ours: short(ours), than: short(floor),
	}
}
