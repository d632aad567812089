package guard_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
)

// TestFoldersThatGitIsLedTo protects what core.hooksPath names, of the checkout and
// of the home, and takes a commit that runs hooks for what it is.
func TestFoldersThatGitIsLedTo(t *testing.T) {
	for name, c := range map[string]struct{ config, path, want string }{
		"named":          {"[core]\n\thooksPath = tools/hooks\n", "tools/hooks/pre-commit", "protected"},
		"the folder":     {"[core]\n\thooksPath = tools/hooks\n", "tools/hooks", "protected"},
		"beside it":      {"[core]\n\thooksPath = tools/hooks\n", "tools/hooks2/x", "shared"},
		"above":          {"[core]\n\thooksPath = ..\n", "tools/hooks/x", "shared"},
		"the own unit's": {"[core]\n\thooksPath = " + own + "/hooks\n", own + "/hooks/pre-commit", "protected"},
		"nothing named":  {"[core]\n\tbare = false\n", "tools/hooks/pre-commit", "shared"},
	} {
		t.Run(name, func(t *testing.T) {
			w := aidlc(t)
			w.dispatch("U03", reviewer, nil)
			w.put(".git/")
			require.NoError(t, os.WriteFile(w.root+"/.git/config", []byte(c.config), 0o644))
			require.Equal(t, c.want, w.code(w.call(write(w.root+"/"+c.path))))
		})
	}
	w := aidlc(t)
	w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueBlock })
	for _, f := range []string{".git/", "tools/hooks/pre-commit"} {
		w.put(f)
	}
	const commit = "git commit -m x -- ."
	require.NotEqual(t, guard.OpaqueCommand.String(), w.code(w.shell(commit)))
	require.NoError(t, os.WriteFile(w.home+"/.gitconfig", []byte("[core]\nhooksPath = "+w.root+"/tools/hooks\n"), 0o644))
	require.Equal(t, "opaque_command", w.code(w.shell(commit)))
	require.Equal(t, "protected", w.code(w.call(write(w.root+"/tools/hooks/pre-push"))))
}
