package guard_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
)

// TestProgramsAreClosed: what an agent writes may not become what a later command is.
func TestProgramsAreClosed(t *testing.T) {
	w := aidlc(t)
	w.dispatch("U03", reviewer, nil)
	code := func(dir, path string) string {
		c := w.agent("a1", reviewer)
		c.Cwd, c.Targets = w.root, []guard.Target{write(path)}
		in := w.input(c)
		in.Env.Path = []string{"/usr/bin", "/srv/tools/bin", w.root + "/node_modules/.bin", "scripts", dir}
		return guard.Decide(in).Code.String()
	}
	for path, want := range map[string]string{
		"/usr/bin/ls":                              "protected",
		"/usr/bin":                                 "protected",
		"/usr/local/bin/new":                       "protected",
		"/usr/lib/git-core/git-log":                "protected",
		"/etc/gitconfig":                           "protected",
		"/etc/profile.d/x.sh":                      "protected",
		"/etc/hosts":                               "shared",
		"/usr/src/app/main.go":                     "shared",
		"/srv/tools/bin/anything":                  "protected", // by the PATH, apart from the work
		"/srv/tools/notes":                         "shared",
		w.root + "/node_modules/.bin/ls":           "protected", // within it: what commands are known by
		w.root + "/node_modules/.bin/python3":      "protected",
		w.root + "/node_modules/.bin/eslint":       "shared",
		w.root + "/node_modules/.bin/eslint.d/cat": "shared",
		w.root + "/node_modules/.bin":              "protected",
		w.root + "/node_modules/x":                 "shared",
		w.root + "/scripts/git":                    "protected", // from the folder that the call is made in
		w.root + "/scripts/deploy.sh":              "shared",
		w.root + "/docs/ls":                        "shared",
	} {
		require.Equal(t, want, code("/opt/x", path), path)
	}
	require.Equal(t, "protected", code("", w.root+"/ls"), "the folder itself")
	require.Equal(t, "shared", code("", w.root+"/notes.md"))
	require.Equal(t, "shared", code("/", w.root+"/notes.md"), "all of the machine is no folder of programs")
	tools := t.TempDir()
	require.NoError(t, os.Mkdir(tools+"/real", 0o700))
	require.NoError(t, os.Symlink("real", tools+"/bin"))
	require.Equal(t, "protected", code(tools+"/bin", tools+"/bin/x"), "through a link")
	require.Equal(t, "protected", code(tools+"/bin", tools+"/real/x"), "behind it")
	require.Equal(t, "protected", code("/opt/x", w.home+"/.local/bin/x"), "the home's")
	c := w.agent("a1", reviewer)
	c.Targets = []guard.Target{read("/usr/bin/ls")}
	require.Equal(t, "shared", w.code(c), "reading is nothing")
}
