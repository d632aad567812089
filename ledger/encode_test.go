package ledger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

var start = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

const (
	item1 store.ID = "01HZXJ0000000000000000000A"
	item2 store.ID = "01HZXJ0000000000000000000B"
	item3 store.ID = "01HZXJ0000000000000000000C"
	disp1 store.ID = "01HZXJ0000000000000000000D"
	disp2 store.ID = "01HZXJ0000000000000000000E"
)

func pointer(t require.TestingT, s string) ledger.Pointer {
	p, err := ledger.ParsePointer(s)
	require.NoError(t, err)
	return p
}

// oneOfEach is an event of each kind, as they may follow each other.
func oneOfEach(t require.TestingT) []ledger.Event {
	return []ledger.Event{
		{Seq: 1, Time: start, Kind: ledger.KindCreate, Depth: 2, Parent: item2, Title: "Pay by card", Acceptance: "a\nb", Session: "s1"},
		{Seq: 2, Time: start, Kind: ledger.KindBind, Dispatch: disp1},
		{Seq: 3, Time: start, Kind: ledger.KindReport, Dispatch: disp1, Report: ledger.Done, Text: "a \"summary\"",
			Artifacts: []ledger.Pointer{pointer(t, "pr:12"), pointer(t, "commit:0123abc")}},
		{Seq: 4, Time: start, Kind: ledger.KindDecision, Text: "go on\nso"},
		{Seq: 5, Time: start, Kind: ledger.KindVerdict, Dispatch: disp1, Verdict: dispatch.VerdictNotReady},
		{Seq: 6, Time: start, Kind: ledger.KindRequest, Dispatch: disp1, Request: ledger.AskRelay, To: item3, Text: "which port?"},
		{Seq: 7, Time: start, Kind: ledger.KindClose},
	}
}

func TestEventsComeBack(t *testing.T) {
	seen := map[ledger.Kind]bool{}
	for _, e := range oneOfEach(t) {
		got, err := ledger.DecodeEvent(e.Encode())
		require.NoError(t, err)
		require.Equal(t, e, got)
		require.NotContains(t, string(e.Encode()), "\n")
		seen[e.Kind] = true
	}
	require.Len(t, seen, len(ledger.Kinds()))
}

func TestEventsThatAreNotWhole(t *testing.T) {
	events := oneOfEach(t)
	report, verdict, create, request := string(events[2].Encode()), string(events[4].Encode()), string(events[0].Encode()), string(events[5].Encode())
	for name, c := range map[string]struct{ good, old, new string }{
		"torn":                 {report, `]}`, `]`},
		"trailing data":        {report, `]}`, `]}1`},
		"newer":                {report, `"schema":1`, `"schema":2`},
		"unknown field":        {report, `{"schema"`, `{"more":"1","schema"`},
		"twice":                {report, `"summary":"a`, `"summary":"b","summary":"a`},
		"a field is missing":   {report, `"report":"done",`, ``},
		"a field of another":   {report, `"report":"done"`, `"title":"done"`},
		"unknown kind":         {report, `"kind":"report"`, `"kind":"gossip"`},
		"unknown kind of it":   {report, `"report":"done"`, `"report":"fine"`},
		"no place":             {report, `"seq":3`, `"seq":0`},
		"place beyond the cap": {report, `"seq":3`, `"seq":201`},
		"no time":              {report, `"time":"2026-05-04T03:02:01Z"`, `"time":""`},
		"prose for a pointer":  {report, `"pr:12"`, `"pr:12 and more"`},
		"no id":                {report, string(disp1), "../x"},
		"empty summary":        {report, `a \"summary\"`, ` `},
		"a line break":         {report, `a \"summary\"`, `a\nb`},
		"long summary":         {report, `a \"summary\"`, strings.Repeat("x", 501)},
		"unknown verdict":      {verdict, `"not-ready"`, `"fine"`},
		"too deep":             {create, `"depth":2`, `"depth":3`},
		"no depth":             {create, `"depth":2`, `"depth":0`},
		"no title":             {create, `Pay by card`, ``},
		"unknown request":      {request, `"relay"`, `"shout"`},
		"a request to no item": {request, string(item3), "everybody"},
		"an empty request":     {request, `which port?`, ` `},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(c.good, c.old, c.new, 1)
			require.NotEqual(t, c.good, bad)
			_, err := ledger.DecodeEvent([]byte(bad))
			require.ErrorIs(t, err, store.ErrDamaged)
		})
	}
}

func write(it *ledger.Item) []byte {
	var w wire.Writer
	it.Write(&w, "")
	return w.Bytes()
}

func TestItemsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it, err := ledger.Fold(item1, history(t))
		require.NoError(t, err)
		got, err := ledger.ReadItem(wire.NewReader(write(&it)), item1)
		require.NoError(t, err)
		require.Equal(t, it, got)
	})
}

func TestItemsThatAreNotWhole(t *testing.T) {
	it, err := ledger.Fold(item1, oneOfEach(t)[:5])
	require.NoError(t, err)
	good := string(write(&it))
	for name, c := range map[string]struct{ old, new string }{
		"newer":         {`"schema":1`, `"schema":2`},
		"another's":     {string(item1), string(item2)},
		"unknown field": {`{"schema"`, `{"more":"1","schema"`},
		"missing":       {`"title":"Pay by card",`, ``},
		"status":        {`"status":"done"`, `"status":"fine"`},
		"state":         {`"state":"judged"`, `"state":"fine"`},
		"verdict":       {`"verdict":"not-ready"`, `"verdict":"fine"`},
		"events":        {`"events":5`, `"events":0`},
		"pointer":       {`"pr:12"`, `"pr:twelve"`},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(good, c.old, c.new, 1)
			require.NotEqual(t, good, bad)
			_, err := ledger.ReadItem(wire.NewReader([]byte(bad)), item1)
			require.ErrorIs(t, err, store.ErrDamaged)
		})
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, e := range oneOfEach(f) {
		f.Add(e.Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ledger.DecodeEvent(data)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			return
		}
		again, err := ledger.DecodeEvent(e.Encode())
		require.NoError(t, err, "what was read cannot be written and read again")
		require.Equal(t, string(e.Encode()), string(again.Encode()))
	})
}

func FuzzReadItem(f *testing.F) {
	it := ledger.Item{ID: item1}
	for _, e := range oneOfEach(f) {
		require.NoError(f, it.Apply(e))
		f.Add(write(&it))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		it, err := ledger.ReadItem(wire.NewReader(data), item1)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			return
		}
		again, err := ledger.ReadItem(wire.NewReader(write(&it)), item1)
		require.NoError(t, err)
		require.Equal(t, string(write(&it)), string(write(&again)))
	})
}
