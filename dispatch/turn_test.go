package dispatch_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/store"
)

func turned(n knobs.Name, v knobs.Value) knobs.Event {
	return knobs.Event{Knob: n, Value: v, By: "me"}
}

func TestTurn(t *testing.T) {
	b, c := newBook()
	d := open(t, b, request("U03", "reviewer"))
	sel := dispatch.Selector{ID: d.ID}
	before, err := b.Store.Read(d.ID)
	require.NoError(t, err)

	_, changed, err := b.Turn(t.Context(), sel, turned(knobs.Opaque, knobs.Confine), func(*grants.Grant) error {
		t.Error("nothing is made ready for what changes nothing")
		return nil
	})
	require.NoError(t, err)
	require.False(t, changed)
	after, err := b.Store.Read(d.ID)
	require.NoError(t, err)
	require.Equal(t, before, after, "the same value writes nothing")

	c.now = c.now.Add(time.Minute)
	got, changed, err := b.Turn(t.Context(), sel, turned(knobs.Opaque, knobs.Block), nil)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, uint64(2), got.Generation)
	read, err := b.Read(d.ID)
	require.NoError(t, err)
	require.Equal(t, []knobs.Event{{Seq: 1, Time: c.now, Knob: knobs.Opaque, Value: knobs.Block, By: "me"}}, read.Grant.Turned)
	require.Equal(t, knobs.Block, read.Grant.Knobs().Opaque)
	require.Equal(t, knobs.Confine, read.Grant.Defaults().Opaque)
	require.Equal(t, read.Grant.Profile(), read.Keys.Profile, "the record says under which profile it is found")

	_, _, err = b.Turn(t.Context(), sel, turned(knobs.Opaque, knobs.Allow), func(*grants.Grant) error { return dispatch.ErrInvalid })
	require.ErrorIs(t, err, dispatch.ErrInvalid)
	_, _, err = b.Turn(t.Context(), sel, turned("volume", knobs.Allow), nil)
	require.ErrorIs(t, err, knobs.ErrUnknown)
	again, err := b.Read(d.ID)
	require.NoError(t, err)
	require.Equal(t, read, again, "what was refused changed nothing")

	_, err = b.Release(t.Context(), sel, dispatch.VerdictReady, func(*dispatch.Dispatch) ([]byte, error) { return []byte("{}"), nil })
	require.NoError(t, err)
	_, _, err = b.Turn(t.Context(), sel, turned(knobs.Opaque, knobs.Confine), nil)
	require.Error(t, err, "it is over")
	profiles, err := b.Profiles("reviewer")
	require.NoError(t, err)
	for _, p := range profiles {
		for id := range b.Named("reviewer", p) {
			t.Errorf("%s is found under %s after its end", id, p)
		}
	}
}

// Two conductors turn at once: neither turn is lost, and the events follow each other.
func TestTurnsAtOnce(t *testing.T) {
	b, _ := newBook()
	d := open(t, b, request("U03", "reviewer"))
	var all sync.WaitGroup
	for _, e := range []knobs.Event{turned(knobs.Opaque, knobs.Block), turned(knobs.Sandbox, knobs.Off), turned(knobs.Approval, knobs.Ask)} {
		all.Go(func() {
			_, changed, err := b.Turn(t.Context(), dispatch.Selector{ID: d.ID}, e, nil)
			if err != nil || !changed {
				t.Errorf("%s: %v, %v", e.Knob, changed, err)
			}
		})
	}
	all.Wait()
	got, err := b.Read(d.ID)
	require.NoError(t, err)
	require.Len(t, got.Grant.Turned, 3)
	require.Equal(t, knobs.Settings{Sandbox: knobs.Off, Approval: knobs.Ask, Opaque: knobs.Block}, got.Grant.Knobs())
}

func TestTurnsAreBounded(t *testing.T) {
	b, _ := newBook()
	sel := dispatch.Selector{ID: open(t, b, request("U03", "reviewer")).ID}
	for i := range knobs.MaxEvents {
		_, _, err := b.Turn(t.Context(), sel, turned(knobs.Approval, []knobs.Value{knobs.Ask, knobs.Never}[i%2]), nil)
		require.NoError(t, err)
	}
	_, _, err := b.Turn(t.Context(), sel, turned(knobs.Approval, knobs.Ask), nil)
	require.ErrorIs(t, err, knobs.ErrFull)
}

// A worker is told of each turn once, whoever asks first.
func TestTell(t *testing.T) {
	b, _ := newBook()
	d := open(t, b, request("U03", "reviewer"))
	other := open(t, b, request("U04", "reviewer"))
	for _, c := range []struct {
		id    store.ID
		n     int
		first bool
	}{{d.ID, 1, true}, {d.ID, 1, false}, {d.ID, 11, true}, {d.ID, 2, true}, {other.ID, 1, true}, {d.ID, 2, false}} {
		first, err := b.Tell(c.id, c.n)
		require.NoError(t, err)
		require.Equal(t, c.first, first, "%s %d", c.id, c.n)
	}
	for key, value := range b.Store.Marks(store.Told) {
		require.Contains(t, []store.ID{d.ID, other.ID}, dispatch.Marked(store.Told, key, value), "so that it goes with its dispatch")
	}
}
