package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/all"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/system"
)

// secret is a word that stands in a message that waits, and in no payload.
const secret = "zymurgy"

// withMail is a workspace in which a message waits for a worker, for which the agents
// of the captured payloads are dispatched.
func withMail(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	one, two := strings.TrimSpace(b.ok("board", "create", "--title", "one")), strings.TrimSpace(b.ok("board", "create", "--title", "two"))
	b.ok("dispatch", "--unit", "U03", "--item", one)
	worker := strings.Fields(b.ok("dispatch", "--unit", "U04", "--agent", "writer", "--item", two))[0]
	b.ok("channel", "open", "--from", one, "--to", two)
	b.ok("message", "--dispatch", worker, "--to", one, secret)
	b.ok("channel", "relay", "--from", two, "--to", one, secret+" again")
	b.ok("request", "--dispatch", worker, "--kind", "relay", "--to", one, secret)
	b.ok("report", "--dispatch", worker, "--kind", "question", secret)
	return b
}

// spoken runs the hook for every captured payload and returns those that were
// answered with the secret, and how many there were. also is said beside each answer.
func spoken(t *testing.T, b *bench, also func() string) (leaks []string, n int) {
	t.Helper()
	const captured = "../../testdata/hooks"
	clients := map[string]hooks.Client{}
	for _, c := range all.Clients() {
		clients[c.Name()] = c
	}
	require.NoError(t, filepath.WalkDir(captured, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Dir(name) == captured || !strings.HasSuffix(name, ".json") {
			return err
		}
		rel, err := filepath.Rel(captured, name)
		require.NoError(t, err)
		payload, err := os.ReadFile(name)
		require.NoError(t, err)
		client := clients[strings.Split(filepath.ToSlash(rel), "/")[0]]
		require.NotNil(t, client, name)
		r := gate.Run(gate.Options{
			Client: client, Dir: b.root, Stdin: bytes.NewReader(payload), Getenv: func(string) string { return "" }, Clock: &system.Clock{},
		})
		n++
		if strings.Contains(string(r.Stdout)+string(r.Stderr)+also(), secret) {
			leaks = append(leaks, rel)
		}
		return nil
	}))
	return leaks, n
}

// Whatever an agent program reports, the hook's answer has nothing of what waits in an
// inbox, of a request or of a report: nobody gets it who does not ask.
func TestHooksSayNothingOfMessages(t *testing.T) {
	b := withMail(t)
	leaks, n := spoken(t, b, func() string { return "" })
	require.Empty(t, leaks)
	require.Greater(t, n, 180)
	require.Contains(t, b.ok("board", "show"), "one", "it waits still")
	// The same with a leak: a hook that hands over the inbox is found.
	leaks, _ = spoken(t, b, func() string { return b.ok("channel", "show", "--from", item(t, b, 0), "--to", item(t, b, 1)) })
	require.Len(t, leaks, n)
}

// item is the id of the board's n-th item.
func item(t *testing.T, b *bench, n int) string {
	t.Helper()
	return strings.Fields(strings.Split(b.ok("board", "show"), "\n")[n+1])[0]
}

// What is read by eye has no blank ends, and is never nothing at all.
func TestTextForms(t *testing.T) {
	b := newBench(t)
	card := strings.TrimSpace(b.ok("board", "create", "--title", "pay by card"))
	bill := strings.TrimSpace(b.ok("board", "create", "--title", "send the bill"))
	id := strings.Fields(b.ok("dispatch", "--unit", "U03", "--item", card))[0]
	require.Contains(t, b.ok("brief", "--dispatch", id), "sibling "+bill+" new: send the bill\n")
	require.Equal(t, "nothing was written\n", b.ok("channel", "show", "--from", card, "--to", bill))
	// A worker's text cannot look like ours, here either.
	b.ok("report", "--dispatch", id, "--kind", "done", "--artifact", "pr:1", `judged "ready"`)
	b.ok("request", "--dispatch", id, "--kind", "relay", "--to", bill, "closed")
	shown := b.ok("board", "show", "--item", card)
	require.Contains(t, shown, ` reported done: "judged \"ready\"" pr:1`+"\n")
	require.Contains(t, shown, " asked for a relay to "+bill+`: "closed"`+"\n")
}

// Nothing can be written over a channel of a closed item, so it is none that is open.
func TestChannelsEndWithTheirItem(t *testing.T) {
	b := newBench(t)
	item := func(title string) string { return strings.TrimSpace(b.ok("board", "create", "--title", title)) }
	one, two, three := item("one"), item("two"), item("three")
	id := strings.Fields(b.ok("dispatch", "--unit", "U03", "--item", two))[0]
	for _, p := range [][2]string{{one, two}, {two, three}, {one, three}} {
		b.ok("channel", "open", "--from", p[0], "--to", p[1])
	}
	require.Equal(t, 3, strings.Count(b.ok("channel", "show", "--json"), `"channel":"open"`))
	b.ok("message", "--dispatch", id, "--to", one, "hi")
	b.ok("channel", "close", "--from", one, "--to", three)
	b.ok("board", "close", "--item", one)
	shown := b.ok("channel", "show", "--json")
	require.Equal(t, 1, strings.Count(shown, `"channel":"open"`), "that of two and three is theirs")
	require.Contains(t, shown, `"waiting":1`, "what was written stays")
	require.NotContains(t, b.ok("inbox", "--dispatch", id), "channel to "+one)
	require.Contains(t, b.ok("inbox", "--dispatch", id), "channel to "+three)
	b.ok("board", "close", "--item", one)
	require.Equal(t, shown, b.ok("channel", "show", "--json"), "said again, it changes nothing")
}

// A worker whose item was closed cannot help itself; one that writes to a closed one can.
func TestHintOfAClosedItem(t *testing.T) {
	b := newBench(t)
	card := strings.TrimSpace(b.ok("board", "create", "--title", "pay by card"))
	bill := strings.TrimSpace(b.ok("board", "create", "--title", "send the bill"))
	id := strings.Fields(b.ok("dispatch", "--unit", "U03", "--item", card))[0]
	code, _, errs := b.run("message", "--dispatch", id, "--to", card, "x")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "hint: conduct brief lists the items of the others\n")
	b.ok("board", "close", "--item", bill)
	code, _, errs = b.run("request", "--dispatch", id, "--kind", "relay", "--to", bill, "x")
	require.Equal(t, exitConflict, code)
	require.Contains(t, errs, "hint: conduct brief shows the items that are open\n")
	b.ok("board", "close", "--item", card)
	code, _, errs = b.run("report", "--dispatch", id, "--kind", "done", "x")
	require.Equal(t, exitConflict, code)
	require.Contains(t, errs, "is closed\nhint: ask the conductor for an item to work on\n")
}
