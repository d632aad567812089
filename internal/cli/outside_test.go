package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/broker"
	"github.com/seed6310be5c/conduct/store"
)

// brokerage is a bench with two items whose dispatches are in force, and a server for the first.
func brokerage(t *testing.T) (b *bench, ask func(args ...string) broker.Answer, mine, other string) {
	t.Helper()
	b = newBench(t)
	dispatched := func(unit, title string) string {
		item := strings.TrimSpace(b.ok("board", "create", "--title", title, "--acceptance", title+" is accepted"))
		return strings.Fields(b.ok("dispatch", "--unit", unit, "--item", item))[0]
	}
	mine, other = dispatched("U03", "mine"), dispatched("U04", "other")
	d, err := b.env(&bytes.Buffer{}, &bytes.Buffer{}).open()
	require.NoError(t, err)
	s, err := broker.Serve(t.TempDir(), d.verbsOf(store.ID(mine)))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, d.close())
	})
	return b, func(args ...string) broker.Answer {
		a, err := broker.Ask(t.Context(), s.Address(), args)
		require.NoError(t, err)
		return a
	}, mine, other
}

// A program inside may ask whatever it likes: it gets its own worker's verbs alone.
func TestWhatIsRunOutside(t *testing.T) {
	b, ask, mine, other := brokerage(t)
	before := b.ok("board", "show", "--json")
	for line, exit := range map[string]int{
		"brief":                            exitOK,
		"--json brief":                     exitOK,
		"brief --dispatch " + mine:         exitOK,
		"brief --help":                     exitOK,
		"brief --dispatch " + other:        exitConflict,
		"brief --dispatch=" + other:        exitConflict,
		"--json brief --dispatch " + other: exitConflict,
		"report --kind done":               exitUsage,
		"brief --dir /":                    exitUsage,
		"brief --dir=/":                    exitUsage,
		"--dir / brief":                    exitUsage,
		"board show":                       exitUsage,
		"--json board show":                exitUsage,
		"--item brief board show":          exitUsage,
		"--dispatch=" + mine + " brief":    exitUsage,
		"-- brief":                         exitUsage,
		"release --verdict ready":          exitUsage,
		"dispatch --unit U05":              exitUsage,
		"exec -- true":                     exitUsage,
		"guard --client claude-code":       exitUsage,
		"help board":                       exitUsage,
		"":                                 exitUsage,
		"inbox":                            exitOK,
		"inbox --dispatch " + other:        exitConflict,
		"request --kind relay":             exitUsage,
		"channel open":                     exitUsage,
		"knob set --opaque allow":          exitUsage,
		"brief board show":                 exitUsage,
	} {
		a := ask(strings.Fields(line)...)
		require.Equal(t, exit, a.Exit, "%s: %s%s", line, a.Stdout, a.Stderr)
		require.NotContains(t, string(a.Stdout)+string(a.Stderr), "other is accepted", line)
	}
	require.Equal(t, before, b.ok("board", "show", "--json"))
	require.Len(t, b.status(), 2)

	require.Equal(t, exitOK, ask("report", "--kind", "done", "it works").Exit)
	require.Contains(t, b.ok("brief", "--dispatch", mine), "it works")
	b.ok("release", "--unit", "U03", "--verdict", "ready")
	a := ask("report", "--kind", "done", "late", "--json")
	require.Equal(t, exitConflict, a.Exit)
	require.Contains(t, string(a.Stdout), `"code":"not_bound"`)
}

// Reports that come at the same time are all written down.
func TestMuchIsAskedAtOnce(t *testing.T) {
	b, ask, _, _ := brokerage(t)
	var asking sync.WaitGroup
	for i := range 12 {
		asking.Go(func() {
			if a := ask("report", "--kind", "progress", "--artifact", fmt.Sprint("pr:", i+1), "so far"); a.Exit != exitOK {
				t.Errorf("%d: %s", a.Exit, a.Stderr)
			}
		})
	}
	asking.Wait()
	shown := b.ok("board", "show", "--json")
	for i := range 12 {
		require.Contains(t, shown, fmt.Sprintf(`"pr:%d"`, i+1))
	}
}

// A verb that is asked for inside is run outside; all others run as ever.
func TestAsksOutside(t *testing.T) {
	b := newBench(t)
	var asked []string
	s, err := broker.Serve(t.TempDir(), func(_ context.Context, args []string) broker.Answer {
		asked = args
		return broker.Answer{Exit: 7, Stdout: []byte("out\n"), Stderr: []byte("err\n")}
	})
	require.NoError(t, err)
	b.vars[broker.Var] = s.Address()
	code, out, errs := b.run("--json", "report", "--kind", "done", "a b")
	require.Equal(t, []string{"--json", "report", "--kind", "done", "a b"}, asked)
	require.Equal(t, []any{7, "out\n", "err\n"}, []any{code, out, errs})
	b.ok("status")
	b.ok("help", "brief")
	require.NoError(t, s.Close())
	code, out, _ = b.run("brief", "--json")
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "nobody answers outside of the sandbox")
	require.Contains(t, out, `"hint":"`)
}

// Where a command runs confined, the records are hidden: to make new ones is no help.
func TestNoWorkspaceWithin(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.RemoveAll(filepath.Join(b.root, ".conduct")))
	code, _, errs := b.run("status")
	require.Equal(t, exitNotFound, code)
	require.Contains(t, errs, "hint: conduct init\n")
	b.vars[varConfined] = "1"
	code, _, errs = b.run("status")
	require.Equal(t, exitNotFound, code)
	require.Contains(t, errs, ": this runs confined, and records are hidden\nhint: conduct brief, report, request, message and inbox work here\n")
}
