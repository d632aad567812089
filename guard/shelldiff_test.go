//go:build linux

package guard_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/unit"
)

// How many command lines are tried and from which seed, where they are set.
const (
	linesVariable = "CONDUCT_SHELL_LINES"
	seedVariable  = "CONDUCT_SHELL_SEED"
)

// workers is how many lines run at a time: most of a line's time is the kernel's,
// which waits before it forgets what was watched.
const workers = 6

// TestCommandLinesAgainstTheShell holds the guard's reading of command lines
// against a real bash: random lines from a grammar are judged, and then run in a
// small workspace whose siblings the kernel watches. A line that passes may touch
// nothing of a sibling. A refusal is false when the line touches nothing, has no
// path that leads to a sibling, and is no riddle to the guard: of all lines, at
// most one in fifty.
func TestCommandLinesAgainstTheShell(t *testing.T) {
	var sum tally
	n := lines(t, cases, func(t *testing.T) func(i int, g *lineGrammar) {
		d := newDiff(t)
		g := &tally{}
		t.Cleanup(func() { sum.add(g) })
		return func(i int, gr *lineGrammar) { d.line(i, gr, g) }
	})
	t.Logf("%d lines: %d touch a sibling, %d pass, %d are opaque, %d are refused for a part that did not run, %d falsely",
		n, sum.touching, sum.passing, sum.opaque, sum.idle, len(sum.refused))
	for _, r := range sum.refused[:min(len(sum.refused), 20)] {
		t.Log(r)
	}
	require.LessOrEqual(t, len(sum.refused)*50, n, "refused falsely")
	require.GreaterOrEqual(t, sum.touching*100, n*20, "too few lines touch a sibling to say anything")
	require.GreaterOrEqual(t, sum.passing*100, n*30, "a guard that blocks everything would pass")
}

// lines has workers try n lines, and returns n. Each line depends on the seed and its
// number alone.
func lines(t *testing.T, n int, worker func(*testing.T) func(i int, g *lineGrammar)) int {
	t.Helper()
	n, seed := number(t, linesVariable, n), number(t, seedVariable, int(time.Now().UnixNano()&0xffffffff))
	t.Logf("%s=%d %s=%d", seedVariable, seed, linesVariable, n)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			t.Run(strconv.Itoa(w), func(t *testing.T) {
				try := worker(t)
				for i := w; i < n; i += workers {
					try(i, &lineGrammar{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(i)))})
				}
			})
		})
	}
	all.Wait()
	return n
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	v := os.Getenv(variable)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	require.NoError(t, err, variable)
	return n
}

// tally is what became of lines.
type tally struct {
	sync.Mutex
	touching, passing, opaque, idle int
	refused                         []string
}

func (s *tally) add(o *tally) {
	s.Lock()
	defer s.Unlock()
	s.touching += o.touching
	s.passing += o.passing
	s.opaque += o.opaque
	s.idle += o.idle
	s.refused = append(s.refused, o.refused...)
}

// diff is a workspace of lines with a guard.
type diff struct {
	*lineTree
	w *world
}

func newDiff(t *testing.T) *diff {
	t.Helper()
	d := &diff{newLineTree(t, memory(t)), newWorld(t, "construction/units/{unit}", nil, nil)}
	d.w.root, d.w.home = d.root, d.home
	d.w.put(".conduct/workspace.json")
	d.w.set.Root = unit.Split(d.root)
	d.w.roots = unit.Roots{d.w.set.Root}
	got := d.w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueBlock })
	require.NoError(t, d.w.book.Bind(dispatch.AgentKey("test", "a1", ""), 0, got.ID, 0))
	return d
}

// line judges a line and runs it.
func (d *diff) line(i int, g *lineGrammar, sum *tally) {
	cwd, line := g.whole(d.root)
	d.build()
	call := d.w.shell(line)
	call.Cwd = cwd
	out := guard.Decide(d.w.input(call))
	touched := d.run(cwd, line, "bash", "-c", line)
	where := fmt.Sprintf("case %d in %s (%s):\n%s\n%s", i, strings.TrimPrefix(cwd, d.root), out.Code, line, touched)
	if touched != "" {
		sum.touching++
	}
	switch {
	case out.Allowed():
		sum.passing++
		require.Empty(d.t, touched, "an allowed line touched a sibling: %s", where)
	case out.Code == guard.OpaqueCommand:
		sum.opaque++
	case touched == "" && g.meant:
		sum.idle++
	case touched == "":
		sum.refused = append(sum.refused, where)
	}
}
