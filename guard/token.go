package guard

import (
	"strconv"
	"strings"

	"github.com/seed6310be5c/conduct/store"
)

// TokenPrefix begins the text that names a dispatch in a launch prompt.
const TokenPrefix = "conduct:"

// Named reads an id as people and agents give it to our own programs, also as it stands in
// the launch line. What has no id behind that is not "no dispatch", but one that there is
// not.
func Named(text string) store.ID {
	text = strings.ToUpper(text)
	if id, ok := strings.CutPrefix(text, strings.ToUpper(TokenPrefix)); ok && id != "" {
		text = id
	}
	return store.ID(text)
}

// PromptToken is a dispatch named in a prompt. A depth is written behind the id
// by the guard itself: "conduct:<id>.1".
type PromptToken struct {
	ID    store.ID
	Depth int
	// Start and End are where it stands in the prompt.
	Start, End int
}

// Tokens finds the dispatches that a prompt names: TokenPrefix and, directly
// behind it, characters of an id. Prose ("we conduct: with care") is none, and
// so is a word that only ends in the prefix.
func Tokens(prompt string) []PromptToken {
	var out []PromptToken
	for at := 0; ; {
		i := strings.Index(prompt[at:], TokenPrefix)
		if i < 0 {
			return out
		}
		start := at + i
		at = start + len(TokenPrefix)
		end := at
		for end < len(prompt) && idChar(prompt[end]) {
			end++
		}
		if start > 0 && (idChar(prompt[start-1]) || prompt[start-1] >= 'a' && prompt[start-1] <= 'z') || end-at < minToken {
			continue
		}
		t := PromptToken{ID: store.ID(strings.ToUpper(prompt[at:end])), Start: start, End: end}
		if rest := prompt[end:]; len(rest) > 1 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9' {
			t.Depth, _ = strconv.Atoi(rest[1:2])
			t.End += 2
		}
		out = append(out, t)
		at = t.End
	}
}

// minToken is how many characters of an id make a token: fewer are a word.
const minToken = 8

func idChar(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }
