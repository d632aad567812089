package mem_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/mem"
	"github.com/seed6310be5c/conduct/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return mem.New() })
}

func TestDamage(t *testing.T) {
	s := mem.New()
	e := storetest.Entry("U03", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	s.Damage(e.ID, "torn")
	_, err := s.Read(e.ID)
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorIs(t, s.Update(t.Context(), storetest.At(e, 2, "active", ""), 1), store.ErrDamaged)
	require.False(t, s.Empty())
	for d, err := range s.Damaged() {
		require.NoError(t, err)
		require.Equal(t, store.Damage{ID: e.ID, File: string(e.ID), Reason: "torn"}, d)
	}
}
