package conduct_test

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"
)

// perform does what a tool does, with nobody in between, and returns what its
// agent would see. A tool that fails leaks nothing.
func (s *site) perform(c call) string {
	in, _ := s.fill(c.Input).(map[string]any)
	arg := func(names ...string) string {
		for _, n := range names {
			if v, ok := in[n].(string); ok {
				return v
			}
		}
		return ""
	}
	cwd := s.cwd(c)
	if cwd == "" {
		cwd = s.vars["R"]
	}
	file := s.at(cwd, arg("file_path", "absolute_path", "notebook_path"))
	root := s.at(cwd, arg("path", "dir_path"))
	switch c.Tool {
	case "Read", "NotebookRead", "read_file":
		return s.read(cwd, file)
	case "view_image":
		return s.read(cwd, root)
	case "Write", "write_file":
		return said(s.create(file, arg("content")))
	case "Edit", "replace", "edit":
		return said(replace(file, arg("old_string"), arg("new_string")))
	case "NotebookEdit":
		return said(s.create(file, arg("new_source")))
	case "MultiEdit":
		return s.multiEdit(cwd, file, in)
	case "Grep", "grep_search", "search_file_content":
		return grep(root, arg("pattern"), arg("glob", "include_pattern", "include"))
	case "Glob":
		return glob(root, arg("pattern"), true)
	case "glob":
		return glob(root, arg("pattern"), false)
	case "LS", "list_directory":
		return list(root)
	case "Bash", "run_shell_command":
		if arg("dir_path") != "" {
			cwd = root
		}
		return s.bash(cwd, arg("command"))
	case "apply_patch":
		return said(s.patch(cwd, arg("command", "input")))
	}
	if strings.HasPrefix(c.Tool, "mcp") || c.Tool == "use_tool" || c.Tool == "CallMcpTool" {
		return s.serve(cwd, in)
	}
	require.Fail(s.t, "no such tool", "%q", c.Tool)
	return ""
}

func said(err error) string {
	if err != nil {
		return err.Error()
	}
	return "done"
}

// at joins a path with the folder as it is written: what ".." means is the
// kernel's to say.
func (s *site) at(cwd, p string) string {
	if p == "~" || strings.HasPrefix(p, "~/") {
		return s.vars["H"] + p[1:]
	}
	if p == "" {
		return cwd
	}
	if strings.HasPrefix(p, "/") {
		return p
	}
	return cwd + "/" + p
}

// read opens a file as a process in that folder would (what "/proc/self/cwd" is
// depends on it), else as programs do that take ".." out of the text first or
// spaces off it.
func (s *site) read(cwd, p string) string {
	for _, spelling := range []string{p, filepath.Clean(p), cwd + "/" + strings.TrimSpace(strings.TrimPrefix(p, cwd+"/"))} {
		cmd := exec.Command("cat", "--", spelling)
		cmd.Dir = cwd
		if out, err := cmd.Output(); err == nil {
			return inflate(out)
		}
	}
	return "no such file"
}

// inflate shows what a loose object of git holds.
func inflate(data []byte) string {
	if r, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
		if plain, err := io.ReadAll(r); err == nil {
			return string(plain)
		}
	}
	return string(data)
}

func (s *site) create(p, content string) error {
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		return err
	}
	// A program that runs is replaced, not written into.
	if strings.HasPrefix(p, s.vars["BIN"]+"/") {
		if err := os.Remove(p); err != nil {
			return err
		}
	}
	return os.WriteFile(p, []byte(content), 0o700)
}

func replace(p, old, text string) error {
	data, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	return os.WriteFile(p, bytes.Replace(data, []byte(old), []byte(text), 1), 0o600)
}

func (s *site) multiEdit(cwd, file string, in map[string]any) string {
	edits, _ := in["edits"].([]any)
	for _, e := range edits {
		m, _ := e.(map[string]any)
		at := file
		if p, ok := m["file_path"].(string); ok {
			at = s.at(cwd, p)
		}
		old, _ := m["old_string"].(string)
		text, _ := m["new_string"].(string)
		if err := replace(at, old, text); err != nil {
			return err.Error()
		}
	}
	return "done"
}

func (s *site) bash(cwd, line string) string {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir, cmd.Env = cwd, s.env(nil)
	out, err := cmd.CombinedOutput()
	return string(out) + " " + said(err)
}

func list(dir string) string {
	es, err := os.ReadDir(dir)
	out := said(err)
	for _, e := range es {
		out += "\n" + e.Name()
	}
	return out
}

// grep prints the lines that match below a folder, or in a file. A filter
// without a slash is for every depth.
func grep(root, pattern, filter string) string {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err.Error()
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	var out strings.Builder
	_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if rel, rerr := filepath.Rel(root, p); filter != "" && rerr == nil && !matches(filter, rel, true) {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return nil
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		for lines.Scan() {
			if re.Match(lines.Bytes()) {
				out.WriteString(p + ":" + lines.Text() + "\n")
			}
		}
		return nil
	})
	return out.String()
}

// glob prints the names that match. What the pattern spells out, ".." too, is gone to first.
func glob(root, pattern string, anyDepth bool) string {
	var out strings.Builder
	for _, alt := range alternatives(pattern) {
		at, rest := root, alt
		if strings.HasPrefix(alt, "/") {
			at, rest = "/", alt[1:]
		}
		for {
			first, tail, more := strings.Cut(rest, "/")
			if !more || strings.ContainsAny(first, "*?[") {
				break
			}
			at, rest = at+"/"+first, tail
		}
		_ = filepath.WalkDir(at, func(p string, _ fs.DirEntry, err error) error {
			if rel, rerr := filepath.Rel(at, p); err == nil && rerr == nil && matches(rest, rel, anyDepth && rest == alt) {
				// What matches is looked into as well, as an agent would next.
				data, _ := os.ReadFile(p)
				out.WriteString(p + "\n" + string(data))
			}
			return nil
		})
	}
	return out.String()
}

// alternatives takes the first braces of a pattern apart, and those within.
func alternatives(p string) []string {
	open := strings.IndexByte(p, '{')
	end := strings.IndexByte(p, '}')
	if open < 0 || end < open {
		return []string{p}
	}
	var out []string
	for _, a := range strings.Split(p[open+1:end], ",") {
		out = append(out, alternatives(p[:open]+a+p[end+1:])...)
	}
	return out
}

func matches(pattern, name string, anyDepth bool) bool {
	for _, alt := range alternatives(pattern) {
		if anyDepth && !strings.Contains(alt, "/") {
			alt = "**/" + alt
		}
		re := regexp.QuoteMeta(strings.TrimPrefix(alt, "/"))
		for _, r := range [][2]string{{`\*\*/`, `(?:.*/)?`}, {`\*\*`, `.*`}, {`\*`, `[^/]*`}, {`\?`, `[^/]`}, {`\[`, `[`}, {`\]`, `]`}} {
			re = strings.ReplaceAll(re, r[0], r[1])
		}
		if regexp.MustCompile("^" + re + "$").MatchString(name) {
			return true
		}
	}
	return false
}

// serve is a server of tools that nobody knows: it opens whatever its input
// names, relative to the workspace, and walks folders.
func (s *site) serve(cwd string, v any) string {
	switch v := v.(type) {
	case map[string]any:
		out := ""
		for k, x := range v {
			out += s.serve(cwd, k) + s.serve(cwd, x)
		}
		return out
	case []any:
		out := ""
		for _, x := range v {
			out += s.serve(cwd, x)
		}
		return out
	case string:
		var inner any
		if json.Unmarshal([]byte(v), &inner) == nil {
			return s.serve(cwd, inner)
		}
		if u, err := url.Parse(v); err == nil && u.Scheme == "file" {
			v = u.Path
		}
		out := ""
		for _, base := range []string{s.vars["R"], cwd} {
			out += grep(s.at(base, v), ".", "")
		}
		return out
	}
	return ""
}

// patch applies the patches of apply_patch, as far as the attempts need.
func (s *site) patch(cwd, text string) error {
	var at, content string
	flush := func() error {
		if at == "" {
			return nil
		}
		defer func() { at, content = "", "" }()
		return s.create(s.at(cwd, at), content)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		verb, name, _ := strings.Cut(strings.TrimPrefix(line, "*** "), ": ")
		if !strings.HasPrefix(line, "*** ") {
			if added, ok := strings.CutPrefix(line, "+"); ok {
				content += added + "\n"
			}
			continue
		}
		if verb == "Move to" {
			old := at
			at = name
			if err := os.Remove(s.at(cwd, old)); err != nil {
				return err
			}
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		switch verb {
		case "Add File", "Update File":
			at = name
		case "Delete File":
			if err := os.Remove(s.at(cwd, name)); err != nil {
				return err
			}
		}
	}
	return flush()
}
