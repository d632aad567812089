package gate

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestQuote: what a shell makes of a quoted word is the word, whatever is in it.
func TestQuote(t *testing.T) {
	check := func(t require.TestingT, s string) {
		out, err := exec.Command("sh", "-c", "printf %s "+quote(s)).Output()
		require.NoError(t, err)
		require.Equal(t, s, string(out))
	}
	for _, s := range []string{"", "'", "''", `\'`, `'\''`, "a'; cat ../U04/design.md; '", "$HOME `id` \"x\" \\ \n", "/plain/path", "-n", "*"} {
		check(t, s)
	}
	require.Equal(t, "/usr/bin/conduct", quote("/usr/bin/conduct"), "a rule of the person's can match it")
	rapid.Check(t, func(rt *rapid.T) {
		check(rt, rapid.StringMatching(`['"\\$ a;\n]{0,12}`).Draw(rt, "word"))
	})
}
