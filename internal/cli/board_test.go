package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/ledger"
)

// Each refusal of the board has an exit code, its own name and a hint.
func TestRefusals(t *testing.T) {
	exits := map[ledger.Code]int{ledger.UnknownItem: exitNotFound, ledger.FieldTooLong: exitUsage, ledger.FieldInvalid: exitUsage, ledger.BadPointer: exitUsage}
	for _, c := range ledger.Codes() {
		a := explain(&ledger.Error{Code: c, Field: "title"})
		want, ok := exits[c]
		if !ok {
			want = exitConflict
		}
		require.Equal(t, want, a.exit, c)
		require.Equal(t, string(c), a.code)
		require.NotEmpty(t, a.hint, c)
	}
}

// Every verb of the board prints one object with --json.
func TestBoardJSONIsOneObject(t *testing.T) {
	b := newBench(t)
	item := strings.TrimSpace(b.ok("board", "create", "--title", "t"))
	id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
	for _, line := range []string{
		"board bind --item " + item + " --dispatch " + id, "brief --dispatch " + id, "report --dispatch " + id + " --kind done works",
		"report --dispatch " + id + " --kind done works", "board decide --item " + item + " so", "board verdict --item " + item + " ready",
		"board show --item " + item, "board close --item " + item, "board remove --item " + item,
	} {
		out := b.ok(append(strings.Fields(line), "--json")...)
		var doc map[string]any
		d := json.NewDecoder(strings.NewReader(out))
		require.NoError(t, d.Decode(&doc), line)
		require.NotEmpty(t, doc, line)
		require.False(t, d.More(), line)
	}
}

// What is derived is seen as time passes, and stored nowhere.
func TestStaleAndOrphaned(t *testing.T) {
	b := newBench(t)
	item := strings.TrimSpace(b.ok("board", "create", "--title", "t"))
	id := strings.Fields(b.ok("dispatch", "--unit", "U03", "--ttl", "1h", "--item", item))[0]
	require.NotContains(t, b.ok("board", "show"), "stale")
	b.clock.pass(31 * time.Minute)
	require.Contains(t, b.ok("board", "show"), "bound, stale ")
	b.ok("report", "--dispatch", id, "--kind", "progress", "half")
	require.NotContains(t, b.ok("board", "show"), "stale")
	b.clock.pass(time.Hour)
	require.Contains(t, b.ok("board", "show"), "bound, orphaned ")
	code, _, errs := b.run("report", "--dispatch", id, "--kind", "done", "late")
	require.Equal(t, exitConflict, code)
	require.Contains(t, errs, "is expired")
	// Its item is free for the next one.
	b.ok("release", "--id", id, "--verdict", "not-ready")
	b.ok("dispatch", "--unit", "U03", "--item", item)
	data, err := os.ReadFile(filepath.Join(b.root, ".conduct", "board", "open", item+".json"))
	require.NoError(t, err)
	require.NotContains(t, string(data), "stale")
	require.NotContains(t, string(data), "orphaned")
}

// A dispatch that could not be bound is none.
func TestUnboundDispatchIsEnded(t *testing.T) {
	b := newBench(t)
	item := strings.TrimSpace(b.ok("board", "create", "--title", "t"))
	require.NoError(t, os.WriteFile(filepath.Join(b.root, ".conduct", "board", "bindings"), nil, 0o600)) // no folder for links
	code, _, errs := b.run("dispatch", "--unit", "U03", "--item", item)
	require.NotEqual(t, exitOK, code, errs)
	require.Len(t, b.status(), 1)
	require.Equal(t, "abandoned", b.status()[0]["state"])
	require.Contains(t, b.ok("board", "show"), " waiting ")
}

// The status is shown anew when a dispatch is bound.
func TestGistHasItems(t *testing.T) {
	b := newBench(t)
	item := strings.TrimSpace(b.ok("board", "create", "--title", "t"))
	id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
	gist := func() string {
		var o, e bytes.Buffer
		d, err := b.env(&o, &e).open()
		require.NoError(t, err)
		defer d.close()
		v, err := d.look(&statusOptions{})
		require.NoError(t, err)
		return v.gist()
	}
	before := gist()
	require.Equal(t, exitOK, Run(context.Background(), []string{"board", "bind", "--item", item, "--dispatch", id}, b.env(new(bytes.Buffer), new(bytes.Buffer))))
	require.NotEqual(t, before, gist())
}

// A wait lasts while nothing happens that concerns the conductor, and ends with what
// does; or when its time is up.
func TestBoardWait(t *testing.T) {
	b := newBench(t)
	item := strings.TrimSpace(b.ok("board", "create", "--title", "t"))
	id := strings.Fields(b.ok("dispatch", "--unit", "U03", "--item", item))[0]
	synctest.Test(t, func(*testing.T) {
		said := make(chan string, 1)
		wait := func(args ...string) { said <- b.ok(append([]string{"board", "wait"}, args...)...) }
		go wait()
		time.Sleep(time.Minute)
		b.ok("report", "--dispatch", id, "--kind", "progress", "half")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Empty(t, said, "progress asks nothing of the conductor")
		b.ok("report", "--dispatch", id, "--kind", "question", "which?")
		time.Sleep(between)
		synctest.Wait()
		require.Contains(t, <-said, item+` reported question: "which?"`)

		began := time.Now()
		wait("--timeout", "1m")
		require.Equal(t, "nothing happened\n", <-said)
		require.Equal(t, time.Minute, time.Since(began))
	})
}

// A verdict that a closed item does not take is not lost without a word.
func TestReleaseOfAClosedItem(t *testing.T) {
	b := newBench(t)
	for verdict, said := range map[string]bool{"ready": false, "not-ready": true} {
		item := strings.TrimSpace(b.ok("board", "create", "--title", "t"))
		b.ok("dispatch", "--unit", "U03", "--item", item)
		b.ok("board", "verdict", "--item", item, "ready")
		b.ok("board", "close", "--item", item)
		code, _, errs := b.run("release", "--unit", "U03", "--verdict", verdict)
		require.Equal(t, exitOK, code)
		require.Equal(t, said, strings.Contains(errs, "item "+item+" is closed, so the verdict of dispatch "), errs)
	}
}
