package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/crashtest"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

// actorVar makes this test's program one that does deeds on the board in a folder.
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
	makes    verb = "create"
	binds    verb = "bind"
	reports  verb = "report"
	decides  verb = "decide"
	judges   verb = "verdict"
	closes   verb = "close"
	looks    verb = "item"
	recounts verb = "events" // looks, at the events
)

// deed is what is asked of a board. Which of the fields it has depends on the verb.
type deed struct {
	Verb    verb
	Item    store.ID
	By      store.ID // bind, report
	Kind    ledger.ReportKind
	Text    string // report, decide
	Verdict dispatch.Verdict
}

// square is what of an item is looked at.
type square struct {
	Events            int
	Status            ledger.Status
	State             ledger.State
	By                store.ID
	Summary, Decision string
	Verdict           dispatch.Verdict
	Round             int
	Bare              bool
}

func squareOf(it ledger.Item) square {
	return square{it.Events, it.Status, it.State, it.Dispatch, it.Summary, it.Decision, it.Verdict, it.Round, it.Bare}
}

// answer is what came of a deed.
type answer struct {
	Code   string // "" when it was done, same, the code of a refusal, or any other error
	Square square // where it was done, or looked at
}

// The codes of answers that are no refusals.
const (
	same   = "same"
	exists = "exists"
	died   = "died" // nobody knows what came of it
)

// do does a deed.
func (s *Store) do(d deed) answer {
	it, err := s.try(d)
	switch refused := (*ledger.Error)(nil); {
	case err == nil:
		return answer{Square: squareOf(it)}
	case errors.Is(err, ledger.ErrSame):
		return answer{same, squareOf(it)}
	case errors.Is(err, store.ErrExists):
		return answer{Code: exists}
	case errors.As(err, &refused):
		return answer{Code: string(refused.Code)}
	}
	return answer{Code: err.Error()}
}

func (s *Store) try(d deed) (ledger.Item, error) {
	ctx := context.Background()
	switch d.Verb {
	case makes:
		return tryCreate(ctx, s, d.Item, "t")
	case binds:
		return s.Bind(ctx, d.By, d.Item, func(it *ledger.Item) (ledger.Event, error) { return it.PlanBind(d.By, false, start) })
	case looks:
		return s.Item(d.Item)
	case recounts:
		events, err := s.Events(d.Item)
		if err != nil {
			return ledger.Item{}, err
		}
		return ledger.Fold(d.Item, events)
	}
	return s.Change(ctx, d.Item, func(it *ledger.Item) (ledger.Event, error) {
		switch d.Verb {
		case reports:
			return it.PlanReport(d.By, ledger.Report{Kind: d.Kind, Summary: d.Text}, start)
		case decides:
			return it.PlanDecision(d.Text, start)
		case judges:
			return it.PlanVerdict(d.Verdict, "", start)
		case closes:
			return it.PlanClose(start)
		}
		return ledger.Event{}, fmt.Errorf("no deed is called %q", d.Verb)
	})
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
	s, dir := newBoard(t)
	a, err := startActor(dir)
	require.NoError(t, err)
	d := deed{Verb: makes, Item: newID(t)}
	got, told := a.Ask(d)
	require.True(t, told)
	require.Equal(t, answer{Square: square{Events: 1, Status: ledger.StatusNew, State: ledger.StateWaiting}}, got)
	require.Equal(t, answer{Code: exists}, s.do(d))
	require.Equal(t, got, s.do(deed{Verb: recounts, Item: d.Item}))
	require.Contains(t, s.do(deed{Verb: "dance", Item: d.Item}).Code, `"dance"`)
	require.NoError(t, a.Close())
}
