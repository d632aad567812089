package cli

import (
	"context"
	"errors"
	"fmt"
	"os/user"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/wire"
)

func newKnob(env *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "knob", Short: "change how a dispatch in force is held", Args: cobra.NoArgs,
		Long: `Three settings of a dispatch can be turned while it is in force. The next call of
its agent goes by them, and its worker is told in conduct brief.

  sandbox   read-only, workspace-write or off
  approval  ask (a blocked call is a question to a person) or never
  opaque    confine, block or allow (commands that are not understood)

What was never turned is as the dispatch was made.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newKnobSet(env), newKnobShow(env))
	return c
}

// knobSelection picks the dispatch whose knobs are meant.
type knobSelection struct{ dispatch, unit string }

func (s *knobSelection) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.dispatch, "dispatch", "", "of this dispatch")
	c.Flags().StringVar(&s.unit, "unit", "", "of the dispatch of this unit")
}

func (s *knobSelection) selector() (dispatch.Selector, error) {
	switch {
	case s.dispatch == "" && s.unit == "":
		return dispatch.Selector{}, usageError{errors.New("--dispatch or --unit is missing")}
	case s.dispatch != "" && s.unit != "":
		return dispatch.Selector{}, usageError{errors.New("--dispatch and --unit exclude each other")}
	}
	return dispatch.Selector{ID: dispatchID(s.dispatch), Unit: s.unit, AnyAgent: true}, nil
}

// asConductor opens the workspace for a verb that no dispatched agent may run; what
// says whose it is.
func (e *Env) asConductor(what string, do func(*desk) error) error {
	d, err := e.openAsConductor(what)
	if err != nil {
		return err
	}
	defer d.close()
	return do(d)
}

// openAsConductor opens the workspace, but not where a dispatch is the caller's own: the
// hook blocks an agent's call of such a verb, and this is for what runs below the call.
func (e *Env) openAsConductor(what string) (*desk, error) {
	if mine := e.mine(); mine != "" {
		return nil, hint(fmt.Errorf("%w: this runs under dispatch %s, and %s", dispatch.ErrConflict, mine, what),
			"run it outside of the agent that was dispatched")
	}
	return e.open()
}

const dispatchesAreTheConductors = "dispatches are the conductor's"

const knobsAreTheConductors = "knobs are the conductor's"

func newKnobSet(env *Env) *cobra.Command {
	var s knobSelection
	var session string
	c := &cobra.Command{
		Use: "set --dispatch ID | --unit U KNOB VALUE", Short: "turn a knob", Args: wanted("KNOB", "VALUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			sel, err := s.selector()
			if err != nil {
				return err
			}
			name, value, err := knobs.Parse(args[0], args[1])
			if err != nil {
				return usageError{err}
			}
			return env.asConductor(knobsAreTheConductors, func(d *desk) error {
				return d.turn(cmd.Context(), sel, knobs.Event{Knob: name, Value: value, By: env.me(session)})
			})
		},
	}
	s.flags(c)
	c.Flags().StringVar(&session, "session", "", "the conductor's session (default: as the client's variable says)")
	return c
}

// me names who runs a command: the conductor's session, or else the user.
func (e *Env) me(session string) string {
	if s := e.session(session); s != "" {
		return s
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "somebody"
}

// turn sets a knob, with what the new value needs.
func (d *desk) turn(ctx context.Context, sel dispatch.Selector, e knobs.Event) error {
	got, changed, err := d.book.Turn(ctx, sel, e, func(g *grants.Grant) error {
		switch {
		case e.Value == knobs.Ask:
			return d.noteWait(g)
		case e.Value == knobs.Confine && g.Sandbox == "":
			d.probe(ctx, g)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if d.env.json {
		return d.printKnobs(got, &changed)
	}
	if !changed {
		return d.env.print("%s %s is %s already\n", got.ID, e.Knob, e.Value)
	}
	return d.env.print("%s %s is %s now (generation %d)\n", got.ID, e.Knob, e.Value, got.Generation)
}

func newKnobShow(env *Env) *cobra.Command {
	var s knobSelection
	c := &cobra.Command{
		Use: "show --dispatch ID | --unit U", Short: "show the knobs of a dispatch, and who turned them", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			sel, err := s.selector()
			if err != nil {
				return err
			}
			return env.asConductor(knobsAreTheConductors, func(d *desk) error {
				got, err := d.book.Find(sel)
				if err != nil {
					return err
				}
				if env.json {
					return d.printKnobs(got, nil)
				}
				return env.printKnobs(got)
			})
		},
	}
	s.flags(c)
	return c
}

func (e *Env) printKnobs(got *dispatch.Dispatch) error {
	set := got.Grant.Knobs()
	for _, n := range knobs.Names() {
		from := "as it was dispatched"
		if last, ok := knobs.Last(got.Grant.Turned, n); ok {
			from = fmt.Sprintf("by %s, %s", last.By, stamp(last.Time))
		}
		if err := e.print("%-9s %-16s %s\n", n, set.Of(n), from); err != nil {
			return err
		}
	}
	return nil
}

// printKnobs writes the knobs of a dispatch as one object; changed is whether this
// command turned one, nil when it was none to do so.
func (d *desk) printKnobs(got *dispatch.Dispatch, changed *bool) error {
	set := got.Grant.Knobs()
	var w wire.Writer
	w.Object("").String("dispatch", string(got.ID)).Int("generation", int64(got.Generation))
	if changed != nil {
		w.Bool("changed", *changed)
	}
	w.Object("knobs")
	for _, n := range knobs.Names() {
		w.Object(string(n)).String("value", string(set.Of(n))).String("default", string(got.Grant.Defaults().Of(n)))
		if last, ok := knobs.Last(got.Grant.Turned, n); ok {
			w.String("from", "event").Int("seq", int64(last.Seq)).String("by", last.By).Time("time", last.Time)
		} else {
			w.String("from", "default")
		}
		w.End()
	}
	w.End().Array("events")
	for _, e := range got.Grant.Turned {
		w.Object("").Int("seq", int64(e.Seq)).Time("time", e.Time).String("knob", string(e.Knob)).
			String("value", string(e.Value)).String("by", e.By).End()
	}
	w.End().End()
	return d.env.print("%s\n", w.Bytes())
}

// untold returns the turns of a dispatch's knobs of which its worker was not told, and
// notes that it is. What cannot be noted is told, once too often rather than never.
func (d *desk) untold(got *dispatch.Dispatch) []knobs.Event {
	var out []knobs.Event
	for _, e := range got.Grant.Turned {
		if first, err := d.book.Tell(got.ID, e.Seq); first || err != nil {
			out = append(out, e)
		}
	}
	return out
}
