package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
)

// filterRow is one line of the table of tool filters: a filter, what happened
// since, and a call.
type filterRow struct {
	deny  string // the words behind --deny-tool
	since string
	do    func(*scene) error // what happened since, nil for nothing
	who   string             // "" is the dispatched agent
	call  guard.Call
	shown string
}

func readCall(tool, path string) guard.Call {
	return guard.Call{Tool: tool, Targets: []guard.Target{{Op: guard.Read, Path: path}}}
}

// filterRows are the lines of the table.
func filterRows() []filterRow {
	own := readCall("Read", "design.md")
	sibling := readCall("Read", "../U04/design.md")
	shared := readCall("Read", "../../docs/guide.md")
	search := guard.Call{Tool: "Grep", Targets: []guard.Target{{Op: guard.Search, Implied: true}}}
	launch := guard.Call{Tool: "Agent", Launch: &guard.Launch{AgentType: "helper", Prompt: "help", Rewrites: true}}
	return []filterRow{
		// The name.
		{call: own, shown: "Read, own file"},
		{deny: "Read", call: own, shown: "Read, own file"},
		{deny: "read", call: own, shown: "Read, own file"},
		{deny: "Read", call: readCall("NotebookRead", "design.md"), shown: "NotebookRead, own file"},
		{deny: "Read", call: search, shown: "Grep, own unit"},
		{deny: "*Read", call: readCall("NotebookRead", "design.md"), shown: "NotebookRead, own file"},
		{deny: "mcp__*", call: guard.Call{Tool: "mcp__tracker__list_issues"}, shown: "mcp__tracker__list_issues, no path"},
		{deny: "mcp__*", call: own, shown: "Read, own file"},
		{deny: "mcp__tracker__*", call: guard.Call{Tool: "mcp__wiki__list_pages"}, shown: "mcp__wiki__list_pages, no path"},
		{deny: "Bash", call: guard.Call{Tool: "Bash", Commands: []guard.Command{{Text: "ls"}}}, shown: "Bash `ls`"},
		{deny: "Agent", call: launch, shown: "Agent, with `--max-depth 1`"},
		{deny: "Task", call: launch, shown: "Agent, with `--max-depth 1`"},

		// The filter and the unit.
		{deny: "Read", call: shared, shown: "Read, shared file"},
		{deny: "Read", call: sibling, shown: "Read, a sibling's file"},
		{deny: "Write", call: sibling, shown: "Read, a sibling's file"},

		// Since then.
		{deny: "Read", since: "the conductor opens the sibling's file", do: open, call: sibling, shown: "Read, a sibling's file"},
		{deny: "Write", since: "the conductor opens the sibling's file", do: open, call: sibling, shown: "Read, a sibling's file"},
		{deny: "Read", since: "the dispatch is renewed", do: renew, call: own, shown: "Read, own file"},
		{deny: "Read", since: "released, dispatched anew without a filter", do: replace(""), call: own, shown: "Read, own file"},
		{deny: "", since: "released, dispatched anew with `--deny-tool Read`", do: replace("Read"), call: own, shown: "Read, own file"},
		{deny: "Read", since: "released", do: func(s *scene) error { return s.release("U03") }, call: own, shown: "Read, own file"},
		{deny: "", since: "U04 is dispatched to the same agent name with `--deny-tool Read`", do: another, call: own, shown: "Read, own file"},

		// Others.
		{deny: "Read", who: "an agent of the same name, and U04 is dispatched to that name without a filter", do: alone, call: shared, shown: "Read, shared file"},
		{deny: "Read", who: "an agent of another name", call: own, shown: "Read, own file"},
		{deny: "Read", who: "the conductor", call: own, shown: "Read, own file"},
		{deny: "Read", since: "dispatched with `--observe`", call: own, shown: "Read, own file"},
	}
}

func open(s *scene) error {
	_, err := s.book.AddOpenings(context.Background(), dispatch.Selector{Unit: "U03", AnyAgent: true},
		[]grants.Opening{{Access: grants.AccessRead, Path: "units/U04/design.md", Exact: true}})
	return err
}

func renew(s *scene) error {
	_, err := s.book.Renew(context.Background(), dispatch.Selector{Unit: "U03", AnyAgent: true}, 2*time.Hour)
	return err
}

func replace(deny string) func(*scene) error {
	return func(s *scene) error {
		return errors.Join(s.release("U03"), s.dispatch("U03", denying(deny)))
	}
}

func another(s *scene) error { return s.dispatch("U04", denying("Read")) }

func alone(s *scene) error { return s.dispatch("U04", nil) }

func denying(words string) func(*grants.Grant) {
	return func(g *grants.Grant) { g.DenyTools = strings.Fields(words) }
}

// filters is the table: every answer in it is the guard's.
func filters() (string, error) {
	var rows [][]string
	for _, r := range filterRows() {
		got, err := r.run()
		if err != nil {
			return "", fmt.Errorf("%s, %s: %w", r.deny, r.shown, err)
		}
		said := "blocked"
		if got.Allows() {
			said = "allowed"
		}
		filter, since := "none", r.since
		if r.deny != "" {
			filter = code(r.deny)
		}
		if since == "" {
			since = "–"
		}
		who := r.who
		if who == "" {
			who = "the dispatched agent"
		}
		rows = append(rows, []string{filter, since, who, r.shown, said, code(got.String())})
	}
	return table([]string{"`--deny-tool`", "since then", "who calls", "call", "answer", "code"}, rows), nil
}

// run plays one row in a workspace of its own.
func (r filterRow) run() (code guard.Code, err error) {
	s, err := newScene()
	if err != nil {
		return guard.Internal, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	err = s.dispatch("U03", func(g *grants.Grant) {
		denying(r.deny)(g)
		g.Observe = strings.Contains(r.since, "--observe")
		if r.call.Launch != nil {
			g.MaxDepth = 1
		}
	})
	if err != nil {
		return guard.Internal, err
	}
	c := r.call
	switch {
	case r.who == "the conductor":
	case r.who == "an agent of another name":
		c.AgentID, c.AgentType, c.Marked = "a2", "helper", true
	default:
		c.AgentID, c.AgentType, c.Marked = "a1", reviewer, true
	}
	if r.who == "" {
		// The agent has been at work: it is bound to the dispatch.
		first := guard.Call{Tool: "Hello", AgentID: c.AgentID, AgentType: c.AgentType, Marked: c.Marked}
		if _, err := s.ask(first); err != nil {
			return guard.Internal, err
		}
	}
	if r.do != nil {
		if err := r.do(s); err != nil {
			return guard.Internal, err
		}
	}
	return s.ask(c)
}
