//go:build linux

package guard_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/guard"
)

// TestMain gives the property tests as many cases as they need: rapid's own
// default is 100.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", fmt.Sprint(cases)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// reached begins the message of a failure, by which the mutants' test knows it.
const reached = "an allowed call reached a sibling"

// TestNothingOfASiblingIsReached holds the guard against the kernel: in random
// trees with links, a call of a bound agent that the guard allows is really made,
// the way a tool would, and may neither show a canary of a sibling nor change a
// sibling's files. Every case is made with the guard out of the way too; at least
// 30 % of them have to reach a sibling then, or the test would say little.
func TestNothingOfASiblingIsReached(t *testing.T) {
	total, hits, allowed := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		f := newForest(rt, t)
		defer f.remove()
		call, deed := f.draw()
		out := guard.Decide(f.w.input(call))
		got := deed()
		total++
		if got != "" {
			hits++
		}
		if out.Allowed() {
			allowed++
		}
		if out.Allowed() && got != "" {
			rt.Fatalf("%s: %s\ncode %s\ncwd %s\ncall %s\n%s", reached, got, out.Code, call.Cwd, f.describe(call), f)
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("%d cases, %d would reach a sibling, %d were allowed", total, hits, allowed)
	require.GreaterOrEqual(t, hits*100, total*30, "too few of %d cases reach a sibling: %d", total, hits)
	require.GreaterOrEqual(t, allowed*100, total*10, "a guard that blocks everything would pass: %d of %d cases were allowed", allowed, total)
}
