package dispatch_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/mem"
	"github.com/seed6310be5c/conduct/unit"
)

var start = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// clock stands still until a test moves it: the wall and the boot clock apart.
type clock struct {
	now   time.Time
	boot  string
	since time.Duration
}

func (c *clock) Now() time.Time                { return c.now }
func (c *clock) Boot() (string, time.Duration) { return c.boot, c.since }

func newBook() (*dispatch.Book, *clock) {
	c := &clock{now: start, boot: "boot-1", since: time.Hour}
	return &dispatch.Book{Store: mem.New(), Clock: c, Mint: mint.ULID(rand.Reader), Host: "host"}, c
}

func request(name, agent string) dispatch.Request {
	return dispatch.Request{
		Unit: unit.Unit{Name: name, Paths: []string{"u/" + name}}, Agent: agent, TTL: time.Hour, Conductor: "s1",
		Grant: grants.Grant{Layouts: []string{"u/{unit}"}, Opaque: grants.OpaqueConfine},
	}
}

func open(t *testing.T, b *dispatch.Book, q dispatch.Request) *dispatch.Dispatch {
	t.Helper()
	d, err := b.Open(t.Context(), q)
	require.NoError(t, err)
	return d
}

func TestOpen(t *testing.T) {
	b, _ := newBook()
	d := open(t, b, request("U03", "reviewer"))
	require.True(t, d.ID.Valid())
	require.Equal(t, dispatch.Reserved, d.Now)
	require.Equal(t, uint64(1), d.Generation)
	require.Equal(t, start, d.IssuedAt)
	require.Equal(t, start.Add(time.Hour), d.ExpiresAt)
	require.Equal(t, "boot-1", d.BootID)
	require.Equal(t, 2*time.Hour, d.BootUntil)
	require.Equal(t, "conduct:"+string(d.ID), d.Line())
	got, err := b.Read(d.ID)
	require.NoError(t, err)
	require.Equal(t, d.Record, got.Record)
	require.Equal(t, []string{"u/U03"}, got.Grant.Own.Paths)
	require.Equal(t, d.ID, got.Grant.ID)
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*dispatch.Request)
		want error
	}{
		"no ttl":               {func(q *dispatch.Request) { q.TTL = 0 }, dispatch.ErrTTL},
		"a ttl in the past":    {func(q *dispatch.Request) { q.TTL = -time.Second }, dispatch.ErrTTL},
		"a nanosecond":         {func(q *dispatch.Request) { q.TTL = 1 }, nil},
		"seven days":           {func(q *dispatch.Request) { q.TTL = dispatch.MaxLife }, nil},
		"more than 7 days":     {func(q *dispatch.Request) { q.TTL = dispatch.MaxLife + 1 }, dispatch.ErrTTL},
		"the longest there is": {func(q *dispatch.Request) { q.TTL = 1<<63 - 1 }, dispatch.ErrTTL},
		"a note of 500":        {func(q *dispatch.Request) { q.Note = strings.Repeat("x", 500) }, nil},
		"a note of 501":        {func(q *dispatch.Request) { q.Note = strings.Repeat("x", 501) }, dispatch.ErrInvalid},
		"an agent of lines":    {func(q *dispatch.Request) { q.Agent = "a\nb" }, dispatch.ErrInvalid},
		"a role with ESC":      {func(q *dispatch.Request) { q.Role = "a\x1b[1m" }, dispatch.ErrInvalid},
		"a stage no UTF-8":     {func(q *dispatch.Request) { q.Stage = "a\xff" }, dispatch.ErrInvalid},
		"a session with DEL":   {func(q *dispatch.Request) { q.Conductor = "a\x7f" }, dispatch.ErrInvalid},
		"an agent in Greek":    {func(q *dispatch.Request) { q.Agent = "κριτής" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := newBook()
			q := request("U03", "reviewer")
			c.edit(&q)
			d, err := b.Open(t.Context(), q)
			if c.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, c.want)
			require.Nil(t, d)
			require.True(t, b.Empty(), "what was refused is not live")
		})
	}
}

func TestConflict(t *testing.T) {
	b, c := newBook()
	first := open(t, b, request("U03", "reviewer"))
	_, err := b.Open(t.Context(), request("U03", "reviewer"))
	require.ErrorIs(t, err, dispatch.ErrConflict)
	var held *dispatch.ConflictError
	require.ErrorAs(t, err, &held)
	require.Equal(t, first.ID, held.Holder.ID)
	require.EqualError(t, err, `unit "U03" is dispatched to "reviewer" as `+string(first.ID)+`, since 2026-05-04T03:02:01Z until 2026-05-04T04:02:01Z`)

	open(t, b, request("U03", "worker"))
	open(t, b, request("U03", ""))
	open(t, b, request("U04", "reviewer"))
	listed := request("U03", "reviewer")
	listed.Unit.Listed = true
	open(t, b, listed)

	c.now = c.now.Add(time.Hour)
	second := open(t, b, request("U03", "reviewer"))
	require.NotEqual(t, first.ID, second.ID)
	was, err := b.Read(first.ID)
	require.NoError(t, err)
	require.Equal(t, dispatch.Expired, was.State, "what was in the way has ended")
}

func TestExactlyOneOfManyWins(t *testing.T) {
	b, c := newBook()
	old := request("U03", "reviewer")
	old.TTL = time.Minute
	open(t, b, old)
	c.now = c.now.Add(time.Hour) // all of them find an expired one in the way
	var wg sync.WaitGroup
	var mu sync.Mutex
	var won []store.ID
	var lost []error
	for range 32 {
		wg.Go(func() {
			d, err := b.Open(t.Context(), request("U03", "reviewer"))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				lost = append(lost, err)
				return
			}
			won = append(won, d.ID)
		})
	}
	wg.Wait()
	require.Len(t, won, 1)
	for _, err := range lost {
		var held *dispatch.ConflictError
		require.ErrorAs(t, err, &held)
		require.Equal(t, won[0], held.Holder.ID)
	}
}

func TestExpiry(t *testing.T) {
	for name, c := range map[string]struct {
		wall, boot time.Duration
		reboot     bool
		want       dispatch.State
	}{
		"at once":                   {0, 0, false, dispatch.Reserved},
		"just before its end":       {time.Hour - 1, time.Hour - 1, false, dispatch.Reserved},
		"at its end":                {time.Hour, time.Hour, false, dispatch.Expired},
		"the wall clock set back":   {-24 * time.Hour, time.Hour + 1, false, dispatch.Expired},
		"the wall clock stopped":    {0, time.Hour, false, dispatch.Reserved},
		"the wall clock set on":     {time.Hour, time.Minute, false, dispatch.Expired},
		"another boot, in time":     {time.Minute, 100 * time.Hour, true, dispatch.Reserved},
		"another boot, out of time": {time.Hour, 0, true, dispatch.Expired},
	} {
		t.Run(name, func(t *testing.T) {
			b, clock := newBook()
			d := open(t, b, request("U03", "reviewer"))
			clock.now, clock.since = clock.now.Add(c.wall), clock.since+c.boot
			if c.reboot {
				clock.boot = "boot-2"
			}
			got, err := b.Read(d.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Now)
			require.Equal(t, c.want.Live(), got.Live())
		})
	}
}

func TestNoBootClock(t *testing.T) {
	b, c := newBook()
	c.boot, c.since = "", 0
	d := open(t, b, request("U03", "reviewer"))
	c.since = 100 * time.Hour
	got, err := b.Read(d.ID)
	require.NoError(t, err)
	require.Equal(t, dispatch.Reserved, got.Now, "a system that does not tell its boot expires nothing early")
}

func TestRenew(t *testing.T) {
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		after, ttl time.Duration
		want       error
	}{
		"no ttl":                 {0, 0, dispatch.ErrTTL},
		"in the past":            {0, -1, dispatch.ErrTTL},
		"shorter than it was":    {0, time.Minute, nil},
		"up to 7 days":           {0, 7 * day, nil},
		"beyond 7 days":          {0, 7*day + 1, dispatch.ErrTTL},
		"7 days from the issue":  {30 * time.Minute, 7*day - 30*time.Minute, nil},
		"and not from the renew": {30 * time.Minute, 7 * day, dispatch.ErrTTL},
		"too late":               {time.Hour, time.Hour, dispatch.ErrForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			b, clock := newBook()
			d := open(t, b, request("U03", "reviewer"))
			clock.now, clock.since = clock.now.Add(c.after), clock.since+c.after
			got, err := b.Renew(t.Context(), dispatch.Selector{ID: d.ID}, c.ttl)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
				same, err := b.Read(d.ID)
				require.NoError(t, err)
				require.Equal(t, d.Record, same.Record)
				return
			}
			require.NoError(t, err)
			require.Equal(t, clock.now.Add(c.ttl), got.ExpiresAt)
			require.Equal(t, clock.since+c.ttl, got.BootUntil)
			require.Equal(t, uint64(2), got.Generation)
		})
	}
}

func TestGenerations(t *testing.T) {
	b, _ := newBook()
	d := open(t, b, request("U03", "reviewer"))
	at := func(n uint64) dispatch.Selector { return dispatch.Selector{ID: d.ID, Generation: n} }
	_, err := b.Renew(t.Context(), at(1), time.Hour)
	require.NoError(t, err)
	_, err = b.Renew(t.Context(), at(1), time.Hour)
	require.ErrorIs(t, err, dispatch.ErrConflict)
	_, err = b.AddOpenings(t.Context(), at(3), []grants.Opening{{Access: grants.AccessRead, Path: "a"}})
	require.ErrorIs(t, err, dispatch.ErrConflict)
	_, err = b.Release(t.Context(), at(1), dispatch.VerdictReady, noReceipt)
	require.ErrorIs(t, err, dispatch.ErrConflict, "a late stop ends nothing")
	got, err := b.Read(d.ID)
	require.NoError(t, err)
	require.True(t, got.Live())
	require.Equal(t, uint64(2), got.Generation)
	got, err = b.Release(t.Context(), at(2), dispatch.VerdictReady, noReceipt)
	require.NoError(t, err)
	require.Equal(t, uint64(3), got.Generation)
}

func noReceipt(*dispatch.Dispatch) ([]byte, error) { return []byte(`{"n":1}`), nil }

func TestRelease(t *testing.T) {
	b, c := newBook()
	d := open(t, b, request("U03", "reviewer"))
	c.now = c.now.Add(time.Minute)
	sel := dispatch.Selector{ID: d.ID}
	calls := 0
	receipt := func(d *dispatch.Dispatch) ([]byte, error) {
		calls++
		require.Equal(t, dispatch.Released, d.State)
		return []byte(`{"n":1}`), nil
	}
	got, err := b.Release(t.Context(), sel, dispatch.VerdictReady, receipt)
	require.NoError(t, err)
	require.Equal(t, dispatch.Released, got.Now)
	require.Equal(t, c.now, got.EndedAt)

	again, err := b.Release(t.Context(), sel, dispatch.VerdictReady, receipt)
	require.NoError(t, err)
	require.JSONEq(t, `{"n":1}`, string(again.Receipt))
	require.Equal(t, 1, calls, "the receipt is that of the release")
	_, err = b.Release(t.Context(), sel, dispatch.VerdictNotReady, receipt)
	require.ErrorIs(t, err, dispatch.ErrConflict)
	_, err = b.Release(t.Context(), dispatch.Selector{Unit: "U03", AnyAgent: true}, dispatch.VerdictReady, receipt)
	require.ErrorIs(t, err, dispatch.ErrNone, "by its unit there is nothing to release")
	_, err = b.Renew(t.Context(), sel, time.Hour)
	require.ErrorIs(t, err, dispatch.ErrForbidden)

	open(t, b, request("U03", "reviewer"))
}

func TestReleaseOfAnExpiredOne(t *testing.T) {
	for _, swept := range []bool{false, true} {
		b, c := newBook()
		d := open(t, b, request("U03", "reviewer"))
		c.now = c.now.Add(2 * time.Hour)
		if swept {
			now, err := b.Read(d.ID)
			require.NoError(t, err)
			require.NoError(t, b.Expire(t.Context(), now))
		}
		got, err := b.Release(t.Context(), dispatch.Selector{Unit: "U03", Agent: "reviewer"}, dispatch.VerdictAbandoned, noReceipt)
		require.NoError(t, err, "swept: %t", swept)
		require.Equal(t, dispatch.Abandoned, got.State)
		profiles, err := b.Profiles("reviewer")
		require.NoError(t, err)
		require.Empty(t, profiles, "its name is free")
	}
}

func TestAFailingReceiptEndsNothing(t *testing.T) {
	b, _ := newBook()
	d := open(t, b, request("U03", "reviewer"))
	bad := errors.New("no receipt")
	_, err := b.Release(t.Context(), dispatch.Selector{ID: d.ID}, dispatch.VerdictReady, func(*dispatch.Dispatch) ([]byte, error) { return nil, bad })
	require.ErrorIs(t, err, bad)
	got, err := b.Read(d.ID)
	require.NoError(t, err)
	require.True(t, got.Live())
}

func TestFind(t *testing.T) {
	b, _ := newBook()
	d3 := open(t, b, request("U03", "reviewer"))
	open(t, b, request("U03", "worker"))
	d4 := open(t, b, request("U04", ""))
	for name, c := range map[string]struct {
		sel  dispatch.Selector
		want *dispatch.Dispatch
		err  error
	}{
		"by id":               {dispatch.Selector{ID: d3.ID}, d3, nil},
		"by an unknown id":    {dispatch.Selector{ID: someID}, nil, dispatch.ErrNone},
		"by what is no id":    {dispatch.Selector{ID: "../x"}, nil, dispatch.ErrNone},
		"by id and unit":      {dispatch.Selector{ID: d3.ID, Unit: "u/U03", Agent: "reviewer"}, d3, nil},
		"by another's unit":   {dispatch.Selector{ID: d3.ID, Unit: "U04", AnyAgent: true}, nil, dispatch.ErrConflict},
		"by another's agent":  {dispatch.Selector{ID: d3.ID, Agent: "worker"}, nil, dispatch.ErrConflict},
		"by unit and agent":   {dispatch.Selector{Unit: "U03", Agent: "reviewer"}, d3, nil},
		"by path":             {dispatch.Selector{Unit: "u/U04/", AnyAgent: true}, d4, nil},
		"by unit, no agent":   {dispatch.Selector{Unit: "U04"}, d4, nil},
		"by unit, any agent":  {dispatch.Selector{Unit: "U03", AnyAgent: true}, nil, dispatch.ErrConflict},
		"any at all":          {dispatch.Selector{AnyAgent: true}, nil, dispatch.ErrConflict},
		"by an unknown agent": {dispatch.Selector{Unit: "U03", Agent: "nobody"}, nil, dispatch.ErrNone},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := b.Find(c.sel)
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want.ID, got.ID)
		})
	}
}

func TestFindSaysWhatCannotBeRead(t *testing.T) {
	b, _ := newBook()
	d := open(t, b, request("U03", "reviewer"))
	b.Store.(*mem.Store).Damage(d.ID, "torn")
	_, err := b.Find(dispatch.Selector{Unit: "U03", Agent: "reviewer"})
	require.ErrorIs(t, err, store.ErrDamaged)
	found, err := b.List(false)
	require.NoError(t, err)
	require.Empty(t, found.Dispatches)
	require.Len(t, found.Damaged, 1)
	require.Equal(t, "torn", found.Damaged[0].Reason)
	_, err = b.Open(t.Context(), request("U03", "reviewer"))
	require.ErrorIs(t, err, store.ErrDamaged, "a fresh record is not made over one that cannot be read")
}

func TestOpenings(t *testing.T) {
	b, _ := newBook()
	d := open(t, b, request("U03", "reviewer"))
	sel := dispatch.Selector{ID: d.ID}
	got, err := b.AddOpenings(t.Context(), sel, []grants.Opening{{Access: grants.AccessRead, Path: "a", ID: "mine"}, {Access: grants.AccessWrite, Path: "b"}})
	require.NoError(t, err)
	require.Len(t, got.Grant.Opened, 2)
	require.NotEqual(t, "mine", got.Grant.Opened[0].ID, "ids are the book's own")
	require.NotEqual(t, got.Grant.Opened[0].ID, got.Grant.Opened[1].ID)
	_, err = b.RevokeOpenings(t.Context(), sel, []string{"c"})
	require.ErrorIs(t, err, dispatch.ErrNone)
	got, err = b.RevokeOpenings(t.Context(), sel, []string{"a", "c"})
	require.NoError(t, err)
	require.Len(t, got.Grant.Opened, 1)
	require.Equal(t, "b", got.Grant.Opened[0].Path)
	read, err := b.Read(d.ID)
	require.NoError(t, err)
	require.Equal(t, got.Grant.Opened, read.Grant.Opened)

	id := got.Grant.Opened[0].ID
	require.NoError(t, b.Spend(id, "call-1"))
	require.NoError(t, b.Spend(id, "call-1"), "a hook that runs twice for one call")
	require.ErrorIs(t, b.Spend(id, "call-2"), store.ErrExists)
	by, ok := b.Spent(id)
	require.True(t, ok)
	require.Equal(t, "call-1", by)
}

func TestSeenMakesActive(t *testing.T) {
	b, c := newBook()
	d := open(t, b, request("U03", "reviewer"))
	require.False(t, b.Seen(d.ID))
	c.now = c.now.Add(time.Minute)
	require.NoError(t, b.See(d.ID))
	seen := c.now
	c.now = c.now.Add(time.Minute)
	require.NoError(t, b.See(d.ID))
	got, err := b.Read(d.ID)
	require.NoError(t, err)
	require.Equal(t, dispatch.Active, got.Now)
	require.Equal(t, dispatch.Reserved, got.State)
	require.Equal(t, seen, got.SeenAt, "the first call")
}

func TestBindings(t *testing.T) {
	b, _ := newBook()
	key := dispatch.AgentKey("client", "a1", "")
	_, ok, err := b.Bound(key)
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, b.Bind(key, 0, someID, 2))
	require.ErrorIs(t, b.Bind(key, 0, "01HZXJ0000000000000000000B", 0), store.ErrExists)
	got, ok, err := b.Bound(key)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, dispatch.Bound{ID: someID, Depth: 2, Next: 1}, got)
	require.NoError(t, b.Bind(key, 1, "01HZXJ0000000000000000000B", 0))
	got, _, err = b.Bound(key)
	require.NoError(t, err)
	require.Equal(t, dispatch.Bound{ID: "01HZXJ0000000000000000000B", Next: 2}, got)
	for _, other := range []string{
		dispatch.AgentKey("client2", "a1", ""), dispatch.AgentKey("client", "a2", ""), dispatch.AgentKey("client", "a1", "s1"),
		dispatch.AgentKey("clienta1", "", ""),
	} {
		_, ok, err := b.Bound(other)
		require.NoError(t, err)
		require.False(t, ok)
	}
}

func TestWindows(t *testing.T) {
	b, _ := newBook()
	s1, s2 := dispatch.SessionKey("c", "s1"), dispatch.SessionKey("c", "s2")
	require.NoError(t, b.OpenWindow(s1, someID))
	require.NoError(t, b.OpenWindow(s1, someID))
	require.Equal(t, []store.ID{someID}, b.Windows(s1))
	require.Empty(t, b.Windows(s2))
	require.NoError(t, b.CloseWindow(s2, someID))
	require.Len(t, b.Windows(s1), 1)
	require.NoError(t, b.CloseWindow(s1, someID))
	require.Empty(t, b.Windows(s1))
}

func TestSessions(t *testing.T) {
	b, _ := newBook()
	q := request("U03", "reviewer")
	q.Grant.Sessions = true
	d := open(t, b, q)
	got := map[store.ID]string{}
	for id, by := range b.Sessions() {
		got[id] = by
	}
	require.Equal(t, map[store.ID]string{d.ID: dispatch.ConductorKey("s1")}, got)
	_, err := b.Release(t.Context(), dispatch.Selector{ID: d.ID}, dispatch.VerdictReady, noReceipt)
	require.NoError(t, err)
	for id := range b.Sessions() {
		require.Fail(t, "the session is still bound", id)
	}
}

func TestOff(t *testing.T) {
	b, c := newBook()
	require.True(t, b.Off().IsZero())
	until := start.Add(10 * time.Minute)
	require.NoError(t, b.SetOff(until))
	require.Equal(t, until, b.Off())
	c.now = until
	require.True(t, b.Off().IsZero(), "it ends by itself")
	c.now = start
	require.NoError(t, b.SetOff(start.Add(time.Minute)))
	require.Equal(t, start.Add(time.Minute), b.Off())
	require.NoError(t, b.SetOff(time.Time{}))
	require.True(t, b.Off().IsZero())
}
