package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/broker"
	"github.com/seed6310be5c/conduct/internal/confine"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/sandbox"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/workspace"
)

// confined runs a command under a dispatch, for as long as that is in force; program
// says that it is a whole agent program.
func (d *desk) confined(ctx context.Context, got *dispatch.Dispatch, name string, argv []string, program bool) (sandbox.Result, error) {
	if got.Grant.Knobs().Sandbox == knobs.Off {
		return sandbox.Result{}, hint(fmt.Errorf("%w: the sandbox of dispatch %s is switched off", sandbox.ErrUnavailable, got.ID),
			"conduct knob set --dispatch %s sandbox workspace-write; nothing ran", got.ID)
	}
	backend, err := d.sandbox(ctx, name)
	if err != nil {
		return sandbox.Result{}, err
	}
	policy, err := d.policy(got, program)
	if err != nil {
		return sandbox.Result{}, err
	}
	if asked, err := broker.Serve(policy.Temp, d.verbsOf(got.ID)); err == nil {
		// Where it cannot be served, the verbs inside say so; all else works.
		defer asked.Close()
		policy.Env = append(policy.Env, broker.Var+"="+asked.Address())
	}
	if server, ok := d.env.mcpServer(); ok {
		policy.Reads = append(policy.Reads, server) // as our own program is: it asks the same way
	}
	std := sandbox.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	signals, quit := d.signals()
	defer quit()
	std.Signals = signals
	// A whole program is at the terminal as if there were nothing in between.
	std.Watch = !program && apart(os.Stderr, os.Stdout)
	if program {
		std.Started = func() { _ = d.book.Ran(got.ID) } // what is lost is when it began
	}
	var before *confine.Settings
	std.Before = func() {
		if before == nil { // nothing has run: that it is tried anew changes nothing
			before = confine.NewSettings(gate.Roots(d.ws), d.env.Getenv("HOME"))
		}
	}
	// The command gets the signals; that we got them too must not end it.
	live, stop := d.whileInForce(context.WithoutCancel(ctx), got.ID)
	defer stop()
	res, err := sandbox.Run(live, backend, argv, policy, std)
	if !program && before != nil { // an agent program keeps its own settings
		d.setAside(before, got.ID)
	}
	if err != nil && live.Err() != nil {
		err = context.Cause(live)
	}
	return res, err
}

// policy is what a command of a dispatch may do, from where we are.
func (d *desk) policy(got *dispatch.Dispatch, program bool) (sandbox.Policy, error) {
	start, err := d.env.start()
	if err != nil {
		return sandbox.Policy{}, err
	}
	cwd, err := d.env.Getwd()
	if err != nil {
		cwd = start
	}
	found, err := workspace.Find(cwd, workspace.Options{})
	if err != nil {
		return sandbox.Policy{}, err
	}
	records := []string{d.ws.Dir}
	for _, ws := range found.Workspaces {
		if !slices.Contains(records, ws.Dir) {
			records = append(records, ws.Dir)
		}
	}
	return confine.Policy(confine.Request{
		Dispatch: got, Roots: gate.Roots(d.ws), Records: records, Cwd: cwd, Home: d.env.Getenv("HOME"), TempDir: os.TempDir(),
		Env: os.Environ(), Now: d.env.Clock.Now(), FS: unit.NewDisk(), Program: program,
	})
}

// signals are those that a confined command gets from us.
func (d *desk) signals() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 16)
	passed := []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}
	if !d.env.Terminal() {
		// At a terminal the command gets what is typed by itself.
		passed = append(passed, syscall.SIGINT, syscall.SIGQUIT)
	}
	signal.Notify(c, passed...)
	return c, func() { signal.Stop(c) }
}

// aliveEvery is how often a command that runs asks whether it still may.
const aliveEvery = 500 * time.Millisecond

// overError is the end of a command whose dispatch was over before it was.
type overError struct {
	id    store.ID
	state string
}

func (e overError) Error() string {
	return fmt.Sprintf("dispatch %s is %s, so the command that ran under it was ended", e.id, e.state)
}

// Is makes an overError a conflict.
func (e overError) Is(target error) bool { return target == dispatch.ErrConflict }

// whileInForce is a context that ends, with an overError, when a dispatch does: what
// runs under it must not outlive it, since its unit may be another's by then.
func (d *desk) whileInForce(ctx context.Context, id store.ID) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = repeat(ctx, aliveEvery, func() error { // it ends with ctx, or by itself
			err := d.over(id)
			if err != nil {
				cancel(err)
			}
			return err
		})
	}()
	return ctx, func() {
		cancel(nil)
		<-over
	}
}

// over says whether a dispatch has ended, as an overError. What cannot be read for now
// says nothing; a record that is damaged is one that nobody can hold to.
func (d *desk) over(id store.ID) error {
	got, err := d.book.Read(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return overError{id, "gone"}
	case errors.Is(err, store.ErrDamaged):
		return overError{id, "damaged"}
	case err == nil && !got.Live():
		return overError{id, string(got.Now)}
	}
	return nil
}
