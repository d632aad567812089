package approval_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/approval"
)

// journal is a journal in memory that counts its lines.
type journal struct {
	mu      sync.Mutex
	asked   map[string]approval.Question
	decided map[string]approval.Decision
	lines   int
	fail    string // the method that fails
	panics  bool
}

func newJournal() *journal {
	return &journal{asked: map[string]approval.Question{}, decided: map[string]approval.Decision{}}
}

func (j *journal) at(method string) error {
	if j.fail != method {
		return nil
	}
	if j.panics {
		panic(method)
	}
	return errors.New(method)
}

func (j *journal) Ask(q approval.Question) (approval.Question, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.at("ask"); err != nil {
		return q, false, err
	}
	if kept, ok := j.asked[q.Key]; ok {
		return kept, false, nil
	}
	j.asked[q.Key] = q
	j.lines++
	return q, true, nil
}

func (j *journal) Decide(q approval.Question, d approval.Decision) (approval.Decision, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.at("decide"); err != nil {
		return d, err
	}
	if had, ok := j.decided[q.Key]; ok {
		return had, nil
	}
	j.decided[q.Key] = d
	j.lines++
	return d, nil
}

func (j *journal) Decided(q approval.Question) (approval.Decision, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.at("decided"); err != nil {
		return approval.Decision{}, false, err
	}
	d, ok := j.decided[q.Key]
	return d, ok, nil
}

// by is an answerer that is a function.
type by func(ctx context.Context, q approval.Question, reply func(approval.Answer))

func (f by) Answer(ctx context.Context, q approval.Question, reply func(approval.Answer)) {
	f(ctx, q, reply)
}

func says(answers ...approval.Answer) by {
	return func(_ context.Context, _ approval.Question, reply func(approval.Answer)) {
		for _, a := range answers {
			reply(a)
		}
	}
}

func after(d time.Duration, a approval.Answer) by {
	return func(_ context.Context, _ approval.Question, reply func(approval.Answer)) {
		time.Sleep(d) // deaf to its context
		reply(a)
	}
}

func silent(ctx context.Context, _ approval.Question, _ func(approval.Answer)) { <-ctx.Done() }

func throws(context.Context, approval.Question, func(approval.Answer)) { panic("no") }

const wait = 20 * time.Second

func question(key string) approval.Question {
	return approval.Question{
		Key: key, Dispatch: "01HZXJ0000000000000000000A", Tool: "Read", Parts: []approval.Part{{Code: "sibling_unit", Op: "read", Target: "a"}},
		AskedAt: time.Now(), Deadline: time.Now().Add(wait),
	}
}

const (
	yes   = approval.AllowedOnce
	no    = approval.Rejected
	none  = approval.Unavailable
	ended = approval.Cancelled
)

// What answerers do, and what comes of it. Each leaves one line that it was asked and
// one that says what was decided.
func TestRequest(t *testing.T) {
	for _, c := range []struct {
		name      string
		answerers []approval.Answerer
		want      approval.Answer
		took      time.Duration
	}{
		{"yes", []approval.Answerer{says(yes)}, yes, 0},
		{"no", []approval.Answerer{says(no)}, no, 0},
		{"nobody", nil, none, 0},
		{"says nothing and leaves", []approval.Answerer{says()}, none, 0},
		{"says nothing and stays", []approval.Answerer{by(silent)}, none, wait},
		{"throws", []approval.Answerer{by(throws)}, none, 0},
		{"says yes and throws", []approval.Answerer{by(func(_ context.Context, _ approval.Question, reply func(approval.Answer)) {
			reply(yes)
			panic("no")
		})}, none, 0},
		{"twice", []approval.Answerer{says(yes, yes)}, none, 0},
		{"yes and no", []approval.Answerer{says(yes, no)}, none, 0},
		{"three times", []approval.Answerer{says(yes, no, yes)}, none, 0},
		{"outside of the set", []approval.Answerer{says(77)}, none, 0},
		{"not a person's answer", []approval.Answerer{says(ended)}, none, 0},
		{"in time", []approval.Answerer{after(wait-time.Second, yes)}, yes, wait - time.Second},
		{"late", []approval.Answerer{after(wait+time.Second, yes)}, none, wait},
		{"one throws, one says yes", []approval.Answerer{by(throws), after(time.Second, yes)}, yes, time.Second},
		{"the first counts", []approval.Answerer{after(2*time.Second, yes), after(time.Second, no)}, no, time.Second},
		{"one is rogue, one is silent", []approval.Answerer{says(yes, no), by(silent)}, none, wait},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := newJournal()
				a := &approval.Asker{Journal: j, Answerers: c.answerers}
				begun := time.Now()
				require.Equal(t, c.want, a.Request(t.Context(), question("k")))
				require.Equal(t, c.took, time.Since(begun))
				time.Sleep(time.Minute) // for those that are late
				require.Equal(t, 2, j.lines)
				require.Equal(t, c.want, j.decided["k"].Answer)
			})
		})
	}
}

// Whoever does not wait any more has no answer, and a late one is dropped.
func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJournal()
		a := &approval.Asker{Journal: j, Answerers: []approval.Answerer{after(10*time.Second, yes)}}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		require.Equal(t, ended, a.Request(ctx, question("k")))
		time.Sleep(time.Minute)
		require.Equal(t, ended, j.decided["k"].Answer)
		require.Equal(t, ended, a.Request(t.Context(), question("k")), "it was decided so")

		done, stop := context.WithCancel(t.Context())
		stop()
		asked := false
		a.Answerers = []approval.Answerer{by(func(context.Context, approval.Question, func(approval.Answer)) { asked = true })}
		require.Equal(t, ended, a.Request(done, question("l")))
		synctest.Wait()
		require.False(t, asked, "nobody is bothered")
		require.Equal(t, 4, j.lines)

		// A yes that was noted before is no yes to one who has gone.
		j.decided["m"] = approval.Decision{Answer: yes, At: time.Now()}
		require.Equal(t, ended, a.Request(done, question("m")))
	})
}

// An answerer that asks what it is asked gets no answer; another question is one.
func TestReentrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJournal()
		a := &approval.Asker{Journal: j}
		var inner []approval.Answer
		a.Answerers = []approval.Answerer{by(func(ctx context.Context, q approval.Question, reply func(approval.Answer)) {
			if q.Key == "other" {
				reply(no)
				return
			}
			inner = append(inner, a.Request(ctx, q), a.Request(ctx, question("other")))
			reply(yes)
		})}
		require.Equal(t, yes, a.Request(t.Context(), question("k")))
		require.Equal(t, []approval.Answer{none, no}, inner)
		require.Equal(t, 4, j.lines)

		// One that hides who asks waits for itself, and not longer than anybody.
		a.Answerers = []approval.Answerer{by(func(_ context.Context, q approval.Question, reply func(approval.Answer)) {
			reply(a.Request(context.Background(), q))
		})}
		begun := time.Now()
		require.Equal(t, none, a.Request(t.Context(), question("hidden")))
		require.Equal(t, wait, time.Since(begun))
		time.Sleep(time.Minute)
		require.Equal(t, 6, j.lines)
	})
}

// Nobody is asked where "never" counts.
func TestNever(t *testing.T) {
	asked := false
	j := newJournal()
	a := &approval.Asker{Journal: j, Never: true, Answerers: []approval.Answerer{by(func(context.Context, approval.Question, func(approval.Answer)) { asked = true })}}
	require.Equal(t, no, a.Request(t.Context(), question("k")))
	require.False(t, asked)
	require.Equal(t, 2, j.lines)
}

// Two that report one call share a question and its answer.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJournal()
		times := 0
		a := &approval.Asker{Journal: j, Answerers: []approval.Answerer{by(func(_ context.Context, _ approval.Question, reply func(approval.Answer)) {
			times++
			time.Sleep(3 * time.Second)
			reply(yes)
		})}}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if got := a.Request(t.Context(), question("k")); got != yes {
					t.Errorf("it was %s", got)
				}
			})
		}
		both.Wait()
		require.Equal(t, 1, times)
		require.Equal(t, 2, j.lines)

		other := question("k")
		other.Parts = []approval.Part{{Code: "sibling_unit", Op: "read", Target: "b"}}
		require.Equal(t, none, a.Request(t.Context(), other), "the yes was to something else")
		time.Sleep(wait)
		require.Equal(t, yes, a.Request(t.Context(), question("k")), "a second hook, after the first")
		time.Sleep(approval.Grace)
		require.Equal(t, none, a.Request(t.Context(), question("k")), "long ago")
		a.Now = func() time.Time { return time.Now().Add(-time.Hour) }
		require.Equal(t, none, a.Request(t.Context(), question("k")), "a clock that was set back makes it no younger")
		require.Equal(t, yes, a.Request(t.Context(), question("l")), "nor takes it a yes from who waited for it")
		a.Now = nil
		require.Equal(t, 4, j.lines)
	})
}

// Who joins a question whose asker has died decides it when its time is up.
func TestAskerDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJournal()
		_, _, err := j.Ask(question("k"))
		require.NoError(t, err)
		a := &approval.Asker{Journal: j, Answerers: []approval.Answerer{says(yes)}}
		require.Equal(t, none, a.Request(t.Context(), question("k")), "nobody is asked a second time")
		require.Equal(t, none, j.decided["k"].Answer)
		require.Equal(t, 2, j.lines)
	})
}

// An answer that another process notes is one.
func TestElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, want := range approval.Answers() {
			j := newJournal()
			a := &approval.Asker{Journal: j, Answerers: []approval.Answerer{approval.Elsewhere{Journal: j}}}
			q := question("k")
			time.AfterFunc(5*time.Second, func() { _, _ = j.Decide(q, approval.Decision{Answer: want, At: time.Now()}) })
			begun := time.Now()
			require.Equal(t, want, a.Request(t.Context(), q))
			require.Less(t, time.Since(begun), 6*time.Second)
			require.Equal(t, 2, j.lines)
		}
	})
}

// A journal that fails, or panics, allows nothing.
func TestJournalFails(t *testing.T) {
	for _, method := range []string{"ask", "decided", "decide"} {
		for _, panics := range []bool{false, true} {
			j := newJournal()
			j.fail, j.panics = method, panics
			a := &approval.Asker{Journal: j, Answerers: []approval.Answerer{says(yes)}}
			require.Equal(t, none, a.Request(t.Context(), question("k")), method)
		}
	}
	require.Equal(t, none, (&approval.Asker{}).Request(t.Context(), question("k")), "no journal")
}

func TestAnswers(t *testing.T) {
	var zero approval.Answer
	require.False(t, zero.Allows())
	allow := 0
	for _, a := range approval.Answers() {
		got, ok := approval.ParseAnswer(a.String())
		require.True(t, ok)
		require.Equal(t, a, got)
		if a.Allows() {
			allow++
		}
	}
	require.Equal(t, 1, allow)
	for v := range 256 {
		require.Equal(t, approval.Answer(v) == yes, approval.Answer(v).Allows())
	}
	_, ok := approval.ParseAnswer("allowed")
	require.False(t, ok)
}
