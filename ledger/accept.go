package ledger

import (
	"strings"

	"github.com/seed6310be5c/conduct/store"
)

// Checklist is what is to be checked before an item is accepted. It is made of what
// the conductor wrote when the item was made, and of nothing that a worker has
// reported since: a worker's "done" is a claim, and so is its pull request.
type Checklist struct {
	Item   store.ID `view:"item"`
	Title  string   `view:"title"`
	Round  int      `view:"round"`
	Checks []string `view:"checks"`
}

// unmarked is a line without the marks of lists before it.
func unmarked(line string) string {
	for {
		line = strings.TrimSpace(line)
		head, rest, ok := strings.Cut(line, " ")
		if box, found := strings.CutPrefix(line, "[ ] "); found {
			head, rest = "-", box
		}
		if !ok || !isMark(head) {
			return line
		}
		line = rest
	}
}

func isMark(word string) bool {
	switch word {
	case "-", "*", "+", "•", "[x]", "[X]":
		return true
	}
	n := strings.TrimRight(word, ".)")
	return n != "" && len(word) == len(n)+1 && strings.Trim(n, "0123456789") == ""
}

// Checklist makes the list of an item's acceptance, one check for each line. An
// item that has none is FieldInvalid: nothing to check is not accepted.
func (it *Item) Checklist() (Checklist, error) {
	v := Checklist{Item: it.ID, Title: it.Title, Round: it.Round}
	for line := range strings.Lines(it.Acceptance) {
		if line = unmarked(line); line != "" {
			v.Checks = append(v.Checks, line)
		}
	}
	if len(v.Checks) == 0 {
		return Checklist{}, refuse(FieldInvalid, "item %q says nothing of when it is done", string(it.ID)).of(it.ID).in("acceptance")
	}
	return v, nil
}
