package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/store"
)

type logOptions struct {
	unit            string
	blocked, follow bool
}

func newLog(env *Env) *cobra.Command {
	var o logOptions
	c := &cobra.Command{
		Use: "log [-f] [--unit U] [--blocked]", Short: "show the judged calls", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	c.Flags().StringVar(&o.unit, "unit", "", "only calls of dispatches of this unit")
	c.Flags().BoolVar(&o.blocked, "blocked", false, "only calls that were blocked, or would have been")
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with the calls to come, until it is interrupted")
	return c
}

// glance is how often what is watched is looked at.
const glance = time.Second

// run prints the calls of every stream in the order of their times; those to
// come in the order in which they are seen.
func (o *logOptions) run(ctx context.Context, env *Env) error {
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	tail := d.log.Tail()
	want := func(stream string) bool { return o.unit == "" || d.isOf(stream, o.unit) }
	asked := map[string]bool{} // lines of questions that were printed
	units := map[string]string{}
	unitOf := func(id string) string {
		if _, ok := units[id]; !ok {
			units[id] = dash(d.dispatchUnit(store.ID(id)))
		}
		return units[id]
	}
	more := func() error {
		lines, err := tail.Next(want)
		if err != nil {
			return err
		}
		if !o.blocked { // a question is no call
			if lines, err = d.withQuestions(lines, want, asked); err != nil {
				return err
			}
		}
		return o.print(env, lines, unitOf)
	}
	if !o.follow {
		return more()
	}
	return repeat(ctx, glance, more)
}

func (o *logOptions) print(env *Env, lines []audit.Line, unitOf func(dispatch string) string) error {
	for i := range lines {
		l := &lines[i]
		if l.Event != "" && !ofQuestion(l) || o.blocked && l.Allowed && l.Would == "" {
			continue
		}
		var err error
		if env.json {
			_, err = fmt.Fprintf(env.Stdout, "%s\n", l.Public())
		} else {
			_, err = fmt.Fprintf(env.Stdout, "%s %-8s %-22s %s\n", logTime(l.Time), unitOf(l.Dispatch), l.Agent, tell(l))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func logTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// tell writes a line for people, of a call or of a question.
func tell(l *audit.Line) string {
	switch l.Event {
	case eventAsked:
		return fmt.Sprintf("asked   %-15s %-6s %s", l.Code, l.Op, l.Target)
	case eventDecided:
		return fmt.Sprintf("decided %s", l.Reason)
	}
	return describe(l)
}

// isOf says whether a stream is that of a dispatch of a unit.
func (d *desk) isOf(stream, name string) bool {
	got, err := d.own(stream)
	return err == nil && (got.Unit == name || slices.Contains(got.Grant.Own.Paths, name))
}
