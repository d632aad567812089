package approval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/approval"
	"github.com/seed6310be5c/conduct/store"
)

func full() approval.Question {
	return approval.Question{
		Key: "0123abcd", Dispatch: "01HZXJ0000000000000000000A", Unit: "U03", Agent: "reviewer", Tool: "Bash", Command: `cat ../U04/a`,
		Parts:   []approval.Part{{Code: "sibling_unit", Op: "read", Target: "../U04/a"}, {Code: "tool_denied", Target: "gh"}},
		AskedAt: time.Date(2026, 5, 4, 3, 2, 1, 7, time.UTC), Deadline: time.Date(2026, 5, 4, 3, 2, 21, 7, time.UTC),
	}
}

func TestEncode(t *testing.T) {
	q := full()
	got, err := approval.Decode(q.Encode())
	require.NoError(t, err)
	require.Equal(t, q, got)
	for _, a := range approval.Answers() {
		d := approval.Decision{Answer: a, By: "me", At: q.AskedAt}
		got, err := approval.DecodeDecision(d.Encode())
		require.NoError(t, err)
		require.Equal(t, d, got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	q := full()
	good := string(q.Encode())
	for name, edit := range map[string][2]string{
		"newer": {`"schema":1`, `"schema":2`}, "a field more": {`"unit"`, `"more":1,"unit"`}, "a field less": {`"unit":"U03",`, ``},
		"no parts": {good[strings.Index(good, `[{`) : strings.Index(good, `}]`)+2], `[]`}, "a part's code": {`"code":"tool_denied",`, ``},
		"no dispatch": {`01HZXJ0000000000000000000A`, `../x`}, "no key": {`0123abcd`, `a/b`}, "no deadline": {`2026-05-04T03:02:21.000000007Z`, ``},
		"trailing": {`}]`, `}]]`},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		require.NotEqual(t, good, bad, name)
		_, err := approval.Decode([]byte(bad))
		require.ErrorIs(t, err, store.ErrDamaged, name)
	}
	d := approval.Decision{Answer: approval.AllowedOnce, At: q.AskedAt}
	good = string(d.Encode())
	for name, edit := range map[string][2]string{
		"newer": {`"schema":1`, `"schema":0`}, "an answer": {`allowed-once`, `allowed`}, "no time": {`2026-05-04T03:02:01.000000007Z`, ``},
		"a field less": {`"by":"",`, ``}, "a field more": {`"by"`, `"to":1,"by"`},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		require.NotEqual(t, good, bad, name)
		got, err := approval.DecodeDecision([]byte(bad))
		require.ErrorIs(t, err, store.ErrDamaged, name)
		require.False(t, got.Answer.Allows())
	}
}

// What cannot be shown whole is refused, never cut.
func TestBounds(t *testing.T) {
	for name, edit := range map[string]func(*approval.Question, int){
		"command": func(q *approval.Question, n int) { q.Command = strings.Repeat("x", approval.MaxCommand+n) },
		"target":  func(q *approval.Question, n int) { q.Parts[0].Target = strings.Repeat("x", approval.MaxTarget+n) },
		"tool":    func(q *approval.Question, n int) { q.Tool = strings.Repeat("x", approval.MaxName+n) },
		"parts":   func(q *approval.Question, n int) { q.Parts = make([]approval.Part, approval.MaxParts+n) },
	} {
		q := full()
		edit(&q, 0)
		require.NoError(t, q.Check(), name)
		edit(&q, 1)
		require.ErrorIs(t, q.Check(), approval.ErrBounds, name)
	}
	q := full()
	q.Parts = nil
	require.ErrorIs(t, q.Check(), approval.ErrBounds)
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"cat a": "cat a", "a\nb\tc": `a\nb\tc`, `a\nb`: `a\\nb`, "\x1b[2Jx": `\u{1b}[2Jx`, "a\rb": `a\u{d}b`, "\u202eab": `\u{202e}ab`,
		"é 漢": "é 漢", "a\u200bb": `a\u{200b}b`, "\xff": "\ufffd", "a\u00a0b": `a\u{a0}b`, "": "",
		"a    b": "a    b", "a      b": `a    \u{20}\u{20}b`, "a     \n     b": `a    \u{20}\n    \u{20}b`,
		"a\u3164b\u2800c\ufe0fd\U000e0101e": `a\u{3164}b\u{2800}c\u{fe0f}d\u{e0101}e`,
	} {
		require.Equal(t, want, approval.Plain(in), "%q", in)
	}
}

func FuzzDecode(f *testing.F) {
	q := full()
	f.Add(q.Encode())
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := approval.Decode(data)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			return
		}
		again, err := approval.Decode(got.Encode())
		require.NoError(t, err)
		require.Equal(t, string(got.Encode()), string(again.Encode()))
	})
}

func FuzzDecodeDecision(f *testing.F) {
	d := approval.Decision{Answer: approval.AllowedOnce, By: "me", At: time.Unix(1, 0)}
	f.Add(d.Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := approval.DecodeDecision(data)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			require.False(t, got.Answer.Allows())
			return
		}
		again, err := approval.DecodeDecision(got.Encode())
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}
