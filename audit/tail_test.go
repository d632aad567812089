package audit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/audit"
)

// another is a second dispatch.
const another = "01HZXJ0000000000000000000B"

func targets(t *testing.T, tail *audit.Tail, want func(string) bool) []string {
	t.Helper()
	lines, err := tail.Next(want)
	require.NoError(t, err)
	out := []string{}
	for _, l := range lines {
		out = append(out, l.Target)
	}
	return out
}

func every(string) bool { return true }

func TestTail(t *testing.T) {
	l, _ := newLog(t)
	n := 0
	add := func(stream, call, target string) {
		n++
		require.NoError(t, l.Append(stream, audit.Line{Time: time.Unix(int64(n), 0), Call: call, Code: "own_unit", Target: target}))
	}
	tail := l.Tail()
	require.Empty(t, targets(t, tail, every))
	add(id, "c1", "a")
	add(another, "c2", "b")
	add(id, "c1", "a") // a hook that is installed twice
	require.Equal(t, []string{"a", "b"}, targets(t, tail, every))
	require.Empty(t, targets(t, tail, every))
	add(id, "c3", "c")
	add(id, "c1", "a")
	require.Equal(t, []string{"c"}, targets(t, tail, every))
	add(another, "c4", "d")
	require.Empty(t, targets(t, tail, func(stream string) bool { return stream == id }))
	require.Equal(t, []string{"d"}, targets(t, tail, every), "what was not wanted is not lost")
}

// TestTailOfSegments has what is read bit by bit be what Read gives.
func TestTailOfSegments(t *testing.T) {
	l, _ := newLog(t)
	tail := l.Tail()
	var got, want []string
	for i := range 3 {
		for k := range 2000 {
			target := fmt.Sprintf("%d-%d-%s", i, k, strings.Repeat("x", 700))
			require.NoError(t, l.Append(id, audit.Line{Time: time.Unix(int64(i*2000+k), 0), Call: fmt.Sprint(i, k), Code: "own_unit", Target: target}))
		}
		got = append(got, targets(t, tail, every)...)
	}
	require.Greater(t, len(l.Streams()[id]), 1, "one segment shows nothing")
	for line, err := range l.Read(id) {
		require.NoError(t, err)
		want = append(want, line.Target)
	}
	require.Len(t, got, len(want))
	require.True(t, slices.Equal(want, got))
	require.NoError(t, l.Remove(id, l.Streams()[id]))
	require.Empty(t, targets(t, tail, every))
	require.NoError(t, l.Append(id, audit.Line{Call: "new", Target: "new"}))
	require.Equal(t, []string{"new"}, targets(t, tail, every), "a stream that is begun anew is read from its start")
	require.NoError(t, l.Append(id, audit.Line{Call: "more", Target: "more"}))
	require.Equal(t, []string{"more"}, targets(t, tail, every))
	require.NoError(t, l.Remove(id, l.Streams()[id]))
	require.NoError(t, l.Append(id, audit.Line{Call: "n", Target: "n"}))
	require.Equal(t, []string{"n"}, targets(t, tail, every), "also when nobody looked in between")
}

// TestTailOfATornLine waits for the rest of a line.
func TestTailOfATornLine(t *testing.T) {
	l, dir := newLog(t)
	require.NoError(t, l.Append(id, audit.Line{Call: "c1", Target: "a"}))
	tail := l.Tail()
	require.Equal(t, []string{"a"}, targets(t, tail, every))
	f, err := os.OpenFile(filepath.Join(dir, "audit", id+".jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	defer f.Close()
	whole := append((&audit.Line{Call: "c2", Target: "b"}).Encode(), '\n')
	_, err = f.Write(whole[:20])
	require.NoError(t, err)
	require.Empty(t, targets(t, tail, every))
	_, err = f.Write(whole[20:])
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, targets(t, tail, every))
}
