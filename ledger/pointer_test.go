package ledger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/ledger"
)

func TestPointers(t *testing.T) {
	for _, good := range []string{
		"pr:1", "pr:999999999", "commit:0123abc", "commit:" + strings.Repeat("a", 64), "path:construction/units/U03/design.md",
		"path:docs/größe_[x],(1).md", "path:.github/workflows/ci.yml", "url:https://ci.example.org:8443/runs/7", "url:https://example.org",
		"url:https://example.org/a%2Fb", "ticket:ABC-12",
		// At the bound itself nothing is refused.
		"path:" + strings.Repeat("a", 256), "url:https://e.org/" + strings.Repeat("a", 512-14), "ticket:" + strings.Repeat("A", 30) + "-1",
	} {
		p, err := ledger.ParsePointer(good)
		require.NoError(t, err, good)
		require.Equal(t, good, p.String())
		require.Equal(t, good, string(p.Type())+":"+p.Value())
	}
}

// Everything else is refused, and the refusal says what would be taken.
func TestNoPointers(t *testing.T) {
	for bad, shape := range map[string]string{
		"":                                      "TYPE:VALUE",
		"12":                                    "TYPE:VALUE",
		"text:hello":                            "pr, commit, path, url, ticket",
		"PR:12":                                 "TYPE:VALUE",
		"pr:":                                   "a number",
		"pr:0":                                  "a number",
		"pr:012":                                "a number",
		"pr:+1":                                 "a number",
		"pr:-1":                                 "a number",
		"pr:1_0":                                "a number",
		"pr:1234567890":                         "a number",
		"pr:12 is done":                         "a number",
		"commit:abc":                            "hexadecimal",
		"commit:0123ABC":                        "hexadecimal",
		"commit:" + strings.Repeat("a", 65):     "hexadecimal",
		"commit:0123abg":                        "hexadecimal",
		"path:":                                 "relative",
		"path:/etc/passwd":                      "relative",
		"path:../U04/design.md":                 "relative",
		"path:a/../b":                           "relative",
		"path:./a":                              "relative",
		"path:a//b":                             "relative",
		"path:a/":                               "relative",
		"path:~/a":                              "relative",
		"path:.conduct/board":                   "relative",
		"path:a/.conduct/b":                     "relative",
		"path:please read this":                 "relative",
		"path:a\u00a0b":                         "relative",
		"path:a\nb":                             "relative",
		"path:a:b":                              "relative",
		"path:" + strings.Repeat("a", 257):      "256",
		"url:http://example.org":                "https",
		"url:https://":                          "https",
		"url:https://me@example.org/":           "no user",
		"url:https://me:secret@example.org/":    "no user",
		"url:https://example.org/?q=hello":      "query",
		"url:https://example.org/?":             "query",
		"url:https://example.org/#hello":        "fragment",
		"url:https://example.org/#":             "fragment",
		"url:https://example.org/hello there":   "https",
		"url:https://example.org/hello%20there": "https",
		"url:https://example.org/a%0Ab":         "https",
		"url:https:example.org":                 "https",
		"url://example.org/":                    "https",
		"url:HTTPS://example.org/":              "https",
		"url:https://example.org/é":             "https",
		"url:https://e.org/" + strings.Repeat("a", 513-14): "512",
		"ticket:ABC":     "capital letters",
		"ticket:abc-1":   "capital letters",
		"ticket:ABC-1x":  "capital letters",
		"ticket:ABC-1-2": "capital letters",
		"ticket:-1":      "capital letters",
		"ticket:A-":      "capital letters",
		"ticket:" + strings.Repeat("A", 31) + "-1": "32",
	} {
		_, err := ledger.ParsePointer(bad)
		require.ErrorIs(t, err, ledger.BadPointer, bad)
		require.ErrorContains(t, err, shape, bad)
		var e *ledger.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "artifact", e.Field)
	}
	for _, p := range ledger.PointerTypes() {
		require.NotEmpty(t, p.Shape())
	}
	require.Empty(t, ledger.PointerType("text").Shape())
}

// Whatever is taken is one word of few kinds of characters.
func FuzzParsePointer(f *testing.F) {
	for _, s := range []string{"pr:1", "commit:0123abc", "path:a/b.md", "url:https://example.org/a", "ticket:ABC-12", "url:https://[::1]/%2f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ledger.ParsePointer(s)
		if err != nil {
			require.ErrorIs(t, err, ledger.BadPointer)
			return
		}
		require.Equal(t, s, p.String())
		require.LessOrEqual(t, len(p.Value()), ledger.MaxURL)
		require.False(t, strings.ContainsAny(s, " \t\r\n\x00\u00a0\u2028?#\\"), "%q", s)
		again, err := ledger.ParsePointer(p.String())
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}
