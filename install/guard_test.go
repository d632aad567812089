package install_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/install"
)

func TestGuardPath(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	cellar := top + "/Cellar/1.0/bin"
	for _, name := range []string{"conduct", "conduct-guard"} {
		program(t, cellar+"/"+name, "")
		require.NoError(t, os.MkdirAll(top+"/bin", 0o755))
		require.NoError(t, os.Symlink("../Cellar/1.0/bin/"+name, top+"/bin/"+name))
	}
	program(t, top+"/else/conduct-guard", "")
	program(t, top+"/lonely/conduct", "")
	stable := top + "/bin/conduct-guard"
	for name, tt := range map[string]struct{ path, self, want string }{
		"by its name on the PATH":          {top + "/bin", "conduct", stable},
		"by its path":                      {"/nonexistent", top + "/bin/conduct", stable},
		"where its link leads":             {top + "/bin", cellar + "/conduct", stable},
		"where its link leads, no PATH":    {"/nonexistent", cellar + "/conduct", cellar + "/conduct-guard"},
		"beside it before another's":       {top + "/else", top + "/bin/conduct", stable},
		"nothing beside it":                {top + "/else", top + "/lonely/conduct", top + "/else/conduct-guard"},
		"conduct is not found at all":      {top + "/else", "conduct", top + "/else/conduct-guard"},
		"nothing anywhere":                 {"/nonexistent", top + "/lonely/conduct", ""},
		"nothing anywhere, and no conduct": {"/nonexistent", "conduct", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", tt.path)
			got, err := install.GuardPath(tt.self)
			if tt.want == "" {
				require.ErrorIs(t, err, install.ErrNoGuard)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
	t.Run("relative", func(t *testing.T) {
		t.Setenv("PATH", "/nonexistent")
		t.Chdir(top)
		got, err := install.GuardPath("bin/conduct")
		require.NoError(t, err)
		require.Equal(t, stable, got)
	})
}

func TestUnstable(t *testing.T) {
	for path, stable := range map[string]bool{
		"/usr/local/bin/conduct-guard":                            true,
		"/home/me/go/bin/conduct-guard":                           true,
		"/opt/homebrew/bin/conduct-guard":                         true,
		"/home/me/.local/share/mise/shims/conduct-guard":          false,
		"/home/me/.asdf/shims/conduct-guard":                      false,
		"/opt/homebrew/Cellar/conduct/1.0/bin/conduct-guard":      false,
		"/home/me/.mise/installs/conduct/1.2.3/bin/conduct-guard": false,
		"/opt/conduct/v1.2/conduct-guard":                         false,
		"/p/node_modules/.bin/conduct-guard":                      false,
		"/tmp/go-build123/b001/exe/conduct-guard":                 false,
		"/opt/my.tools/2/conduct-guard":                           true,
	} {
		require.Equal(t, stable, install.Unstable(path) == "", path)
	}
}
