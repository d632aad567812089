package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/approval"
	questions "github.com/seed6310be5c/conduct/approval/file"
	"github.com/seed6310be5c/conduct/wire"
)

type approveOptions struct {
	allow, reject, watch bool
	session              string
}

func newApprove(env *Env) *cobra.Command {
	var o approveOptions
	c := &cobra.Command{
		Use: "approve [ID [--allow | --reject]] | --watch", Short: "answer the questions of dispatches that ask about blocked calls",
		Long: `Without an ID it lists the open questions, with one it shows that question; the first
4 characters of an ID will do. --allow lets the call through that waits for the answer,
that one and no other; --reject blocks it, as no answer does when the time is up.

With --watch it goes on with the questions to come, until it is interrupted; at a
terminal it asks for the answer to each.

conduct dispatch --on-block ask, or conduct knob set approval ask, makes a dispatch
ask. What an agent could use to widen its grant or to hide is never a question, nor is
what it could not do with a yes either.`,
		Args: atMostOne("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			return env.asConductor("answers are the conductor's", func(d *desk) error { return o.run(cmd.Context(), d, args) })
		},
	}
	f := c.Flags()
	f.BoolVar(&o.allow, "allow", false, "the call goes through, this once")
	f.BoolVar(&o.reject, "reject", false, "the call stays blocked")
	f.BoolVar(&o.watch, "watch", false, "show the questions to come as well, until it is interrupted")
	f.StringVar(&o.session, "session", "", "who answers (default: the conductor's session, or the user)")
	return c
}

func (o *approveOptions) check(args []string) error {
	switch {
	case o.allow && o.reject:
		return usageError{errors.New("--allow and --reject exclude each other")}
	case o.watch && (len(args) > 0 || o.allow || o.reject):
		return usageError{errors.New("--watch takes no question")}
	case len(args) == 0 && (o.allow || o.reject):
		return usageError{errors.New("the ID of the question is missing")}
	case len(o.session) > approval.MaxName || approval.Plain(o.session) != o.session:
		return usageError{fmt.Errorf("--session %q is too long, or has control characters", o.session)}
	}
	return nil
}

// questions is the journal of the workspace.
func (d *desk) questions() *questions.Store { return questions.Open(d.store) }

func (o *approveOptions) run(ctx context.Context, d *desk, args []string) error {
	q := d.questions()
	now := d.env.Clock.Now()
	if _, err := q.Settle(now); err != nil {
		d.env.warn("%s", oneLine(err.Error())) // they count as settled all the same
	}
	switch {
	case o.watch:
		return o.watched(ctx, d)
	case len(args) == 0:
		all, err := open(q, now)
		if err != nil {
			return err
		}
		return d.env.printQuestions(all)
	}
	e, err := q.Find(args[0], now)
	if err != nil {
		return questionHint(err)
	}
	if !o.allow && !o.reject {
		return d.env.printQuestion(e)
	}
	return o.answer(d, e)
}

// open lists the questions that wait for an answer.
func open(q *questions.Store, now time.Time) ([]questions.Entry, error) {
	all, err := q.All(now)
	if err != nil {
		return nil, err
	}
	return undecided(all), nil
}

func undecided(all []questions.Entry) []questions.Entry {
	return slices.DeleteFunc(all, func(e questions.Entry) bool { return e.Decision != nil })
}

// openQuestions counts the questions that wait for an answer.
func (d *desk) openQuestions() (int, error) {
	all, err := open(d.questions(), d.env.Clock.Now())
	return len(all), err
}

// answer notes the answer that the options say. What nobody decided in time is noted with it.
func (o *approveOptions) answer(d *desk, e questions.Entry) error {
	said := approval.Rejected
	if o.allow {
		said = approval.AllowedOnce
	}
	got, err := d.questions().Answer(e, approval.Decision{Answer: said, By: d.env.me(o.session), At: d.env.Clock.Now().UTC()})
	if err != nil {
		return questionHint(err)
	}
	e.Decision = &got
	if d.env.json {
		return d.env.printQuestion(e)
	}
	return d.env.print("%s %s\n", e.Key, got.Answer)
}

func questionHint(err error) error { return hint(err, "conduct approve") }

// watched shows each question once, and asks for an answer where a person can type one.
// It ends when it is interrupted, also while it asks, and when what is typed ends.
func (o *approveOptions) watched(ctx context.Context, d *desk) error {
	seen := map[string]bool{}
	err := repeat(ctx, glance, func() error {
		all, err := open(d.questions(), d.env.Clock.Now())
		if err != nil {
			return err
		}
		for _, e := range all {
			if seen[e.Key] {
				continue
			}
			seen[e.Key] = true
			if err := d.env.printQuestion(e); err != nil {
				return err
			}
			if d.env.json || !d.env.Terminal() {
				continue
			}
			if err := o.askFor(ctx, d, e); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errNothingTyped) {
		return nil
	}
	return err
}

// askFor reads the answer to a question that was shown. Only a plain "y" is a yes.
func (o *approveOptions) askFor(ctx context.Context, d *desk, e questions.Entry) error {
	if err := d.env.print("let it through, this once? [y/N] "); err != nil {
		return err
	}
	typed, err := d.env.typed(ctx)
	if err != nil {
		_ = d.env.print("\n") // what the shell prints next begins a line
		return err
	}
	one := *o
	one.allow = strings.EqualFold(strings.TrimSpace(typed), "y")
	now, err := d.questions().Find(e.Key, d.env.Clock.Now()) // its time may be up
	if err == nil {
		err = one.answer(d, now)
	}
	if errors.Is(err, questions.ErrDecided) || errors.Is(err, questions.ErrUnknown) {
		d.env.note("%s", oneLine(err.Error()))
		return nil
	}
	return err
}

func (e *Env) printQuestions(all []questions.Entry) error {
	if e.json {
		var w wire.Writer
		w.Object("").Array("questions")
		for i := range all {
			w.Object("")
			writeQuestion(&w, all[i])
			w.End()
		}
		w.End().End()
		return e.print("%s\n", w.Bytes())
	}
	if len(all) == 0 {
		return e.print("no open questions\n")
	}
	for _, q := range all {
		if err := e.printQuestion(q); err != nil {
			return err
		}
	}
	return nil
}

func writeQuestion(w *wire.Writer, q questions.Entry) {
	q.Fields(w)
	if q.Decision == nil {
		w.String("state", "open")
		return
	}
	w.String("state", "decided")
	q.Decision.Fields(w)
}

func (e *Env) printQuestion(q questions.Entry) error {
	if e.json {
		var w wire.Writer
		w.Object("")
		writeQuestion(&w, q)
		w.End()
		return e.print("%s\n", w.Bytes())
	}
	fmt.Fprintf(e.Stdout, "%s %s of unit %s, dispatch %s\n", q.Key, orElse(q.Agent, "an agent"), q.Unit, q.Dispatch)
	e.line("tool", q.Tool)
	e.line("command", q.Command)
	for _, p := range q.Parts {
		e.line("blocked", strings.TrimSpace(strings.Join(strings.Fields(p.Code+" "+p.Op), " ")+" "+p.Target))
	}
	if q.Decision == nil {
		return e.print("  %-12s %s until %s\n", "open", stamp(q.AskedAt), stamp(q.Deadline))
	}
	by := ""
	if q.Decision.By != "" {
		by = " by " + q.Decision.By
	}
	return e.print("  %-12s %s%s, %s\n", "decided", q.Decision.Answer, by, stamp(q.Decision.At))
}
