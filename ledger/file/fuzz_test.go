package file

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

const (
	someItem     store.ID = "01HZXJ0000000000000000000A"
	someDispatch store.ID = "01HZXJ0000000000000000000D"
)

// someLog is the log of an item, and the item.
func someLog(t testing.TB) ([]byte, kept) {
	k := kept{Item: ledger.Item{ID: someItem}}
	var data []byte
	add := func(e ledger.Event, err error) {
		require.NoError(t, err)
		require.NoError(t, k.Apply(e))
		data = append(append(data, e.Encode()...), '\n')
		k.lines++
	}
	p, err := ledger.ParsePointer("pr:12")
	require.NoError(t, err)
	b := ledger.Board{}
	add(b.PlanCreate(ledger.New{Title: "a title", Acceptance: "a\nb"}, start))
	add(k.PlanBind(someDispatch, false, start))
	add(k.PlanReport(someDispatch, ledger.Report{Kind: ledger.Progress, Summary: "1"}, start))
	add(k.PlanReport(someDispatch, ledger.Report{Kind: ledger.Progress, Summary: "2"}, start))
	add(k.PlanReport(someDispatch, ledger.Report{Kind: ledger.Done, Summary: "3", Artifacts: []ledger.Pointer{p}}, start))
	add(k.PlanDecision("good", start))
	k.size = int64(len(data))
	return data, k
}

func FuzzSnapshot(f *testing.F) {
	_, k := someLog(f)
	f.Add(k.encode())
	f.Add((&kept{size: 1, lines: 1}).encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := decode(data, someItem)
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, k.lines, k.Events)
		again, err := decode(k.encode(), someItem)
		require.NoError(t, err)
		require.Equal(t, string(k.encode()), string(again.encode()))
	})
}

func FuzzGoal(f *testing.F) {
	f.Add(encodeGoal("the shop takes cards"))
	f.Add([]byte(`{"schema":2,"goal":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		goal, err := decodeGoal(data)
		if err != nil {
			return
		}
		again, err := decodeGoal(encodeGoal(goal))
		require.NoError(t, err)
		require.Equal(t, goal, again)
	})
}

// A log that is read whole is read the same in two parts, as by who has an older fold.
func FuzzLog(f *testing.F) {
	data, _ := someLog(f)
	f.Add(data, 1)
	f.Add(data[:len(data)-9], 2)
	f.Add(bytes.Replace(data, []byte("bind"), []byte("bi\nd"), 1), 0)
	f.Fuzz(func(t *testing.T, data []byte, lines int) {
		whole := kept{Item: ledger.Item{ID: someItem}}
		err := whole.fold(data)
		parts := kept{Item: ledger.Item{ID: someItem}}
		cut := 0
		for range max(0, min(lines, bytes.Count(data, []byte("\n")))) {
			cut += bytes.IndexByte(data[cut:], '\n') + 1
		}
		err2 := errors.Join(parts.fold(data[:cut]), parts.fold(data[cut:]))
		require.Equal(t, err == nil, err2 == nil)
		if err == nil {
			require.Equal(t, whole, parts)
			require.LessOrEqual(t, whole.size, int64(len(data)))
			require.GreaterOrEqual(t, whole.lines, whole.Events)
		}
	})
}
