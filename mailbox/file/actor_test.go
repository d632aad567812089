package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/crashtest"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

// actorVar makes this test's program one that does deeds with the mailboxes in a folder.
const actorVar = "CONDUCT_TEST_ACTOR"

func TestMain(m *testing.M) {
	dir := os.Getenv(actorVar)
	if dir == "" {
		os.Exit(m.Run())
	}
	files, err := records.Open(dir, records.Options{LockWait: time.Minute})
	if err == nil {
		err = crashtest.Serve(os.Stdin, os.Stdout, Open(files).do)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type actor = crashtest.Process[deed, answer]

func startActor(dir string) (*actor, error) {
	return crashtest.Start[deed, answer](os.Stderr, actorVar+"="+dir)
}

type verb string

const (
	opens   verb = "open"
	closes  verb = "close"
	writes  verb = "message"
	fetches verb = "fetch"
	counts  verb = "unread"
)

// deed is what is asked of the box of a pair. Which of the fields it has depends on the verb.
type deed struct {
	Verb  verb
	Pair  mailbox.Pair
	Item  store.ID // message: from whom; fetch, unread: for whom
	Text  string   // message
	Limit int      // open
}

// answer is what came of a deed.
type answer struct {
	Code   string   // "" when it was done, same, the code of a refusal, or any other error
	Texts  []string // fetch
	Unread int      // unread
	Events int      // how many the box has then; of a fetch that is not known
}

// The codes of answers that are no refusals.
const (
	same = "same"
	died = "died" // nobody knows what came of it
)

// do does a deed.
func (s *Store) do(d deed) answer {
	a, err := s.try(d)
	switch refused := (*ledger.Error)(nil); {
	case err == nil:
		return a
	case errors.Is(err, ledger.ErrSame):
		return answer{Code: same, Events: a.Events}
	case errors.As(err, &refused):
		return answer{Code: string(refused.Code)}
	}
	return answer{Code: err.Error()}
}

func (s *Store) try(d deed) (a answer, err error) {
	ctx := context.Background()
	var b mailbox.Box
	switch d.Verb {
	case opens:
		b, err = s.OpenChannel(ctx, d.Pair, time.Hour, d.Limit, start)
	case closes:
		b, err = s.Change(ctx, d.Pair, func(b *mailbox.Box) (mailbox.Event, error) { return b.PlanClose(start) })
	case writes:
		b, err = s.Change(ctx, d.Pair, func(b *mailbox.Box) (mailbox.Event, error) { return b.PlanMessage(d.Item, d.Item, d.Text, start) })
	case fetches:
		var got []mailbox.Message
		got, _, err = s.Fetch(ctx, d.Item, d.Item, start)
		for _, m := range got {
			a.Texts = append(a.Texts, m.Text)
		}
	case counts:
		b, err = s.Box(d.Pair)
		a.Unread = b.Unread(d.Item)
	default:
		err = fmt.Errorf("no deed is called %q", d.Verb)
	}
	a.Events = b.Events
	return a, err
}

// mortal does deeds by processes that are killed now and then.
func mortal(t *testing.T, dir string) (do func(deed) answer, end func()) {
	m := crashtest.Mortal[deed, answer]{Start: func() (*actor, error) { return startActor(dir) }}
	return func(d deed) answer {
		a, told, err := m.Ask(d)
		if err != nil {
			t.Error(err)
		}
		if !told {
			return answer{Code: died}
		}
		return a
	}, m.End
}

// An actor does what a store in this process does.
func TestActor(t *testing.T) {
	s, dir := newStore(t)
	a, err := startActor(dir)
	require.NoError(t, err)
	p := newPair(t)
	for _, c := range []struct {
		deed
		want answer
	}{
		{deed{Verb: writes, Pair: p, Item: p.A, Text: "a"}, answer{Code: string(ledger.NoChannel)}},
		{deed{Verb: opens, Pair: p, Limit: 2}, answer{Events: 1}},
		{deed{Verb: writes, Pair: p, Item: p.A, Text: "a"}, answer{Events: 2}},
		{deed{Verb: writes, Pair: p, Item: p.A, Text: "a"}, answer{Code: same, Events: 2}},
		{deed{Verb: counts, Pair: p, Item: p.B}, answer{Unread: 1, Events: 2}},
		{deed{Verb: fetches, Pair: p, Item: p.B}, answer{Texts: []string{"a"}}},
		{deed{Verb: closes, Pair: p}, answer{Events: 4}},
	} {
		got, told := a.Ask(c.deed)
		require.True(t, told)
		require.Equal(t, c.want, got, c.Verb)
	}
	require.Equal(t, answer{}, s.do(deed{Verb: fetches, Pair: p, Item: p.B}))
	require.NoError(t, a.Close())
}
