package main

import (
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/mcpserver"
)

// mcpServers are the servers of both roles, with nobody behind their tools.
func mcpServers() map[mcpserver.Role]*mcpserver.Server {
	return map[mcpserver.Role]*mcpserver.Server{
		mcpserver.AsWorker:    mcpserver.New(mcpserver.Options{Worker: struct{ mcpserver.Worker }{}}),
		mcpserver.AsConductor: mcpserver.New(mcpserver.Options{Conductor: struct{ mcpserver.Conductor }{}}),
	}
}

// mcpTools is the table of tools.
func mcpTools() (string, error) {
	var rows [][]string
	servers := mcpServers()
	for _, role := range mcpserver.Roles() {
		for _, t := range servers[role].Tools() {
			args := make([]string, 0, len(t.Args))
			for _, a := range t.Args {
				args = append(args, code(a))
			}
			changes := "yes"
			if t.ReadOnly {
				changes = "–"
			}
			rows = append(rows, []string{code(t.Name), "the " + string(role) + "'s", strings.Join(args, ", "), changes})
		}
	}
	return table([]string{"tool", "whose", "arguments", "changes something"}, rows), nil
}

// mcpActions is the table of what work_ledger_record takes.
func mcpActions() (string, error) {
	var rows [][]string
	for _, a := range mcpserver.Actions() {
		need, may := a.Fields()
		rows = append(rows, []string{code(string(a)), joined(need), joined(may)})
	}
	return table([]string{"action", "needs", "may have"}, rows), nil
}

func joined(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return code(strings.Join(names, "`, `"))
}

// mcpConfig is what belongs into the settings of each client, for a worker's server.
func mcpConfig() (string, error) {
	var b strings.Builder
	for _, name := range mcpserver.Clients() {
		c := mcpserver.ConfigFor(name, mcpserver.AsWorker, "")
		kind := "json"
		if !strings.HasPrefix(c.Text, "{") {
			kind = "toml"
		}
		fmt.Fprintf(&b, "%s, in %s:\n\n```%s\n%s```\n\n", code(name), c.File, kind, c.Text)
	}
	return b.String(), nil
}
