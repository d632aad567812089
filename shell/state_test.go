package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFolderThroughALink holds that the shell's folder is not taken for known where a
// link leads to it: by its options it has one name or the other.
func TestFolderThroughALink(t *testing.T) {
	t.Parallel()
	env := worldEnv()
	env.Link = func(abs string) bool { return abs == unitFolder+"/l" }
	for _, line := range []string{
		`cd -P l; cat "${PWD%/*}/x"`, `cd l; d=$(pwd -P); cat "${d%/*}/x"`, `cd l; cat ~+/x`, `cd l; cd ..; cat ~-/x`,
		`cd l/sub; cat "$PWD/x"`, `cd l; bash -c 'cat "$PWD/x"'`, `cd l; cat "$(git rev-parse --show-toplevel)/x"`,
	} {
		a, err := Analyze(line, env)
		require.NoError(t, err)
		require.Contains(t, said(a), "opaque a path that is computed", line)
	}
	a, err := Analyze(`cd sub; cat "$PWD/x"`, env)
	require.NoError(t, err)
	require.Empty(t, a.Opaque)
	env.Link = nil
	a, err = Analyze(`cat "$PWD/x"`, env)
	require.NoError(t, err)
	require.NotEmpty(t, a.Opaque, "where nobody can be asked, it may be a link")
}
