package main_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed6310be5c/conduct/internal/cli"
	"github.com/seed6310be5c/conduct/internal/guardcmd"
	"github.com/seed6310be5c/conduct/mcpserver/stdio"
	"github.com/seed6310be5c/conduct/sandbox"
)

func TestMain(m *testing.M) {
	// A sandbox starts our own program first, which here is the test's.
	if handled, code := sandbox.Init(os.Args[1:]); handled {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){
		"conduct":       func() { os.Exit(cli.Main(os.Args[1:])) },
		"conduct-guard": func() { os.Exit(guardcmd.Main(os.Args[1:])) },
		"conduct-mcp":   func() { os.Exit(cli.MainMCP(os.Args[1:], stdio.Serve)) },
	})
}

// tree is what every script finds in its folder, $WORK/ws.
var tree = map[string]string{
	"construction/units/U03/design.md": "# U03\n",
	"construction/units/U04/design.md": "# U04\n",
	"construction/units/U05/design.md": "# U05\n",
	"docs/guide.md":                    "shared\n",
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "fails": fails, "json": jsonField, "lines": lines, "save": save, "call": call, "await": await, "asked": asked,
			"snapshot": snapshot, "unchanged": unchanged, "mode": mode, "hold": hold, "spoil": spoil, "tmpfs": tmpfs, "fill": fill, "freeze": freeze,
		},
	})
}

func setup(env *testscript.Env) error {
	ws, home := filepath.Join(env.WorkDir, "ws"), filepath.Join(env.WorkDir, "home")
	for name, text := range tree {
		p := filepath.Join(ws, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		return err
	}
	env.Cd = ws
	env.Setenv("HOME", home)
	env.Setenv("WS", ws)
	// With the race detector each program would wait for a second at its end.
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	env.Setenv("GOVERSION", runtime.Version())
	env.Setenv("TAB", "\t")
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return nil
}
