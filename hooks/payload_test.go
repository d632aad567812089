package hooks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

const everything = guard.Read | guard.Write | guard.Search

func guess(paths ...string) []guard.Target {
	var out []guard.Target
	for _, p := range paths {
		out = append(out, guard.Target{Op: everything, Path: p, Guess: true})
	}
	return out
}

// format is a client's with the tables of Claude Code and two tools more.
func format() hooks.Format {
	return hooks.Format{
		Events: []hooks.Event{
			{Name: "PreToolUse", Event: guard.ToolCall}, {Name: "PostToolUse", Event: guard.LaunchDone},
			{Name: "UserPromptSubmit", Event: guard.TurnStart},
		},
		Tools: append(hooks.ClaudeTools(),
			hooks.Tool{Name: "shell_in", Fields: []hooks.Field{
				{Name: "command", Kind: hooks.Command}, {Name: "dir", Kind: hooks.CommandDir},
			}},
			hooks.Tool{Name: "patch_it", Writes: true, Fields: []hooks.Field{{Name: "patch", Kind: hooks.Patch}}},
		),
		Started: "agentId",
	}
}

func decode(t require.TestingT, tool, input string) guard.Call {
	p, err := format().Decode([]byte(`{"hook_event_name":"PreToolUse","tool_name":"` + tool + `","tool_input":` + input + `}`))
	require.NoError(t, err)
	return p.Call
}

func TestKnownTools(t *testing.T) {
	const edit = guard.Read | guard.Write
	tests := []struct {
		name, tool, input string
		want              []guard.Target
	}{
		{"every field counts", "Read", `{"file_path":"a","path":"b/c"}`,
			append([]guard.Target{{Op: guard.Read, Path: "a"}}, guess("path", "b/c")...)},
		{"a name in another case is another field", "Read", `{"FILE_PATH":"a"}`, guess("FILE_PATH", "a")},
		{"list of paths", "SendUserFile", `{"files":["a","b"]}`, []guard.Target{{Op: guard.Read, Path: "a"}, {Op: guard.Read, Path: "b"}}},
		{"no path", "Read", `{"file_path":""}`, nil},
		{"null", "Read", `{"file_path":null}`, nil},
		{"untrimmed", "Read", `{"file_path":" a\n"}`, []guard.Target{{Op: guard.Read, Path: " a\n"}, {Op: guard.Read, Path: "a"}}},
		{"control characters pass on", "Read", `{"file_path":"a\u0000b"}`, []guard.Target{{Op: guard.Read, Path: "a\x00b"}}},
		{"file address as written", "Read", `{"file_path":"file:///a%20b"}`, []guard.Target{{Op: guard.Read, Path: "file:///a%20b"}}},
		{"content is text", "Write", `{"file_path":"a","content":"../U04/x"}`, []guard.Target{{Op: guard.Write, Path: "a"}}},
		{"content of any kind", "Write", `{"file_path":"a","content":{"x":["/etc"]}}`, []guard.Target{{Op: guard.Write, Path: "a"}}},
		{"edits", "MultiEdit", `{"file_path":"a","edits":[{"old_string":"/x","new_string":"/y"},{"file_path":"b","old_string":"c"}]}`,
			[]guard.Target{{Op: edit, Path: "a"}, {Op: edit, Path: "b"}}},
		{"unknown field in an edit", "MultiEdit", `{"edits":[{"where":"b/c"}]}`, guess("where", "b/c")},
		{"edits as text", "MultiEdit", `{"edits":"[{\"file_path\":\"b/c\"}]"}`, guess("file_path", "b/c")},
		{"search in the current folder", "Grep", `{"pattern":"../U04"}`, []guard.Target{{Op: guard.Search, Implied: true}}},
		{"empty root", "Grep", `{"pattern":"x","path":""}`, []guard.Target{{Op: guard.Search, Implied: true}}},
		{"name filter", "Grep", `{"pattern":"x","path":"a","glob":"*.go"}`,
			[]guard.Target{{Op: guard.Search, Path: "a", Pattern: "*.go", AnyDepth: true}}},
		{"name filters", "Grep", `{"pattern":"x","glob":"*.go,b/** !c"}`, []guard.Target{
			{Op: guard.Search, Implied: true, Pattern: "*.go,b/** !c", AnyDepth: true},
			{Op: guard.Search, Implied: true, Pattern: "*.go", AnyDepth: true},
			{Op: guard.Search, Implied: true, Pattern: "b/**", AnyDepth: true},
			{Op: guard.Search, Implied: true, Pattern: "!c", AnyDepth: true},
		}},
		{"braces in a filter", "Grep", `{"pattern":"x","glob":"*.{a,b}"}`,
			[]guard.Target{{Op: guard.Search, Implied: true, Pattern: "*.{a,b}", AnyDepth: true}}},
		{"glob", "Glob", `{"pattern":"../*/a.md","path":"b"}`,
			[]guard.Target{{Op: guard.Search, Path: "b", Pattern: "../*/a.md", AnyDepth: true}}},
		{"globs and roots", "Glob", `{"pattern":["x","y"],"path":["a","b"]}`, []guard.Target{
			{Op: guard.Search, Path: "a", Pattern: "x", AnyDepth: true}, {Op: guard.Search, Path: "a", Pattern: "y", AnyDepth: true},
			{Op: guard.Search, Path: "b", Pattern: "x", AnyDepth: true}, {Op: guard.Search, Path: "b", Pattern: "y", AnyDepth: true},
		}},
		{"absolute glob", "Glob", `{"pattern":"/r/*.md"}`, []guard.Target{{Op: guard.Search, Path: "/", Pattern: "r/*.md"}}},
		{"absolute glob beside a root", "Glob", `{"pattern":"/r/*.md","path":"a"}`,
			[]guard.Target{{Op: guard.Search, Path: "/", Pattern: "r/*.md"}, {Op: guard.Search, Path: "a"}}},
		{"absolute alternative", "Glob", `{"pattern":"{a,/r}/*.md"}`, []guard.Target{{Op: guard.Search, Path: "/"}}},
		{"glob without a pattern", "Glob", `{}`, []guard.Target{{Op: guard.Search, Implied: true}}},
		{"list", "LS", `{"path":"a"}`, []guard.Target{{Op: guard.List, Path: "a"}}},
		{"list of the current folder", "LS", `{}`, []guard.Target{{Op: guard.List, Implied: true}}},
		{"web address", "WebFetch", `{"url":"HTTPS://example.invalid/a","prompt":"/x"}`, nil},
		{"file address", "WebFetch", `{"url":"File:///a"}`, []guard.Target{{Op: guard.Read, Path: "File:///a"}}},
		{"address without a scheme", "WebFetch", `{"url":"../a"}`, guess("../a")},
		{"other scheme", "ReadMcpResourceTool", `{"server":"/x","uri":"notes://a/b"}`, guess("notes://a/b")},
		{"tool without paths", "TodoWrite", `{"todos":[{"content":"../U04"}],"new_field":"../U04"}`, nil},
		{"patch", "patch_it", `{"patch":"*** Begin Patch\n*** Add File:  a\n*** End Patch"}`,
			[]guard.Target{{Op: guard.Write, Path: " a"}, {Op: guard.Write, Path: "a"}}},
		{"null as the input of a search", "Grep", `null`, []guard.Target{{Op: guard.Search, Implied: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := decode(t, tt.tool, tt.input)
			require.Equal(t, tt.want, call.Targets)
			require.Empty(t, call.Fault)
		})
	}
}

func TestFaults(t *testing.T) {
	many := `["` + strings.Repeat(`a","`, 70) + `a"]`
	tests := []struct{ name, tool, input, want string }{
		{"number", "Read", `{"file_path":42}`, `the field "file_path" holds no text`},
		{"object", "Read", `{"file_path":{"a":"b"}}`, `the field "file_path" holds no text`},
		{"list with a number", "Read", `{"file_path":["a",1]}`, `the field "file_path" holds no text`},
		{"list in a list", "Grep", `{"path":[["a"]]}`, `the field "path" holds no text`},
		{"null in a list", "Read", `{"file_path":[null]}`, `the field "file_path" holds no text`},
		{"command as a list", "Bash", `{"command":["ls"]}`, `the field "command" holds no text`},
		{"command's folder", "shell_in", `{"command":"ls","dir":true}`, `the field "dir" holds no text`},
		{"prompt", "Agent", `{"prompt":{}}`, `the field "prompt" holds no text`},
		{"patch", "patch_it", `{"patch":"x"}`, `unreadable patch: it does not begin with "*** Begin Patch"`},
		{"the first counts", "MultiEdit", `{"file_path":1,"edits":[{"file_path":{}}]}`, `the field "file_path" holds no text`},
		{"too much to combine", "Glob", `{"path":` + many + `,"pattern":` + many + `}`, "more folders and patterns than can be judged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, decode(t, tt.tool, tt.input).Fault)
		})
	}
}

func TestCommands(t *testing.T) {
	tests := []struct {
		name, tool, input string
		want              []guard.Command
	}{
		{"plain", "Bash", `{"command":"ls ../U04","description":"/x"}`, []guard.Command{{Text: "ls ../U04"}}},
		{"in a folder", "shell_in", `{"dir":"d","command":"ls"}`, []guard.Command{{Text: "ls", Cwd: "d"}}},
		{"folder after the command", "shell_in", `{"command":"ls","dir":"d"}`, []guard.Command{{Text: "ls", Cwd: "d"}}},
		{"no POSIX shell", "PowerShell", `{"command":"gc x"}`, []guard.Command{{Text: "gc x", Foreign: true}}},
		{"none", "Bash", `{}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := decode(t, tt.tool, tt.input)
			require.Equal(t, tt.want, call.Commands)
			require.Empty(t, call.Targets)
		})
	}
}

func TestLaunches(t *testing.T) {
	tests := []struct {
		name, tool, input string
		want              *guard.Launch
	}{
		{"agent", "Agent", `{"prompt":"p","subagent_type":"rev","description":"/x"}`, &guard.Launch{AgentType: "rev", Prompt: "p", Rewrites: true}},
		{"agent in a folder", "Task", `{"prompt":"p","cwd":"/w"}`, &guard.Launch{Prompt: "p", Dir: "/w", Rewrites: true}},
		{"script", "Workflow", `{"script":"agent('x')"}`, &guard.Launch{Prompt: "agent('x')", Script: true}},
		{"without anything", "Workflow", `{}`, &guard.Launch{Script: true}},
		{"without an input", "Agent", `null`, &guard.Launch{Rewrites: true}},
		{"no launch", "Skill", `{"skill":"x"}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := decode(t, tt.tool, tt.input)
			require.Equal(t, tt.want, call.Launch)
			require.Empty(t, call.Targets)
		})
	}
}

func TestUnknownTools(t *testing.T) {
	tests := []struct {
		name, input string
		want        []guard.Target
	}{
		{"nothing", `{}`, nil},
		{"values and names", `{"ops":[{"file":"a/b"},["c"]],"n":1,"b":true,"z":null}`, guess("ops", "file", "a/b", "c", "n", "b", "z")},
		{"once each", `{"a":"a","b":["a","b"]}`, guess("a", "b")},
		{"prose", `{"body":"../U04/x\nand more","cr":"a\rb"}`, guess("body", "cr")},
		{"one line is no prose", `{"body":"see ../U04/x"}`, guess("body", "see ../U04/x")},
		{"trimmed too", `{"p":" a/b\n"}`, guess("p", "a/b")},
		{"PATH_MAX", `{"p":"` + strings.Repeat("x", 4096) + `","q":"` + strings.Repeat("y", 4097) + `"}`, guess("p", strings.Repeat("x", 4096), "q")},
		{"JSON in a string", `{"arguments":"{\"path\": \"a/b\"}"}`, guess("arguments", "path", "a/b")},
		{"JSON in JSON in a string", `{"x":"[\"{\\\"p\\\":\\\"a/b\\\"}\"]"}`, guess("x", "p", "a/b")},
		{"indented JSON in a string", `{"x":" {\n \"p\":\n \"a/b\"}\n"}`, guess("x", "p", "a/b")},
		{"quoted", `{"x":"\"a/b\""}`, guess("x", "a/b")},
		{"JSON with a name twice", `{"x":"{\"p\":\"a\",\"p\":\"c/d\"}"}`,
			guess("x", "p", "a", `{"p":"a","p":"c/d"}`, "{", ":", ",", "c/d", "}")},
		{"JSON with a comma too many", `{"x":"[\"a\\u002fb\",]"}`, guess("x", "a/b", `["a\u002fb",]`, "[", ",]")},
		{"brackets that are a path", `{"x":"[id]/page.tsx"}`, guess("x", "[id]/page.tsx")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := decode(t, "mcp__a__b", tt.input)
			require.Equal(t, tt.want, call.Targets)
			require.Empty(t, call.Fault)
		})
	}
}

// Strings nested deeper than is worth opening still show what stands between their quotes.
func TestDeeplyNestedStrings(t *testing.T) {
	text := "a/b"
	for range 12 {
		quoted, err := json.Marshal([]string{text})
		require.NoError(t, err)
		text = string(quoted)
	}
	call := decode(t, "x", `{"p":`+text+`}`)
	require.Contains(t, call.Targets, guess("a/b")[0])
}

func TestWritingNames(t *testing.T) {
	tests := map[string]bool{
		"mcp__fs__write_file": true, "mcp__fs__read_file": false, "mcp__fs__edit": true, "writeFile": true, "FSWrite": true,
		"fs.delete": true, "a/move": true, "create-issue": true, "TabRead": false, "CallMcpTool": false, "use_tool": false,
		"rewritten": false, "Dataset": false, "data_set": true, "str_replace_based_edit_tool": true, "mcp__updates__list": false,
		"mcp__update": true, "HTTPPut": true, "Écrire": false, "": false,
	}
	for name, want := range tests {
		require.Equal(t, want, decode(t, name, `{}`).Writes, name)
	}
	require.True(t, decode(t, "Write", `{}`).Writes)
	require.False(t, decode(t, "TodoWrite", `{}`).Writes, "the table outranks the name")
	require.False(t, decode(t, "Read", `{}`).Writes)
}

func TestEvents(t *testing.T) {
	tests := []struct {
		name, payload string
		event         guard.Event
	}{
		{"call", `{"hook_event_name":"PreToolUse","tool_name":"Read"}`, guard.ToolCall},
		{"no event but a tool", `{"tool_name":"Read"}`, guard.ToolCall},
		{"empty event but a tool", `{"hook_event_name":"","tool_name":"Read"}`, guard.ToolCall},
		{"nothing", `{}`, guard.Other},
		{"input alone", `{"tool_input":{"a":"b/c"}}`, guard.Other},
		{"call of no tool", `{"hook_event_name":"PreToolUse"}`, guard.ToolCall},
		{"unknown", `{"hook_event_name":"PreToolUse2","tool_name":"Read","tool_input":"x"}`, guard.Other},
		{"in another case", `{"hook_event_name":"pretooluse","tool_name":"Read"}`, guard.Other},
		{"end of a launch", `{"hook_event_name":"PostToolUse","tool_name":"Agent"}`, guard.LaunchDone},
		{"end of a launch with a strange input", `{"hook_event_name":"PostToolUse","tool_name":"Agent","tool_input":[1]}`, guard.LaunchDone},
		{"end of another tool", `{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":7}`, guard.Other},
		{"turn", `{"hook_event_name":"UserPromptSubmit"}`, guard.TurnStart},
		{"turn of a subagent", `{"hook_event_name":"UserPromptSubmit","agent_id":"a"}`, guard.Other},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := format().Decode([]byte(tt.payload))
			require.NoError(t, err)
			require.Equal(t, tt.event, p.Call.Event)
			if tt.event != guard.ToolCall {
				require.Empty(t, p.Call.Targets)
			}
		})
	}
}

func TestBadPayloads(t *testing.T) {
	bad := map[string]string{
		"text as the input":      `{"tool_name":"Read","tool_input":"x"}`,
		"list as the input":      `{"tool_name":"Read","tool_input":["x"]}`,
		"of a tool without any":  `{"tool_name":"TodoWrite","tool_input":1}`,
		"name twice in an input": `{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"a":1,"a":2}}`,
		"kelvin sign":            "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"NotebookEdit\",\"tool_input\":{\"notebook_path\":\"a\",\"noteboo\u212a_path\":\"b\"}}",
		"case, input first":      `{"tool_input":{"a":1,"A":2},"tool_name":"Read"}`,
		"case in a passing one":  `{"tool_input":{"a":1,"A":2},"hook_event_name":"Stop"}`,
		"case in a result":       `{"hook_event_name":"PostToolUse","tool_name":"Agent","tool_response":{"agentId":"a","AGENTID":"b"}}`,
		"number as the agent id": `{"agent_id":7}`,
		"mark in front":          "\ufeff{}",
	}
	for name, payload := range bad {
		t.Run(name, func(t *testing.T) {
			_, err := format().Decode([]byte(payload))
			require.ErrorIs(t, err, hooks.ErrPayload)
		})
	}
	_, err := format().Decode(make([]byte, hooks.MaxPayload+1))
	require.ErrorIs(t, err, hooks.ErrPayload)
	require.ErrorContains(t, err, "more than 67108864 bytes")
}

// Every string of an unknown tool's input, and of an unknown field of a known
// one, is among the targets unless it is prose or too long.
func TestNoStringIsMissed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := anyJSON(3).Draw(t, "value")
		data, err := json.Marshal(value)
		require.NoError(t, err)
		tool := rapid.SampledFrom([]string{"mcp__a__b", "Read", "MultiEdit", "Agent"}).Draw(t, "tool")
		got := map[string]bool{}
		for _, target := range decode(t, tool, `{"strange":`+string(data)+`}`).Targets {
			require.True(t, target.Guess)
			got[target.Path] = true
		}
		eachString(value, func(s string) {
			if s != "" && !strings.ContainsAny(s, "\r\n") && len(s) <= 4096 {
				require.True(t, got[s], "%q", s)
			}
		})
	})
}

func anyJSON(depth int) *rapid.Generator[any] {
	text := rapid.StringMatching(`[a-zA-Z0-9./ \n~-]{0,12}`)
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 3
		if depth > 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.Bool().Draw(t, "bool")
		case 1:
			return nil
		case 2:
			return strings.TrimSpace(text.Draw(t, "text"))
		case 3:
			return rapid.SliceOfN(anyJSON(depth-1), 0, 4).Draw(t, "list")
		case 4:
			object := map[string]any{}
			for i := range rapid.IntRange(0, 3).Draw(t, "n") {
				object[string(rune('a'+i))+text.Draw(t, "name")] = anyJSON(depth-1).Draw(t, "member")
			}
			return object
		}
		inner, err := json.Marshal(anyJSON(depth-1).Draw(t, "inner"))
		require.NoError(t, err)
		return packed(inner)
	})
}

// packed is JSON that is sent as a string.
type packed []byte

func (p packed) MarshalJSON() ([]byte, error) { return json.Marshal(string(p)) }

func eachString(v any, found func(string)) {
	switch v := v.(type) {
	case string:
		if !strings.HasPrefix(v, "{") && !strings.HasPrefix(v, "[") && !strings.HasPrefix(v, `"`) {
			found(v)
		}
	case []any:
		for _, e := range v {
			eachString(e, found)
		}
	case map[string]any:
		for name, e := range v {
			found(name)
			eachString(e, found)
		}
	case packed:
		var inner any
		if json.Unmarshal(v, &inner) == nil {
			eachString(inner, found)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	content := strings.Repeat(`see \"../U04/secret.txt\"\n`, 64<<10/27)
	payloads := map[string]string{
		"read": `{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/repo/a"}}`,
		"write 64 KiB": `{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/repo/a","content":"` +
			content + `"}}`,
		"unknown 64 KiB": `{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse","tool_name":"x","tool_input":{"file_path":"/repo/a","content":"` +
			content + `"}}`,
		"write 5 MiB": `{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/repo/a","content":"` +
			strings.Repeat(content, 80) + `"}}`,
	}
	f := format()
	for name, payload := range payloads {
		data := []byte(payload)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
