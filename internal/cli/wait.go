package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/news"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// between is how often a board is looked at while nothing happens on it.
const between = 250 * time.Millisecond

type waitOptions struct {
	timeout string
	all     bool
}

func newBoardWait(env *Env) *cobra.Command {
	var o waitOptions
	c := &cobra.Command{
		Use: "wait [--timeout 9m]", Short: "wait until something happens that concerns the conductor, and print it", Args: cobra.NoArgs,
		Long: `Returns at once when something has happened since the last time, and else when
something does: a report of done, blocked or question; a request; a blocked call that
waits for an answer (conduct approve); a worker that has said nothing for long, or
whose dispatch is over without a verdict. A report of progress and messages over a
channel are passed over, for good, unless --all is given.

Each thing is told once. After --timeout there is nothing to tell, which is no
failure. A board that cannot be read is one, and never "nothing happened".`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			limit := time.Duration(0)
			if cmd.Flags().Changed("timeout") {
				var err error
				if limit, err = config.ParseDuration(o.timeout); err != nil || limit <= 0 {
					return usageError{fmt.Errorf("--timeout %q is no duration such as \"90s\" or \"9m\"", o.timeout)}
				}
			}
			return env.onBoard(func(d *desk) error { return d.wait(cmd.Context(), limit, o.all) })
		},
	}
	c.Flags().StringVar(&o.timeout, "timeout", "", "how long at the most (default: until something happens)")
	c.Flags().BoolVar(&o.all, "all", false, "progress and messages too")
	return c
}

// errEnough ends a wait.
var errEnough = errors.New("enough")

func (d *desk) wait(ctx context.Context, limit time.Duration, all bool) error {
	waiting := ctx
	if limit > 0 {
		var stop context.CancelFunc
		waiting, stop = context.WithTimeout(ctx, limit)
		defer stop()
	}
	var told bool
	var failed error
	_ = repeat(waiting, between, func() error { // it ends with errEnough, or the time is up
		if told, failed = d.tell(ctx, all); told || failed != nil {
			return errEnough
		}
		return nil
	})
	switch {
	case told, failed != nil:
		return failed
	case ctx.Err() != nil:
		return errors.New("interrupted before anything happened")
	}
	return d.env.printNews(nil)
}

// tell prints what has happened since the conductor was told last, if anything has.
func (d *desk) tell(ctx context.Context, all bool) (told bool, err error) {
	entries, next, err := d.news(all)
	if err != nil || len(entries) == 0 {
		return false, err
	}
	if err := d.env.printNews(entries); err != nil {
		return true, err
	}
	return true, d.board().SetTold(ctx, next.Encode())
}

// news is what has happened since the conductor was told last.
func (d *desk) news(all bool) ([]news.Entry, news.Cursor, error) {
	var cursor news.Cursor
	data, err := d.board().Told()
	switch {
	case err == nil:
		if cursor, err = news.DecodeCursor(data); err != nil {
			d.env.warn("how far you were told cannot be read, so all is told again")
			cursor = news.Cursor{}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, cursor, err
	}
	b, err := d.board().Board()
	if err != nil {
		return nil, cursor, err
	}
	pairs, err := d.mail().Pairs("")
	if err != nil {
		return nil, cursor, err
	}
	asked, err := d.asked()
	if err != nil {
		return nil, cursor, err
	}
	return news.Since(cursor, news.Board{
		Items: b.Items, Present: d.present(), Events: d.board().Events, Pairs: pairs, Written: d.mail().Events, Questions: asked,
	}, all)
}

// asked are the questions that wait for an answer. Those that cannot be read are not none.
func (d *desk) asked() ([]news.Question, error) {
	all, err := d.questions().Whole(d.env.Clock.Now())
	if err != nil {
		return nil, err
	}
	var out []news.Question
	for _, e := range undecided(all) {
		text := e.Tool
		if e.Command != "" {
			text += ": " + e.Command
		} else if len(e.Parts) > 0 {
			text += ": " + e.Parts[0].Op + " " + e.Parts[0].Target
		}
		out = append(out, news.Question{ID: e.Key, Dispatch: e.Dispatch, Text: text, At: e.AskedAt})
	}
	return out, nil
}

func (e *Env) printNews(entries []news.Entry) error {
	if e.json {
		var w wire.Writer
		w.Object("").Array("events")
		for _, n := range entries {
			w.Object("")
			ledger.WriteFields(&w, n)
			w.End()
		}
		w.End().Bool("timed_out", len(entries) == 0).End()
		return e.print("%s\n", w.Bytes())
	}
	if len(entries) == 0 {
		return e.print("nothing happened\n")
	}
	for _, n := range entries {
		if err := e.print("%s %s %s\n", stamp(n.Time), dash(string(n.Item)), newsText(n)); err != nil {
			return err
		}
	}
	return nil
}

// newsText says an entry in one line. What a worker wrote stands in quotation marks.
func newsText(n news.Entry) string {
	switch n.Kind {
	case news.Report:
		says := n.Says
		if n.Undoes != "" {
			says += " after " + n.Undoes
		}
		return strings.TrimSpace(fmt.Sprintf("reported %s: %q %s", says, n.Text, pointers(n.Artifacts)))
	case news.Request:
		return fmt.Sprintf("asks for a %s to %s: %q", n.Says, n.To, n.Text)
	case news.Message:
		return fmt.Sprintf("wrote to %s: %q", n.To, n.Text)
	case news.Asked:
		return fmt.Sprintf("dispatch %s asks, conduct approve %s: %q", n.Dispatch, n.Question, n.Text)
	case news.Stale:
		return fmt.Sprintf("is stale: dispatch %s has said nothing for %s", n.Dispatch, ledger.StaleAfter)
	}
	return fmt.Sprintf("is orphaned: dispatch %s is over, and there is no verdict", n.Dispatch)
}

func newBoardAccept(env *Env) *cobra.Command {
	var item string
	c := &cobra.Command{
		Use: "accept --item ITEM", Short: "list what is to be checked before an item is judged", Args: cobra.NoArgs,
		Long: `Prints one check for each line of the item's acceptance: what you wrote when you made
the item, and nothing that a worker reported since. Judge with conduct release
--verdict, or conduct board verdict.`,
		RunE: func(_ *cobra.Command, _ []string) error {
			id, err := itemID(item)
			if err != nil {
				return err
			}
			return env.onBoard(func(d *desk) error {
				v, err := d.checklist(id)
				if err != nil {
					return err
				}
				if env.json {
					return env.print("%s\n", ledger.Encode(v))
				}
				fmt.Fprintf(env.Stdout, "%s %s\n", v.Item, v.Title)
				for i, check := range v.Checks {
					fmt.Fprintf(env.Stdout, "  %d. %s\n", i+1, check)
				}
				return env.print("see each for yourself: a report is a claim\n")
			})
		},
	}
	itemFlag(c, &item, "the item")
	return c
}

func (d *desk) checklist(id store.ID) (ledger.Checklist, error) {
	it, err := d.board().Item(id)
	if err != nil {
		return ledger.Checklist{}, err
	}
	v, err := it.Checklist()
	return v, hint(err, "conduct board create --acceptance TEXT, for an item that can be accepted")
}
