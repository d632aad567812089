//go:build linux && e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/e2e/model"
)

// removed is a session whose guard is gone: the hook's own line blocks.
func removed(t *testing.T, p program, res *results) {
	w := newWorld(t)
	w.hook(p)
	w.dispatch("U03", "reviewer")
	require.NoError(t, os.Remove(filepath.Join(w.bin, "conduct-guard")))
	steps := []step{
		{scenario: guardRemoved, call: p.tools.read(w.design("U04")), ok: own("U04"), why: "guard is missing", lost: p.lost},
		{scenario: guardRemoved, call: p.tools.shell("cat construction/units/U04/design.md"), ok: own("U04"), why: "guard is missing", lost: p.lost},
	}
	s := w.run(p, model.Script{"root": play("root", steps)})
	s.tally(res, "root", steps)
	s.unharmed()
}

// unhooked is a session without a hook: everything is reached, which shows that
// it is the hook that blocks, and doctor says what is missing.
func unhooked(t *testing.T, p program, res *results) {
	w := newWorld(t)
	w.dispatch("U03", "reviewer")
	steps := []step{
		{call: p.tools.read(w.design("U04")), ok: own("U04")},
		{call: p.tools.shell("cat construction/units/U04/design.md"), ok: own("U04")},
	}
	turns, done := ends(play("agent", steps), p)
	launch := model.Turn{Calls: []model.Call{p.tools.launch("reviewer", model.Prompt("agent", "review the unit"))}}
	s := w.run(p, model.Script{"root": {launch, {Before: func() { await(done) }, Text: "done"}}, "agent": turns})
	for _, st := range steps {
		require.Equal(t, allowed, s.of("agent", st), "%v", st.call)
	}
	out, err := w.try("conduct", "doctor")
	require.Error(t, err, out)
	require.Contains(t, out, "FAIL hook")
	require.Contains(t, out, "none is installed")
	res.note(p, noHook, reported)
}
