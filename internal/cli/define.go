package cli

import (
	"context"
	"errors"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/agents"
	"github.com/seed6310be5c/conduct/store"
)

// define writes the agent definitions of a dispatch that asks for some. Where that
// fails there is no dispatch: an agent of that name could not be launched.
func (d *desk) define(ctx context.Context, o dispatchOptions, got *dispatch.Dispatch) error {
	if o.agentFrom == "" {
		return nil
	}
	files, err := agents.Write(d.ws.Root, d.env.Getenv("HOME"), o.agentFrom, got.Agent, string(got.ID))
	if err != nil {
		_, rerr := d.book.Release(context.WithoutCancel(ctx), dispatch.Selector{ID: got.ID}, dispatch.VerdictAbandoned, d.receipt)
		return errors.Join(err, rerr)
	}
	for _, file := range files {
		d.env.note("wrote %q: an agent program that read its agents when it started must be started anew", file)
	}
	return nil
}

// undefine removes agent definitions whose dispatch is over. What fails there is not
// the command's failure.
func (d *desk) undefine() {
	_, err := agents.Sweep(d.ws.Root, d.env.Getenv("HOME"), func(id string) bool {
		got, err := d.book.Find(dispatch.Selector{ID: store.ID(id)})
		// Another workspace's, or one that cannot be read, is not ours to end.
		return err != nil || got.Live()
	})
	if err != nil {
		d.env.warn("an agent definition of a dispatch that is over is still there: %v", err)
	}
}
