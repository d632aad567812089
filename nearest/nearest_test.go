package nearest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/nearest"
)

func TestNearest(t *testing.T) {
	keys := []string{"layout", "units", "strict", "enforce", "bind", "shared", "ttl", "opaque", "commands", "commands_deny"}
	for word, want := range map[string]string{
		"strickt":        "strict",
		"strcit":         "strict",
		"strict":         "strict",
		"layouts":        "layout",
		"unit":           "units",
		"TTL":            "",
		"tttl":           "ttl",
		"comands_deny":   "commands_deny",
		"command":        "commands",
		"bnid":           "bind",
		"x":              "",
		"":               "",
		"something else": "",
		"ünits":          "units",
	} {
		got, ok := nearest.Nearest(word, keys)
		require.Equal(t, want, got, word)
		require.Equal(t, want != "", ok, word)
	}
}

func TestNearestTakesTheFirstOfEquals(t *testing.T) {
	got, ok := nearest.Nearest("U05", []string{"U01", "U02", "U06"})
	require.True(t, ok)
	require.Equal(t, "U01", got)
}

func TestNearestPrefersTheCloser(t *testing.T) {
	got, _ := nearest.Nearest("abcdef", []string{"abcxyf", "abcdxf", "zzzzzz"})
	require.Equal(t, "abcdxf", got)
}

func TestNearestOfNothing(t *testing.T) {
	_, ok := nearest.Nearest("a", nil)
	require.False(t, ok)
	_, ok = nearest.Nearest("a", []string{"b"})
	require.False(t, ok)
}
