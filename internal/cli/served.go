package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/broker"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/mcpserver"
	"github.com/seed6310be5c/conduct/store"
)

// served does what the tools of a server say, as the verbs do it.
type served struct{ env *Env }

// call does what a verb does, with a surrounding of its own: what would go to the
// error stream becomes notes, and an error the refusal that --json prints.
func (s served) call(do func(*Env) ([]byte, error)) (mcpserver.Answer, error) {
	var notes bytes.Buffer
	env := *s.env
	env.json, env.Stdout, env.Stderr = true, io.Discard, &notes
	doc, err := do(&env)
	out := mcpserver.Answer{JSON: doc, Notes: notesOf(notes.String())}
	if err != nil { // and doc is nothing
		var wrong usageError
		if errors.As(err, &wrong) && !errors.As(err, new(hinted)) {
			err = hint(err, "the tool's schema says what its arguments are")
		}
		a := explain(err)
		return out, &mcpserver.Error{Code: a.code, Message: oneLine(err.Error()), Hint: a.hint}
	}
	return out, nil
}

// notesOf are the lines that a verb has written to the error stream.
func notesOf(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return l == "" })
}

// asWorker is call for the tools of a worker. line is the verb that does the same, with
// its arguments: a server that runs confined has it run outside, where the board is.
func (s served) asWorker(ctx context.Context, own string, line []string, do func(*desk, *dispatch.Dispatch) ([]byte, error)) (mcpserver.Answer, error) {
	if address := s.env.Getenv(broker.Var); address != "" {
		return s.outside(ctx, address, own, line)
	}
	return s.call(func(env *Env) (doc []byte, err error) {
		err = env.asWorker(own, func(d *desk, got *dispatch.Dispatch) (err error) {
			doc, err = do(d, got)
			return err
		})
		return doc, err
	})
}

// onBoard is call for those of a conductor.
func (s served) onBoard(do func(*desk) ([]byte, error)) (mcpserver.Answer, error) {
	return s.call(func(env *Env) (doc []byte, err error) {
		err = env.onBoard(func(d *desk) (err error) {
			doc, err = do(d)
			return err
		})
		return doc, err
	})
}

// outside asks whoever has confined this process.
func (s served) outside(ctx context.Context, address, own string, line []string) (mcpserver.Answer, error) {
	argv := []string{line[0], "--json"}
	if own != "" {
		argv = append(argv, "--dispatch="+own)
	}
	a, err := broker.Ask(ctx, address, append(argv, line[1:]...))
	if err != nil {
		return s.call(func(*Env) ([]byte, error) { return nil, hint(err, "put what you have to say into your answer") })
	}
	out := mcpserver.Answer{JSON: bytes.TrimSpace(a.Stdout), Notes: notesOf(string(a.Stderr))}
	if a.Exit != exitOK {
		err = mcpserver.DecodeError(out.JSON)
	}
	return out, err
}

// Brief is conduct brief.
func (s served) Brief(ctx context.Context, a mcpserver.BriefArgs) (mcpserver.Answer, error) {
	line := []string{"brief", "--log=" + strconv.FormatBool(a.Log)}
	return s.asWorker(ctx, a.Dispatch, line, func(d *desk, got *dispatch.Dispatch) ([]byte, error) {
		v, err := d.brief(got, a.Log)
		return ledger.Encode(v), err
	})
}

// Report is conduct report.
func (s served) Report(ctx context.Context, a mcpserver.ReportArgs) (mcpserver.Answer, error) {
	line := []string{"report", "--kind=" + string(a.Kind)}
	for _, p := range a.Artifacts {
		line = append(line, "--artifact="+p)
	}
	return s.asWorker(ctx, a.Dispatch, append(line, "--", a.Summary), func(d *desk, got *dispatch.Dispatch) ([]byte, error) {
		r, err := reportOf(a.Kind, a.Summary, a.Artifacts)
		if err != nil {
			return nil, err
		}
		v, err := d.report(ctx, got, r)
		return v.encode(), err
	})
}

// Request is conduct request.
func (s served) Request(ctx context.Context, a mcpserver.RequestArgs) (mcpserver.Answer, error) {
	line := []string{"request", "--kind=" + string(a.Kind), "--to=" + a.To, "--", a.Text}
	return s.asWorker(ctx, a.Dispatch, line, func(d *desk, got *dispatch.Dispatch) ([]byte, error) {
		to := named(a.To)
		it, repeated, err := d.askConductor(ctx, got.ID, to, a.Kind, a.Text)
		return sentJSON(it.ID, to, repeated), err
	})
}

// Message is conduct message, and conduct inbox.
func (s served) Message(ctx context.Context, a mcpserver.MessageArgs) (mcpserver.Answer, error) {
	line := []string{"message", "--to=" + a.To, "--", a.Text}
	if a.Action == mcpserver.MessageRead {
		line = []string{"inbox", "--again=" + strconv.FormatBool(a.Again)}
	}
	return s.asWorker(ctx, a.Dispatch, line, func(d *desk, got *dispatch.Dispatch) ([]byte, error) {
		if a.Action == mcpserver.MessageRead {
			v, err := d.fetchInbox(ctx, got.ID, a.Again)
			return ledger.Encode(v), err
		}
		to := named(a.To)
		from, repeated, err := d.sendMessage(ctx, got.ID, to, a.Text)
		return sentJSON(from, to, repeated), err
	})
}

// named is the id that a caller wrote, in capitals or not.
func named(id string) store.ID { return store.ID(strings.ToUpper(id)) }

// Read is conduct board show and conduct channel show.
func (s served) Read(_ context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
	return s.onBoard(func(d *desk) ([]byte, error) {
		switch {
		case a.With != "":
			_, events, err := d.written(named(a.Item), named(a.With))
			return writtenJSON(events), err
		case a.Item != "":
			v, log, err := d.itemView(named(a.Item))
			return itemJSON(v, log), err
		case a.Channels:
			v, err := d.channels()
			return ledger.Encode(v), err
		}
		v, err := d.boardView()
		return ledger.Encode(v), err
	})
}

// Record is the other verbs of conduct board and conduct channel.
func (s served) Record(ctx context.Context, a mcpserver.RecordArgs) (mcpserver.Answer, error) {
	return s.onBoard(func(d *desk) ([]byte, error) {
		switch a.Action {
		case mcpserver.ActGoal:
			return goalJSON(a.Goal), d.board().SetGoal(ctx, a.Goal)
		case mcpserver.ActAccept:
			v, err := d.checklist(named(a.Item))
			return ledger.Encode(v), err
		case mcpserver.ActRelay, mcpserver.ActChannelOpen, mcpserver.ActChannelClose:
			box, err := d.recordPair(ctx, a)
			return d.encodeBox(box), err
		}
		it, err := d.recordItem(ctx, a)
		return d.encode(it), err
	})
}

// recordPair changes what lies between two items.
func (d *desk) recordPair(ctx context.Context, a mcpserver.RecordArgs) (mailbox.Box, error) {
	from, to := named(a.From), named(a.To)
	switch a.Action {
	case mcpserver.ActRelay:
		return d.relay(ctx, from, to, a.Text)
	case mcpserver.ActChannelClose:
		box, _, err := d.closeChannel(ctx, from, to)
		return box, err
	}
	ttl, limit := channelTTL, cmp.Or(a.Messages, channelMessages)
	if a.TTL != "" {
		ttl = a.TTL
	}
	life, err := config.ParseDuration(ttl)
	if err != nil {
		return mailbox.Box{}, usageError{fmt.Errorf("--ttl: %w", err)}
	}
	return d.openChannel(ctx, from, to, life, limit)
}

// recordItem changes one item.
func (d *desk) recordItem(ctx context.Context, a mcpserver.RecordArgs) (ledger.Item, error) {
	id := named(a.Item)
	switch a.Action {
	case mcpserver.ActBind:
		return d.bindLive(ctx, named(a.Dispatch), id)
	case mcpserver.ActDecide:
		return d.decide(ctx, id, a.Decision)
	case mcpserver.ActVerdict:
		return d.verdict(ctx, id, a.Verdict)
	case mcpserver.ActClose:
		return d.closeItem(ctx, id)
	}
	return d.create(ctx, ledger.New{
		Title: a.Title, Acceptance: a.Acceptance, Parent: named(a.Parent), Session: d.env.session(a.Session),
	})
}

// Dispatch is conduct dispatch.
func (s served) Dispatch(ctx context.Context, a mcpserver.DispatchArgs) (mcpserver.Answer, error) {
	o := dispatchOptions{
		unit: a.Unit, agent: a.Agent, agentFrom: a.AgentFrom, item: a.Item, board: a.Board, acceptance: a.Acceptance, role: a.Role, stage: a.Stage, note: a.Note, session: a.Session,
		exempt: a.Exempt, read: a.Read, write: a.Write, denyTools: a.DenyTool, readOnly: a.ReadOnly, observe: a.Observe, requireHook: a.RequireHook,
		shared: a.Shared, ttl: a.TTL, opaque: a.Opaque, confine: a.Confine, git: a.Git, bind: a.Bind, maxDepth: a.MaxDepth,
		onBlock: a.OnBlock, askWait: a.AskWait,
	}
	return s.call(func(env *Env) ([]byte, error) {
		if err := o.check(); err != nil {
			return nil, err
		}
		d, err := env.open()
		if err != nil {
			return nil, err
		}
		defer d.close()
		got, err := d.dispatch(ctx, o, a.TTL != "")
		if err != nil {
			return nil, err
		}
		d.tidy(ctx)
		return d.dispatchJSON(got), nil
	})
}

// Release is conduct release.
func (s served) Release(ctx context.Context, a mcpserver.ReleaseArgs) (mcpserver.Answer, error) {
	sel := dispatch.Selector{
		ID: dispatchID(a.Dispatch), Unit: a.Unit, Agent: a.Agent, AnyAgent: a.Agent == "", Generation: a.Generation,
	}
	return s.call(func(env *Env) ([]byte, error) {
		d, err := env.open()
		if err != nil {
			return nil, err
		}
		defer d.close()
		if a.RequireObserved {
			if err := d.observed(sel); err != nil {
				return nil, err
			}
		}
		got, err := d.release(ctx, sel, a.Verdict)
		if err != nil {
			return nil, err
		}
		d.warnUnseen(got)
		d.tidy(ctx)
		return d.receiptJSON(got)
	})
}
