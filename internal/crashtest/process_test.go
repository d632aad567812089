package crashtest_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/crashtest"
)

// doublerVar makes this test's program one that doubles, and is at -1 for ever.
const doublerVar = "CONDUCT_TEST_DOUBLER"

func TestMain(m *testing.M) {
	if os.Getenv(doublerVar) == "" {
		os.Exit(m.Run())
	}
	err := crashtest.Serve(os.Stdin, os.Stdout, func(n int) int {
		if n < 0 {
			select {}
		}
		return 2 * n
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(t *testing.T) *crashtest.Process[int, int] {
	p, err := crashtest.Start[int, int](os.Stderr, doublerVar+"=1")
	require.NoError(t, err)
	return p
}

func TestProcess(t *testing.T) {
	p := start(t)
	for n := range 3 {
		got, told := p.Ask(n)
		require.True(t, told)
		require.Equal(t, 2*n, got)
	}
	require.NoError(t, p.Close())

	p = start(t)
	_, told := p.AskAndKill(-1, time.Millisecond)
	require.False(t, told)
	_, told = p.Ask(1)
	require.False(t, told, "it is gone")

	p = start(t)
	got, told := p.AskAndKill(4, time.Minute)
	require.True(t, told)
	require.Equal(t, 8, got)
	_, told = p.Ask(1)
	require.False(t, told, "it is gone after its answer too")
}

// However often its processes die, it goes on, and no answer is another question's.
func TestMortal(t *testing.T) {
	begun := 0
	m := crashtest.Mortal[int, int]{Start: func() (*crashtest.Process[int, int], error) {
		begun++
		return start(t), nil
	}}
	defer m.End()
	for n := range 100 {
		got, told, err := m.Ask(n)
		require.NoError(t, err)
		if told {
			require.Equal(t, 2*n, got)
		}
	}
	require.Greater(t, begun, 1)
	m.End()
	m.Start = func() (*crashtest.Process[int, int], error) { return nil, os.ErrNotExist }
	_, _, err := m.Ask(1)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestHistory(t *testing.T) {
	h := crashtest.NewHistory()
	first := h.Now()
	h.Add(1, first, "in", "out")
	h.Add(2, h.Now(), "in 2", "out 2")
	ops := h.Operations()
	require.Len(t, ops, 2)
	require.Equal(t, porcupine.Operation{ClientId: 1, Input: "in", Call: first, Output: "out", Return: ops[0].Return}, ops[0])
	require.LessOrEqual(t, ops[0].Return, ops[1].Call)
}

func TestTime(t *testing.T) {
	t.Setenv("CONDUCT_SOAK", "")
	require.Equal(t, time.Second, crashtest.Time(time.Second))
	t.Setenv("CONDUCT_SOAK", "3m")
	require.Equal(t, 3*time.Minute, crashtest.Time(time.Second))
}
