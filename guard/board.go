package guard

import "github.com/seed6310be5c/conduct/store"

// BoardTool is a call of one of the tools of our own MCP server, which read and write
// the board. Its other arguments are text of the ledger's.
type BoardTool struct {
	// Name is the tool's own name, without what the client puts before it.
	Name string
	// Worker says that it is a worker's; else it is the conductor's.
	Worker bool
	// Dispatch is the dispatch that the call names, "" when it names none.
	Dispatch string
	// Rewrites says that this client lets the hook add an argument, without skipping a
	// prompt of the person's.
	Rewrites bool
}

// boardTool judges a call of one of our own tools by whose it is: the conductor's are
// closed, and a worker's must name the caller's own dispatch. One that names none gets
// it, where the client lets us.
func (s *sight) boardTool(b *BoardTool) Decision {
	t, own := Target{Path: s.j.call.Tool}, string(s.d.ID)
	switch {
	case !b.Worker:
		return s.blocked(ControlCommand, t, refusal{
			detail: "that tool is the conductor's. Yours are work_brief, work_report, work_request and work_message, with \"dispatch\": \"" + own + "\".",
		})
	case s.j.at.several:
		return s.blocked(ControlCommand, t, refusal{
			detail: "it is ambiguous which dispatch you work under. Ask the conductor for the line conduct:<id> in your launch prompt.",
		})
	case Named(b.Dispatch) == s.d.ID:
		return Decision{Code: NoTarget}
	case b.Dispatch == "" && b.Rewrites && s.j.mayChange():
		s.j.change = change{dispatch: s.d.ID}
		return Decision{Code: NoTarget}
	}
	return s.blocked(ControlCommand, t, refusal{detail: "call " + b.Name + " with your own id: \"dispatch\": \"" + own + "\"."})
}

// change is what a call becomes to be allowed; at most one field is set.
type change struct {
	// confined is a command that is to run confined, under which dispatch.
	confined Confined
	// command is a command line with the caller's dispatch named in it.
	command string
	// dispatch is what a call of one of our own tools has to name.
	dispatch store.ID
}

// into says so in the answer.
func (c change) into(out *Outcome) {
	if c.confined != (Confined{}) {
		out.Confined = &c.confined
	}
	out.Command, out.Dispatch = c.command, c.dispatch
}

// mayChange says whether a change of the call reaches the tool.
func (j *judge) mayChange() bool { return j.in.Change != nil && j.in.Change() == "" }
