// Package storetest is the contract of store.Store as a test suite.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/store"
)

// Run holds a kind of store to the contract. open returns an empty store; it
// closes it itself when the test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	tests := []struct {
		name string
		do   func(*testing.T, store.Store)
	}{
		{"empty", testEmpty},
		{"create and read", testCreate},
		{"bad arguments", testArguments},
		{"claim", testClaim},
		{"taken id", testTakenID},
		{"update", testUpdate},
		{"another profile", testProfiles},
		{"generations", testGenerations},
		{"end", testEnd},
		{"ended for good", testEndedForGood},
		{"held name", testHeld},
		{"verdict on an expired one", testSettled},
		{"remove", testRemove},
		{"named", testNamed},
		{"iterators stop", testStop},
		{"marks", testMarks},
		{"mark arguments", testMarkArguments},
		{"sweep takes nothing live", testSweep},
		{"set aside", testSetAside},
		{"concurrent creators", testConcurrentCreate},
		{"concurrent updates", testConcurrentUpdate},
		{"readers see whole pairs", testWholePairs},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.do(t, open(t)) })
	}
}

// Entry makes a dispatch of a unit and an agent at generation 1.
func Entry(unit, agent string) store.Entry {
	e := store.Entry{
		ID: store.ID(ulid.Make().String()),
		Keys: store.Keys{
			Unit: store.Key(unit), Claim: store.Key(unit, agent),
			Name: store.Key(agent), Profile: store.Key("profile", unit),
		},
	}
	return At(e, 1, "reserved", "")
}

// At is e as it is at a generation and in a state, with a note in both
// documents so that pairs can be told apart.
func At(e store.Entry, generation uint64, state, note string) store.Entry {
	e.Generation = generation
	e.Ended = state == "released" || state == "expired" || state == "abandoned"
	e.Record = fmt.Appendf(nil, `{"schema":1,"id":%q,"generation":%d,"state":%q,"note":%q}`, e.ID, generation, state, note)
	e.Grant = fmt.Appendf(nil, `{"unit":"u","note":%q}`, note)
	return e
}

// Stored is what Read returns for e: a store keeps no keys.
func Stored(e store.Entry) store.Entry {
	e.Keys = store.Keys{}
	return e
}

// IDs collects ids in order; an error ends the test.
func IDs[T any](t *testing.T, seq func(func(T, error) bool), id func(T) store.ID) []store.ID {
	t.Helper()
	out := []store.ID{}
	seq(func(v T, err error) bool {
		require.NoError(t, err)
		out = append(out, id(v))
		return true
	})
	slices.Sort(out)
	return out
}

func same(id store.ID) store.ID                   { return id }
func damageID(d store.Damage) store.ID            { return d.ID }
func ids(list ...store.ID) []store.ID             { slices.Sort(list); return append([]store.ID{}, list...) }
func ctx(t *testing.T) context.Context            { return t.Context() }
func live(t *testing.T, s store.Store) []store.ID { t.Helper(); return IDs(t, s.Live(), same) }

// ended are the ended dispatches. No writer dies in these tests, so all lie in their place.
func ended(t *testing.T, s store.Store) []store.ID {
	t.Helper()
	all := IDs(t, s.Ended(), same)
	require.ElementsMatch(t, all, IDs(t, s.Archived(), same))
	return all
}

// slot is one entry of the index of agent names.
type slot struct {
	profile string
	id      store.ID
}

// slots reads the index of a name as its users do, profile by profile.
func slots(t *testing.T, s store.Store, name string) []slot {
	t.Helper()
	out := []slot{}
	profiles, err := s.Profiles(name)
	require.NoError(t, err)
	for _, p := range profiles {
		for id, err := range s.Named(name, p) {
			require.NoError(t, err)
			out = append(out, slot{p, id})
		}
	}
	return out
}

func testEmpty(t *testing.T, s store.Store) {
	require.True(t, s.Empty())
	require.Empty(t, live(t, s))
	require.Empty(t, ended(t, s))
	require.Empty(t, slots(t, s, store.Key("a")))
	require.Empty(t, IDs(t, s.Damaged(), damageID))
	_, err := s.Read(store.ID(ulid.Make().String()))
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = s.Read("../x")
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = s.Marked(store.Bind, "k")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, s.Unmark(store.Bind, "k"))
	for range s.Marks(store.Bind) {
		t.Error("a mark in an empty store")
	}
	n, err := s.Sweep(ctx(t), 0, 100, false)
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = s.Clear(ctx(t))
	require.NoError(t, err)
	require.Zero(t, n)
}

func testCreate(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), e))
	got, err := s.Read(e.ID)
	require.NoError(t, err)
	require.Equal(t, Stored(e), got)
	require.False(t, s.Empty())
	require.Equal(t, ids(e.ID), live(t, s))
	require.Empty(t, ended(t, s))
	require.Equal(t, []slot{{e.Keys.Profile, e.ID}}, slots(t, s, e.Keys.Name))
	require.Empty(t, IDs(t, s.Damaged(), damageID))
}

func testArguments(t *testing.T, s store.Store) {
	tests := []struct {
		name   string
		change func(*store.Entry)
	}{
		{"no id", func(e *store.Entry) { e.ID = "" }},
		{"path as id", func(e *store.Entry) { e.ID = "../../../../../../etc/passwd" }},
		{"path as unit", func(e *store.Entry) { e.Keys.Unit = "../x" }},
		{"empty claim", func(e *store.Entry) { e.Keys.Claim = "" }},
		{"dot as name", func(e *store.Entry) { e.Keys.Name = "." }},
		{"slash in profile", func(e *store.Entry) { e.Keys.Profile = "a/b" }},
		{"the store's own profile", func(e *store.Entry) { e.Keys.Profile = store.Held }},
		{"large record", func(e *store.Entry) {
			e.Record = append(e.Record, strings.Repeat(" ", store.MaxSize)...)
		}},
		{"large grant", func(e *store.Entry) { e.Grant = make([]byte, store.MaxSize+1) }},
	}
	for _, tt := range tests {
		e := Entry("U03", "rev")
		tt.change(&e)
		require.Error(t, s.Create(ctx(t), e), tt.name)
	}
	require.True(t, s.Empty())
}

func testClaim(t *testing.T, s store.Store) {
	first := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), first))
	err := s.Create(ctx(t), Entry("U03", "rev"))
	require.ErrorIs(t, err, store.ErrExists)
	var held *store.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, first.ID, held.By)
	require.Equal(t, ids(first.ID), live(t, s))
	require.Len(t, slots(t, s, first.Keys.Name), 1)

	other, third := Entry("U03", "other"), Entry("U04", "rev")
	require.NoError(t, s.Create(ctx(t), other))
	require.NoError(t, s.Create(ctx(t), third))
	require.Equal(t, ids(first.ID, other.ID, third.ID), live(t, s))
}

func testTakenID(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), e))
	thief := Entry("U04", "rev")
	thief.ID = e.ID
	thief = At(thief, 1, "reserved", "thief")
	require.ErrorIs(t, s.Create(ctx(t), thief), store.ErrExists)
	got, err := s.Read(e.ID)
	require.NoError(t, err)
	require.Equal(t, Stored(e), got)
}

func testUpdate(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), e))
	for _, note := range []string{"", "changed", "changed", "again"} {
		next := At(e, e.Generation+1, "active", note)
		require.NoError(t, s.Update(ctx(t), next, e.Generation))
		got, err := s.Read(e.ID)
		require.NoError(t, err)
		require.Equal(t, Stored(next), got)
		e = next
	}
	require.Equal(t, ids(e.ID), live(t, s))
	require.Len(t, slots(t, s, e.Keys.Name), 1)
}

func testGenerations(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	next := At(e, 2, "active", "next")
	require.ErrorIs(t, s.Update(ctx(t), next, 1), store.ErrNotFound)
	require.ErrorIs(t, s.End(ctx(t), At(e, 2, "released", ""), 1, false), store.ErrNotFound)
	require.NoError(t, s.Create(ctx(t), e))
	require.NoError(t, s.Update(ctx(t), next, 1))
	require.ErrorIs(t, s.Update(ctx(t), At(e, 2, "active", "late"), 1), store.ErrGeneration)
	require.ErrorIs(t, s.Update(ctx(t), At(e, 6, "active", "early"), 5), store.ErrGeneration)
	require.ErrorIs(t, s.End(ctx(t), At(e, 2, "released", "late"), 1, false), store.ErrGeneration)
	require.Error(t, s.Update(ctx(t), At(e, 4, "active", "leap"), 2))
	require.Error(t, s.End(ctx(t), At(e, 3, "active", "not ended"), 2, false))
	got, err := s.Read(e.ID)
	require.NoError(t, err)
	require.Equal(t, Stored(next), got)
}

func testEnd(t *testing.T, s store.Store) {
	for i, state := range []string{"released", "abandoned", "expired"} {
		e := Entry("U03", "rev")
		require.NoError(t, s.Create(ctx(t), e), "the claim is free again")
		over := At(e, 2, state, "")
		require.NoError(t, s.End(ctx(t), over, 1, false))
		got, err := s.Read(e.ID)
		require.NoError(t, err)
		require.Equal(t, Stored(over), got)
		require.True(t, s.Empty())
		require.Empty(t, live(t, s))
		require.Len(t, ended(t, s), i+1)
		require.Empty(t, slots(t, s, e.Keys.Name))
	}
}

func testEndedForGood(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), e))
	require.NoError(t, s.End(ctx(t), At(e, 2, "released", ""), 1, false))
	require.ErrorIs(t, s.Update(ctx(t), At(e, 3, "active", ""), 2), store.ErrEnded)
	require.ErrorIs(t, s.End(ctx(t), At(e, 3, "released", ""), 2, false), store.ErrEnded)
	next := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), next))
	require.ErrorIs(t, s.End(ctx(t), At(e, 2, "released", ""), 1, false), store.ErrEnded)
	require.Equal(t, ids(next.ID), live(t, s), "a late stop of an old dispatch ends no new one")
}

func testHeld(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), e))
	require.NoError(t, s.End(ctx(t), At(e, 2, "expired", ""), 1, true))
	require.Equal(t, []slot{{store.Held, e.ID}}, slots(t, s, e.Keys.Name))
	require.Empty(t, live(t, s))
	next := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), next), "the claim is free")
	require.Equal(t, []slot{
		{next.Keys.Profile, next.ID}, {store.Held, e.ID},
	}, slots(t, s, e.Keys.Name), "held ones come last")
	n, err := s.Sweep(ctx(t), 0, 100, false)
	require.NoError(t, err)
	require.Zero(t, n, "what is held is no litter")
	require.NoError(t, s.Free(ctx(t), e))
	require.NoError(t, s.Free(ctx(t), e))
	require.Equal(t, []slot{{next.Keys.Profile, next.ID}}, slots(t, s, e.Keys.Name))
	require.Equal(t, ids(e.ID), ended(t, s))
}

func testSettled(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), e))
	require.NoError(t, s.End(ctx(t), At(e, 2, "expired", ""), 1, true))
	require.ErrorIs(t, s.Update(ctx(t), At(e, 3, "active", ""), 2), store.ErrEnded, "time that is up does not come back")
	require.ErrorIs(t, s.End(ctx(t), At(e, 4, "released", ""), 3, false), store.ErrGeneration)
	over := At(e, 3, "released", "")
	require.NoError(t, s.End(ctx(t), over, 2, false), "a verdict on what has expired")
	got, err := s.Read(e.ID)
	require.NoError(t, err)
	require.Equal(t, Stored(over), got)
	require.Empty(t, slots(t, s, e.Keys.Name), "the name is free")
	require.ErrorIs(t, s.End(ctx(t), At(e, 4, "released", ""), 3, false), store.ErrEnded)
	require.Equal(t, ids(e.ID), ended(t, s))
	require.Empty(t, live(t, s))
}

func testRemove(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.ErrorIs(t, s.Remove(ctx(t), e), store.ErrNotFound)
	require.NoError(t, s.Create(ctx(t), e))
	require.Error(t, s.Remove(ctx(t), e), "live")
	require.Equal(t, ids(e.ID), live(t, s))
	require.NoError(t, s.End(ctx(t), At(e, 2, "expired", ""), 1, true))
	require.NoError(t, s.Remove(ctx(t), e))
	_, err := s.Read(e.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Empty(t, ended(t, s))
	require.Empty(t, slots(t, s, e.Keys.Name), "its name is free")
	require.ErrorIs(t, s.Remove(ctx(t), e), store.ErrNotFound)
}

func testNamed(t *testing.T, s store.Store) {
	var all []store.ID
	profiles := map[string]int{}
	for i := range 5 {
		e := Entry(fmt.Sprintf("U%02d", i), "rev")
		e.Keys.Profile = store.Key("p", fmt.Sprint(i%2))
		require.NoError(t, s.Create(ctx(t), e))
		all = append(all, e.ID)
	}
	require.NoError(t, s.Create(ctx(t), Entry("U00", "someone-else")))
	var named []store.ID
	for _, slot := range slots(t, s, store.Key("rev")) {
		named = append(named, slot.id)
		profiles[slot.profile]++
	}
	require.Equal(t, ids(all...), ids(named...))
	_, err := s.Profiles("../x")
	require.Error(t, err)
	for _, err := range s.Named(store.Key("rev"), "..") {
		require.Error(t, err)
	}
	require.Equal(t, map[string]int{store.Key("p", "0"): 3, store.Key("p", "1"): 2}, profiles)
}

func testStop(t *testing.T, s store.Store) {
	for i := range 3 {
		require.NoError(t, s.Create(ctx(t), Entry(fmt.Sprint("L", i), "rev")))
		e := Entry(fmt.Sprint("E", i), "rev")
		require.NoError(t, s.Create(ctx(t), e))
		require.NoError(t, s.End(ctx(t), At(e, 2, "expired", ""), 1, true))
		require.NoError(t, s.Mark(store.Once, fmt.Sprint("k", i), "v"))
	}
	counts := map[string]int{}
	for range s.Live() {
		counts["live"]++
		break
	}
	for range s.Ended() {
		counts["ended"]++
		break
	}
	for range s.Named(store.Key("rev"), store.Held) {
		counts["named"]++
		break
	}
	for range s.Marks(store.Once) {
		counts["marks"]++
		break
	}
	require.Equal(t, map[string]int{"live": 1, "ended": 1, "named": 1, "marks": 1}, counts)
}

func testMarks(t *testing.T, s store.Store) {
	long := strings.Repeat("v", 200)
	require.NoError(t, s.Mark(store.Bind, "k1", long))
	require.NoError(t, s.Mark(store.Bind, "k2", "2026-01-02T03:04:05+00:00_.-"))
	require.NoError(t, s.Mark(store.Bind, "k3", ".."))
	require.NoError(t, s.Mark(store.Bind, "k4", ""))
	require.NoError(t, s.Mark(store.Seen, "k1", "other"))
	require.ErrorIs(t, s.Mark(store.Bind, "k1", "again"), store.ErrExists)
	for key, want := range map[string]string{"k1": long, "k2": "2026-01-02T03:04:05+00:00_.-", "k3": "..", "k4": ""} {
		got, err := s.Marked(store.Bind, key)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got := map[string]string{}
	for k, v := range s.Marks(store.Seen) {
		got[k] = v
	}
	require.Equal(t, map[string]string{"k1": "other"}, got)
	require.NoError(t, s.Unmark(store.Bind, "k1"))
	_, err := s.Marked(store.Bind, "k1")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, s.Mark(store.Bind, "k1", "again"))
	require.True(t, s.Empty(), "a mark is no dispatch")
}

func testMarkArguments(t *testing.T, s store.Store) {
	for _, key := range []string{"", "..", "a/b", "a b", "a\x00", strings.Repeat("k", 65)} {
		require.Error(t, s.Mark(store.Bind, key, "v"), "%q", key)
		require.Error(t, s.Unmark(store.Bind, key), "%q", key)
		_, err := s.Marked(store.Bind, key)
		require.Error(t, err, "%q", key)
	}
	for _, value := range []string{"a b", "a/b", "a\n", "ä", strings.Repeat("v", 201)} {
		require.Error(t, s.Mark(store.Bind, "key", value), "%q", value)
	}
	require.Error(t, s.Mark("../x", "key", "v"))
	_, err := s.Marked(store.Bind, "key")
	require.ErrorIs(t, err, store.ErrNotFound)
}

func testSweep(t *testing.T, s store.Store) {
	kept := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), kept))
	over := Entry("U04", "rev")
	require.NoError(t, s.Create(ctx(t), over))
	over = At(over, 2, "released", "")
	require.NoError(t, s.End(ctx(t), over, 1, false))
	for _, dry := range []bool{true, false} {
		n, err := s.Sweep(ctx(t), 0, 1000, dry)
		require.NoError(t, err)
		require.Zero(t, n, "dry: %v", dry)
	}
	for _, e := range []store.Entry{kept, over} {
		got, err := s.Read(e.ID)
		require.NoError(t, err)
		require.Equal(t, Stored(e), got)
	}
	require.ErrorIs(t, s.Create(ctx(t), Entry("U03", "rev")), store.ErrExists)
}

func testSetAside(t *testing.T, s store.Store) {
	e, other := Entry("U03", "rev"), Entry("U04", "rev")
	require.ErrorIs(t, s.SetAside(ctx(t), e.ID), store.ErrNotFound)
	require.NoError(t, s.Create(ctx(t), e))
	require.NoError(t, s.Create(ctx(t), other))
	require.NoError(t, s.SetAside(ctx(t), e.ID))
	require.NoError(t, s.SetAside(ctx(t), e.ID), "it is aside already")

	_, err := s.Read(e.ID)
	require.ErrorIs(t, err, store.ErrDamaged)
	require.Equal(t, ids(e.ID, other.ID), live(t, s), "what it blocked stays blocked")
	require.False(t, s.Empty())
	require.Len(t, slots(t, s, e.Keys.Name), 2)
	require.ErrorIs(t, s.Create(ctx(t), Entry("U03", "rev")), store.ErrExists)
	require.ErrorIs(t, s.Update(ctx(t), At(e, 2, "active", ""), 1), store.ErrDamaged)
	require.ErrorIs(t, s.End(ctx(t), At(e, 2, "released", ""), 1, false), store.ErrDamaged)
	require.Error(t, s.Remove(ctx(t), e))
	var all []store.Damage
	for d, err := range s.Damaged() {
		require.NoError(t, err)
		all = append(all, d)
	}
	require.Len(t, all, 1)
	require.Equal(t, e.ID, all[0].ID)
	require.True(t, all[0].Aside)
	require.NotEmpty(t, all[0].Reason)
	n, err := s.Sweep(ctx(t), 0, 1000, false)
	require.NoError(t, err)
	require.Zero(t, n)

	n, err = s.Clear(ctx(t))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = s.Read(e.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Equal(t, ids(other.ID), live(t, s))
	require.Equal(t, []slot{{other.Keys.Profile, other.ID}}, slots(t, s, e.Keys.Name))
	require.NoError(t, s.Create(ctx(t), Entry("U03", "rev")))
}

// together calls do n times at once.
func together(n int, do func(int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			do(i)
		})
	}
	close(start)
	wg.Wait()
}

func testConcurrentCreate(t *testing.T, s store.Store) {
	errs := make([]error, 16)
	entries := make([]store.Entry, 16)
	for i := range entries {
		entries[i] = Entry("U03", "rev")
	}
	together(16, func(i int) { errs[i] = s.Create(ctx(t), entries[i]) })
	var won []store.ID
	for i, err := range errs {
		if err == nil {
			won = append(won, entries[i].ID)
			continue
		}
		require.ErrorIs(t, err, store.ErrExists)
	}
	require.Len(t, won, 1)
	for _, err := range errs {
		var held *store.HeldError
		if err != nil {
			require.ErrorAs(t, err, &held)
			require.Equal(t, won[0], held.By)
		}
	}
	require.Equal(t, won, live(t, s))
	require.Len(t, slots(t, s, store.Key("rev")), 1)
}

func testConcurrentUpdate(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), e))
	errs := make([]error, 16)
	together(16, func(i int) {
		errs[i] = s.Update(ctx(t), At(e, 2, "active", fmt.Sprint(i)), 1)
	})
	won := -1
	for i, err := range errs {
		if err == nil {
			require.Equal(t, -1, won, "two updates from one generation")
			won = i
			continue
		}
		require.ErrorIs(t, err, store.ErrGeneration)
	}
	require.NotEqual(t, -1, won)
	got, err := s.Read(e.ID)
	require.NoError(t, err)
	require.Equal(t, Stored(At(e, 2, "active", fmt.Sprint(won))), got)
}

// testWholePairs reads while a writer replaces the pair: record and grant must
// always be of one write.
func testWholePairs(t *testing.T, s store.Store) {
	e := Entry("U03", "rev")
	require.NoError(t, s.Create(ctx(t), e))
	const last = 60
	deadline, cancel := context.WithTimeout(ctx(t), time.Minute)
	defer cancel()
	var writer error
	var wg sync.WaitGroup
	wg.Go(func() {
		for g := uint64(2); g <= last && writer == nil; g++ {
			writer = s.Update(deadline, At(e, g, "active", fmt.Sprint(g)), g-1)
		}
		if writer == nil {
			writer = s.End(deadline, At(e, last+1, "released", fmt.Sprint(last)), last, false)
		}
		if writer != nil {
			cancel()
		}
	})
	for deadline.Err() == nil {
		got, err := s.Read(e.ID)
		require.NoError(t, err)
		note := fmt.Sprint(got.Generation)
		state := "active"
		switch got.Generation {
		case 1:
			note, state = "", "reserved"
		case last + 1:
			note, state = fmt.Sprint(last), "released"
		}
		require.Equal(t, Stored(At(e, got.Generation, state, note)), got)
		if got.Ended {
			break
		}
	}
	wg.Wait()
	require.NoError(t, writer)
}
