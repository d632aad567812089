package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/confine"
	"github.com/seed6310be5c/conduct/sandbox"
)

type runOptions struct {
	dispatchOptions
	from    string
	sandbox string
	keep    bool
}

func newRun(env *Env) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run --unit U [dispatch flags] -- CMD…",
		Short: "dispatch, run a whole agent program confined, and release when it ends",
		Long: `Dispatches a unit, runs an agent program in a sandbox under that dispatch, and
releases it when the program ends. Its hooks and commands find the dispatch in
CONDUCT_DISPATCH. The exit code is the program's own, 8 when no sandbox works.

The verdict is ready when the program exits with 0 and not-ready otherwise; with
--verdict-from file, the word in the file "verdict" of the program's TMPDIR; with
--verdict-from none, abandoned.`,
		Args: command,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := filled(cmd.Flags(), "item", "board"); err != nil {
				return err
			}
			return o.run(cmd.Context(), env, args, cmd.Flags().Changed("ttl"))
		},
	}
	f := c.Flags()
	f.SetInterspersed(false)
	o.add(f)
	f.StringVar(&o.from, "verdict-from", "exit", "exit, file or none")
	f.StringVar(&o.sandbox, "sandbox", "auto", "auto, bwrap, landlock or seatbelt")
	f.BoolVar(&o.keep, "keep", false, "leave the dispatch open")
	return c
}

func (o *runOptions) run(ctx context.Context, env *Env, argv []string, ttlGiven bool) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := oneOf("verdict-from", o.from, "exit", "file", "none"); err != nil {
		return err
	}
	if err := oneOf("sandbox", o.sandbox, "auto", "bwrap", "landlock", "seatbelt"); err != nil {
		return err
	}
	if mine := env.mine(); mine != "" {
		return hint(fmt.Errorf("%w: this runs under dispatch %s already", dispatch.ErrConflict, mine), "conduct exec -- CMD")
	}
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	q, err := d.request(o.dispatchOptions, ttlGiven)
	if err != nil {
		return err
	}
	if _, err := d.sandbox(ctx, o.sandbox); err != nil {
		return err // nothing is dispatched for what cannot run
	}
	if err := d.log.Prepare(); err != nil {
		return err
	}
	d.chooseSandbox(ctx, &q.Grant)
	got, err := d.openBound(ctx, o.dispatchOptions, q)
	if err != nil {
		return err
	}
	if err := d.define(ctx, o.dispatchOptions, got); err != nil {
		return err
	}
	res, err := d.confined(ctx, got, o.sandbox, argv, true)
	if o.keep && err == nil {
		fmt.Fprintf(env.Stderr, "conduct: dispatch %s stays open\n", got.ID)
		return d.ended(argv, res)
	}
	if over := (overError{}); errors.As(err, &over) && over.state != string(dispatch.Expired) {
		return err // somebody else has given the verdict
	}
	// However the program ended, its unit is free afterwards.
	if rerr := o.release(context.WithoutCancel(ctx), d, got, res, err); rerr != nil {
		return errors.Join(err, rerr)
	}
	if err != nil {
		return err
	}
	return d.ended(argv, res)
}

// release ends the dispatch with the verdict that the options ask for.
func (o *runOptions) release(ctx context.Context, d *desk, got *dispatch.Dispatch, res sandbox.Result, failed error) error {
	v := dispatch.VerdictAbandoned
	switch {
	case failed != nil:
	case o.from == "exit" && res.Exit == 0:
		v = dispatch.VerdictReady
	case o.from == "exit":
		v = dispatch.VerdictNotReady
	case o.from == "file":
		v = readVerdict(string(got.ID))
	}
	end, err := d.release(ctx, dispatch.Selector{ID: got.ID}, v)
	if err != nil {
		return err
	}
	// The receipt must not mix with what the program printed.
	out := *d.env
	out.Stdout = d.env.Stderr
	d.env = &out
	return d.printReceipt(end)
}

// readVerdict reads the word that the program left; what is no verdict is abandoned.
func readVerdict(id string) dispatch.Verdict {
	dir, err := confine.Temp(os.TempDir(), id)
	if err != nil {
		return dispatch.VerdictAbandoned
	}
	data, err := os.ReadFile(filepath.Join(dir, "verdict"))
	if err != nil {
		return dispatch.VerdictAbandoned
	}
	word := dispatch.Verdict(strings.ToLower(strings.TrimSpace(string(data))))
	for _, v := range dispatch.Verdicts() {
		if v == word {
			return v
		}
	}
	return dispatch.VerdictAbandoned
}
