package shell_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/shell"
)

// The library says what is right; it is only too slow to start.
func TestUnescape(t *testing.T) {
	check := func(t require.TestingT, s string) {
		want, werr := url.PathUnescape(s)
		got, err := shell.Unescape(s)
		require.Equal(t, werr == nil, err == nil, s)
		require.Equal(t, want, got)
	}
	for _, s := range []string{"", "/a", "/a%2Fb", "%2e%2E/x", "%", "%2", "%zz", "%+1", "a%00b", "100%25", "%%41"} {
		check(t, s)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.StringMatching(`[a-c/%0-9A-F+]{0,12}`).Draw(t, "s")) })
}
