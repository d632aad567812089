package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/wire"
)

// tools are the programs that are measured.
type tools struct {
	conduct, guard            string
	empty, lockwrite, sweep   string
	appendwrite               string
	python, shell             string
	env                       []string
	conductSize, conductGuard int64 // bytes
}

// Builds are without cgo, as in the Makefile, and flags are the ones that releases are built with; the floor gets the same.
var flags = [...]string{"-trimpath", "-ldflags", "-s -w"}

// build compiles the programs into dir. The tests of this repository are not run.
func build(dir string) (tools, error) {
	args := append([]string{"build", "-o", dir + "/"}, flags[:]...)
	cmd := exec.Command("go", append(args, "./cmd/...", "./bench/floor/...")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return tools{}, fmt.Errorf("build: %w: %s", err, bytes.TrimSpace(out))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	t := tools{
		conduct: at("conduct"), guard: at("conduct-guard"),
		empty: at("empty"), lockwrite: at("lockwrite"), sweep: at("sweep"), appendwrite: at("appendwrite"), env: environment(),
	}
	var err error
	if t.conductSize, err = size(t.conduct); err != nil {
		return t, err
	}
	if t.conductGuard, err = size(t.guard); err != nil {
		return t, err
	}
	if t.python, err = python(); err != nil {
		return t, err
	}
	t.shell, err = exec.LookPath("sh")
	return t, err
}

// python finds the interpreter itself: what is on PATH may be a wrapper that
// would make the comparison too easy.
func python() (string, error) {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "", fmt.Errorf("python3: %w", err)
	}
	return filepath.EvalSymlinks(strings.TrimSpace(string(out)))
}

// environment is ours without what would change the answers.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "CONDUCT_") || strings.HasPrefix(kv, "CLAUDE") || strings.HasPrefix(kv, "PYTHON")
	})
}

func size(path string) (int64, error) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

// jsonString reads the JSON string whose opening quote has just gone by.
func jsonString(rest string) (string, error) {
	end := 0
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		return "", fmt.Errorf("a string without an end: %.40q", rest)
	}
	return wire.NewReader([]byte(`"` + rest[:end+1])).String()
}
