// Package approval asks a person about a call that a dispatch does not allow. It
// is always closed: whatever goes wrong, what comes back is an answer that blocks,
// and never an error. Every question leaves one line that it was asked and one
// that says what was decided, in a Journal.
package approval

import (
	"context"
	"slices"
	"time"

	"github.com/seed6310be5c/conduct/store"
)

// Answer is what came of a question. The set is closed; only AllowedOnce allows.
type Answer uint8

// The answers. The zero value blocks.
const (
	Unavailable Answer = iota // nobody answered, or not as one can answer
	Rejected                  // a person said no, or nobody is to be asked
	Cancelled                 // whoever asked does not wait any more
	AllowedOnce               // a person said yes, to this call
)

// Answers lists the answers.
func Answers() []Answer { return []Answer{Unavailable, Rejected, Cancelled, AllowedOnce} }

// Allows says whether the call that was asked about goes through.
func (a Answer) Allows() bool { return a == AllowedOnce }

// String is the answer as the records have it.
func (a Answer) String() string {
	switch a {
	case Rejected:
		return "rejected"
	case Cancelled:
		return "cancelled"
	case AllowedOnce:
		return "allowed-once"
	}
	return "unavailable"
}

// ParseAnswer reads what String wrote.
func ParseAnswer(s string) (Answer, bool) {
	for _, a := range Answers() {
		if a.String() == s {
			return a, true
		}
	}
	return Unavailable, false
}

// Part is one thing that a yes would let through.
type Part struct {
	Code   string // why it is blocked
	Op     string // read, write, list or search; "" for a tool or a command
	Target string // as the agent wrote it, made harmless by Plain
}

// Question is what a person is asked. It holds what the agent wrote and what is known
// of its dispatch, and nothing that was read from another unit.
type Question struct {
	Key      string // the same for the same call, and for no other
	Dispatch store.ID
	Unit     string
	Agent    string
	Tool     string
	Command  string // the whole command line, made harmless by Plain; "" for none
	Parts    []Part
	AskedAt  time.Time
	Deadline time.Time
}

// Decision is what was decided, and when.
type Decision struct {
	Answer Answer
	By     string // who answered; "" when nobody did
	At     time.Time
}

// Journal keeps questions and decisions. Several processes may use one at once.
type Journal interface {
	// Ask notes that a question is asked, unless that is noted already: then first is
	// false, and what is kept is the question as it was asked first.
	Ask(q Question) (kept Question, first bool, err error)
	// Decide notes a decision, unless there is one already, and returns the one that
	// counts.
	Decide(q Question, d Decision) (Decision, error)
	// Decided returns the decision that was noted; ok is false while there is none.
	Decided(q Question) (d Decision, ok bool, err error)
}

// Answerer is who can answer: a terminal, a page. Answer returns when it has called
// reply, once, with AllowedOnce or Rejected, or when it cannot answer or ctx ends. What it
// replies later, more than once or beside these counts as no answer, and so does a panic.
type Answerer interface {
	Answer(ctx context.Context, q Question, reply func(Answer))
}

// Asker asks. Its zero value has nobody to ask.
type Asker struct {
	Journal   Journal
	Answerers []Answerer
	// Never says that nobody is to be asked: every question is rejected.
	Never bool
	// Now tells the time of decisions; nil is time.Now.
	Now func() time.Time
}

func (a *Asker) now() time.Time {
	if a.Now != nil {
		return a.Now()
	}
	return time.Now()
}

// Grace is how long after a question's deadline its answer still counts: for another
// hook that reports the same call when the first one is done. A yes that is older is
// no answer to a call with the same id.
const Grace = 10 * time.Second

// Request asks and waits, until somebody has answered, the question's deadline has
// passed or ctx is done. Two requests with one key are one question with one answer.
func (a *Asker) Request(ctx context.Context, q Question) (got Answer) {
	defer func() {
		if recover() != nil {
			got = Unavailable
		}
	}()
	if a.Journal == nil || asking(ctx, q.Key) {
		return Unavailable // an answerer that asks what it is asked gets no answer
	}
	kept, first, err := a.Journal.Ask(q)
	if err != nil {
		return Unavailable
	}
	d, ok, err := a.Journal.Decided(kept)
	if err == nil && !ok {
		// Whatever comes of it, it is noted, and what was noted first counts.
		d, err = a.Journal.Decide(kept, Decision{Answer: a.ask(ctx, kept, first), At: a.now().UTC()})
	}
	switch {
	case err != nil:
		return Unavailable
	case !d.Answer.Allows():
		return d.Answer
	case ctx.Err() != nil:
		return Cancelled
	case !q.same(kept), a.now().After(kept.Deadline.Add(Grace)), !first && a.now().Before(kept.AskedAt):
		return Unavailable // the yes was to something else, or long ago; with a clock that was set back, nobody knows when
	}
	return AllowedOnce
}

// same says whether two questions let the same through.
func (q *Question) same(other Question) bool {
	return q.Dispatch == other.Dispatch && q.Tool == other.Tool && q.Command == other.Command && slices.Equal(q.Parts, other.Parts)
}

// open is the key under which a context holds the questions that are being asked.
type open struct{ question string }

func asking(ctx context.Context, question string) bool { return ctx.Value(open{question}) != nil }

// ask asks the answerers, or waits for whoever else asks them.
func (a *Asker) ask(ctx context.Context, q Question, first bool) Answer {
	if a.Never {
		return Rejected
	}
	if ctx.Err() != nil {
		return Cancelled
	}
	answerers := a.Answerers
	if !first {
		answerers = []Answerer{Elsewhere{a.Journal}}
	}
	late, stop := context.WithTimeout(ctx, q.Deadline.Sub(a.now()))
	defer stop() // who is late, or loses, need not go on
	inner := context.WithValue(late, open{q.Key}, true)
	said := make(chan Answer, len(answerers))
	for _, who := range answerers {
		go func() { said <- one(inner, who, q) }()
	}
	for range answerers {
		select {
		case got := <-said:
			if got != Unavailable {
				return got
			}
		case <-late.Done():
			if ctx.Err() != nil {
				return Cancelled
			}
			return Unavailable
		}
	}
	return Unavailable
}

// one asks one answerer. Its answer counts when it has returned and has replied once,
// with one of the two answers that are a person's.
func one(ctx context.Context, who Answerer, q Question) (got Answer) {
	replies := make(chan Answer, 2) // more than two are as bad as two
	defer func() {
		if recover() != nil || len(replies) != 1 {
			got = Unavailable
			return
		}
		if got = <-replies; got != AllowedOnce && got != Rejected {
			got = Unavailable
		}
	}()
	who.Answer(ctx, q, func(a Answer) {
		select {
		case replies <- a:
		default:
		}
	})
	return Unavailable
}

// glance is how often Elsewhere looks.
const glance = 50 * time.Millisecond

// Elsewhere is the Answerer for answers that another process notes in the journal, as
// conduct approve does.
type Elsewhere struct{ Journal Journal }

// Answer waits for a decision. It replies only with what is one; who asks reads the
// rest from the journal.
func (e Elsewhere) Answer(ctx context.Context, q Question, reply func(Answer)) {
	look := time.NewTicker(glance)
	defer look.Stop()
	for {
		if d, ok, err := e.Journal.Decided(q); err != nil || ok {
			if err == nil {
				reply(d.Answer)
			}
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}
