package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// scrubbed are variables that lead outside: to sockets of the client that
// started us, and to repositories.
var scrubbed = [...]string{
	"CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_MESSAGING_SOCKET",
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GOTMPDIR", "TMPDIR", "TMP", "TEMP",
}

func scrub(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(scrubbed[:], name) {
			out = append(out, kv)
		}
	}
	return out
}

func getenv(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// setenv sets a variable; any earlier value goes.
func setenv(env []string, name, value string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(env, name+"="+value)
}

// cache is a folder that a build tool writes outside of the workspace.
type cache struct {
	variable string   // names it, where set; "" for one that goes with another
	fallback string   // its place elsewise
	parts    []string // what of it is writable; all of it when empty
}

func cachesOf(env []string) []cache {
	home := getenv(env, "HOME")
	if home == "" || !filepath.IsAbs(home) {
		home = "/nonexistent" // then every cache goes into the temp folder
	}
	local := filepath.Join(home, ".cache")
	if x := getenv(env, "XDG_CACHE_HOME"); filepath.IsAbs(x) {
		local = x
	}
	gopath, _, _ := strings.Cut(getenv(env, "GOPATH"), ":")
	if !filepath.IsAbs(gopath) {
		gopath = filepath.Join(home, "go")
	}
	return []cache{
		{"GOCACHE", filepath.Join(local, "go-build"), nil},
		{"GOMODCACHE", filepath.Join(gopath, "pkg", "mod"), nil},
		{"", filepath.Join(gopath, "pkg", "sumdb"), nil},
		{"npm_config_cache", filepath.Join(home, ".npm"), nil},
		{"PIP_CACHE_DIR", filepath.Join(local, "pip"), nil},
		// Beside its caches the folder holds programs and settings that run later, unconfined.
		{"CARGO_HOME", filepath.Join(home, ".cargo"), []string{"registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache"}},
	}
}

// caches makes the caches of build tools writable. One that does not exist is
// moved into the private temp folder by its variable, so that nothing is made
// in a person's home.
func (l *Layout) caches(temp string) {
	for _, c := range cachesOf(l.Env) {
		dir := c.fallback
		if v := getenv(l.Env, c.variable); c.variable != "" && filepath.IsAbs(v) {
			dir = filepath.Clean(v)
		}
		if !l.openCache(dir, c.parts) && c.variable != "" {
			l.Env = setenv(l.Env, c.variable, filepath.Join(temp, "cache", strings.ToLower(c.variable)))
		}
	}
}

func (l *Layout) openCache(dir string, parts []string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || !l.Visible(dir) {
		return false
	}
	if len(parts) == 0 {
		return l.put(dir, Write)
	}
	if !l.put(filepath.Join(dir, parts[0]), Write) {
		return false
	}
	for _, part := range parts[1:] {
		l.put(filepath.Join(dir, part), Write)
	}
	return true
}

// environ completes the command's environment.
func (l *Layout) environ(temp string) {
	env := append(l.Env, "TMPDIR="+temp)
	if getenv(env, "XDG_RUNTIME_DIR") != "" {
		env = setenv(env, "XDG_RUNTIME_DIR", temp)
	}
	if l.Git || l.gitOpen {
		// Git would stop at the edge of the own unit, which is a mount, and not come
		// to its repository, or to the place that says how to go on.
		env = setenv(env, "GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")
	}
	if l.Git {
		// Go would ask git for the state of a repository that is not there, and fail.
		env = setenv(env, "GOFLAGS", strings.TrimSpace(getenv(env, "GOFLAGS")+" -buildvcs=false"))
	}
	l.Env = env
}

// Self returns the program that Init runs in, by its real path.
func Self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
