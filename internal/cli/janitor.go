package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/janitor"
	"github.com/seed6310be5c/conduct/wire"
)

func newJanitor(env *Env) *cobra.Command {
	var o janitorOptions
	c := &cobra.Command{
		Use: "janitor [--dry-run] [--clear-damaged] [--every D]", Short: "tidy what is past its time",
		Long: `Ends dispatches whose time is up, deletes what ended longer ago than the
retention time, and moves damaged records aside. What a damaged record blocked
stays blocked until --clear-damaged.

With --every 10m it does so again and again, until it is interrupted; a failure is
said, and what is left is for the next time.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("every") {
				return o.once(cmd.Context(), env)
			}
			return o.repeated(cmd.Context(), env)
		},
	}
	c.Flags().BoolVar(&o.dry, "dry-run", false, "only say what would be done")
	c.Flags().BoolVar(&o.clear, "clear-damaged", false, "delete damaged records, and free what they block")
	c.Flags().StringVar(&o.every, "every", "", "again and again, at least 1s apart")
	return c
}

type janitorOptions struct {
	dry, clear bool
	every      string
}

// repeated tidies until ctx ends. It opens the store anew each time, and reads
// conduct.yaml with it.
func (o *janitorOptions) repeated(ctx context.Context, env *Env) error {
	every, err := config.ParseDuration(o.every)
	if err != nil || every < time.Second {
		return usageError{fmt.Errorf("--every %q is not a duration of at least 1s", o.every)}
	}
	d, err := env.open() // where there is no workspace, there will be none
	if err != nil {
		return err
	}
	d.close()
	return repeat(ctx, every, func() error {
		if err := o.once(ctx, env); err != nil && ctx.Err() == nil {
			env.warn("%s", oneLine(err.Error()))
		}
		return nil
	})
}

func (o *janitorOptions) once(ctx context.Context, env *Env) error {
	enter := env.open
	if o.clear {
		enter = func() (*desk, error) {
			return env.openAsConductor("what is damaged blocks until the conductor clears it")
		}
	}
	d, err := enter()
	if err != nil {
		return err
	}
	defer d.close()
	cleared := 0
	if o.clear && !o.dry {
		if cleared, err = d.book.Store.Clear(ctx); err != nil {
			return err
		}
	}
	j := janitor.Janitor{Book: d.book, Log: d.log, Questions: d.questions()}
	r, err := j.Run(ctx, janitor.Options{Retention: d.retention(), DryRun: o.dry})
	if err != nil {
		return err
	}
	if o.clear && !o.dry && len(r.SetAside) > 0 {
		n, err := d.book.Store.Clear(ctx)
		cleared += n
		if err != nil {
			return err
		}
	}
	if !o.dry {
		d.undefine()
	}
	if o.every != "" && cleared == 0 && r.Nothing() {
		return nil
	}
	return env.printJanitor(r, cleared, o.dry)
}

func (e *Env) printJanitor(r janitor.Report, cleared int, dry bool) error {
	if e.json {
		var w wire.Writer
		w.Object("").Array("expired")
		for _, id := range r.Expired {
			w.String("", string(id))
		}
		w.End().Int("deleted", int64(r.Deleted)).Array("set_aside")
		for _, id := range r.SetAside {
			w.String("", string(id))
		}
		w.End().Int("swept", int64(r.Swept)).Int("cleared", int64(cleared)).Bool("dry_run", dry).End()
		_, err := fmt.Fprintf(e.Stdout, "%s\n", w.Bytes())
		return err
	}
	would := ""
	if dry {
		would = "would be "
	}
	_, err := fmt.Fprintf(e.Stdout, "%d %sexpired, %d %sdeleted, %d damaged %sset aside, %d leftovers %sremoved, %d damaged cleared\n",
		len(r.Expired), would, r.Deleted, would, len(r.SetAside), would, r.Swept, would, cleared)
	return err
}

func newOff(env *Env) *cobra.Command {
	var long string
	c := &cobra.Command{
		Use: "off --for D", Short: "let the guard stand aside for a while (at a terminal)", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := env.person(); err != nil {
				return err
			}
			ttl, err := config.ParseDuration(long)
			if err != nil || ttl <= 0 || ttl > 24*time.Hour {
				return fmt.Errorf("--for %q is %w: more than 0, at most 1d", long, dispatch.ErrTTL)
			}
			return env.setOff(env.Clock.Now().Add(ttl))
		},
	}
	c.Flags().StringVar(&long, "for", "", "for how long")
	return c
}

func newOn(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "on", Short: "end conduct off", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return env.setOff(time.Time{}) },
	}
}

// person fails where no person types the command: an agent's shell has no
// terminal, or the marks of its program.
func (e *Env) person() error {
	err := errors.New("only a person at a terminal can do that")
	for _, v := range []string{varDispatch, "CLAUDECODE", "GEMINI_CLI", "QWEN_CODE", "CODEX_SANDBOX"} {
		if e.Getenv(v) != "" {
			return hint(err, "run it in your own terminal, outside of the agent program")
		}
	}
	if !e.Terminal() {
		return hint(err, "run it in your own terminal")
	}
	return nil
}

func (e *Env) setOff(until time.Time) error {
	d, err := e.openAsConductor("the guard is a person's to switch")
	if err != nil {
		return err
	}
	defer d.close()
	if err := d.book.SetOff(until); err != nil {
		return fmt.Errorf("cannot switch the guard: %w", err)
	}
	said := "the guard acts"
	if !until.IsZero() {
		said = "the guard stands aside until " + stamp(until)
	}
	if e.json {
		var w wire.Writer
		w.Object("").Time("off_until", until).End()
		_, err = fmt.Fprintf(e.Stdout, "%s\n", w.Bytes())
		return err
	}
	_, err = fmt.Fprintln(e.Stdout, said)
	return err
}
