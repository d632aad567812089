package hooks_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

func patch(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

func TestParsePatch(t *testing.T) {
	const write, edit = guard.Write, guard.Read | guard.Write
	tests := []struct {
		name, text string
		want       []guard.Target
	}{
		{"add", patch("*** Add File: a/b.md", "+x", "+"), []guard.Target{{Op: write, Path: "a/b.md"}}},
		{"add without a line", patch("*** Add File: a"), []guard.Target{{Op: write, Path: "a"}}},
		{"delete", patch("*** Delete File: a"), []guard.Target{{Op: write, Path: "a"}}},
		{"update", patch("*** Update File: a", "@@ func x()", " one", "-two", "+three", "", "*** End of File"),
			[]guard.Target{{Op: edit, Path: "a"}}},
		{"update and move", patch("*** Update File: a", "*** Move to: b", "@@", "-x", "+y"),
			[]guard.Target{{Op: edit, Path: "a"}, {Op: write, Path: "b"}}},
		{"move alone", patch("*** Update File: a", "*** Move to: b"), []guard.Target{{Op: edit, Path: "a"}, {Op: write, Path: "b"}}},
		{"several", patch("*** Add File: a", "+x", "*** Delete File: b", "*** Update File: c", "@@", "+x", "*** Add File: d", "+y"),
			[]guard.Target{{Op: write, Path: "a"}, {Op: write, Path: "b"}, {Op: edit, Path: "c"}, {Op: write, Path: "d"}}},
		{"headers that were added are content", patch("*** Add File: a", "+*** Add File: b", "+*** End Patch"), []guard.Target{{Op: write, Path: "a"}}},
		{"header as context has two readings", patch("*** Update File: a", "@@", " *** Delete File: b", "+x"),
			[]guard.Target{{Op: edit, Path: "a"}, {Op: write, Path: "b"}}},
		{"space in a name", patch("*** Add File: my notes.md"), []guard.Target{{Op: write, Path: "my notes.md"}}},
		{"carriage returns", "*** Begin Patch\r\n*** Add File: a\r\n+x\r\n*** End Patch\r\n", []guard.Target{{Op: write, Path: "a"}}},
		{"white space around", " \n*** Begin Patch \n*** Delete File: a\t \n *** End Patch\n\n", []guard.Target{{Op: write, Path: "a"}}},
		{"nothing", "*** Begin Patch\n*** End Patch", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hooks.ParsePatch(tt.text)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestParsePatchRefuses(t *testing.T) {
	tests := map[string]string{
		"empty":                    "",
		"no patch":                 "hello",
		"one line":                 "*** Begin Patch",
		"no end":                   "*** Begin Patch\n*** Add File: a\n+x",
		"text behind":              patch("*** Add File: a") + "x",
		"text in front":            "x\n" + patch("*** Add File: a"),
		"here-document":            "<<'EOF'\n" + patch("*** Add File: a") + "EOF",
		"two patches":              patch("*** Add File: a") + patch("*** Add File: b"),
		"end in the middle":        patch("*** Delete File: a", "*** End Patch", "*** Delete File: b"),
		"unknown header":           patch("*** Rename File: a"),
		"environment":              patch("*** Environment ID: x", "*** Add File: a"),
		"header in another case":   patch("*** add file: a"),
		"header without a space":   patch("*** Add File:a"),
		"no name":                  patch("*** Add File: "),
		"blank name":               patch("*** Delete File:    "),
		"move without an update":   patch("*** Add File: a", "*** Move to: b"),
		"move at the top":          patch("*** Move to: b"),
		"second move":              patch("*** Update File: a", "*** Move to: b", "*** Move to: c"),
		"late move":                patch("*** Update File: a", "@@", "*** Move to: c"),
		"end of no file":           patch("*** End of File"),
		"line without a file":      patch("+x"),
		"line after a deletion":    patch("*** Delete File: a", "+x"),
		"blank line in an add":     patch("*** Add File: a", "", "+x"),
		"indented header in add":   patch("*** Add File: a", " *** Add File: b"),
		"indented header at top":   patch(" *** Add File: b"),
		"plain line in an update":  patch("*** Update File: a", "@@", "x"),
		"tab in front of a header": patch("*** Update File: a", "\t*** Delete File: b"),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			targets, err := hooks.ParsePatch(text)
			require.ErrorIs(t, err, hooks.ErrPatch)
			require.Nil(t, targets)
		})
	}
}

// Whatever text is taken for a patch: each line that any reader may take for a
// header, content lines apart, has its path in the list.
func FuzzParsePatch(f *testing.F) {
	f.Add(patch("*** Add File: a", "+x", "*** Update File: b", "*** Move to: c", "@@", " *** Delete File: d", "*** End of File"))
	f.Add("*** Begin Patch\r\n*** Delete File: ../x\r\n*** End Patch")
	f.Add("*** Begin Patch\n\n*** End Patch")
	f.Fuzz(func(t *testing.T, text string) {
		targets, err := hooks.ParsePatch(text)
		if err != nil {
			require.ErrorIs(t, err, hooks.ErrPatch)
			require.Nil(t, targets)
			return
		}
		named := map[string]bool{}
		for _, target := range targets {
			require.NotZero(t, target.Op&guard.Write)
			require.NotEmpty(t, strings.TrimSpace(target.Path))
			named[strings.TrimSpace(target.Path)] = true
		}
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(line)
			for _, mark := range []string{"*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "} {
				if name, ok := strings.CutPrefix(line, mark); ok {
					require.True(t, named[strings.TrimSpace(name)], "%q", line)
				}
			}
		}
	})
}
