package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/knobs"
)

// Whatever is turned of a sibling, a worker's brief keeps its bytes; what is turned of
// its own shows.
func TestKnobsOfASiblingAreHidden(t *testing.T) {
	b := newBench(t)
	mine := strings.TrimSpace(b.ok("board", "create", "--title", "mine"))
	theirs := strings.TrimSpace(b.ok("board", "create", "--title", "theirs"))
	me := strings.Fields(b.ok("dispatch", "--unit", "U03", "--opaque", "block", "--item", mine))[0]
	b.ok("dispatch", "--unit", "U04", "--opaque", "block", "--agent", "other", "--item", theirs)
	turn := func(t *rapid.T, unit string) bool {
		n := rapid.SampledFrom(knobs.Names()).Draw(t, "knob")
		// Without "confine", for which a sandbox would be tried out.
		values := []knobs.Value{}
		for _, v := range n.Values() {
			if v != knobs.Confine {
				values = append(values, v)
			}
		}
		v := rapid.SampledFrom(values).Draw(t, "value")
		said := b.ok("knob", "set", "--unit", unit, string(n), string(v), "--session", "s")
		return !strings.Contains(said, "already")
	}
	rapid.Check(t, func(t *rapid.T) {
		if len(b.ok("knob", "show", "--unit", "U04", "--json"))+len(b.ok("knob", "show", "--unit", "U03", "--json")) > 8000 {
			return // as many changes as a dispatch has room for
		}
		b.ok("brief", "--dispatch", me) // told of what there is
		seen := b.ok("brief", "--dispatch", me, "--json")
		turn(t, "U04")
		require.Equal(t, seen, b.ok("brief", "--dispatch", me, "--json"))
		if turn(t, "U03") {
			require.NotEqual(t, seen, b.ok("brief", "--dispatch", me, "--json"), "its own do show")
		}
	})
}
