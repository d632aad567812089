package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/confine"
	"github.com/seed6310be5c/conduct/sandbox"
	"github.com/seed6310be5c/conduct/sandbox/bwrap"
	"github.com/seed6310be5c/conduct/sandbox/landlock"
	"github.com/seed6310be5c/conduct/sandbox/seatbelt"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

type execOptions struct {
	dispatch, unit, sandbox string
}

func newExec(env *Env) *cobra.Command {
	var o execOptions
	c := &cobra.Command{
		Use:   "exec [--dispatch ID | --unit U] -- CMD…",
		Short: "run one command so that it cannot open what its dispatch must not reach",
		Long: `Runs a command in a sandbox: sibling units and the records cannot be opened, by it
or by what it starts. The exit code is the command's own, 8 when no sandbox
works here: then nothing ran. What the command leaves in the background ends
with it. With --json, one object with what is known of its end is the last line
of the standard output.`,
		Args: command,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) },
	}
	f := c.Flags()
	f.SetInterspersed(false)
	f.StringVar(&o.dispatch, "dispatch", "", "under this dispatch (default: CONDUCT_DISPATCH)")
	f.StringVar(&o.unit, "unit", "", "under the dispatch of this unit")
	f.StringVar(&o.sandbox, "sandbox", "auto", "auto, bwrap, landlock or seatbelt")
	return c
}

func (o *execOptions) run(ctx context.Context, env *Env, argv []string) error {
	if err := oneOf("sandbox", o.sandbox, "auto", "bwrap", "landlock", "seatbelt"); err != nil {
		return err
	}
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	got, err := o.find(d)
	if err != nil {
		return err
	}
	res, err := d.confined(ctx, got, o.sandbox, argv, false)
	if err != nil {
		return err
	}
	if err := d.printFacts(got, res); err != nil {
		return err
	}
	return d.ended(argv, res)
}

// find returns the dispatch that a command runs under: the caller's own, where it
// has one.
func (o *execOptions) find(d *desk) (*dispatch.Dispatch, error) {
	mine := d.env.mine()
	id := o.dispatch
	if id == "" && o.unit == "" {
		id = mine
	}
	if id == "" && o.unit == "" {
		return nil, usageError{errors.New("--dispatch or --unit is missing")}
	}
	got, err := d.book.Find(dispatch.Selector{ID: dispatchID(id), Unit: o.unit, AnyAgent: true})
	if err != nil {
		return nil, err
	}
	if !got.Live() {
		return nil, hint(fmt.Errorf("%w: dispatch %s is %s", dispatch.ErrConflict, got.ID, got.Now), "ask the conductor for a new dispatch")
	}
	if mine != "" && mine != string(got.ID) {
		return nil, hint(fmt.Errorf("%w: this runs under dispatch %s already", dispatch.ErrConflict, mine), "leave out --dispatch and --unit")
	}
	return got, nil
}

// sandbox chooses a backend: by name, or the first that works.
func (d *desk) sandbox(ctx context.Context, name string) (sandbox.Backend, error) {
	self := d.env.Program
	if self == "" {
		return nil, fmt.Errorf("%w: our own program cannot be found", sandbox.ErrUnavailable)
	}
	all := []sandbox.Backend{bwrap.New(self), landlock.New(self), seatbelt.New(self)}
	if name != "auto" {
		all = slices.DeleteFunc(all, func(b sandbox.Backend) bool { return b.Name() != name })
	}
	boot, _ := d.env.Clock.Boot()
	// Where the verdicts cannot be kept, they are found anew each time.
	_ = d.store.Root().Mkdir("sandbox", 0o700)
	return sandbox.Choose(ctx, sandbox.Cache{Dir: filepath.Join(d.ws.Dir, "sandbox"), Boot: boot}, all...)
}

// apart says whether what is written to a can be looked at on its way without
// changing its order with b: it goes elsewhere, and to no terminal.
func apart(a, b *os.File) bool {
	ai, aerr := a.Stat()
	bi, berr := b.Stat()
	return aerr == nil && berr == nil && !os.SameFile(ai, bi) && ai.Mode()&os.ModeCharDevice == 0
}

// printFacts says what is known of a command's end beside its exit code.
func (d *desk) printFacts(got *dispatch.Dispatch, res sandbox.Result) error {
	if res.Denied {
		fmt.Fprintf(d.env.Stderr, "conduct: something was denied to this command: unit %q and shared paths are open to it\n", got.Unit)
	}
	if !d.env.json {
		return nil
	}
	var w wire.Writer
	w.Object("").String("dispatch", string(got.ID)).Int("exit", int64(res.Exit))
	if res.Signal != 0 {
		w.String("signal", unix.SignalName(res.Signal))
	}
	if res.NotStarted != "" {
		w.String("not_started", res.NotStarted)
	}
	w.Bool("denied", res.Denied).String("sandbox", res.Report.Backend).Bool("full", res.Report.Full())
	writeGaps(&w, "partial", res.Report.Partial)
	writeGaps(&w, "limits", res.Report.Limits)
	w.End()
	_, err := fmt.Fprintf(d.env.Stdout, "%s\n", w.Bytes())
	return err
}

func writeGaps(w *wire.Writer, name string, gaps []sandbox.Gap) {
	w.Array(name)
	for _, g := range gaps {
		w.Object("").String("property", string(g.Property)).String("why", g.Why).End()
	}
	w.End()
}

// setAside says which settings of hooks a command has made.
func (d *desk) setAside(before *confine.Settings, id store.ID) {
	made, err := before.SetAside(".refused-" + string(id))
	for _, path := range made {
		d.env.warn("%q is a setting that a confined command must not make: it was set aside", path)
	}
	if err != nil {
		d.env.warn("a setting that the command made is still there: %v", err)
	}
}

// ended turns the end of a command into ours: its own exit code.
func (d *desk) ended(argv []string, res sandbox.Result) error {
	if res.NotStarted != "" {
		fmt.Fprintf(d.env.Stderr, "conduct: %q did not start: %s\n", argv[0], oneLine(res.NotStarted))
	}
	return quiet(res.Exit)
}
