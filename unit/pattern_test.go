package unit_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/unit"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"", "", true}, {"a", "a", true}, {"a", "b", false}, {"a", "", false}, {"", "a", false},
		{"*", "", true}, {"*", "abc", true}, {"a*c", "abc", true}, {"a*c", "ac", true}, {"a*c", "abd", false}, {"*b*", "abc", true},
		{"a**c", "abc", true}, {"*a*a", "aba", true}, {"*a*a", "ab", false},
		{"?", "a", true}, {"?", "ä", true}, {"?", "", false}, {"U0?", "U04", true}, {"U0?", "U045", false},
		{"[ab]", "a", true}, {"[ab]", "c", false}, {"[a-c]x", "bx", true}, {"[a-c]x", "dx", false}, {"[!a]", "b", true}, {"[!a]", "a", false},
		{"[^a]", "b", true}, {"[]a]", "]", true}, {"[!]a]", "]", false}, {"[a-]", "-", true}, {"[ä-ü]", "ö", true}, {"[ä-ü]", "x", false},
		{"[a", "[a", true}, {"[", "[", true}, {"[!", "[!", true}, {"a]", "a]", true},
	} {
		require.Equal(t, c.want, unit.Match(c.glob, c.name), "%q with %q", c.glob, c.name)
	}
}

// TestMatchIsQuick has a pattern for which matching every star anew would take
// longer than anybody waits.
func TestMatchIsQuick(t *testing.T) {
	began := time.Now()
	require.False(t, unit.Match(strings.Repeat("*a", 200)+"b", strings.Repeat("a", 4000)))
	require.Less(t, time.Since(began), 5*time.Second)
}

func TestAlternatives(t *testing.T) {
	for _, c := range []struct {
		pattern  string
		anyDepth bool
		want     string // components joined, alternatives with " | "; "wide"
	}{
		{"a/b", false, "a/b"}, {"*.md", false, "*.md"}, {"*.md", true, "**/*.md"}, {"a/*.md", true, "a/*.md"},
		{"./a//b/./c/", false, "a/b/c"}, {"a/../b", false, "a/../b"}, {"/a/*", false, "/a/*"}, {"/a", true, "/a"}, {"a/", true, "**/a"},
		{"{a,b}/c", false, "a/c | b/c"}, {"{a,b{c,d}}", false, "a | bc | bd"}, {"x{,y}", false, "x | xy"}, {"{/a,b}/c", false, "/a/c | b/c"},
		{"{a/b,c}", true, "a/b | **/c"}, {"U0{4..6}/a", false, "U0*/a"}, {"{a..c}", false, "*"}, {"{x}", false, "x | ?x?"},
		{"a}", false, "wide"}, {"{a", false, "wide"}, {"{{a,b}", false, "wide"}, {strings.Repeat("{a,b}", 9), false, "wide"},
		{strings.Repeat("a", 5000), false, "wide"}, {"", false, ""}, {".", false, ""},
		{"a/@(b|c)/d", false, "a/**"}, {"a/b[/]c/d", false, "a/**"}, {"a/[!x]b/c", false, "a/**"}, {"a/[xy]b/c", false, "a/[xy]b/c"},
		{"a/[b/c", false, "a/[b/c"}, {"[!.]*", false, "**"}, {"!(a)", true, "**"},
	} {
		alts := unit.ParsePattern(c.pattern, c.anyDepth).Alternatives()
		got := "wide"
		if alts != nil {
			var ss []string
			for _, a := range alts {
				ss = append(ss, strings.Join(a, "/"))
			}
			got = strings.Join(ss, " | ")
		}
		require.Equal(t, c.want, got, "%q, any depth %t", c.pattern, c.anyDepth)
	}
}

func TestReaches(t *testing.T) {
	roots := unit.Roots{split("/ws")}
	for _, c := range []struct {
		at, pattern string
		want        bool
	}{
		{"/ws", "**", true}, {"/ws", "*", false}, {"/ws", "*/*", true}, {"/ws", "src/*.go", false}, {"/ws", "src/**", false},
		{"/ws", "units/*", true}, {"/ws", "units/U04/*", true}, {"/ws", "units/U03/*", false}, {"/ws", "units/U03*/a", true},
		{"/ws", "units/U0[45]/*", true}, {"/ws", "u*/U04/*", true}, {"/ws", "x*/U04/*", false}, {"/ws", "**/*.md", true},
		{"/ws", "units/[[:alpha:]]*/a", true}, {"/ws", "[x[:lower:]]nits/U04/a", true}, {"/ws", `un\its/U04/a`, true},
		{"/ws", "teams/*", false}, {"/ws", "teams/red/U07/a", true}, {"/ws", "*/*/*", true}, {"/ws", "services/*", true},
		{"/ws", "services/pay*", false}, {"/ws", "docs/*.md", true}, {"/ws", "docs/*.txt", false}, {"/ws", "docs/a*", true},
		{"/ws/units", "*", true}, {"/ws/units", "U04/a", true}, {"/ws/units/U03", "**", false}, {"/ws/units/U03", "inner/*", false},
		{"/ws/units/U04", "*", true}, {"/ws/src", "**", false},
		{"/", "**", true}, {"/", "ws/units/*/a", true}, {"/", "ws/src/*", false}, {"/", "w*/u*/*", true}, {"/", "ws", false},
		{"/", "srv/*", true}, {"/", "srv/u04/a", true}, {"/", "srv/u03/a", false}, {"/srv", "u0?", true}, {"/etc", "**", false},
	} {
		alts := unit.ParsePattern(c.pattern, false).Alternatives()
		require.NotEmpty(t, alts)
		got := slices.ContainsFunc(alts, func(a unit.Path) bool { return scope(t).Reaches(roots, split(c.at), a) })
		require.Equal(t, c.want, got, "%s from %s", c.pattern, c.at)
	}
}

func TestReachesWhereCaseFolds(t *testing.T) {
	s := scope(t)
	require.False(t, s.Reaches(unit.Roots{split("/ws")}, split("/ws"), unit.Path{"UNITS", "u04", "*"}))
	s.Fold = true
	require.True(t, s.Reaches(unit.Roots{split("/ws")}, split("/ws"), unit.Path{"UNITS", "u04", "*"}))
	require.True(t, s.Reaches(unit.Roots{split("/ws")}, split("/ws"), unit.Path{"UNIT*", "u04", "*"}))
}

// FuzzReaches holds the patterns against the standard library's matching: where
// path.Match finds a sibling's file, it has to be reached.
func FuzzReaches(f *testing.F) {
	for _, s := range []string{"units/*/a", "{units,x}/U0?/a", "u[a-z]its/U04/a", "*/*/*", "units/{U03,U04}/a", "units//U04/./a", "{a..z}*/U04/a", "services/auth/*", "t*/*/U07/*", "[!x]nits/U04/a", `un\its/U04/a`} {
		f.Add(s)
	}
	files := []string{"units/U04/a", "units/U03-old/a", "services/auth/x", "teams/red/U07/a", "docs/auth.md"}
	f.Fuzz(func(t *testing.T, pattern string) {
		if strings.HasPrefix(pattern, "/") || strings.Contains(pattern, "..") {
			return
		}
		s, roots := scope(t), unit.Roots{split("/ws")}
		for _, any := range []bool{false, true} {
			alts := unit.ParsePattern(pattern, any).Alternatives()
			if alts == nil {
				continue
			}
			reach := slices.ContainsFunc(alts, func(a unit.Path) bool { return len(a) > 0 && a[0] == "" || s.Reaches(roots, split("/ws"), a) })
			for _, file := range files {
				if ok, err := path.Match(path.Clean(pattern), file); err == nil && ok {
					require.True(t, reach, "%q matches %s", pattern, file)
				}
			}
		}
	})
}

// FuzzMatch compares one component with path.Match, whose globs are a part of ours.
func FuzzMatch(f *testing.F) {
	f.Add("U0*", "U04")
	f.Add("[a-c]?*", "bx")
	f.Add("[^a]", "b")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if strings.ContainsAny(glob, `\/[`) || strings.Contains(name, "/") {
			return // escapes and classes are understood otherwise
		}
		want, err := path.Match(glob, name)
		if err != nil {
			return
		}
		require.Equal(t, want, unit.Match(glob, name), fmt.Sprintf("%q with %q", glob, name))
	})
}
