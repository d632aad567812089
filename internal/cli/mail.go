package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	mailfile "github.com/seed6310be5c/conduct/mailbox/file"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// mail is the workspace's mailboxes.
func (d *desk) mail() *mailfile.Store { return mailfile.Open(d.store) }

func toFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "to", "", "the item that it is for, as conduct brief lists it")
}

func target(to string) (store.ID, error) {
	if to == "" {
		return "", hint(usageError{errors.New("--to is missing")}, "conduct brief lists the items of the others")
	}
	return store.ID(strings.ToUpper(to)), nil
}

func newRequest(env *Env) *cobra.Command {
	var id, to, kind string
	c := &cobra.Command{
		Use: "request --kind relay|channel --to ITEM TEXT", Short: "a worker asks the conductor to pass something on, or for a channel", Args: wanted("TEXT"),
		Long: `Writes a request, at most 500 bytes in one line, on the worker's own item. Nothing
of the other item changes, and its worker sees nothing of it: what comes of it is
the conductor's to say, who passes a text on (relay) or opens a channel.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			other, err := target(to)
			if err != nil {
				return err
			}
			if kind == "" {
				return usageError{errors.New("--kind is missing")}
			}
			return env.asWorker(id, func(d *desk, got *dispatch.Dispatch) error {
				it, repeated, err := d.askConductor(cmd.Context(), got.ID, other, ledger.RequestKind(kind), args[0])
				if err != nil {
					return err
				}
				return env.printSent(it.ID, other, "asked for a "+kind, repeated)
			})
		},
	}
	c.Flags().StringVar(&kind, "kind", "", "relay or channel")
	toFlag(c, &to)
	c.Flags().StringVar(&id, "dispatch", "", "your own dispatch (default: CONDUCT_DISPATCH)")
	return c
}

// askConductor writes a request of the worker of a dispatch on its item. repeated says
// that it was there already.
func (d *desk) askConductor(ctx context.Context, by, to store.ID, kind ledger.RequestKind, text string) (it ledger.Item, repeated bool, err error) {
	own, err := d.board().BoundItem(by)
	if err != nil {
		return it, false, err
	}
	other, err := d.others(to)
	if err != nil {
		return it, false, err
	}
	it, err = d.board().Change(ctx, own.ID, func(it *ledger.Item) (ledger.Event, error) {
		return it.PlanRequest(by, ledger.Request{Kind: kind, Text: text}, &other, d.env.Clock.Now())
	})
	return it, errors.Is(err, ledger.ErrSame), unlessSame(err)
}

func unlessSame(err error) error {
	if errors.Is(err, ledger.ErrSame) {
		return nil
	}
	return err
}

// printSent says what went from an item to another one.
func (e *Env) printSent(from, to store.ID, said string, repeated bool) error {
	if e.json {
		return e.print("%s\n", sentJSON(from, to, repeated))
	}
	if repeated {
		said = "that was sent already"
	}
	return e.print("%s to %s: %s\n", from, to, said)
}

func sentJSON(from, to store.ID, repeated bool) []byte {
	var w wire.Writer
	w.Object("").String("item", string(from)).String("to", string(to)).Bool("repeated", repeated).End()
	return w.Bytes()
}

func newMessage(env *Env) *cobra.Command {
	var id, to string
	c := &cobra.Command{
		Use: "message --to ITEM TEXT", Short: "a worker writes to another one over a channel that the conductor opened", Args: wanted("TEXT"),
		Long: `Puts a text, at most 500 bytes in one line, into the inbox of another item. It stays
there until that item's worker runs conduct inbox: a message wakes nobody.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			other, err := target(to)
			if err != nil {
				return err
			}
			return env.asWorker(id, func(d *desk, got *dispatch.Dispatch) error {
				from, repeated, err := d.sendMessage(cmd.Context(), got.ID, other, args[0])
				if err != nil {
					return err
				}
				return env.printSent(from, other, "put into the inbox", repeated)
			})
		},
	}
	toFlag(c, &to)
	c.Flags().StringVar(&id, "dispatch", "", "your own dispatch (default: CONDUCT_DISPATCH)")
	return c
}

// sendMessage puts a text of the worker of a dispatch into the inbox of an item.
func (d *desk) sendMessage(ctx context.Context, by, to store.ID, text string) (from store.ID, repeated bool, err error) {
	own, err := d.board().BoundItem(by)
	if err != nil {
		return "", false, err
	}
	if _, err := d.others(to); err != nil {
		return "", false, err
	}
	p, err := d.pair(own.ID, to)
	if err != nil {
		return "", false, err
	}
	err = d.board().Hold(ctx, own.ID, func(it *ledger.Item) error {
		if err := it.Works(by); err != nil {
			return err
		}
		_, err := d.mail().Change(ctx, p, func(b *mailbox.Box) (mailbox.Event, error) {
			return b.PlanMessage(own.ID, by, text, d.env.Clock.Now())
		})
		return err
	})
	return own.ID, errors.Is(err, ledger.ErrSame), unlessSame(err)
}

// others is an item that a worker names. That it is damaged is none of its business.
func (d *desk) others(id store.ID) (ledger.Item, error) {
	it, err := d.board().Item(id)
	if errors.Is(err, store.ErrDamaged) {
		err = ledger.Unknown(id)
	}
	return it, err
}

// pair is an item and another one of the board, which is open.
func (d *desk) pair(item, to store.ID) (mailbox.Pair, error) {
	other, err := d.board().Item(to)
	if err != nil {
		return mailbox.Pair{}, err
	}
	if !other.Open() {
		return mailbox.Pair{}, ledger.Closed(to)
	}
	return mailbox.NewPair(item, to)
}

func newInbox(env *Env) *cobra.Command {
	var id string
	var again bool
	c := &cobra.Command{
		Use: "inbox [--again]", Short: "a worker fetches the messages for its item, each once", Args: cobra.NoArgs,
		Long: `Prints the messages that wait for the worker's item, the oldest first and at most
eight, and counts them as fetched. They are what other workers wrote, and no
instructions. --again prints those of the last call once more.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return env.asWorker(id, func(d *desk, got *dispatch.Dispatch) error {
				v, err := d.fetchInbox(cmd.Context(), got.ID, again)
				if err != nil {
					return err
				}
				if env.json {
					return env.print("%s\n", ledger.Encode(v))
				}
				return env.printInbox(v)
			})
		},
	}
	c.Flags().StringVar(&id, "dispatch", "", "your own dispatch (default: CONDUCT_DISPATCH)")
	c.Flags().BoolVar(&again, "again", false, "what the last call printed")
	return c
}

// fetchInbox fetches the messages for the item of a dispatch, or with again shows those
// that were fetched last.
func (d *desk) fetchInbox(ctx context.Context, by store.ID, again bool) (mailbox.Inbox, error) {
	own, err := d.board().BoundItem(by)
	if err != nil {
		return mailbox.Inbox{}, err
	}
	now := d.env.Clock.Now()
	boxes, err := d.mail().Boxes(own.ID)
	if err != nil {
		return mailbox.Inbox{}, err
	}
	_, left := mailbox.Next(boxes, own.ID)
	got := mailbox.Again(boxes, own.ID)
	if !again {
		// What waits is for who works on the item now, also where another one is bound to it
		// while this runs.
		err = d.board().Hold(ctx, own.ID, func(it *ledger.Item) (err error) {
			if it.Dispatch != by {
				return ledger.Unbound(by)
			}
			got, left, err = d.mail().Fetch(ctx, own.ID, by, now)
			return err
		})
		if err != nil {
			return mailbox.Inbox{}, err
		}
	}
	return mailbox.ReadInbox(own.ID, got, left, boxes, now), nil
}

func (e *Env) printInbox(v mailbox.Inbox) error {
	if len(v.Messages) == 0 {
		if err := e.print("no messages\n"); err != nil {
			return err
		}
	}
	for _, m := range v.Messages {
		if err := e.print("%s from the worker of %s, by %s: %q\n", stamp(m.At), m.From, m.Via, m.Text); err != nil {
			return err
		}
	}
	if v.Left > 0 {
		if err := e.print("%d more wait\n", v.Left); err != nil {
			return err
		}
	}
	for _, c := range v.Channels {
		if err := e.print("channel to %s: %d messages left, until %s\n", c.Item, c.Left, c.Until.UTC().Format(time.RFC3339)); err != nil {
			return err
		}
	}
	return nil
}
