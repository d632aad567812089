package hooks

import (
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/wire"
)

// DispatchField is the argument in which a worker's tool of our own MCP server
// names the dispatch that it is called for.
const DispatchField = "dispatch"

// boardTool knows the tools of our own MCP server, nil for another one. Programs put
// the server's name before a tool's, each in its own way and under whatever name the
// server was given: mcp__conduct__work_brief, conduct_work_brief, @conduct/work_brief.
func boardTool(name string) *guard.BoardTool {
	name = strings.ToLower(strings.TrimSpace(name)) // some programs mend one after their hooks have seen it
	at := strings.LastIndex(name, "work_")
	if at < 0 || at > 0 && alphanumeric(name[at-1]) {
		return nil
	}
	switch own := name[at:]; own {
	case "work_brief", "work_report", "work_request", "work_message":
		return &guard.BoardTool{Name: own, Worker: true}
	case "work_ledger_read", "work_ledger_record", "work_dispatch", "work_release":
		return &guard.BoardTool{Name: own}
	}
	return nil
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// boardText says whether an argument of a worker's tool is prose, or a pointer or an
// id that the ledger parses: none of them is opened as a path.
func boardText(name string) bool {
	switch name {
	case "kind", "action", "again", "log", "summary", "artifacts", "text", "body", "target", "to", "item", "channel", "limit":
		return true
	}
	return false
}

// readBoard reads the input of a call of one of our own tools. What a worker's tool is
// given beside its own arguments is judged as an unknown tool's: the name may be that
// of somebody else's tool.
func readBoard(r *wire.Reader, b *guard.BoardTool, call *guard.Call) error {
	var g guesses
	err := r.Object(func(name string) error {
		switch {
		case strings.EqualFold(name, DispatchField):
			return readDispatch(r, name, b)
		case !b.Worker || boardText(name):
			return r.Skip()
		}
		g.add(name)
		return g.value(r, 0)
	})
	call.Targets, call.Commands = g.targets, g.commands
	return err
}

// readDispatch reads the dispatch that is named. What is no text, or stands under a name
// that only a lenient reader takes for the argument's, is kept as what no id is.
func readDispatch(r *wire.Reader, name string, b *guard.BoardTool) error {
	if name == DispatchField && (r.Kind() == '"' || r.Kind() == 'n') {
		return ReadText(r, &b.Dispatch)
	}
	b.Dispatch = "?"
	return r.Skip()
}
