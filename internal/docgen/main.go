// Docgen writes the parts of the documentation that are facts of the code: from
// the top of the checkout, go run ./internal/docgen. A test fails while a part
// differs from what would be written.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintf(os.Stderr, "docgen: %s\n", err)
		os.Exit(1)
	}
}

// documents are those that have generated parts.
func documents(top string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	more, err := filepath.Glob(filepath.Join(top, "docs", "rfc", "*.md"))
	return append(names, more...), err
}

// run rewrites the documents below the checkout's top.
func run(top string) error {
	names, err := documents(top)
	if err != nil {
		return fmt.Errorf("list the documents: %w", err)
	}
	for _, name := range names {
		before, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read %q: %w", name, err)
		}
		after, err := rewrite(before, blocks(top))
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		if bytes.Equal(before, after) {
			continue
		}
		if err := os.WriteFile(name, after, 0o644); err != nil {
			return fmt.Errorf("write %q: %w", name, err)
		}
	}
	return nil
}

// block makes one part.
type block func() (string, error)

// blocks are the parts by name.
func blocks(top string) map[string]block {
	return map[string]block{
		"codes":        codes,
		"config":       configKeys,
		"config-file":  configFile,
		"layout":       func() (string, error) { return layout(top) },
		"claude-code":  func() (string, error) { return client("claude-code") },
		"codex":        func() (string, error) { return client("codex") },
		"gemini-cli":   func() (string, error) { return client("gemini-cli") },
		"qwen-code":    func() (string, error) { return client("qwen-code") },
		"opencode":     func() (string, error) { return client("opencode") },
		"copilot":      func() (string, error) { return client("copilot") },
		"cursor":       func() (string, error) { return client("cursor") },
		"kiro":         func() (string, error) { return client("kiro") },
		"generic":      func() (string, error) { return client("generic") },
		"tool-filters": filters,
		"e2e":          func() (string, error) { return results(top) },
		"mcp-config":   mcpConfig,
		"mcp-tools":    mcpTools,
		"mcp-actions":  mcpActions,

		"board-views": visibility, "board-pointers": shapes, "board-bounds": bounds, "board-refusals": refusals,
		"mail-views": letters,
		"rfc-index":  func() (string, error) { return rfcs(top) },
	}
}

const (
	begin = "<!-- generated: "
	end   = "<!-- end -->"
)

var errMarkers = errors.New("the markers of a generated part do not fit together")

// rewrite puts the parts between their markers.
func rewrite(doc []byte, made map[string]block) ([]byte, error) {
	var out []string
	inside := ""
	for line := range strings.Lines(string(doc)) {
		name, opens := strings.CutPrefix(strings.TrimRight(line, "\n"), begin)
		name = strings.TrimSuffix(name, " -->")
		switch {
		case opens && inside != "":
			return nil, fmt.Errorf("%q within %q: %w", name, inside, errMarkers)
		case opens:
			inside = name
			make, ok := made[inside]
			if !ok {
				return nil, fmt.Errorf("there is no part %q", inside)
			}
			text, err := make()
			if err != nil {
				return nil, fmt.Errorf("part %q: %w", inside, err)
			}
			out = append(out, line, "\n", strings.Trim(text, "\n")+"\n\n")
		case strings.TrimRight(line, "\n") == end:
			if inside == "" {
				return nil, fmt.Errorf("an end without a beginning: %w", errMarkers)
			}
			inside = ""
			out = append(out, line)
		case inside == "":
			out = append(out, line)
		}
	}
	if inside != "" {
		return nil, fmt.Errorf("%q has no end: %w", inside, errMarkers)
	}
	return []byte(strings.Join(out, "")), nil
}

// table writes a table in Markdown.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			b.WriteString(" " + strings.ReplaceAll(c, "|", "\\|") + " |")
		}
		b.WriteString("\n")
	}
	line(head)
	line(strings.Split(strings.Repeat("--- ", len(head)-1)+"---", " "))
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// code shows a text as it is in the code.
func code(s string) string { return "`" + s + "`" }
