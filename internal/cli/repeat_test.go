package cli

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRepeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		began := time.Now()
		var at []time.Duration
		require.NoError(t, repeat(ctx, 10*time.Second, func() error {
			at = append(at, time.Since(began))
			return nil
		}))
		require.Equal(t, []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second}, at)
		require.Equal(t, 35*time.Second, time.Since(began), "it ends when it is told to")
	})
}

func TestRepeatEndsWithAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed, n := errors.New("failed"), 0
		require.ErrorIs(t, repeat(t.Context(), time.Second, func() error {
			if n++; n == 3 {
				return failed
			}
			return nil
		}), failed)
		require.Equal(t, 3, n)
	})
}

// TestRepeatCutShort ends while something is done: that it failed then is no error.
func TestRepeatCutShort(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, repeat(ctx, time.Hour, func() error {
		cancel()
		return ctx.Err()
	}))
}
