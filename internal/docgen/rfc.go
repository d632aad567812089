package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// rfcs is the index of the design documents, made of their own first lines.
func rfcs(top string) (string, error) {
	files, err := filepath.Glob(filepath.Join(top, "docs", "rfc", "0*.md"))
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, name := range files {
		title, status, err := rfcHead(name)
		if err != nil {
			return "", err
		}
		number, text, ok := strings.Cut(strings.TrimPrefix(title, "# RFC "), ": ")
		if !ok || status == "" {
			return "", fmt.Errorf("%q: no title or no status", name)
		}
		rows = append(rows, []string{number, fmt.Sprintf("[%s](%s)", text, filepath.Base(name)), status})
	}
	return table([]string{"number", "about", "status"}, rows), nil
}

// rfcHead reads the title and the status of a document.
func rfcHead(name string) (title, status string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", "", fmt.Errorf("read %q: %w", name, err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 0; n < 5 && lines.Scan(); n++ {
		if n == 0 {
			title = lines.Text()
		}
		if s, ok := strings.CutPrefix(lines.Text(), "- status: "); ok {
			status = s
		}
	}
	return title, status, lines.Err()
}
