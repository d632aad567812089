package guard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/shell"
)

// rewritable is a call of a command line in a program that runs another one when the
// hook says so.
func (w *world) rewritable(text string) guard.Input {
	c := w.shell(text)
	c.Commands[0].Rewrites = true
	in := w.input(c)
	in.Change = func() string { return "" }
	in.Confine = func() string { return "" }
	return in
}

// A worker's verb that names no dispatch is given the caller's directly behind the
// verb, and all else stays as it was.
func TestVerbsAreGivenTheirDispatch(t *testing.T) {
	w := aidlc(t)
	mine := w.dispatch("U03", reviewer, nil)
	other := w.dispatch("U04", "worker", nil)
	tests := []struct{ line, want string }{ // want "" is control_command
		{"conduct brief", "conduct brief+"},
		{"conduct  brief\t--json ", "conduct  brief+\t--json "},
		{"conduct --json brief", "conduct --json brief+"},
		{"conduct brief; conduct report --kind done 'it works'", "conduct brief+; conduct report+ --kind done 'it works'"},
		{"conduct report --kind done -- --dispatch", "conduct report+ --kind done -- --dispatch"},
		{"conduct inbox>out.txt", "conduct inbox+>out.txt"},
		{"conduct brief && cat design.md # brief", "conduct brief+ && cat design.md # brief"},
		{"(conduct brief)", "(conduct brief+)"},
		{"echo \"$(conduct brief)\"", "echo \"$(conduct brief+)\""},
		{"echo `conduct brief`", "echo `conduct brief+`"},
		{"for i in 1 2; do conduct brief; done", "for i in 1 2; do conduct brief+; done"},
		{"timeout 5 conduct brief", "timeout 5 conduct brief+"},
		{"/usr/local/bin/conduct inbox", "/usr/local/bin/conduct inbox+"},
		{"cat <<EOF\n$(conduct brief)\nEOF", "cat <<EOF\n$(conduct brief+)\nEOF"},
		{"conduct brief --dispatch MINE; conduct inbox", "conduct brief --dispatch MINE; conduct inbox+"},
		{"echo é; conduct brief", "echo é; conduct brief+"},

		{"conduct brief --dispatch", ""},
		{"conduct brief --dispatch OTHER", ""},
		{"conduct brief; conduct brief --dispatch OTHER", ""},
		{"CONDUCT_DISPATCH=OTHER conduct brief", ""},
		{"conduct brief --all", ""},
		{"conduct brief --dir /tmp", ""},
		{"conduct release --verdict ready", ""},
		{"conduct brief; conduct release --verdict ready", ""},
		{"conduct \"brief\"", ""},
		{"conduct bri\\ef", ""},
		{"v=brief; conduct $v", ""},
		{"conduct {brief,--json}", ""},
		{"conduct brief $X", ""},
		{"bash -c 'conduct brief'", ""},
		{"eval 'conduct brief'", ""},
		{"echo x | xargs conduct brief", ""},
		{"conduct --dispatch MINE brief", ""},
		{"conduct status", ""},
		{"conduct check docs/guide.md", ""},
	}
	for _, tt := range tests {
		ids := strings.NewReplacer("MINE", string(mine.ID), "OTHER", string(other.ID), "+", " --dispatch "+string(mine.ID))
		line := strings.NewReplacer("MINE", string(mine.ID), "OTHER", string(other.ID)).Replace(tt.line)
		out := guard.Decide(w.rewritable(line))
		require.Equal(t, ids.Replace(tt.want), out.Command, tt.line)
		require.Nil(t, out.Confined, tt.line)
		if tt.want == "" {
			require.Equal(t, "control_command", out.Code.String(), tt.line)
		} else {
			require.True(t, out.Allowed(), tt.line)
		}
	}
}

// Where the change would not reach the shell, or it is not certain who calls, the verb is
// blocked as ever; where it names the caller already, nothing changes.
func TestVerbsAreNotGivenADispatch(t *testing.T) {
	w := aidlc(t)
	mine := w.dispatch("U03", reviewer, nil)
	tests := []struct {
		name string
		edit func(*guard.Input)
		code string
	}{
		{"no rewrite", func(in *guard.Input) { in.Call.Commands[0].Rewrites = false }, "control_command"},
		{"another hook", func(in *guard.Input) { in.Change = func() string { return "x" } }, "control_command"},
		{"no hook", func(in *guard.Input) { in.Change = nil }, "control_command"},
		{"two commands", func(in *guard.Input) { in.Call.Commands = append(in.Call.Commands, in.Call.Commands[0]) }, "control_command"},
		{"named", func(in *guard.Input) { in.Call.Commands[0].Text += " --dispatch " + string(mine.ID) }, "no_target"},
		{"a process of its own", func(in *guard.Input) { in.Env.Dispatch = string(mine.ID) }, "no_target"},
		{"a sibling's file too", func(in *guard.Input) { in.Call.Commands[0].Text += "; cat ../U04/design.md" }, "sibling_unit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := w.rewritable("conduct brief")
			tt.edit(&in)
			out := guard.Decide(in)
			require.Equal(t, tt.code, out.Code.String())
			require.Empty(t, out.Command)
		})
	}
	w.dispatch("U04", reviewer, nil)
	out := guard.Decide(w.rewritable("conduct brief"))
	require.Equal(t, "control_command", out.Code.String(), "several fit")
	require.Empty(t, out.Command)
}

// A line that runs confined stays as it is: the process that confines it knows whose verbs
// are run in it. One that names another dispatch is blocked all the same.
func TestVerbsInConfinedLines(t *testing.T) {
	w := aidlc(t)
	mine := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Sandbox = "bwrap" })
	other := w.dispatch("U04", "worker", nil)
	for line, confined := range map[string]bool{
		"make; conduct brief": true,
		"make && conduct report --kind done --dispatch MINE 'ok'": true,
		"python3 -c 'x'; bash -c 'conduct brief'":                 true,
		"unheard conduct brief":                                   true,
		"make; conduct brief --dispatch OTHER":                    false,
		"make; CONDUCT_DISPATCH=OTHER conduct brief":              false,
		"make; conduct brief --dir /tmp":                          false,
		"make; conduct release --verdict ready":                   false,
		"make; conduct brief $X":                                  false,
	} {
		text := strings.NewReplacer("MINE", string(mine.ID), "OTHER", string(other.ID)).Replace(line)
		out := guard.Decide(w.rewritable(text))
		require.Empty(t, out.Command, line)
		if confined {
			require.True(t, out.Allowed(), line)
			require.Equal(t, &guard.Confined{Text: text, Dispatch: mine.ID}, out.Confined, line)
		} else {
			require.Equal(t, "control_command", out.Code.String(), line)
			require.Nil(t, out.Confined, line)
		}
	}
	in := w.rewritable("make; conduct brief")
	in.Confine = func() string { return "x" }
	require.Equal(t, "opaque_command", guard.Decide(in).Code.String())
}

// The line that runs does what the agent's did, and each of our verbs in it names the caller.
func TestNamedLinesAreTheSame(t *testing.T) {
	w := aidlc(t)
	mine := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueAllow })
	id := string(mine.ID)
	piece := rapid.SampledFrom([]string{
		"conduct brief", "conduct inbox --json", "conduct report --kind done 'a b'", "conduct report \"x $(date)\"", "conduct inbox\t",
		"conduct brief --dispatch " + id, "conduct --json check --op read docs/guide.md", "conduct brief #x\n", "conduct brief>o",
		"cat design.md", "echo 'conduct brief'", "ls sub", "make all", "x=1 conduct brief", "cat <<E\n$(conduct brief)\nE\n", "é=1", "`conduct brief`",
	})
	glue := rapid.SampledFrom([]string{"; ", " && ", " || ", " | ", "\n", " &\n"})
	around := rapid.SampledFrom([][2]string{{"", ""}, {"(", "\n)"}, {"{ ", "\n}"}, {"if true; then ", "\nfi"}, {"for i in 1 2; do ", "\ndone"}, {"echo \"$(", "\n)\""}})
	filled := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := piece.Draw(rt, "first")
		for range rapid.IntRange(0, 4).Draw(rt, "n") {
			text += glue.Draw(rt, "glue") + piece.Draw(rt, "piece")
			pair := around.Draw(rt, "around")
			text = pair[0] + text + pair[1]
		}
		out := guard.Decide(w.rewritable(text))
		if out.Command == "" {
			return
		}
		filled++
		bare := func(line string) string { return strings.ReplaceAll(line, " --dispatch "+id, "") }
		require.Equal(rt, bare(text), bare(out.Command), "only the names were put in")
		env := shell.Env{Cwd: w.root + "/" + own, Home: w.home}
		was, err := shell.Analyze(text, env)
		require.NoError(rt, err)
		is, err := shell.Analyze(out.Command, env)
		require.NoError(rt, err)
		require.Equal(rt, was.Facts, is.Facts)
		require.Len(rt, is.Controls, len(was.Controls))
		require.Len(rt, is.Opaque, len(was.Opaque))
		for i, c := range is.Controls {
			require.Equal(rt, was.Controls[i].Verb, c.Verb)
			at := slices.Index(c.Args, "--dispatch")
			require.Equal(rt, id, c.Args[at+1], out.Command)
		}
	})
	require.NotZero(t, filled)
}
