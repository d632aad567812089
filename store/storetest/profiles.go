package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/store"
)

// A dispatch whose profile changes is found under every one that it had, until it ends.
func testProfiles(t *testing.T, s store.Store) {
	for i, state := range []string{"released", "expired"} {
		name := fmt.Sprintf("rev-%d", i)
		e := Entry("U03", name)
		require.NoError(t, s.Create(ctx(t), e))
		first, other := e.Keys.Profile, store.Key("other")
		for n, p := range []string{other, first, other} {
			e.Keys.Profile = p
			require.NoError(t, s.Update(ctx(t), At(e, uint64(n+2), "active", p), uint64(n+1)))
		}
		require.ElementsMatch(t, []slot{{first, e.ID}, {other, e.ID}}, slots(t, s, e.Keys.Name))
		n, err := s.Sweep(ctx(t), 0, 100, false)
		require.NoError(t, err)
		require.Zero(t, n, "neither is litter")
		require.ElementsMatch(t, []slot{{first, e.ID}, {other, e.ID}}, slots(t, s, e.Keys.Name))
		require.NoError(t, s.End(ctx(t), At(e, 5, state, ""), 4, state == "expired"))
		want := []slot{}
		if state == "expired" {
			want = append(want, slot{store.Held, e.ID})
		}
		require.Equal(t, want, slots(t, s, e.Keys.Name))
	}
}
