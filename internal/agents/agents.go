// Package agents writes agent definitions for one dispatch each. Where an agent
// program says of a call no more than the agent's type, a type of its own is the
// only exact link between an agent and its unit.
package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

var (
	// ErrTemplate is returned when there is no definition to copy.
	ErrTemplate = errors.New("no agent definition")
	// ErrTaken is returned when a definition of that name is somebody else's.
	ErrTaken = errors.New("agent definition exists")
)

// maxDefinition bounds a definition, in bytes.
const maxDefinition = 1 << 20

// place is a folder in which an agent program keeps definitions: Markdown files
// that begin with settings.
type place struct {
	dir    string
	suffix string
	named  bool // the name is among the settings; else it is the file's
}

// places are the folders that are known, in a workspace and in a home.
func places(root, home string) []place {
	var out []place
	for _, p := range []struct {
		base, dir, suffix string
		named             bool
	}{
		{root, ".claude/agents", ".md", true}, {home, ".claude/agents", ".md", true},
		{root, ".qwen/agents", ".md", true}, {home, ".qwen/agents", ".md", true},
		{root, ".gemini/agents", ".md", true}, {home, ".gemini/agents", ".md", true},
		{root, ".opencode/agent", ".md", false}, {root, ".opencode/agents", ".md", false},
		{home, ".config/opencode/agent", ".md", false}, {home, ".config/opencode/agents", ".md", false},
		{root, ".github/agents", ".agent.md", false}, {root, ".github/agents", ".md", false}, {home, ".copilot/agents", ".agent.md", false},
	} {
		if p.base != "" {
			out = append(out, place{filepath.Join(p.base, p.dir), p.suffix, p.named})
		}
	}
	return out
}

// Name is the name of a template's copy for a unit: one that every agent program takes.
func Name(template, unit string) string {
	slug := func(s string) string { return strings.Trim(unfit.ReplaceAllString(strings.ToLower(s), "-"), "-") }
	return slug(template) + "-" + slug(unit)
}

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// mark ends a copy. It says whose it is.
func mark(id string) string { return "\n<!-- written by conduct for dispatch " + id + " -->\n" }

var marked = regexp.MustCompile(`\n<!-- written by conduct for dispatch ([0-9A-Z]{26}) -->\n$`)

// Find returns the definitions of a name, in the workspace at root and in a home.
// It is ErrTemplate when there is none, or when the name is a path.
func Find(root, home, name string) ([]string, error) {
	var found, looked []string
	for _, p := range places(root, home) {
		if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
			break
		}
		file := filepath.Join(p.dir, name+p.suffix)
		looked = append(looked, p.dir)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() <= maxDefinition {
			found = append(found, file)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w of %q (looked in %s)", ErrTemplate, name, strings.Join(looked, ", "))
	}
	return found, nil
}

// Check says beforehand why Write would not write: there is no template, or the
// name is taken.
func Check(root, home, template, name string) error {
	found, err := Find(root, home, template)
	if err != nil {
		return err
	}
	for _, file := range found {
		p := placeOf(root, home, file)
		if err := p.free(name); err != nil {
			return err
		}
	}
	return nil
}

// free fails with ErrTaken where there is a definition of a name that is not ours.
func (p place) free(name string) error {
	to := filepath.Join(p.dir, name+p.suffix)
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) && owner(to) == "" {
		return fmt.Errorf("%w: %q", ErrTaken, to)
	}
	return nil
}

// Write copies each definition of a template beside it under another name, for a
// dispatch. It writes all or none, and returns the files. A file that is there
// already, and is no copy of ours, is ErrTaken.
func Write(root, home, template, name, id string) ([]string, error) {
	found, err := Find(root, home, template)
	if err != nil {
		return nil, err
	}
	var done []string
	for _, file := range found {
		to, err := write(placeOf(root, home, file), file, name, id)
		if err != nil {
			for _, d := range done {
				err = errors.Join(err, os.Remove(d))
			}
			return nil, err
		}
		done = append(done, to)
	}
	return done, nil
}

func placeOf(root, home, file string) place {
	for _, p := range places(root, home) {
		if filepath.Dir(file) == p.dir && strings.HasSuffix(file, p.suffix) {
			return p
		}
	}
	return place{}
}

func write(p place, template, name, id string) (string, error) {
	text, err := read(template)
	if err != nil {
		return "", err
	}
	dir, err := os.OpenRoot(p.dir)
	if err != nil {
		return "", fmt.Errorf("write an agent definition: %w", err)
	}
	defer dir.Close()
	if err := p.free(name); err != nil {
		return "", err
	}
	if p.named {
		text = rename(text, name)
	}
	text = append(bytes.TrimRight(text, "\r\n"), mark(id)...)
	if err := renameio.WriteFile(name+p.suffix, text, 0o644, renameio.WithRoot(dir)); err != nil {
		return "", fmt.Errorf("write an agent definition: %w", err)
	}
	return filepath.Join(p.dir, name+p.suffix), nil
}

func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read an agent definition: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDefinition))
	if err != nil {
		return nil, fmt.Errorf("read an agent definition: %w", err)
	}
	return text, nil
}

// rename gives a definition another name: in the settings between its first two
// lines of "---".
func rename(text []byte, name string) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	if len(lines) == 0 || strings.TrimRight(lines[0], "\r\n") != "---" {
		return append([]byte("---\nname: "+name+"\n---\n"), text...)
	}
	for i, line := range lines[1:] {
		switch {
		case strings.HasPrefix(line, "name:"):
			lines[i+1] = "name: " + name + line[len(strings.TrimRight(line, "\r\n")):]
			return []byte(strings.Join(lines, ""))
		case strings.TrimRight(line, "\r\n") == "---":
			lines[i+1] = "name: " + name + "\n" + line
			return []byte(strings.Join(lines, ""))
		}
	}
	return append([]byte("---\nname: "+name+"\n---\n"), text...)
}

// owner returns the dispatch that a copy was written for, "" when it is none.
func owner(file string) string {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // not to wait for a pipe
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	end := make([]byte, min(info.Size(), int64(len(mark(""))+26)))
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	m := marked.FindSubmatch(end)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// Sweep removes the copies whose dispatch is not live, and returns their files.
func Sweep(root, home string, live func(id string) bool) ([]string, error) {
	var done []string
	var failed []error
	for _, p := range places(root, home) {
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			continue // no definitions there
		}
		for _, e := range entries {
			file := filepath.Join(p.dir, e.Name())
			if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), p.suffix) {
				continue
			}
			if id := owner(file); id == "" || live(id) {
				continue
			}
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				failed = append(failed, err)
				continue
			}
			done = append(done, file)
		}
	}
	return done, errors.Join(failed...)
}
