package store_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/store"
)

func TestMintMakesWhatTheLibraryMakes(t *testing.T) {
	times := []time.Time{time.UnixMilli(0), time.UnixMilli(1), time.Now(), time.UnixMilli(1<<48 - 1)}
	for _, now := range times {
		for range 100 {
			random := make([]byte, 10)
			_, err := rand.Read(random)
			require.NoError(t, err)
			want, err := ulid.New(ulid.Timestamp(now), bytes.NewReader(random))
			require.NoError(t, err)
			got, err := store.Mint(now, bytes.NewReader(random))
			require.NoError(t, err)
			require.Equal(t, want.String(), string(got))
			require.True(t, got.Valid())
		}
	}
}

func TestMintNeedsRandomBytes(t *testing.T) {
	_, err := store.Mint(time.Now(), bytes.NewReader(make([]byte, 9)))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
