package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/guard"
)

// board is a call of one of our own tools. MINE and OTHER stand for ids.
func (w *world) board(b guard.BoardTool) guard.Call {
	c := w.call()
	c.Tool, c.Board = "mcp__conduct__"+b.Name, &b
	return c
}

// A worker calls the worker's tools of our own server under its own id, and none of
// the conductor's; one that names nobody gets the caller's where the client lets us.
func TestOwnTools(t *testing.T) {
	w := aidlc(t)
	mine, other := w.dispatch("U03", reviewer, nil), w.dispatch("U04", "worker", nil)
	id := string(mine.ID)
	tests := []struct {
		name  string
		board guard.BoardTool
		edit  func(*guard.Input)
		code  string
		fills bool
	}{
		{"its own", guard.BoardTool{Worker: true, Dispatch: id}, nil, "no_target", false},
		{"its own, of a client that rewrites", guard.BoardTool{Worker: true, Dispatch: id, Rewrites: true}, nil, "no_target", false},
		{"another's", guard.BoardTool{Worker: true, Dispatch: string(other.ID)}, nil, "control_command", false},
		{"another's, of a client that rewrites", guard.BoardTool{Worker: true, Dispatch: string(other.ID), Rewrites: true}, nil, "control_command", false},
		{"its own, as the launch line has it", guard.BoardTool{Worker: true, Dispatch: "conduct:" + id}, nil, "no_target", false},
		{"another's, as the launch line has it", guard.BoardTool{Worker: true, Dispatch: "conduct:" + string(other.ID)}, nil, "control_command", false},
		{"its own and more", guard.BoardTool{Worker: true, Dispatch: id + " "}, nil, "control_command", false},
		{"none", guard.BoardTool{Worker: true}, nil, "control_command", false},
		{"none, filled in", guard.BoardTool{Worker: true, Rewrites: true}, nil, "no_target", true},
		{"none, and another hook rewrites", guard.BoardTool{Worker: true, Rewrites: true}, func(in *guard.Input) {
			in.Change = func() string { return "another hook" }
		}, "control_command", false},
		{"none, and nothing can rewrite", guard.BoardTool{Worker: true, Rewrites: true}, func(in *guard.Input) { in.Change = nil }, "control_command", false},
		{"none, in a process of its own", guard.BoardTool{Worker: true}, func(in *guard.Input) { in.Env.Dispatch = id }, "control_command", false},
		{"none, filled in, in a process of its own", guard.BoardTool{Worker: true, Rewrites: true}, func(in *guard.Input) { in.Env.Dispatch = id }, "no_target", true},
		{"its own, in a process of another's", guard.BoardTool{Worker: true, Dispatch: id}, func(in *guard.Input) { in.Env.Dispatch = string(other.ID) }, "control_command", false},
		{"the conductor's", guard.BoardTool{Dispatch: id, Rewrites: true}, nil, "control_command", false},
		{"by the conductor", guard.BoardTool{}, asConductor, "not_dispatched", false},
		{"a worker's, by the conductor", guard.BoardTool{Worker: true, Dispatch: string(other.ID)}, asConductor, "not_dispatched", false},
		{"none, by the conductor", guard.BoardTool{Worker: true, Rewrites: true}, asConductor, "not_dispatched", false},
		{"by an agent that nobody dispatched", guard.BoardTool{Worker: true, Rewrites: true}, func(in *guard.Input) {
			in.Call.AgentID, in.Call.AgentType = "a9", "helper"
		}, "not_dispatched", false},
		{"by nobody knows whom", guard.BoardTool{Worker: true, Rewrites: true}, func(in *guard.Input) {
			in.Call.Marks, in.Call.Marked, in.Call.AgentID, in.Call.AgentType = false, false, "", ""
		}, "shared", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.board.Name == "" {
				tt.board.Name = "work_report"
			}
			in := w.input(w.board(tt.board))
			in.Change = func() string { return "" }
			if tt.edit != nil {
				tt.edit(&in)
			}
			out := guard.Decide(in)
			require.Equal(t, tt.code, out.Code.String())
			want := ""
			if tt.fills {
				want = id
			}
			require.Equal(t, want, string(out.Dispatch))
			if tt.code == "control_command" && tt.board.Worker && in.Env.Dispatch != string(other.ID) {
				require.Equal(t, `conduct: call work_report with your own id: "dispatch": "`+id+`".`, out.Reason)
			}
			require.NotContains(t, out.Reason, "U04")
		})
	}
}

func asConductor(in *guard.Input) { in.Call.Marked, in.Call.AgentID, in.Call.AgentType = false, "", "" }

// A caller of which it is not certain who it is speaks for nobody.
func TestOwnToolsOfAnAmbiguousCaller(t *testing.T) {
	w := aidlc(t)
	mine := w.dispatch("U03", reviewer, nil)
	w.dispatch("U04", reviewer, nil)
	for _, named := range []string{string(mine.ID), ""} {
		in := w.input(w.board(guard.BoardTool{Name: "work_report", Worker: true, Dispatch: named, Rewrites: true}))
		in.Change = func() string { return "" }
		out := guard.Decide(in)
		require.Equal(t, "control_command", out.Code.String())
		require.Empty(t, out.Dispatch)
		require.Contains(t, out.Reason, "ambiguous")
	}
	// A refusal of a command names no id either: which one is its own, is not known.
	for _, line := range []string{"conduct board show", "conduct brief --dispatch " + string(mine.ID)} {
		require.Equal(t, guard.Refusal(guard.ControlCommand), w.decide(w.shell(line)).Reason)
	}
}

// Where a dispatch is only watched, whose words they are is held all the same.
func TestOwnToolsAreHeldWhereOthersAreWatched(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, func(q *dispatch.Request) {
		q.Grant.Observe, q.Grant.DenyTools = true, []string{"mcp__conduct__work_report"}
	})
	require.Equal(t, "control_command", w.code(w.board(guard.BoardTool{Name: "work_report", Worker: true, Dispatch: "OTHER"})))
	require.Equal(t, "control_command", w.code(w.board(guard.BoardTool{Name: "work_release"})))
}
