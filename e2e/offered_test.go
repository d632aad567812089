//go:build linux && e2e

package e2e

import (
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/claudecode"
	codexhooks "github.com/seed6310be5c/conduct/hooks/codex"
	copilothooks "github.com/seed6310be5c/conduct/hooks/copilot"
	"github.com/seed6310be5c/conduct/hooks/geminicli"
	opencodehooks "github.com/seed6310be5c/conduct/hooks/opencode"
	"github.com/seed6310be5c/conduct/hooks/qwencode"
)

// tables are the tools that the guard knows of each program.
func tables() map[string][]hooks.Tool {
	return map[string][]hooks.Tool{
		claudecode.Name: claudecode.Tools(), codexhooks.Name: codexhooks.Tools(), copilothooks.Name: copilothooks.Tools(),
		geminicli.Name: geminicli.Tools(), opencodehooks.Name: opencodehooks.Tools(), qwencode.Name: qwencode.Tools(),
	}
}

// strangers are the tools that the program offers its models and that no table has, under
// the names that hooks get.
func (s *session) strangers() []string {
	var out []string
	for _, role := range []string{"root", "agent"} {
		for _, name := range s.model.Tools(role) {
			name = strings.ReplaceAll(name, ".", "") // a namespace is joined to the name
			if in, ok := s.p.renamed[name]; ok {
				name = in
			}
			known := slices.ContainsFunc(tables()[s.p.name], func(t hooks.Tool) bool { return t.Name == name })
			if !known && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// known holds that the guard's tables have every tool that this version of a program offers.
func (s *session) known() {
	s.t.Helper()
	require.Equal(s.t, s.p.strangers, s.strangers(), "every string of such a tool's input is judged; better, put it into the table of hooks/")
}
