package dispatch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
)

const someID store.ID = "01HZXJ0000000000000000000A"

func record() dispatch.Record {
	return dispatch.Record{
		ID: someID, Unit: "U03", Agent: "reviewer", Role: "reviewer", Stage: "design", Note: "a \"note\"", Conductor: "s1",
		State: dispatch.Released, Generation: 3, IssuedAt: start, ExpiresAt: start.Add(time.Hour), BootID: "boot-1",
		BootUntil: 2 * time.Hour, Host: "host", Verdict: dispatch.VerdictReady, EndedAt: start.Add(time.Minute),
		Keys:    store.Keys{Unit: "u1", Claim: "c1", Name: "n1", Profile: "p1"},
		Receipt: []byte(`{"evidence":"calls"}`),
	}
}

func TestEncodeDecode(t *testing.T) {
	r := record()
	got, err := dispatch.Decode(r.Encode(), someID)
	require.NoError(t, err)
	require.Equal(t, &r, got)
}

func TestDecodeGivesBackWhatWasEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := record()
		r.Unit, r.Agent, r.Note = rapid.String().Draw(t, "unit"), rapid.String().Draw(t, "agent"), rapid.String().Draw(t, "note")
		r.Generation = rapid.Uint64Range(1, 1<<62).Draw(t, "generation")
		r.BootUntil = time.Duration(rapid.Int64Range(0, 1<<40).Draw(t, "boot")) * time.Millisecond
		r.ExpiresAt = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "expires"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
		if rapid.Bool().Draw(t, "live") {
			r.State, r.Verdict, r.EndedAt, r.Receipt = dispatch.Reserved, "", time.Time{}, nil
		}
		got, err := dispatch.Decode(r.Encode(), someID)
		require.NoError(t, err)
		require.Equal(t, &r, got)
	})
}

func TestDecodeRefusesWhatIsNotWhole(t *testing.T) {
	r := record()
	good := string(r.Encode())
	for name, edit := range map[string]func(string) string{
		"empty":                func(string) string { return "" },
		"torn":                 func(s string) string { return s[:len(s)-1] },
		"trailing data":        func(s string) string { return s + "1" },
		"newer":                replace(`"schema":1`, `"schema":2`),
		"another's":            replace(string(someID), strings.Replace(string(someID), "A", "B", 1)),
		"unknown field":        replace(`{"schema"`, `{"more":"1","schema"`),
		"twice":                replace(`"unit":"U03"`, `"unit":"U03","unit":"U04"`),
		"twice but for case":   replace(`"unit":"U03"`, `"unit":"U03","Unit":"U04"`),
		"no unit":              replace(`"unit":"U03",`, ``),
		"no keys":              replace(`"keys":{"unit":"u1","claim":"c1","name":"n1","profile":"p1"},`, ``),
		"a key is missing":     replace(`"claim":"c1",`, ``),
		"a key with a path":    replace(`"claim":"c1"`, `"claim":"../c1"`),
		"active is derived":    replace(`"state":"released"`, `"state":"active"`),
		"unknown state":        replace(`"state":"released"`, `"state":"gone"`),
		"generation 0":         replace(`"generation":3`, `"generation":0`),
		"generation -1":        replace(`"generation":3`, `"generation":-1`),
		"generation 1.5":       replace(`"generation":3`, `"generation":1.5`),
		"no time":              replace(`"issued_at":"2026-05-04T03:02:01Z"`, `"issued_at":""`),
		"no such time":         replace(`"issued_at":"2026-05-04T03:02:01Z"`, `"issued_at":"yesterday"`),
		"boot overflows":       replace(`"boot_until_ms":7200000`, `"boot_until_ms":9223372036854775807`),
		"boot in the past":     replace(`"boot_until_ms":7200000`, `"boot_until_ms":-1`),
		"unknown verdict":      replace(`"verdict":"ready"`, `"verdict":"fine"`),
		"no verdict":           replace(`"verdict":"ready"`, `"verdict":""`),
		"a verdict while live": replace(`"state":"released"`, `"state":"reserved"`),
		"invalid UTF-8":        replace("host\",", "h\xff\","),
	} {
		t.Run(name, func(t *testing.T) {
			bad := edit(good)
			require.NotEqual(t, good, bad)
			got, err := dispatch.Decode([]byte(bad), someID)
			require.ErrorIs(t, err, store.ErrDamaged)
			require.Nil(t, got)
		})
	}
}

func replace(old, new string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, new, 1) }
}

func FuzzDecode(f *testing.F) {
	r := record()
	f.Add(r.Encode())
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := dispatch.Decode(data, someID)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			return
		}
		again, err := dispatch.Decode(got.Encode(), someID)
		require.NoError(t, err, "what was read cannot be written and read again")
		require.Equal(t, string(got.Encode()), string(again.Encode()))
	})
}
