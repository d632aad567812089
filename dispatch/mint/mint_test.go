package mint_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch/mint"
)

func TestIDs(t *testing.T) {
	make := mint.ULID(rand.Reader)
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	a, err := make(at)
	require.NoError(t, err)
	b, err := make(at.Add(time.Millisecond))
	require.NoError(t, err)
	require.True(t, a.Valid())
	require.True(t, b.Valid())
	require.Less(t, a, b, "later ids sort after earlier ones")
	c, err := make(at)
	require.NoError(t, err)
	require.NotEqual(t, a, c)
}

func TestNoRandomBytes(t *testing.T) {
	_, err := mint.ULID(bytes.NewReader(nil))(time.Now())
	require.ErrorIs(t, err, io.EOF)
}
