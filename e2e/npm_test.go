//go:build linux && e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// npmPackage is a package of a program in one version.
type npmPackage struct{ name, version string }

func (p npmPackage) String() string { return p.name + "@" + p.version }

// The programs that are measured, and a Node that all of them start with.
func geminiPackage() npmPackage   { return npmPackage{"@google/gemini-cli", "0.61.0"} }
func claudePackage() npmPackage   { return npmPackage{"@anthropic-ai/claude-code", "2.1.332"} }
func qwenPackage() npmPackage     { return npmPackage{"@qwen-code/qwen-code", "0.24.4"} }
func codexPackage() npmPackage    { return npmPackage{"@openai/codex", "0.171.0"} }
func copilotPackage() npmPackage  { return npmPackage{"@github/copilot", "1.0.102"} }
func opencodePackage() npmPackage { return npmPackage{"opencode-ai", "1.18.33"} }
func inspectorPackage() npmPackage {
	return npmPackage{"@modelcontextprotocol/inspector", "2.12.0"}
}
func nodePackage() npmPackage { return npmPackage{"node-linux-" + arch(), "22.23.5"} }

func allPackages() []npmPackage {
	return []npmPackage{
		nodePackage(), geminiPackage(), claudePackage(), qwenPackage(), codexPackage(), copilotPackage(), opencodePackage(),
		inspectorPackage(),
	}
}

// arch is what npm calls this machine's architecture.
func arch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

// folder is where a package is kept: outside of every workspace, from run to run.
func (p npmPackage) folder() (string, error) {
	cache := os.Getenv("CONDUCT_E2E_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "conduct-e2e")
	}
	return filepath.Join(cache, p.String()), nil
}

// module is a folder below those of a package.
func (p npmPackage) module(t *testing.T, below ...string) string {
	t.Helper()
	dir, err := p.folder()
	require.NoError(t, err)
	return filepath.Join(append([]string{dir, "node_modules"}, below...)...)
}

// installed is written last: an installation that was cut short is made anew.
const installed = "installed"

// installAll installs what is not there yet, and returns what failed.
func installAll() map[string]string {
	missing := map[string]string{}
	for _, p := range allPackages() {
		if err := p.install(); err != nil {
			missing[p.String()] = err.Error()
		}
	}
	return missing
}

func (p npmPackage) install() error {
	dir, err := p.folder()
	if err != nil {
		return err
	}
	done := filepath.Join(dir, installed)
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	manifest, err := json.Marshal(map[string]any{"private": true, "dependencies": map[string]string{p.name: p.version}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o644); err != nil {
		return err
	}
	cmd := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("install %s: %w\n%s", p, err, out)
	}
	return os.WriteFile(done, nil, 0o644)
}

// need ends a test whose packages could not be installed.
func need(t *testing.T, packages ...npmPackage) {
	t.Helper()
	missing := inside(t).Missing
	for _, p := range packages {
		why, bad := missing[p.String()]
		switch {
		case bad && os.Getenv("CONDUCT_TEST_NO_SKIP") == "1":
			t.Fatal(why)
		case bad:
			t.Skip(why)
		}
	}
}
