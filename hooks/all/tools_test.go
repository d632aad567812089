package all_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/claudecode"
	"github.com/seed6310be5c/conduct/hooks/codex"
	"github.com/seed6310be5c/conduct/hooks/copilot"
	"github.com/seed6310be5c/conduct/hooks/cursor"
	"github.com/seed6310be5c/conduct/hooks/geminicli"
	"github.com/seed6310be5c/conduct/hooks/generic"
	"github.com/seed6310be5c/conduct/hooks/kiro"
	"github.com/seed6310be5c/conduct/hooks/opencode"
	"github.com/seed6310be5c/conduct/hooks/qwencode"
)

// The tables are data: what a slip in one would look like.
func TestTables(t *testing.T) {
	tables := map[string][]hooks.Tool{
		"claude-code": claudecode.Tools(), "codex": codex.Tools(), "gemini-cli": geminicli.Tools(),
		"qwen-code": qwencode.Tools(), "opencode": opencode.Tools(),
		"copilot": copilot.Tools(), "cursor": cursor.Tools(), "kiro": kiro.Tools(), "generic": generic.Tools(),
	}
	for client, tools := range tables {
		names := map[string]bool{}
		for _, tool := range tools {
			where := client + " " + tool.Name
			require.NotEmpty(t, tool.Name, client)
			require.False(t, names[tool.Name], "%s is there twice", where)
			names[tool.Name] = true
			require.NotEqual(t, tool.NoPaths, len(tool.Fields) > 0, "%s: either fields or no paths", where)
			require.Equal(t, tool.Launch, has(tool.Fields, hooks.Prompt), "%s: a launch has a prompt", where)
			require.Equal(t, tool.Implied != 0, has(tool.Fields, hooks.SearchRoot, hooks.ListRoot) || has(tool.Fields, hooks.Glob),
				"%s: a root that can be left out is implied", where)
			require.False(t, tool.Rewrites && (!tool.Launch || tool.Script), where)
			require.False(t, tool.Links && !has(tool.Fields, hooks.Glob), where)
			writes := has(tool.Fields, hooks.WritePath, hooks.EditPath, hooks.Patch)
			require.Equal(t, writes, tool.Writes, where)
			fieldsAreSound(t, where, tool.Fields)
		}
	}
}

func fieldsAreSound(t *testing.T, where string, fields []hooks.Field) {
	names := map[string]bool{}
	for _, f := range fields {
		require.NotEmpty(t, f.Name, where)
		require.False(t, names[f.Name], "%s: the field %s is there twice", where, f.Name)
		names[f.Name] = true
		require.Equal(t, f.Kind == hooks.Objects, len(f.Fields) > 0, "%s: %s", where, f.Name)
		require.NotEqual(t, "unknown", f.Kind.String(), "%s: %s", where, f.Name)
		fieldsAreSound(t, where, f.Fields)
	}
}

func has(fields []hooks.Field, kinds ...hooks.Kind) bool {
	for _, f := range fields {
		for _, k := range kinds {
			if f.Kind == k {
				return true
			}
		}
		if has(f.Fields, kinds...) {
			return true
		}
	}
	return false
}

// Nobody who asks for a table can change it for others.
func TestTablesAreCopies(t *testing.T) {
	claudecode.Tools()[0].Name = "changed"
	generic.Tools()[0].Writes = true
	require.Equal(t, "Read", claudecode.Tools()[0].Name)
	require.False(t, claudecode.Tools()[0].Writes)
}
