package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/config"
)

func TestExampleSaysNothingYet(t *testing.T) {
	got, err := config.Parse(config.Example())
	require.NoError(t, err)
	require.Equal(t, config.Config{Retention: config.DefaultRetention}, got)
}

// Every key of the example is right when its "# " is taken off.
func TestExampleIsRight(t *testing.T) {
	var b strings.Builder
	for line := range strings.Lines(string(config.Example())) {
		text := strings.TrimPrefix(line, "# ")
		if text != line && (strings.HasPrefix(text, " ") || strings.IndexByte(text, ':') > 0 && !strings.Contains(text[:strings.IndexByte(text, ':')], " ")) && !strings.HasPrefix(text, "conduct.yaml") {
			b.WriteString(text)
		}
	}
	got, err := config.Parse([]byte(b.String()))
	require.NoError(t, err, b.String())
	require.Equal(t, config.Config{
		Layouts: []string{"construction/units/{unit}"},
		Units:   []config.Unit{{Name: "auth", Paths: []string{"services/auth", "docs/auth.md"}, Reads: []string{"proto/pay", "**/*.proto"}}},
		Enforce: "block", Bind: "agent", Shared: "write", TTL: 6 * day / 24, Opaque: "confine", Confine: "opaque",
		Commands: []string{"go test", "npm test"}, CommandsDeny: []string{"gh pr diff"}, Audit: "all", Retention: 7 * day, Store: "file",
	}, got)
}

func TestDetect(t *testing.T) {
	for name, tt := range map[string]struct {
		dirs []string
		want []string
	}{
		"nothing":          {nil, nil},
		"empty place":      {[]string{"units"}, nil},
		"units":            {[]string{"units/U1"}, []string{"units/{unit}"}},
		"flat":             {[]string{"construction/U1", "units/U1"}, []string{"construction/{unit}"}},
		"construction":     {[]string{"construction/units/U1", "construction/x"}, []string{"construction/units/{unit}"}},
		"units is empty":   {[]string{"construction/units"}, []string{"construction/{unit}"}},
		"deep":             {[]string{"aidlc/spaces/s/intents/i/construction/units/U1", "units/U1"}, []string{"aidlc/spaces/*/intents/*/construction/units/{unit}"}},
		"deep and flat":    {[]string{"aidlc/spaces/s/intents/i/construction/U1"}, []string{"aidlc/spaces/*/intents/*/construction/{unit}"}},
		"second space has": {[]string{"aidlc/spaces/a", "aidlc/spaces/b/intents/i/construction/units/U1"}, []string{"aidlc/spaces/*/intents/*/construction/units/{unit}"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, d := range tt.dirs {
				require.NoError(t, os.MkdirAll(root+"/"+d, 0o755))
			}
			require.NoError(t, os.MkdirAll(root+"/plain", 0o755))
			require.Equal(t, tt.want, config.Detect(root))
		})
	}
	t.Run("a file is no unit", func(t *testing.T) {
		root := t.TempDir()
		require.NoError(t, os.Mkdir(root+"/units", 0o755))
		require.NoError(t, os.WriteFile(root+"/units/README.md", nil, 0o644))
		require.Nil(t, config.Detect(root))
	})
}

func TestWrite(t *testing.T) {
	const absent = "\x00"
	example := string(config.Example())
	deep := "aidlc/spaces/*/intents/*/construction/{unit}"
	for name, tt := range map[string]struct {
		before  string
		layouts []string
		want    string
	}{
		"new without a layout": {absent, nil, example},
		"new": {absent, []string{"units/{unit}"}, strings.Replace(example,
			"# layout: construction/units/{unit}\n", "# layout: construction/units/{unit}\nlayout: \"units/{unit}\"\n", 1)},
		"old without a layout": {"strict: true\n", nil, "strict: true\n"},
		"same":                 {"layout:   units/{unit}/   # mine\n", []string{"units/{unit}"}, "layout:   units/{unit}/   # mine\n"},
		"changed, the note stays": {
			"# top\nlayout: a/{unit} # mine\n\n# next\nstrict: true\n", []string{"b/{unit}"},
			"# top\nlayout: \"b/{unit}\" # mine\n\n# next\nstrict: true\n",
		},
		"one becomes two": {
			"layout: a/{unit} # mine\nstrict: true", []string{"b/{unit}", deep},
			"layout: # mine\n  - \"b/{unit}\"\n  - \"" + deep + "\"\nstrict: true\n",
		},
		"two become one": {
			"strict: true\nlayout:\n- a/{unit}\n# of the list\n- b/{unit}\n# of the next\n\nttl: 6h\n", []string{"c/{unit}"},
			"strict: true\nlayout: \"c/{unit}\"\n# of the next\n\nttl: 6h\n",
		},
		"flow list over lines": {
			"layout: [\"a/{unit}\",\n  \"b/{unit}\"\n]\nttl: 6h\n", []string{"c/{unit}"},
			"layout: \"c/{unit}\"\nttl: 6h\n",
		},
		"at the end": {
			"strict: true\nlayout:\n  - a/{unit}\n\n# end\n", []string{"c/{unit}"},
			"strict: true\nlayout: \"c/{unit}\"\n\n# end\n",
		},
		"added": {
			"# mine\nunits:\n  A:\n    paths: [a] # x\n", []string{"c/{unit}"},
			"# mine\nunits:\n  A:\n    paths: [a] # x\nlayout: \"c/{unit}\"\n",
		},
		"added to nothing":      {"", []string{"c/{unit}"}, "layout: \"c/{unit}\"\n"},
		"null":                  {"layout:\nttl: 6h\n", []string{"c/{unit}"}, "layout: \"c/{unit}\"\nttl: 6h\n"},
		"lines of another kind": {"ttl: 6h\r\nlayout: a/{unit}\r\n", []string{"c/{unit}"}, "ttl: 6h\r\nlayout: \"c/{unit}\"\r\n"},
		"behind a header":       {"---\nlayout: a/{unit}\n", []string{"c/{unit}"}, "---\nlayout: \"c/{unit}\"\n"},
		"text before it":        {"é: 1\n", nil, "é: 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if tt.before != absent {
				require.NoError(t, os.WriteFile(root+"/conduct.yaml", []byte(tt.before), 0o640))
			}
			changed, err := config.Write(root, tt.layouts)
			require.NoError(t, err)
			require.Equal(t, tt.before != tt.want, changed)
			got, err := os.ReadFile(root + "/conduct.yaml")
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			if tt.before != absent {
				st, err := os.Stat(root + "/conduct.yaml")
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o640), st.Mode())
			}
			changed, err = config.Write(root, tt.layouts)
			require.NoError(t, err)
			require.False(t, changed, "a second time")
			left, err := os.ReadDir(root)
			require.NoError(t, err)
			require.Len(t, left, 1)
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ before, layout, want string }{
		"not parsed":     {"a: [", "a/{unit}", "line 1: "},
		"unknown key":    {"strickt: true\n", "a/{unit}", `did you mean "strict"?`},
		"flow style":     {`{"strict": true}` + "\n", "a/{unit}", "set it by hand"},
		"document ended": {"strict: true\n...\n", "a/{unit}", "set it by hand"},
		"bad layout":     {"strict: true\n", "a/b", "not a layout"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.WriteFile(root+"/conduct.yaml", []byte(tt.before), 0o640))
			changed, err := config.Write(root, []string{tt.layout})
			require.False(t, changed)
			require.ErrorIs(t, err, config.ErrInvalid)
			require.ErrorContains(t, err, tt.want)
			got, err := os.ReadFile(root + "/conduct.yaml")
			require.NoError(t, err)
			require.Equal(t, tt.before, string(got))
		})
	}
	t.Run("bad layout for a new file", func(t *testing.T) {
		root := t.TempDir()
		_, err := config.Write(root, []string{"/{unit}"})
		require.EqualError(t, err, `conduct.yaml: "layout" is wrong: "/{unit}" is not a layout: it must be relative and clean`)
		require.NoFileExists(t, root+"/conduct.yaml")
	})
	t.Run("link", func(t *testing.T) {
		root := t.TempDir()
		require.NoError(t, os.WriteFile(root+"/true.yaml", []byte("ttl: 6h\n"), 0o640))
		require.NoError(t, os.Symlink("true.yaml", root+"/conduct.yaml"))
		_, err := config.Write(root, []string{"a/{unit}"})
		require.ErrorContains(t, err, "it is a link")
	})
}
