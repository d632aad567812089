// Package hooktest holds a client to what every client owes: captured payloads
// are understood whatever the order of their fields, broken ones are refused,
// and every decision becomes an answer that the client honours.
package hooktest

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// Run tests a client with captured payloads: files whose names say what is in
// them, EVENT[-TOOL][-subagent].json, in folders of any depth.
func Run(t *testing.T, c hooks.Client, fixtures fs.FS) {
	files := payloads(t, fixtures)
	t.Run("payloads", func(t *testing.T) {
		for name, data := range files {
			t.Run(name, func(t *testing.T) { understood(t, c, name, data) })
		}
	})
	t.Run("order of fields", func(t *testing.T) {
		for name, data := range files {
			want, err := c.Decode(data)
			require.NoError(t, err)
			got, err := c.Decode(reversed(t, data))
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
		}
	})
	t.Run("broken", func(t *testing.T) {
		for name, data := range files {
			for what, bad := range broken(t, c, data) {
				_, err := c.Decode(bad)
				require.ErrorIs(t, err, hooks.ErrPayload, "%s: %s", name, what)
			}
		}
	})
	t.Run("answers", func(t *testing.T) { answers(t, c) })
	t.Run("rewrites", func(t *testing.T) { rewrites(t, c, files) })
}

// payloads reads the fixtures; there must be some.
func payloads(t *testing.T, fixtures fs.FS) map[string][]byte {
	files := map[string][]byte{}
	err := fs.WalkDir(fixtures, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		files[name], err = fs.ReadFile(fixtures, name)
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func understood(t *testing.T, c hooks.Client, name string, data []byte) {
	sent := outer(t, c.Name(), data)
	call, err := c.Decode(data)
	require.NoError(t, err)
	require.Equal(t, c.Name(), call.Client)
	require.Equal(t, sent.Session, call.Session)
	require.Equal(t, sent.Cwd, call.Cwd)
	require.Equal(t, sent.Tool, call.Tool)
	require.Equal(t, sent.Use, call.CallID)
	require.Equal(t, sent.Agent, call.AgentID)
	require.Empty(t, call.Fault)

	base := strings.TrimSuffix(path.Base(name), ".json")
	base, subagent := strings.CutSuffix(base, "-subagent")
	event, _, _ := strings.Cut(base, "-")
	subagent = subagent && event != "session.idle"
	require.Equal(t, call.Marks && subagent, call.Marked)
	require.Equal(t, expected(event, subagent, call), call.Event)
	if call.Event != guard.ToolCall {
		require.Empty(t, call.Targets)
		require.Empty(t, call.Commands)
	}
}

// expected is the event that a file's name stands for.
func expected(event string, subagent bool, call guard.Call) guard.Event {
	switch event {
	case "PreToolUse", "BeforeTool", "preToolUse", "tool.execute.before":
		return guard.ToolCall
	case "PostToolUse", "AfterTool", "PostToolUseFailure", "postToolUse", "tool.execute.after":
		if slices.Contains(launchTools(), call.Tool) {
			return guard.LaunchDone
		}
	case "SubagentStart", "subagentStart":
		if call.Apart {
			return guard.Other // it does not say which agent has started
		}
		return guard.AgentStart
	case "SubagentStop", "subagentStop", "session.idle":
		return guard.AgentStop
	case "UserPromptSubmit", "BeforeAgent", "userPromptSubmitted":
		if !subagent {
			return guard.TurnStart
		}
		if call.Opening != "" {
			return guard.AgentStart
		}
	}
	return guard.Other
}

func launchTools() []string {
	return []string{"Agent", "Task", "Workflow", "spawn_agent", "collaborationspawn_agent", "invoke_agent", "agent", "task"}
}

// reversed is the same payload with its outer fields the other way round.
func reversed(t *testing.T, data []byte) []byte {
	var names []string
	values := map[string][]byte{}
	r := wire.NewReader(data)
	require.NoError(t, r.Object(func(name string) (err error) {
		names = append(names, name)
		values[name], err = r.Raw()
		return err
	}))
	slices.Reverse(names)
	var w wire.Writer
	w.Object("")
	for _, name := range names {
		w.Raw(name, values[name])
	}
	return w.End().Bytes()
}

// broken are ways in which a good payload goes bad, by what was done to it.
func broken(t *testing.T, c hooks.Client, good []byte) map[string][]byte {
	var first string
	r := wire.NewReader(good)
	require.NoError(t, r.Object(func(name string) error {
		if first == "" {
			first = name
		}
		return r.Skip()
	}))
	text := strings.TrimSpace(string(good))
	inside := strings.TrimPrefix(text, "{")
	out := map[string][]byte{
		"empty":              nil,
		"white space":        []byte(" \n"),
		"null":               []byte("null"),
		"in a list":          []byte("[" + text + "]"),
		"in a string":        wire.Quote(nil, text),
		"twice":              []byte(text + text),
		"zero byte behind":   []byte(text + "\x00"),
		"text behind":        []byte(text + " x"),
		"same name":          []byte(`{"` + first + `":"/",` + inside),
		"name in other case": []byte(`{"` + strings.ToUpper(first) + `":"/",` + inside),
		"no UTF-8":           []byte("{\"brand_new\":\"\xff\"," + inside),
		"half a surrogate":   []byte(`{"brand_new":"\ud800",` + inside),
		"inner name twice":   []byte(`{"brand_new":{"x":{"a":1,"A":2}},` + inside),
		"too deep":           []byte(`{"brand_new":` + strings.Repeat("[", 1500) + strings.Repeat("]", 1500) + "," + inside),
	}
	for what, bad := range misshapen(c.Name()) {
		out[what] = []byte(bad)
	}
	for i := range 20 {
		at := len(text) * i / 20
		out["cut at "+text[:at]] = []byte(text[:at])
	}
	return out
}

// Decoded holds that the fixtures decode to exactly these calls, by file name
// without its ending.
func Decoded(t *testing.T, c hooks.Client, fixtures fs.FS, calls map[string]guard.Call) {
	for name, want := range calls {
		t.Run(name, func(t *testing.T) {
			data, err := fs.ReadFile(fixtures, name+".json")
			require.NoError(t, err)
			got, err := c.Decode(data)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}
