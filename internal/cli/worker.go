package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// A worker's verbs name its dispatch, and never an item: which item that is, is the
// conductor's to say. That the dispatch is the caller's own is the guard's to hold.

func newBrief(env *Env) *cobra.Command {
	var id string
	var log bool
	c := &cobra.Command{
		Use: "brief [--dispatch ID] [--log]", Short: "a worker's own item on the board, and what is to be known of its siblings", Args: cobra.NoArgs,
		Long: `Shows the item that a dispatch is bound to: title, acceptance, what was decided. Of
the other open items it shows the title, the status and typed pointers, and no
word of another worker. --log shows what has happened to the own item too, in all its
rounds: reports, requests and decisions.

A worker names its own dispatch: the line conduct:ID at the beginning of its
prompt is --dispatch ID.`,
		RunE: func(*cobra.Command, []string) error {
			return env.asWorker(id, func(d *desk, got *dispatch.Dispatch) error {
				v, err := d.brief(got, log)
				if err != nil {
					return err
				}
				if env.json {
					return env.print("%s\n", ledger.Encode(v))
				}
				return env.printBrief(v)
			})
		},
	}
	c.Flags().StringVar(&id, "dispatch", "", "your own dispatch (default: CONDUCT_DISPATCH)")
	c.Flags().BoolVar(&log, "log", false, "what has happened to the own item, too")
	return c
}

// brief is all that the worker of a dispatch sees; with log, what has happened to its
// item too.
func (d *desk) brief(got *dispatch.Dispatch, log bool) (ledger.Brief, error) {
	b, own, err := d.board().Brief(got.ID)
	if err != nil {
		return ledger.Brief{}, err
	}
	v, err := b.Brief(own, d.present())
	if err != nil {
		return ledger.Brief{}, err
	}
	if log {
		events, err := d.board().Events(own)
		if err != nil {
			return ledger.Brief{}, err
		}
		v.Recount(events)
	}
	v.Tell(got.Grant.Knobs(), d.untold(got)) // last: it counts as told
	return v, nil
}

// asWorker opens the workspace for a verb of the worker of a dispatch.
func (e *Env) asWorker(given string, do func(*desk, *dispatch.Dispatch) error) error {
	mine := e.mine()
	given = string(dispatchID(given))
	if given == "" {
		given = mine
	}
	if given == "" {
		return hint(usageError{errors.New("--dispatch is missing")}, "the line conduct:ID in your prompt is --dispatch ID")
	}
	if mine != "" && mine != given {
		return hint(fmt.Errorf("%w: this runs under dispatch %s", dispatch.ErrConflict, mine), "leave out --dispatch")
	}
	d, err := e.open()
	if err != nil {
		return err
	}
	defer d.close()
	got, err := d.own(given)
	if err != nil {
		return err
	}
	if !got.Live() {
		return hinted{error: fmt.Errorf("%w: dispatch %s is %s", dispatch.ErrConflict, got.ID, got.Now), code: string(ledger.NotBound),
			hint: "ask the conductor for a new dispatch"}
	}
	return d.workerHint(got.ID, do(d, got))
}

// workerHint adds to a refusal what the worker of a dispatch can do about it.
func (d *desk) workerHint(by store.ID, err error) error {
	if errors.Is(err, store.ErrDamaged) { // the board's files are the conductor's to correct
		return hint(err, "tell the conductor: conduct board show, or conduct doctor, shows it the same")
	}
	var refused *ledger.Error
	if !errors.As(err, &refused) {
		return err
	}
	code := refused.Code
	if code == ledger.ItemClosed && refused.Item == d.item(by) {
		code = ledger.NotBound // it has nothing to work on any more
	}
	switch code {
	case ledger.NotBound, ledger.EventCapExceeded:
		return hint(err, "ask the conductor for an item to work on")
	case ledger.ItemClosed, ledger.UnknownItem:
		return hint(err, "conduct brief shows the items that are open")
	case ledger.NoChannel, ledger.ChannelExpired, ledger.ChannelExhausted:
		return hint(err, "conduct request --kind channel --to %s", refused.Item)
	case ledger.FieldInvalid:
		if refused.Field == "to" {
			return hint(err, "conduct brief lists the items of the others")
		}
	}
	return err
}

func (e *Env) printBrief(v ledger.Brief) error {
	fmt.Fprintf(e.Stdout, "%s %s\n", v.Item, v.Title)
	e.line("acceptance", v.Acceptance)
	e.line("round", fmt.Sprint(v.Round))
	e.line("decision", v.Decision)
	e.line("status", string(v.Status))
	e.line("summary", v.Summary)
	e.line("artifacts", pointers(v.Artifacts))
	if !v.LastReportAt.IsZero() {
		e.line("reported", stamp(v.LastReportAt))
	}
	if v.Unread > 0 {
		e.line("inbox", fmt.Sprintf("%d unread (conduct inbox)", v.Unread))
	}
	e.line("knobs", fmt.Sprintf("sandbox %s, approval %s, opaque %s", v.Knobs.Sandbox, v.Knobs.Approval, v.Knobs.Opaque))
	for _, c := range v.Changed {
		e.line("changed", fmt.Sprintf("%s is %s now, by %s, %s", c.Knob, c.Value, c.By, stamp(c.Time)))
	}
	for _, s := range v.Siblings {
		line := fmt.Sprintf("sibling %s %s: %s %s", s.Item, s.Status, s.Title, pointers(s.Artifacts))
		if err := e.print("%s\n", strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	for i := range v.Log {
		if err := e.print("%s %s\n", stamp(v.Log[i].Time), ownText(&v.Log[i])); err != nil {
			return err
		}
	}
	return nil
}

// ownText says an event of a worker's own item in one line. Of a binding it does not say
// which dispatch it was of.
func ownText(e *ledger.OwnEvent) string {
	if e.Kind == ledger.KindBind {
		return "given to a worker"
	}
	return eventText(&ledger.Event{Kind: e.Kind, Report: ledger.ReportKind(e.Report), Request: ledger.RequestKind(e.Request),
		To: e.To, Text: e.Text, Artifacts: e.Artifacts})
}

type reportOptions struct {
	dispatch, kind string
	artifacts      []string
}

func newReport(env *Env) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report --kind progress|done|blocked|question [--artifact TYPE:VALUE]… SUMMARY",
		Short: "a worker tells the conductor where it stands",
		Long: `Adds a report to the worker's own item on the board. The summary, at most 500 bytes
in one line, is for the conductor alone. An artifact is a pointer that the other
workers see too, and so has one of these shapes:

` + shapes() + `
A report of progress takes the place of the one before. A report that says what
the last one said changes nothing, so that it can be sent again.`,
		Args: wanted("SUMMARY"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args[0]) },
	}
	c.Flags().StringVar(&o.kind, "kind", "", "progress, done, blocked or question")
	c.Flags().StringArrayVar(&o.artifacts, "artifact", nil, "what was made, as TYPE:VALUE")
	c.Flags().StringVar(&o.dispatch, "dispatch", "", "your own dispatch (default: CONDUCT_DISPATCH)")
	return c
}

func shapes() string {
	var b strings.Builder
	for _, p := range ledger.PointerTypes() {
		fmt.Fprintf(&b, "  %-7s %s\n", p, p.Shape())
	}
	return b.String()
}

func (o *reportOptions) run(ctx context.Context, env *Env, summary string) error {
	if o.kind == "" {
		return usageError{errors.New("--kind is missing")}
	}
	r, err := reportOf(ledger.ReportKind(o.kind), summary, o.artifacts)
	if err != nil {
		return err
	}
	return env.asWorker(o.dispatch, func(d *desk, got *dispatch.Dispatch) error {
		v, err := d.report(ctx, got, r)
		if err != nil {
			return err
		}
		return env.printReported(v)
	})
}

func reportOf(kind ledger.ReportKind, summary string, artifacts []string) (ledger.Report, error) {
	r := ledger.Report{Kind: kind, Summary: summary}
	for _, a := range artifacts {
		p, err := ledger.ParsePointer(a)
		if err != nil {
			return r, err
		}
		r.Artifacts = append(r.Artifacts, p)
	}
	return r, nil
}

// reported is what came of a report.
type reported struct {
	item     ledger.Item
	repeated bool // it was there already
}

func (d *desk) report(ctx context.Context, got *dispatch.Dispatch, r ledger.Report) (reported, error) {
	own, err := d.board().BoundItem(got.ID)
	if err != nil {
		return reported{}, err
	}
	it, err := d.board().Change(ctx, own.ID, func(it *ledger.Item) (ledger.Event, error) {
		return it.PlanReport(got.ID, r, d.env.Clock.Now())
	})
	repeated := errors.Is(err, ledger.ErrSame)
	if repeated {
		err = nil
	}
	return reported{it, repeated}, err
}

func (r reported) encode() []byte {
	var w wire.Writer
	w.Object("").String("item", string(r.item.ID)).String("status", string(r.item.Status)).Bool("repeated", r.repeated).End()
	return w.Bytes()
}

func (e *Env) printReported(r reported) error {
	switch {
	case e.json:
		return e.print("%s\n", r.encode())
	case r.repeated:
		return e.print("%s %s: that was reported already\n", r.item.ID, r.item.Status)
	}
	return e.print("%s %s: reported\n", r.item.ID, r.item.Status)
}
