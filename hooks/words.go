package hooks

import (
	"slices"
	"strings"
	"unicode"
)

// namesWriting says whether an unknown tool's name says that it changes something.
func namesWriting(tool string) bool {
	// Of mcp__server__tool only the tool's own name counts.
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		if _, own, ok := strings.Cut(rest, "__"); ok {
			tool = own
		}
	}
	// So it does of @server/tool and MCP:tool.
	if strings.HasPrefix(tool, "@") {
		_, tool, _ = strings.Cut(tool, "/")
	}
	return slices.ContainsFunc(words(strings.TrimPrefix(tool, "MCP:")), writingWord)
}

func writingWord(w string) bool {
	switch w {
	case "write", "writer", "edit", "editor", "create", "delete", "remove", "move", "rename",
		"update", "upsert", "replace", "insert", "append", "prepend", "save", "store", "put",
		"patch", "set", "apply", "mkdir", "rmdir", "touch", "copy", "rm", "mv", "cp", "unlink",
		"modify", "change", "overwrite", "truncate", "add", "upload", "commit", "chmod", "chown":
		return true
	}
	return false
}

// words splits a name at its punctuation and where its case changes, in lower
// case: "fs.writeFile" is fs, write, file; "FSWrite" is fs, write.
func words(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && len(word) > 0 {
			afterLower := !unicode.IsUpper(runes[i-1])
			beforeLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || beforeLower {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return out
}
