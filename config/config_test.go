package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/config"
)

const day = 24 * time.Hour

func TestParse(t *testing.T) {
	silent := config.Config{Retention: 7 * day}
	for name, tt := range map[string]struct {
		in   string
		want config.Config
	}{
		"empty":         {"", silent},
		"only comments": {"# a\n\n# b\n", silent},
		"only a header": {"---\n", silent},
		"null":          {"null\n", silent},
		"nulls":         {"layout:\nunits: ~\nttl: null\nretention:\ncommands:\nstrict:\nbind:\n", silent},
		"one layout":    {"layout: construction/units/{unit}\n", config.Config{Layouts: []string{"construction/units/{unit}"}, Retention: 7 * day}},
		"layouts": {"layout:\n- a/{unit}\n- \"*/b/{unit}/\"\n", config.Config{
			Layouts: []string{"a/{unit}", "*/b/{unit}"}, Retention: 7 * day,
		}},
		"everything": {
			"\ufefflayout: ['a/{unit}']\r\nunits:\r\n  U 7:\r\n    paths: [services/auth/, docs/auth.md]\r\n    reads: [proto/pay/, '**/*.proto']\r\n" +
				"  008: {paths: [8]}\r\nstrict: true\r\nenforce: observe\r\nbind: first-touch\r\nshared: read\r\nttl: 1d12h\r\nopaque: allow\r\nconfine: all\r\n" +
				"commands: [go test, npm test]\r\ncommands_deny:\r\n  - gh pr diff\r\naudit: blocked\r\nretention: 30d\r\nstore: file\r\n",
			config.Config{
				Layouts: []string{"a/{unit}"},
				Units: []config.Unit{
					{Name: "U 7", Paths: []string{"services/auth", "docs/auth.md"}, Reads: []string{"proto/pay", "**/*.proto"}},
					{Name: "008", Paths: []string{"8"}},
				},
				Strict: true, Enforce: "observe", Bind: "first-touch", Shared: "read", TTL: 36 * time.Hour, Opaque: "allow", Confine: "all",
				Commands: []string{"go test", "npm test"}, CommandsDeny: []string{"gh pr diff"}, Audit: "blocked", Retention: 30 * day, Store: "file",
			},
		},
		"json": {
			`{"layout": "modules/{unit}", "units": {"U07": {"paths": ["services/auth", "docs/auth.md"]}}, "strict": false}`,
			config.Config{Layouts: []string{"modules/{unit}"}, Units: []config.Unit{{Name: "U07", Paths: []string{"services/auth", "docs/auth.md"}}}, Retention: 7 * day},
		},
		"yaml with json values": {
			"layout: modules/{unit}\nunits: {\"A\": {\"paths\": [\"services\"]}, \"B\": {\"paths\": [\"services/pay\"]}}\n",
			config.Config{Layouts: []string{"modules/{unit}"}, Units: []config.Unit{
				{Name: "A", Paths: []string{"services"}}, {Name: "B", Paths: []string{"services/pay"}},
			}, Retention: 7 * day},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.Parse([]byte(tt.in))
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"# x\nstrickt: true\n":                     `line 2: unknown key "strickt", did you mean "strict"?`,
		"colour: red\n":                            `line 1: unknown key "colour", the known ones are layout, units, strict, enforce, bind, shared, ttl, opaque, confine, commands, commands_deny, audit, retention, store`,
		"{\"strickt\": true}":                      `line 1: unknown key "strickt", did you mean "strict"?`,
		"units:\n  A:\n    path: [x]\n":            `line 3: unknown key of a unit "path", did you mean "paths"?`,
		"strict: true\nstrict: true\n":             `line 2: mapping key "strict" already defined at [1:1]`,
		"{\"ttl\": \"6h\", \"ttl\": \"7h\"}":       `line 1: mapping key "ttl" already defined at [1:2]`,
		"units: {A: {paths: [a], paths: [b]}}":     `line 1: mapping key "paths" already defined at [1:13]`,
		"units:\n  a: {paths: [a]}\n  \"a\": {}\n": `line 3: mapping key "a" already defined at [2:3]`,
		"- a\n":                        "line 1: the file is not a mapping of names to values",
		"hello\n":                      "line 1: the file is not a mapping of names to values",
		"a: 1\n---\nb: 2\n":            "line 3: more than one document",
		"strict: yes\n":                `line 1: "strict" must be true or false`,
		"strict: 1\n":                  `line 1: "strict" must be true or false`,
		"enforce: blok\n":              `line 1: "enforce" must be block or observe`,
		"bind: session\n":              `line 1: "bind" must be agent or first-touch`,
		"shared: [read]\n":             `line 1: "shared" must be write or read`,
		"opaque: no\n":                 `line 1: "opaque" must be confine or block or allow`,
		"confine: no\n":                `line 1: "confine" must be opaque or all`,
		"audit: none\n":                `line 1: "audit" must be all or blocked`,
		"store: etcd\n":                `line 1: "store" must be file`,
		"ttl: 6\n":                     `line 1: "ttl" is wrong: "6" is no duration such as "90m", "6h" or "7d"`,
		"ttl: 0\n":                     `line 1: "ttl" must be more than nothing`,
		"ttl: -1h\n":                   `line 1: "ttl" must be more than nothing`,
		"retention: soon\n":            `line 1: "retention" is wrong: "soon" is no duration such as "90m", "6h" or "7d"`,
		"retention: [1d]\n":            `line 1: "retention" must be a duration such as 6h or 7d`,
		"commands: go test\n":          `line 1: "commands" must be a list`,
		"commands: [go test, [x]]\n":   `line 1: "commands" must be a list of texts`,
		"commands: [' ']\n":            `line 1: "commands" holds an empty command`,
		"commands_deny: [\"a\\nb\"]\n": `line 1: "commands_deny" holds "a\nb", which has a control character`,
		"layout: a/b\n":                `line 1: "layout" is wrong: "a/b" is not a layout: it must end with {unit}`,
		"layout: a/{unit}/{unit}\n":    `line 1: "layout" is wrong: "a/{unit}/{unit}" is not a layout: it must end with {unit}`,
		"layout: /a/{unit}\n":          `line 1: "layout" is wrong: "/a/{unit}" is not a layout: it must be relative and clean`,
		"layout: ../{unit}\n":          `line 1: "layout" is wrong: "../{unit}" is not a layout: it must be relative and clean`,
		"layout: a*/{unit}\n":          `line 1: "layout" is wrong: "a*/{unit}" is not a layout: only a whole folder can be "*" or "{unit}"`,
		"layout: .conduct/{unit}\n":    `line 1: "layout" is wrong: ".conduct/{unit}" is not for units`,
		"layout: {unit}\n":             `line 1: "layout" must be a list`,
		"units: [A]\n":                 `line 1: "units" is not a mapping of names to values`,
		"units:\n  A: [x]\n":           `line 2: "A" must have "paths"`,
		"units:\n  A:\n":               `line 2: "A" must have "paths"`,
		"units:\n  A: {reads: [x]}\n":  `line 2: "A" has no "paths"`,
		"units:\n  A: {paths: []}\n":   `line 2: "A" has no "paths"`,
		"units:\n  A: {paths: x}\n":    `line 2: "paths" must be a list`,
		"units:\n  A: {paths: [~]}\n":  `line 2: "paths" must be a list of texts`,
		"units:\n  A:\n    paths:\n    - x\n    - ''": `line 5: "paths" is wrong: a path is empty`,
		"units:\n  A: {paths: [/x]}\n":                `line 2: "paths" is wrong: "/x" must be relative to the workspace`,
		"units:\n  A: {paths: [x/../../y]}\n":         `line 2: "paths" is wrong: "x/../../y" must not hold ".."`,
		"units:\n  A: {paths: [..]}\n":                `line 2: "paths" is wrong: ".." must not hold ".."`,
		"units:\n  A: {paths: [x/..]}\n":              `line 2: "paths" is wrong: "x/.." must not hold ".."`,
		"units:\n  A: {paths: [.]}\n":                 `line 2: "paths" is wrong: "." is the whole workspace`,
		"units:\n  A: {paths: [./x]}\n":               `line 2: "paths" is wrong: "./x" must be written as "x"`,
		"units:\n  A: {paths: [x//y]}\n":              `line 2: "paths" is wrong: "x//y" must be written as "x/y"`,
		"units:\n  A: {paths: [x//]}\n":               `line 2: "paths" is wrong: "x//" must be written as "x"`,
		"units:\n  A: {paths: [.conduct]}\n":          `line 2: "paths" is wrong: ".conduct" is not for units`,
		"units:\n  A: {paths: [.Conduct/x]}\n":        `line 2: "paths" is wrong: ".Conduct/x" is not for units`,
		"units:\n  A: {paths: [src/*.go]}\n":          `line 2: "paths" is wrong: "src/*.go" is a pattern: only paths are possible here`,
		"units:\n  A: {paths: [\"a\\tb\"]}\n":         `line 2: "paths" is wrong: "a\tb" holds a control character`,
		"units:\n  A: {paths: [a], reads: [../b]}\n":  `line 2: "reads" is wrong: "../b" must not hold ".."`,
		"units:\n  '': {paths: [a]}\n":                `line 2: a unit has no name`,
		"units:\n  ..: {paths: [a]}\n":                `line 2: a unit cannot be called ".."`,
		"units:\n  a/b: {paths: [a]}\n":               `line 2: the name of unit "a/b" must not hold a slash`,
		"units:\n  \"a\\u0007\": {paths: [a]}\n":      `line 2: the name of unit "a\a" holds a control character`,
		"ttl: &a 6h\nretention: *a\n":                 `line 1: "ttl" must be a duration such as 6h or 7d`,
		"ttl: !!str 6h\n":                             `line 1: "ttl" must be a duration such as 6h or 7d`,
		"<<: {strict: true}\n":                        `line 1: a key is not plain text`,
		"? [a]\n: b\n":                                `line 2: found an invalid key for this map`,
		"strict: true\xff\n":                          "not UTF-8",
		"strict: true\x00\n":                          "holds a NUL character",
		"layout: " + strings.Repeat("[", 100_000):     "line 1: nested too deep",
		strings.Repeat("- ", 100_000):                 "line 1: nested too deep",
		strings.Repeat("#", 1_000_001):                "larger than 1000000 bytes",
	} {
		t.Run(in[:min(len(in), 40)], func(t *testing.T) {
			got, err := config.Parse([]byte(in))
			require.EqualError(t, err, "conduct.yaml: "+want)
			require.ErrorIs(t, err, config.ErrInvalid)
			require.Equal(t, config.Config{Retention: 7 * day}, got)
		})
	}
}

func TestParseTakesAMegabyte(t *testing.T) {
	_, err := config.Parse([]byte(strings.Repeat("#", 1_000_000)))
	require.NoError(t, err)
}

func TestParseSyntaxErrorsAreOneLine(t *testing.T) {
	for _, in := range []string{"a: b\n\tc: d\n", "layout: [a\nb: c\n", "a: 'x\n", "a: b: c\n", "{a: 1\n"} {
		_, err := config.Parse([]byte(in))
		var bad *config.Error
		require.ErrorAs(t, err, &bad, in)
		require.Positive(t, bad.Line, in)
		require.NotContains(t, err.Error(), "\n")
	}
}

// Whatever the text is, it is read or refused.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "layout: a/{unit}\n", "units: {A: {paths: [a]}}", "a: |\n  x\n", "? a\n: - b", "a: &x [*x]\n", "%YAML 1.2\n---\n...\n", "\"\\u0000\": >-\n"} {
		f.Add([]byte(s))
	}
	f.Add(config.Example())
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := config.Parse(data)
		if err != nil {
			require.ErrorIs(t, err, config.ErrInvalid)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		for _, u := range cfg.Units {
			require.NotEmpty(t, u.Paths)
			for _, p := range u.Paths {
				require.True(t, filepath.IsLocal(p), "%q", p)
			}
		}
	})
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	cfg, err := config.Load(dir)
	require.ErrorIs(t, err, config.ErrNone)
	require.Equal(t, config.Config{Retention: 7 * day}, cfg)

	require.NoError(t, os.WriteFile(dir+"/conduct.yaml", []byte("strict: true\n"), 0o600))
	cfg, err = config.Load(dir)
	require.NoError(t, err)
	require.Equal(t, config.Config{Strict: true, Retention: 7 * day}, cfg)

	_, err = config.Load(dir + "/nowhere")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotErrorIs(t, err, config.ErrNone)
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(dir+"/conduct.yaml", 0o700))
		_, err := config.Load(dir)
		require.ErrorIs(t, err, config.ErrInvalid)
	})
	t.Run("pipe", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, syscall.Mkfifo(dir+"/conduct.yaml", 0o600))
		_, err := config.Load(dir)
		require.ErrorIs(t, err, config.ErrInvalid)
	})
	t.Run("link out of the workspace", func(t *testing.T) {
		dir, out := t.TempDir(), t.TempDir()
		require.NoError(t, os.WriteFile(out+"/c", []byte("strict: true\n"), 0o600))
		require.NoError(t, os.Symlink(out+"/c", dir+"/conduct.yaml"))
		_, err := config.Load(dir)
		require.ErrorContains(t, err, "escapes")
	})
}

func TestParseDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"6h": 6 * time.Hour, "7d": 7 * day, "1d12h": 36 * time.Hour, "1.5d": 36 * time.Hour, "90m": 90 * time.Minute,
		"0": 0, "0s": 0, "-1d": -day, "+2d3s": 2*day + 3*time.Second, "1h1d": 25 * time.Hour, "100ms": 100 * time.Millisecond, "1µs": time.Microsecond,
		"106751d": 106751 * day,
	} {
		got, err := config.ParseDuration(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "d", "6", "-", "+", "1dd", "1d 2h", "1d-2h", "--1d", "1x", "1.2.3d", ".d", "soon", "106752d", "106751d24h", "9999999999999999999h", "1D", "١d"} {
		_, err := config.ParseDuration(in)
		require.Error(t, err, in)
	}
}
