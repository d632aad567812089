package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

func newChannel(env *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "channel", Short: "the conductor lets workers write to each other, or passes something on", Args: cobra.NoArgs,
		Long: `Workers know nothing of each other but what conduct brief shows. Where one needs
another's answer it asks (conduct request), and the conductor passes a text on, or
opens a channel between the two items: for a time, and a number of messages. The
conductor sees every one of them.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newChannelOpen(env), newChannelClose(env), newChannelRelay(env), newChannelShow(env))
	return c
}

// What a channel is opened for where nothing else is said.
const (
	channelTTL      = "1h"
	channelMessages = 10
)

// ends are the flags that name two items.
type ends struct{ a, b string }

func (o *ends) add(c *cobra.Command) {
	c.Flags().StringVar(&o.a, "from", "", "an item")
	c.Flags().StringVar(&o.b, "to", "", "the other one")
}

func (o *ends) ids() (from, to store.ID, err error) {
	switch {
	case o.a == "":
		err = usageError{errors.New("--from is missing")}
	case o.b == "":
		err = usageError{errors.New("--to is missing")}
	}
	return store.ID(strings.ToUpper(o.a)), store.ID(strings.ToUpper(o.b)), err
}

// onPair does something with two items, and prints what has become of their channel.
func (e *Env) onPair(o *ends, said *string, do func(d *desk, from, to store.ID) (mailbox.Box, error)) error {
	from, to, err := o.ids()
	if err != nil {
		return err
	}
	return e.onBoard(func(d *desk) error {
		box, err := do(d, from, to)
		if err != nil {
			return err
		}
		if e.json {
			return e.print("%s\n", d.encodeBox(box))
		}
		return e.print("%s to %s: %s\n", from, to, *said)
	})
}

// encodeBox is the box of two items as the conductor sees it.
func (d *desk) encodeBox(b mailbox.Box) []byte {
	return ledger.Encode(mailbox.Conductor([]mailbox.Box{b}, d.env.Clock.Now()).Channels[0])
}

func newChannelOpen(env *Env) *cobra.Command {
	var o ends
	var ttl string
	var limit int
	c := &cobra.Command{
		Use: "open --from ITEM --to ITEM [--ttl 1h] [--messages 10]", Short: "let the workers of two items write to each other", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			life, err := config.ParseDuration(ttl)
			if err != nil {
				return usageError{fmt.Errorf("--ttl: %w", err)}
			}
			said := "channel open for " + ttl
			return env.onPair(&o, &said, func(d *desk, from, to store.ID) (mailbox.Box, error) {
				return d.openChannel(cmd.Context(), from, to, life, limit)
			})
		},
	}
	o.add(c)
	c.Flags().StringVar(&ttl, "ttl", channelTTL, "how long, up to 1d")
	c.Flags().IntVar(&limit, "messages", channelMessages, "how many messages, up to 50")
	return c
}

// openChannel opens a channel between two items that are open.
func (d *desk) openChannel(ctx context.Context, from, to store.ID, ttl time.Duration, limit int) (mailbox.Box, error) {
	p, err := d.openPair(from, to)
	if err != nil {
		return mailbox.Box{}, err
	}
	box, err := d.mail().OpenChannel(ctx, p, ttl, limit, d.env.Clock.Now())
	if err == nil {
		d.warnAlone(from, to)
	}
	return box, err
}

// warnAlone says of which items nobody is there who could read what is written to them.
func (d *desk) warnAlone(items ...store.ID) {
	for _, id := range items {
		if it, err := d.board().Item(id); err == nil && !d.inForce(it.Dispatch) {
			d.env.warn("nobody works on item %s now: what is written to it waits for who does next", id)
		}
	}
}

// openPair is two items of the board that are open.
func (d *desk) openPair(from, to store.ID) (mailbox.Pair, error) {
	if _, err := d.pair(to, from); err != nil { // for from: it must be there, and open
		return mailbox.Pair{}, err
	}
	return d.pair(from, to)
}

func newChannelClose(env *Env) *cobra.Command {
	var o ends
	c := &cobra.Command{
		Use: "close --from ITEM --to ITEM", Short: "end a channel; what was written can still be fetched", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			said := "channel closed"
			return env.onPair(&o, &said, func(d *desk, from, to store.ID) (mailbox.Box, error) {
				box, none, err := d.closeChannel(cmd.Context(), from, to)
				if none {
					said = "there is no channel"
				}
				return box, err
			})
		},
	}
	o.add(c)
	return c
}

// closeChannel ends the channel of two items, also of items that are closed. none says
// that there was none to end.
func (d *desk) closeChannel(ctx context.Context, from, to store.ID) (box mailbox.Box, none bool, err error) {
	for _, id := range []store.ID{from, to} {
		if _, err := d.board().Item(id); err != nil {
			return mailbox.Box{}, false, err
		}
	}
	p, err := mailbox.NewPair(from, to)
	if err != nil {
		return mailbox.Box{}, false, err
	}
	box, err = d.mail().Change(ctx, p, func(b *mailbox.Box) (mailbox.Event, error) { return b.PlanClose(d.env.Clock.Now()) })
	return box, errors.Is(err, ledger.ErrSame), unlessSame(err)
}

// shutChannels ends the open channels of an item that was closed: nothing can be written
// over them any more, and they count for the bound on open ones. The item is closed
// whatever comes of that.
func (d *desk) shutChannels(ctx context.Context, item store.ID) {
	now := d.env.Clock.Now()
	pairs, err := d.mail().Pairs(item)
	for _, p := range pairs {
		_, cerr := d.mail().Change(ctx, p, func(b *mailbox.Box) (mailbox.Event, error) {
			if b.Channel.State(now) != mailbox.ChannelOpen {
				return mailbox.Event{}, ledger.ErrSame
			}
			return b.PlanClose(now)
		})
		err = errors.Join(err, unlessSame(cerr))
	}
	if err != nil {
		d.env.warn("item %s is closed, a channel of it may be open: %s (conduct channel close)", item, oneLine(err.Error()))
	}
}

func newChannelRelay(env *Env) *cobra.Command {
	var o ends
	c := &cobra.Command{
		Use: "relay --from ITEM --to ITEM TEXT", Short: "pass a text of one item's worker on to another one's inbox", Args: wanted("TEXT"),
		Long: `Puts a text, at most 500 bytes in one line, into the inbox of the item --to, as from
the worker of the item --from and passed on by the conductor. It needs no channel.
The text is the conductor's choice: what the worker asked for, or other words.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			said := "passed on"
			return env.onPair(&o, &said, func(d *desk, from, to store.ID) (mailbox.Box, error) {
				return d.relay(cmd.Context(), from, to, args[0])
			})
		},
	}
	o.add(c)
	return c
}

// relay passes a text on from one open item to another one.
func (d *desk) relay(ctx context.Context, from, to store.ID, text string) (mailbox.Box, error) {
	p, err := d.openPair(from, to)
	if err != nil {
		return mailbox.Box{}, err
	}
	box, err := d.mail().Change(ctx, p, func(b *mailbox.Box) (mailbox.Event, error) {
		return b.PlanRelay(from, text, d.env.Clock.Now())
	})
	if err = unlessSame(err); err == nil {
		d.warnAlone(to)
	}
	return box, err
}

func newChannelShow(env *Env) *cobra.Command {
	var o ends
	c := &cobra.Command{
		Use: "show [--from ITEM --to ITEM]", Short: "list channels, or all that two items wrote to each other", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("from") || cmd.Flags().Changed("to") {
				return o.show(env)
			}
			return env.onBoard(func(d *desk) error {
				v, err := d.channels()
				if err != nil {
					return err
				}
				if env.json {
					return env.print("%s\n", ledger.Encode(v))
				}
				return env.printChannels(v)
			})
		},
	}
	o.add(c)
	return c
}

// channels are the boxes of all pairs.
func (d *desk) channels() (mailbox.PairsView, error) {
	boxes, err := d.mail().Boxes("")
	return mailbox.Conductor(boxes, d.env.Clock.Now()), err
}

func (e *Env) printChannels(v mailbox.PairsView) error {
	if len(v.Channels) == 0 {
		return e.print("no channels\n")
	}
	w := tabwriter.NewWriter(e.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ITEM\tITEM\tCHANNEL\tUSED\tWAITING\tUNTIL")
	for _, c := range v.Channels {
		until := "-"
		if !c.Until.IsZero() {
			until = c.Until.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d/%d\t%d\t%s\n", c.A, c.B, c.Channel, c.Used, c.Messages, c.Waiting, until)
	}
	return w.Flush()
}

// show prints the events of two items' box.
func (o *ends) show(env *Env) error {
	from, to, err := o.ids()
	if err != nil {
		return err
	}
	return env.onBoard(func(d *desk) error {
		p, events, err := d.written(from, to)
		if err != nil {
			return err
		}
		if env.json {
			return env.print("%s\n", writtenJSON(events))
		}
		if len(events) == 0 {
			return env.print("nothing was written\n")
		}
		for i := range events {
			if err := env.print("%s %s\n", stamp(events[i].Time), mailText(&events[i], p)); err != nil {
				return err
			}
		}
		return nil
	})
}

// written is all that the workers of two items wrote to each other.
func (d *desk) written(from, to store.ID) (mailbox.Pair, []mailbox.Event, error) {
	p, err := mailbox.NewPair(from, to)
	if err != nil {
		return p, nil, err
	}
	events, err := d.mail().Events(p)
	return p, events, err
}

func writtenJSON(events []mailbox.Event) []byte {
	var w wire.Writer
	w.Object("").Array("log")
	for i := range events {
		w.Raw("", events[i].Encode())
	}
	w.End().End()
	return w.Bytes()
}

// mailText says an event of a box in one line.
func mailText(e *mailbox.Event, p mailbox.Pair) string {
	switch e.Kind {
	case mailbox.KindOpen:
		return fmt.Sprintf("channel between %s and %s opened for %s, %d messages", p.A, p.B, e.TTL, e.Limit)
	case mailbox.KindMessage:
		return fmt.Sprintf("%s wrote to %s: %q", e.Item, p.Other(e.Item), e.Text)
	case mailbox.KindRelay:
		return fmt.Sprintf("passed on from %s to %s: %q", e.Item, p.Other(e.Item), e.Text)
	case mailbox.KindFetch:
		return fmt.Sprintf("%s fetched its messages", e.Item)
	}
	return fmt.Sprintf("channel between %s and %s closed", p.A, p.B)
}
