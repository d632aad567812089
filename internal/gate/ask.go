package gate

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed6310be5c/conduct/approval"
	questions "github.com/seed6310be5c/conduct/approval/file"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
)

// ask makes a question of a block, where the one dispatch that blocks says so, and waits
// for the answer. With a yes the call is judged anew; without, the block stands. What a
// yes could not let through is no question.
func (g *gate) ask(in guard.Input, out guard.Outcome) guard.Outcome {
	at, ok := out.Asks()
	if !ok {
		return out
	}
	r := &out.Rulings[at]
	p := g.found[r.Workspace]
	in.Approved = r.Dispatches[0]
	would := guard.Decide(in)
	if !would.Allowed() || len(would.Waived) == 0 {
		return out
	}
	d, err := p.book.Read(in.Approved)
	if err != nil {
		return out
	}
	q := g.question(&in.Call, d, would.Waived)
	if q.Check() != nil {
		return out
	}
	said := g.request(p, q)
	if said.Allows() {
		if again, ok := g.again(in, would.Waived); ok {
			return again
		}
		said = approval.Unavailable // to what it has become meanwhile, nobody has said yes
	}
	r.Reason = guard.Asked(r.Reason, said.String())
	out.Reason = r.Reason
	return out
}

// request waits for an answer. The time limit of a judgement does not count meanwhile.
func (g *gate) request(p place, q approval.Question) approval.Answer {
	journal := questions.Open(p.store)
	asker := approval.Asker{Journal: journal, Answerers: []approval.Answerer{approval.Elsewhere{Journal: journal}}, Now: g.o.Clock.Now}
	g.limits <- q.Deadline.Sub(q.AskedAt) + g.limit()
	said := asker.Request(context.Background(), q)
	g.limits <- g.limit()
	return said
}

// again judges a call that was allowed, as things are now. It is false when the yes
// would let through what it was not given for.
func (g *gate) again(in guard.Input, allowed []guard.Decision) (guard.Outcome, bool) {
	g.disk = unit.NewDisk() // the other remembers how things were
	in.Now, in.FS = g.o.Clock.Now(), g.disk
	var out guard.Outcome
	for range 2 { // as for every call: another one may use up what this one counted on
		out = guard.Decide(in)
		if slices.ContainsFunc(out.Waived, func(d guard.Decision) bool { return !slices.Contains(allowed, d) }) {
			return out, false
		}
		if !g.apply(in, out) {
			break
		}
	}
	return out, true
}

// question is what a person is asked: all that the yes would let through.
func (g *gate) question(call *guard.Call, d *dispatch.Dispatch, waived []guard.Decision) approval.Question {
	wait := d.Grant.AskWait
	if wait <= 0 {
		wait = DefaultWait
	}
	now := g.o.Clock.Now().UTC()
	q := approval.Question{
		Key: g.key(call, d.ID), Dispatch: d.ID, Unit: d.Unit, Agent: approval.Plain(call.AgentType), Tool: approval.Plain(call.Tool),
		AskedAt: now, Deadline: now.Add(wait),
	}
	var lines []string
	for _, c := range call.Commands {
		lines = append(lines, approval.Plain(c.Text))
	}
	q.Command = strings.Join(lines, "\n")
	for _, w := range waived {
		part := approval.Part{Code: w.Waived.String(), Op: w.Op.String(), Target: approval.Plain(w.Target)}
		switch w.Waived {
		case guard.OpaqueCommand:
			part.Op, part.Target = "", "" // it is the whole command
		case guard.ToolDenied:
			part.Op = ""
		}
		q.Parts = append(q.Parts, part)
	}
	return q
}

// key names a question: the same for the same call, however many hooks report it, and
// another one for whatever else comes under the same id.
func (g *gate) key(call *guard.Call, id store.ID) string {
	name := call.CallID
	if name == "" { // then no two reports are known to be of one call
		name = "none " + strconv.Itoa(os.Getpid()) + " " + strconv.FormatUint(rand.Uint64(), 36)
	}
	return store.Key("question", string(id), call.Client, call.Session, call.AgentID, name, string(g.payload))
}
