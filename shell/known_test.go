package shell

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsUnderstoodIsKnown: who may put a program of a name where it is found must be
// kept from every name that some line of the table files is understood with.
func TestWhatIsUnderstoodIsKnown(t *testing.T) {
	builtins := "cd pushd popd exit shift unset read mapfile readarray getopts set eval source . exec export trap alias jobs shopt let return"
	names := map[string]bool{}
	for _, file := range []string{"testdata/facts.txt", "testdata/git.txt"} {
		for _, c := range entries(t, file) {
			a, err := Analyze(c.line, worldEnv())
			if err != nil || len(a.Opaque) > 0 {
				continue
			}
			for _, words := range a.Commands {
				if len(words) == 0 || words[0] == "" || inList(builtins, words[0]) || strings.Contains(c.line, words[0]+"()") {
					continue
				}
				name := path.Base(words[0])
				names[name] = true
				require.True(t, Known(name), "%s in %q", name, c.line)
			}
		}
	}
	require.Greater(t, len(names), 60)
	for _, name := range []string{"make", "go", "python3", "python3.12", "claude", "conduct", "tar", "["} {
		require.True(t, Known(name), name)
	}
	for _, name := range []string{"", "eslint", "./ls", "U03", "deploy.sh"} {
		require.False(t, Known(name), name)
	}
}
