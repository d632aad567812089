package hooks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/mcpserver"
)

// Our own tools are known behind whatever a client puts before them, and no other is
// taken for one.
func TestOwnToolNames(t *testing.T) {
	for name, want := range map[string]*guard.BoardTool{
		"work_brief":                        {Name: "work_brief", Worker: true},
		"mcp__conduct__work_brief":          {Name: "work_brief", Worker: true},
		"mcp__the_board__work_report":       {Name: "work_report", Worker: true},
		"mcp_conduct_work_request":          {Name: "work_request", Worker: true},
		"conduct___work_message":            {Name: "work_message", Worker: true},
		"conduct__work_message":             {Name: "work_message", Worker: true},
		"conduct_work_message":              {Name: "work_message", Worker: true},
		"conduct-work_message":              {Name: "work_message", Worker: true},
		"conduct/work_message":              {Name: "work_message", Worker: true},
		"@conduct/work_brief":               {Name: "work_brief", Worker: true},
		"MCP:work_brief":                    {Name: "work_brief", Worker: true},
		"mcp__conduct__Work_Brief":          {Name: "work_brief", Worker: true},
		"mcp__conduct__work_brief ":         {Name: "work_brief", Worker: true},
		"mcp__work_brief__work_ledger_read": {Name: "work_ledger_read"},
		"mcp__conduct__work_ledger_record":  {Name: "work_ledger_record"},
		"mcp__conduct__work_dispatch":       {Name: "work_dispatch"},
		"conduct_work_release":              {Name: "work_release"},
		"mcp__conduct__homework_brief":      nil,
		"mcp__conduct__work_briefs":         nil,
		"mcp__conduct__work_brief_all":      nil,
		"mcp__conduct__work_":               nil,
		"mcp__work_brief__list":             nil,
		"mcp__conduct__work_ledger":         nil,
		"Read":                              nil,
		"":                                  nil,
	} {
		got := decode(t, name, `{}`)
		require.Equal(t, want, got.Board, name)
		require.False(t, got.Writes && want != nil, name)
		require.Equal(t, want, decode(t, name, `null`).Board, name)
	}
}

// The tools of our server are all known here, as whose they are, and no argument of a
// worker's is taken for a path.
func TestToolsOfTheServer(t *testing.T) {
	worker := mcpserver.New(mcpserver.Options{Worker: struct{ mcpserver.Worker }{}})
	conductor := mcpserver.New(mcpserver.Options{Conductor: struct{ mcpserver.Conductor }{}})
	for _, tool := range worker.Tools() {
		for _, arg := range tool.Args {
			call := decode(t, "mcp__conduct__"+tool.Name, `{"`+arg+`":"../U04/x"}`)
			require.True(t, call.Board != nil && call.Board.Worker, tool.Name)
			require.Empty(t, call.Targets, "%s of %s", arg, tool.Name)
			require.Equal(t, arg == hooks.DispatchField, call.Board.Dispatch != "", arg)
		}
	}
	for _, tool := range conductor.Tools() {
		call := decode(t, "mcp__conductor__"+tool.Name, `{}`)
		require.True(t, call.Board != nil && !call.Board.Worker, tool.Name)
	}
}

func TestOwnToolInputs(t *testing.T) {
	prose := `"kind":"done","summary":"../U04/x is mine","artifacts":["path:units/U04/x"],"text":"cat ../U04/x","target":"a/b","to":"c/d","limit":3`
	tests := []struct {
		name, tool, input string
		dispatch          string
		targets           []guard.Target
	}{
		{"its arguments are text", "work_report", `{"dispatch":"01J",` + prose + `}`, "01J", nil},
		{"none", "work_report", `{` + prose + `}`, "", nil},
		{"null", "work_report", `{"dispatch":null}`, "", nil},
		{"empty", "work_report", `{"dispatch":""}`, "", nil},
		{"no text", "work_report", `{"dispatch":7}`, "?", nil},
		{"list", "work_report", `{"dispatch":["01J"]}`, "?", nil},
		{"what a lenient reader takes for it", "work_report", `{"Dispatch":"01J"}`, "?", nil},
		{"by a letter that folds to one of it", "work_report", `{"diſpatch":""}`, "?", nil},
		{"a tool of the same name", "work_report", `{"dispatch":"01J","file":"../U04/x"}`, "01J", guess("file", "../U04/x")},
		{"the conductor's", "work_dispatch", `{"unit":"U03","exempt":["../U04/x"]}`, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := decode(t, "mcp__conduct__"+tt.tool, tt.input)
			require.Equal(t, tt.dispatch, call.Board.Dispatch)
			require.Equal(t, tt.targets, call.Targets)
			require.Empty(t, call.Commands)
		})
	}
	_, err := format().Decode([]byte(`{"tool_name":"work_report","tool_input":{"dispatch":"a","Dispatch":"b"}}`))
	require.ErrorIs(t, err, hooks.ErrPayload)
	require.Nil(t, decode(t, "Read", `{}`).Board)
	p, err := format().Decode([]byte(`{"hook_event_name":"PostToolUse","tool_name":"work_report","tool_input":{"dispatch":"a"}}`))
	require.NoError(t, err)
	require.Nil(t, p.Call.Board, "it has ended")
}

// A table's own tool outranks the name.
func TestKnownToolOutranksOwnName(t *testing.T) {
	f := format()
	f.Tools = append(f.Tools, hooks.Tool{Name: "x_work_brief", Fields: []hooks.Field{{Name: "summary", Kind: hooks.ReadPath}}})
	p, err := f.Decode([]byte(`{"tool_name":"x_work_brief","tool_input":{"summary":"a"}}`))
	require.NoError(t, err)
	require.Nil(t, p.Call.Board)
	require.Len(t, p.Call.Targets, 1)
}

func TestReplaceInput(t *testing.T) {
	for _, tt := range []struct{ input, want string }{
		{`{}`, `{"dispatch":"01J"}`},
		{`{"a" : [1, 2]}`, `{"a":[1, 2],"dispatch":"01J"}`},
		{`{"dispatch":null,"a":1}`, `{"dispatch":"01J","a":1}`},
	} {
		got, err := hooks.ReplaceInput([]byte(`{"tool_input":`+tt.input+`}`), hooks.DispatchField, "01J")
		require.NoError(t, err)
		require.Equal(t, tt.want, string(got))
	}
	for _, bad := range []string{`{}`, `{"tool_input":null}`, `{"tool_input":[]}`} {
		_, err := hooks.ReplaceInput([]byte(bad), hooks.DispatchField, "01J")
		require.ErrorIs(t, err, hooks.ErrPayload)
	}
	_, err := hooks.ReplaceInput([]byte(`{"tool_input":{}}`), "command", "x")
	require.ErrorIs(t, err, hooks.ErrPayload, "only the dispatch is added")
}
