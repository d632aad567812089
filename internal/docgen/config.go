package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/seed6310be5c/conduct/config"
)

// key is one key of conduct.yaml.
type key struct{ name, values, missing, meaning string }

// keys are in the order of config's own list.
func keys() []key {
	return []key{
		{"layout", "a pattern, or a list of them", "no units by layout", "where units lie: each folder at `{unit}` is one, `*` stands for one folder of any name; it must end with `{unit}`"},
		{"units", "name → `paths`, `reads`", "none", "units by name, beside or instead of a layout. `paths` are files and folders; `reads` are files, folders and patterns of other units that this unit may read"},
		{"strict", "`true`, `false`", "`false`", "blocks agents that nobody dispatched on unit paths, while a dispatch is in force"},
		{"enforce", "`block`, `observe`", "`block`", "`observe`: judge and log, block nothing but protected paths and the conductor's commands"},
		{"bind", "`agent`, `first-touch`", "`agent`", "`first-touch`: where several dispatches fit an agent, its first call into exactly one candidate's unit decides"},
		{"shared", "`write`, `read`", "`write`", "what dispatched agents may do with paths of no unit. `--role reviewer` and `--shared read` mean `read`"},
		{"ttl", "a duration such as `90m`, `6h`, `2d`", "`6h`", "how long a dispatch lives when its command does not say; at most `7d`"},
		{"opaque", "`confine`, `block`, `allow`", "`confine`", "what becomes of shell commands that are not understood. `confine`: they run in a sandbox, or are blocked where that cannot be"},
		{"confine", "`opaque`, `all`", "`opaque`", "which shell commands run in that sandbox. `all`: those that are understood, too ([why](#every-command-confined))"},
		{"commands", "a list of command words", "none", "commands that run as they are, unconfined, although they are not understood; by their first words: `go test` covers `go test ./...`"},
		{"commands_deny", "a list of command words", "none", "commands that no dispatched agent may run, by their first words"},
		{"audit", "`all`, `blocked`", "`all`", "which calls of dispatched agents leave a line in the log"},
		{"retention", "a duration", "`7d`", "how long an ended dispatch is kept, so that a late call of its agent is still known"},
		{"store", "`file`", "`file`", "where records are kept"},
	}
}

// configKeys is the table of the keys.
func configKeys() (string, error) {
	known, err := knownKeys()
	if err != nil {
		return "", err
	}
	var rows [][]string
	var names []string
	for _, k := range keys() {
		names = append(names, k.name)
		rows = append(rows, []string{code(k.name), k.values, k.missing, k.meaning})
	}
	if got := strings.Join(names, ", "); got != known {
		return "", fmt.Errorf("conduct.yaml knows the keys %s, described are %s", known, got)
	}
	return table([]string{"key", "values", "without it", "meaning"}, rows), nil
}

// knownKeys asks the reader of conduct.yaml for its keys, which an unknown one makes it list.
func knownKeys() (string, error) {
	_, err := config.Parse([]byte("qqqqqqqq: 1\n"))
	if err == nil {
		return "", errors.New("an unknown key is taken")
	}
	_, list, ok := strings.Cut(err.Error(), "the known ones are ")
	if !ok {
		return "", fmt.Errorf("no list of keys in %q", err)
	}
	return list, nil
}

// configFile is the file that conduct init writes where no layout fits.
func configFile() (string, error) {
	return "```yaml\n" + string(config.Example()) + "```\n", nil
}

// layout is the tree of the records, as the package that writes it describes it.
func layout(top string) (string, error) {
	var lines []string
	for _, folder := range []string{"store/file", "ledger/file", "mailbox/file", "approval/file"} {
		name := filepath.Join(top, filepath.FromSlash(folder), "store.go")
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return "", fmt.Errorf("parse %q: %w", name, err)
		}
		more, err := indented(f.Doc)
		if err != nil {
			return "", fmt.Errorf("%q: %w", name, err)
		}
		lines = append(lines, more...)
	}
	lines = append(lines, "audit/<id>.jsonl               the judged calls of a dispatch, one line each; rotated")
	return "```text\n.conduct/\n  " + strings.Join(lines, "\n  ") + "\n```\n", nil
}

// indented returns the one indented part of a comment.
func indented(doc *ast.CommentGroup) ([]string, error) {
	var out []string
	for line := range strings.Lines(doc.Text()) {
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			out = append(out, strings.TrimRight(rest, "\n"))
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no layout in the package's comment")
	}
	return out, nil
}
