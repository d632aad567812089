package guard_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/knobs"
)

// With every command confined, a line that is understood runs confined too. What it was
// blocked for it is blocked for still, and with that reason.
func TestConfineAll(t *testing.T) {
	w := aidlc(t)
	d := w.dispatch("U03", reviewer, func(q *dispatch.Request) {
		q.Grant.Sandbox, q.Grant.ConfineAll, q.Grant.Commands = "bwrap", true, []string{"go test"}
	})
	for line, want := range map[string]string{
		"ls":                              "confined",
		"cat design.md":                   "confined",
		"cd ../..":                        "confined",
		": > new.md":                      "confined",
		"echo $(<design.md)":              "confined",
		"git status":                      "confined",
		"python3 x.py":                    "confined",
		"go test ./... ; ls":              "confined",
		"conduct brief --dispatch ME; ls": "confined",
		"conduct inbox > own.md":          "confined",
		"go test ./...":                   "allowed",
		"conduct brief --dispatch ME":     "allowed",
		"conduct status --dispatch ME":    "allowed",
		"cat ../U04/design.md":            "sibling_unit",
		"go test ./... > ../U04/x":        "sibling_unit",
		"conduct release --verdict ready": "control_command",
	} {
		got := w.confinedOr(strings.ReplaceAll(line, "ME", string(d.ID)))
		require.Equal(t, want, got, line)
	}

	// Where it cannot be confined, it does not run; the knobs go before.
	in := w.rewritable("ls")
	in.Confine = func() string { return "x" }
	require.Equal(t, guard.OpaqueCommand, guard.Decide(in).Code)
	w.turn(d, knobs.Sandbox, knobs.Off)
	require.Equal(t, "opaque_command", w.confinedOr("ls"))
	w.turn(d, knobs.Opaque, knobs.Allow)
	require.Equal(t, "allowed", w.confinedOr("ls"))
	w.turn(d, knobs.Opaque, knobs.Block)
	require.Equal(t, "allowed", w.confinedOr("ls"), "it is understood")
	require.Equal(t, "opaque_command", w.confinedOr("python3 x.py"))
}

// Without it, only what is not understood does.
func TestConfineOpaque(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Sandbox, q.Grant.Opaque = "bwrap", grants.OpaqueConfine })
	require.Equal(t, "allowed", w.confinedOr("ls"))
	require.Equal(t, "confined", w.confinedOr("python3 x.py"))
}

// confinedOr judges a line: "confined", "allowed", or the code of its block.
func (w *world) confinedOr(line string) string {
	switch out := guard.Decide(w.rewritable(line)); {
	case !out.Allowed():
		return out.Code.String()
	case out.Confined != nil:
		return "confined"
	}
	return "allowed"
}
