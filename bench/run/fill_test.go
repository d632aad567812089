package main

import (
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
)

// What the filler writes must be what the store itself would have written, or
// the figures are about something else.
func TestFilledIsWhatTheStoreReads(t *testing.T) {
	w := &world{root: t.TempDir()}
	require.NoError(t, file.Init(filepath.Join(w.root, ".conduct")))
	st, book, err := w.records(clock())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	book.Mint = mint.ULID(rand.Reader)
	_, err = book.Open(t.Context(), dispatch.Request{
		Unit: unit.Unit{Name: unitName(0), Paths: []string{unitPath(0)}}, Agent: agent, TTL: time.Hour,
		Grant: grants.Grant{Opaque: grants.OpaqueBlock},
	})
	require.NoError(t, err)
	require.NoError(t, w.fillLive(1, 5))
	require.NoError(t, w.fillEnded(7, time.Hour))
	require.NoError(t, w.count(5))

	found, err := book.List(true)
	require.NoError(t, err)
	require.Len(t, found.Dispatches, 12)
	require.Empty(t, found.Damaged)
	profiles, err := book.Profiles(agent)
	require.NoError(t, err)
	require.Len(t, profiles, 1, "they restrict alike")
	named := 0
	for id, err := range book.Named(agent, profiles[0]) {
		require.NoError(t, err)
		_, err = book.Read(id)
		require.NoError(t, err)
		named++
	}
	require.Equal(t, 5, named)
	swept, err := st.Sweep(t.Context(), 0, 1000, true)
	require.NoError(t, err)
	require.Zero(t, swept, "nothing is out of its place")
	_, err = book.Open(t.Context(), dispatch.Request{
		Unit: unit.Unit{Name: unitName(3), Paths: []string{unitPath(3)}}, Agent: agent, TTL: time.Hour,
	})
	require.ErrorIs(t, err, dispatch.ErrConflict, "the claims are held")
}

func TestPayloads(t *testing.T) {
	w := &world{root: "/ws"}
	for _, size := range []int{1000, 4096, largest} {
		p := w.write(agentID, "a.md", size)
		require.Len(t, p, size)
		r := wire.NewReader(p)
		require.NoError(t, r.Skip())
		require.NoError(t, r.End())
		require.Len(t, numbered(p, 7), size)
		require.True(t, strings.HasSuffix(string(numbered(p, 7)), `00000007"}`))
	}
	require.Equal(t, "in", string(numbered([]byte("in"), 7)), "what is no payload stays")
}

func TestMedianAndVerdict(t *testing.T) {
	same := func(d time.Duration) time.Duration { return d }
	require.Equal(t, time.Duration(2), median([]time.Duration{3, 1, 2}, same))
	require.Equal(t, time.Duration(2), median([]time.Duration{4, 3, 1, 2}, same))
	require.Equal(t, "met", ratio("", "", 1.5, 15, 10).verdict())
	require.Equal(t, "**not met**", ratio("", "", 1.5, 16, 10).verdict())
	require.Empty(t, ratio("", "", 0, 16, 10).verdict())
	require.Equal(t, "1.60 ×", ratio("", "", 0, 16, 10).measured())
	s, err := jsonString(`a \"b\" \\", "more": "x"`)
	require.NoError(t, err)
	require.Equal(t, `a "b" \`, s)
}
