package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// asError is errors.As with the target's type inferred.
func asError[T error](err error, target *T) bool { return errors.As(err, target) }

// writeDispatch writes the fields of a dispatch as status lists them.
func (d *desk) writeDispatch(w *wire.Writer, got *dispatch.Dispatch, t *audit.Tally) {
	if t == nil {
		t = &audit.Tally{}
	}
	remaining := int64(got.ExpiresAt.Sub(d.env.Clock.Now()).Seconds())
	if !got.Live() || remaining < 0 {
		remaining = 0
	}
	w.String("id", string(got.ID)).String("unit", got.Unit).String("agent", got.Agent).String("role", got.Role).
		String("stage", got.Stage).String("note", got.Note).String("state", string(got.Now)).
		Time("issued_at", got.IssuedAt).Time("expires_at", got.ExpiresAt).Int("remaining_s", remaining).
		Time("last_call_at", t.Last).Int("generation", int64(got.Generation)).Bool("seen", !got.SeenAt.IsZero() || !t.Last.IsZero()).
		String("verdict", string(got.Verdict)).String("item", string(d.item(got.ID))).Strings("agents", t.Agents)
	w.Object("calls").Int("allowed", int64(t.Allowed)).Int("blocked", int64(t.Blocked)).End()
}

type statusOptions struct {
	all, watch bool
	dispatch   string
}

func newStatus(env *Env) *cobra.Command {
	var o statusOptions
	c := &cobra.Command{
		Use: "status", Short: "show the dispatches in force, and what is wrong", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	c.Flags().BoolVar(&o.all, "all", false, "those that have ended too")
	c.Flags().StringVar(&o.dispatch, "dispatch", "", "only this one")
	c.Flags().BoolVar(&o.watch, "watch", false, "show it anew whenever it changes, until it is interrupted")
	return c
}

// view is what status shows.
type view struct {
	dispatches   []*dispatch.Dispatch
	tallies      []audit.Tally
	items        items
	undispatched int
	damaged      []store.Damage
	off          time.Time
	open         int // questions that wait for an answer
}

func (o *statusOptions) run(ctx context.Context, env *Env) error {
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	if o.watch {
		return d.watch(ctx, o)
	}
	v, err := d.look(o)
	if err != nil {
		return err
	}
	return d.show(v)
}

func (d *desk) show(v view) error {
	if d.env.json {
		return d.printStatusJSON(v)
	}
	return d.printStatus(v)
}

// clear empties a terminal.
const clear = "\x1b[H\x1b[2J"

// watch shows the status whenever it changes. At a terminal, where it replaces what
// was shown, time passing is a change too.
func (d *desk) watch(ctx context.Context, o *statusOptions) error {
	screen, last := isTerminal(d.env.Stdout) && !d.env.json, ""
	return repeat(ctx, glance, func() error {
		v, err := d.look(o)
		if err != nil {
			return err
		}
		if now := v.gist(); now != last || screen {
			last = now
			if screen {
				fmt.Fprint(d.env.Stdout, clear)
			}
			return d.show(v)
		}
		return nil
	})
}

// isTerminal says whether what is written is seen at once by a person.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// gist is what a view says, but for how long ago and how long still.
func (v view) gist() string {
	var b strings.Builder
	for i, got := range v.dispatches {
		t := &v.tallies[i]
		fmt.Fprintln(&b, got.ID, got.Generation, got.Now, got.ExpiresAt.Unix(), got.ActiveAt().IsZero(), t.Allowed, t.Blocked, t.Agents)
	}
	fmt.Fprintln(&b, v.undispatched, v.damaged, v.off.Unix(), v.items, v.open)
	return b.String()
}

func (d *desk) look(o *statusOptions) (view, error) {
	var v view
	id := o.dispatch
	if id == "" && !o.all {
		id = d.env.mine()
	}
	if id != "" {
		got, err := d.own(id)
		if err != nil {
			return v, err
		}
		v.dispatches = []*dispatch.Dispatch{got}
	} else {
		found, err := d.book.List(o.all)
		if err != nil {
			return v, err
		}
		v.damaged = found.Damaged
		for _, got := range found.Dispatches {
			// One whose time is up still holds its agent's name: it is shown.
			if o.all || got.Live() || got.State == dispatch.Reserved {
				v.dispatches = append(v.dispatches, got)
			}
		}
	}
	v.items = d.itemsOf(v.dispatches)
	var since time.Time
	for _, got := range v.dispatches {
		t, err := d.log.Tally(string(got.ID))
		if err != nil {
			return v, err
		}
		v.tallies = append(v.tallies, t)
		if got.Live() && (since.IsZero() || got.IssuedAt.Before(since)) {
			since = got.IssuedAt
		}
	}
	var err error
	if !since.IsZero() && id == "" {
		v.undispatched, err = d.log.Count(audit.Undispatched, since, d.env.Clock.Now())
	}
	v.off = d.book.Off()
	if err == nil && id == "" {
		v.open, err = d.openQuestions()
	}
	return v, err
}

// varDispatch names a worker's own dispatch in its environment.
const varDispatch = "CONDUCT_DISPATCH"

// dispatchID reads an id as people give it, and as the guard reads it in their lines.
func dispatchID(s string) store.ID { return guard.Named(s) }

// mine is the dispatch that this process works under, "" for none.
func (e *Env) mine() string { return string(dispatchID(e.Getenv(varDispatch))) }

// varConfined is set in the environment of what runs confined.
const varConfined = "CONDUCT_CONFINED"

// own reads the dispatch that a worker names as its own.
func (d *desk) own(id string) (*dispatch.Dispatch, error) {
	got, err := d.book.Find(dispatch.Selector{ID: dispatchID(id)})
	if errors.Is(err, dispatch.ErrNone) {
		return nil, hinted{error: err, code: "undispatched", hint: "ask the conductor for the id of your dispatch"}
	}
	return got, err
}

func (d *desk) printStatusJSON(v view) error {
	var w wire.Writer
	w.Object("").Array("dispatches")
	for i, got := range v.dispatches {
		w.Object("")
		d.writeDispatch(&w, got, &v.tallies[i])
		w.End()
	}
	w.End().Int("undispatched_calls", int64(v.undispatched)).Array("damaged")
	for _, dam := range v.damaged {
		w.Object("").String("file", dam.File).String("reason", dam.Reason).End()
	}
	w.End().Int("open_questions", int64(v.open)).Time("off_until", v.off).String("shell", shellNote).End()
	_, err := fmt.Fprintf(d.env.Stdout, "%s\n", w.Bytes())
	return err
}

// shellNote is said wherever somebody could rely on more.
const shellNote = "commands are judged by what they do; one that is not understood is confined, blocked or allowed, as its dispatch says"

func (d *desk) printStatus(v view) error {
	out := d.env.Stdout
	if _, err := d.settings(); err != nil {
		d.env.warn("%s: the scope of each dispatch is as it was when it was made", oneLine(err.Error()))
	}
	if !v.off.IsZero() {
		fmt.Fprintf(out, "the guard stands aside until %s (conduct on)\n", v.off.UTC().Format(time.RFC3339))
	}
	if len(v.dispatches) == 0 {
		fmt.Fprintln(out, "no dispatch in force")
	} else {
		now := d.env.Clock.Now()
		w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tUNIT\tAGENT\tSTATE\tLEFT\tLAST CALL\tALLOWED\tBLOCKED"+v.items.head())
		for i, got := range v.dispatches {
			last := "none seen"
			if !v.tallies[i].Last.IsZero() {
				last = now.Sub(v.tallies[i].Last).Round(time.Second).String() + " ago"
			}
			left := "-"
			if got.Live() {
				left = got.ExpiresAt.Sub(now).Round(time.Second).String()
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d%s\n", got.ID, got.Unit, got.Agent, got.Now, left, last,
				v.tallies[i].Allowed, v.tallies[i].Blocked, v.items.cell(got.ID))
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(out, "shell: %s\n", shellNote)
	}
	if v.undispatched > 0 {
		fmt.Fprintf(out, "%d calls on unit paths by agents that nobody dispatched\n", v.undispatched)
	}
	if v.open > 0 {
		fmt.Fprintf(out, "questions that wait for an answer: %d (conduct approve)\n", v.open)
	}
	for _, dam := range v.damaged {
		fmt.Fprintf(out, "damaged: %s: %s\n", dam.File, dam.Reason)
	}
	return nil
}
