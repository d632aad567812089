package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/audit"
)

const id = "01HZXJ0000000000000000000A"

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func newLog(t testing.TB) (*audit.Log, string) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return audit.Open(root), dir
}

// line is a judged call; code "" is an allowed one.
func line(call, code string) audit.Line {
	l := audit.Line{Time: noon, Call: call, Allowed: true, Code: "own_unit", Target: "a.md", AgentID: "a1", Tool: "Read", Dispatch: id}
	if code != "" {
		l.Allowed, l.Code = false, code
	}
	return l
}

func lines(t testing.TB, l *audit.Log, stream string) []audit.Line {
	t.Helper()
	var out []audit.Line
	for x, err := range l.Read(stream) {
		require.NoError(t, err)
		out = append(out, x)
	}
	return out
}

func TestAppendRead(t *testing.T) {
	l, dir := newLog(t)
	require.Empty(t, lines(t, l, id), "nothing was logged yet")
	full := audit.Line{
		Time: noon, Call: "c1", Code: "would_block", Allowed: true, Would: "sibling_unit", Op: "read", Target: "a\nb\"ä", Path: "docs/a",
		Unit: "U03", Dispatch: id, Agent: "reviewer", AgentID: "a1", Tool: "Read", Reason: "because", Micros: 12, Writes: []string{"docs/a"},
	}
	require.NoError(t, l.Append(id, full))
	require.NoError(t, l.Append(id, line("c2", "")))
	require.Equal(t, []audit.Line{full, line("c2", "")}, lines(t, l, id))
	data, err := os.ReadFile(filepath.Join(dir, "audit", id+".jsonl"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(data), "\n"), "one line each, whatever is in it")
	st, err := os.Stat(filepath.Join(dir, "audit", id+".jsonl"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), st.Mode().Perm())
	require.NotContains(t, string(full.Public()), `"us"`)
}

func TestStreamsAreNamedByUs(t *testing.T) {
	l, _ := newLog(t)
	for _, bad := range []string{"", "..", "../x", "a/b", strings.ToLower(id), id + "x"} {
		require.ErrorIs(t, l.Append(bad, line("c", "")), fs.ErrInvalid, bad)
		require.Zero(t, l.Refused(bad, line("c", "")))
		require.ErrorIs(t, l.Remove(bad, []int{0}), fs.ErrInvalid, bad)
		_, err := l.Raw(bad)
		require.ErrorIs(t, err, fs.ErrInvalid, bad)
	}
	for _, good := range []string{id, audit.Undispatched, audit.Ambiguous, audit.Aside} {
		require.NoError(t, l.Append(good, line("c", "")))
	}
}

func TestTornLine(t *testing.T) {
	l, dir := newLog(t)
	require.NoError(t, l.Append(id, line("c1", "")))
	name := filepath.Join(dir, "audit", id+".jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"time":"2026-05-04T12:00:00Z","call":"torn","allo`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, []audit.Line{line("c1", "")}, lines(t, l, id))
	require.NoError(t, l.Append(id, line("c2", "")))
	require.Equal(t, []audit.Line{line("c1", ""), line("c2", "")}, lines(t, l, id), "what follows begins on a fresh line")
}

func TestOneLineForACall(t *testing.T) {
	l, _ := newLog(t)
	for range 3 {
		require.NoError(t, l.Append(id, line("c1", "sibling_unit")))
	}
	require.NoError(t, l.Append(id, line("", "")))
	require.NoError(t, l.Append(id, line("", "")))
	event := line("c1", "")
	event.Event = "agent_stop"
	require.NoError(t, l.Append(id, event))
	require.Equal(t, []audit.Line{line("c1", "sibling_unit"), line("", ""), line("", ""), event}, lines(t, l, id))
}

func TestManyAtOnce(t *testing.T) {
	l, _ := newLog(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for k := range 50 {
				if err := l.Append(id, line(fmt.Sprintf("%d-%d", i, k), "")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, lines(t, l, id), 800)
}

// TestRotation fills segments until the oldest are gone: a stream is bounded.
func TestRotation(t *testing.T) {
	l, dir := newLog(t)
	big := line("", "sibling_unit")
	big.Reason = strings.Repeat("x", 300<<10)
	for i := range 4 * 20 {
		big.Call = fmt.Sprint(i)
		require.NoError(t, l.Append(id, big))
	}
	es, err := os.ReadDir(filepath.Join(dir, "audit"))
	require.NoError(t, err)
	require.Len(t, es, 16)
	require.Equal(t, map[string][]int{id: {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}}, l.Streams())
	got := lines(t, l, id)
	require.Len(t, got, 64)
	require.Equal(t, "16", got[0].Call, "the oldest went")
	require.Equal(t, "79", got[63].Call)
	small := line("last", "sibling_unit")
	require.NoError(t, l.Append(id, small))
	require.Equal(t, 1, l.Refused(id, line("next", "sibling_unit")), "the newest segment is looked at")
	require.NoError(t, l.Remove(id, l.Streams()[id]))
	require.Empty(t, lines(t, l, id))
}

func TestRefused(t *testing.T) {
	l, _ := newLog(t)
	require.Zero(t, l.Refused(id, line("c1", "sibling_unit")))
	require.NoError(t, l.Append(id, line("c1", "sibling_unit")))
	require.NoError(t, l.Append(id, line("c2", "sibling_unit")))
	require.NoError(t, l.Append(id, line("c2", "sibling_unit")))
	other := line("c3", "sibling_unit")
	other.Target = "b.md"
	require.NoError(t, l.Append(id, other))
	stranger := line("c4", "sibling_unit")
	stranger.AgentID = "a2"
	require.NoError(t, l.Append(id, stranger))
	require.NoError(t, l.Append(id, line("c5", "read_only")))
	require.NoError(t, l.Append(id, line("c6", "")))
	require.Equal(t, 2, l.Refused(id, line("c7", "sibling_unit")), "each call once, of this agent, target and code")
	require.Equal(t, 1, l.Refused(id, line("c2", "sibling_unit")), "not the call itself")
}

func TestLost(t *testing.T) {
	l, dir := newLog(t)
	require.Zero(t, l.Lost())
	l.Lose()
	require.Zero(t, l.Lost(), "without a place to count in nothing is counted, and nothing breaks")
	require.NoError(t, l.Prepare())
	require.NoError(t, l.Prepare(), "a second time changes nothing")
	// A folder in the place of the file: nothing can be written.
	require.NoError(t, os.Mkdir(filepath.Join(dir, "audit", id+".jsonl"), 0o700))
	require.Error(t, l.Append(id, line("c1", "")))
	require.Error(t, l.Append(id, line("c2", "")))
	require.Equal(t, 2, l.Lost())
	for range 5000 {
		l.Lose()
	}
	require.Equal(t, 4096, l.Lost(), "and no more than has a place")
}

func TestSharedFolderKeepsItsGroup(t *testing.T) {
	l, dir := newLog(t)
	require.NoError(t, os.Chmod(dir, 0o770|fs.ModeSetgid))
	require.NoError(t, l.Append(id, line("c", "")))
	st, err := os.Stat(filepath.Join(dir, "audit"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o770), st.Mode().Perm())
	st, err = os.Stat(filepath.Join(dir, "audit", id+".jsonl"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o660), st.Mode().Perm())
}

func TestTallyAndReceipt(t *testing.T) {
	l, dir := newLog(t)
	second := line("c2", "")
	second.AgentID, second.Writes, second.Time = "a2", []string{"src/b", "docs/a"}, noon.Add(time.Minute)
	third := line("c3", "sibling_unit")
	third.Writes = []string{"docs/a"}
	stop := line("", "")
	stop.Event, stop.Time = "agent_stop", noon.Add(time.Hour)
	for _, x := range []audit.Line{line("c1", ""), line("c1", ""), second, third, stop} {
		require.NoError(t, l.Append(id, x))
	}
	got, err := l.Tally(id)
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "audit", id+".jsonl"))
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	require.Equal(t, audit.Tally{
		Allowed: 2, Blocked: 1, ByCode: map[string]int{"own_unit": 2, "sibling_unit": 1}, Agents: []string{"a1", "a2"},
		SharedWrites: []string{"docs/a", "src/b"}, Last: noon.Add(time.Minute), SHA256: hex.EncodeToString(sum[:]),
	}, got)
	n, err := l.Count(id, noon, noon.Add(30*time.Second))
	require.NoError(t, err)
	require.Equal(t, 2, n)

	r := audit.Receipt{ID: id, Unit: "U03", Agent: "reviewer", Verdict: "ready", IssuedAt: noon, ActiveAt: noon, EndedAt: noon.Add(time.Hour), Tally: got, Undispatched: 12}
	require.Equal(t, "calls", r.Evidence())
	again, err := audit.DecodeReceipt(r.Encode())
	require.NoError(t, err)
	require.Equal(t, string(r.Encode()), string(again.Encode()))
	require.Contains(t, string(r.Encode()), `"calls":{"allowed":2,"blocked":1,"by_code":{"own_unit":2,"sibling_unit":1}}`)

	empty, err := l.Tally(audit.Aside)
	require.NoError(t, err)
	require.Equal(t, "none", (&audit.Receipt{Tally: empty}).Evidence())
	require.Equal(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", empty.SHA256)
}
