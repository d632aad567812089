package install

import (
	"bytes"
	"errors"
)

// bom is how some editors begin a file.
const bom = "\ufeff"

var errUnended = errors.New("a comment has no end")

// plain returns a text in which comments, trailing commas and a byte order mark
// are blanks, so that a reader of strict JSON finds every value at its place.
func plain(text []byte) ([]byte, error) {
	out := bytes.Clone(text)
	if bytes.HasPrefix(out, []byte(bom)) {
		blank(out[:len(bom)])
	}
	comma := -1 // of the last comma with only blanks behind it
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			i, comma = stringEnd(out, i), -1
			continue
		case c == '/':
			end, err := commentEnd(out, i)
			if err != nil {
				return nil, err
			}
			if end == i {
				comma = -1
				break
			}
			blank(out[i:end])
			i = end
			continue
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0 && !opens(out[:comma]):
			out[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
		i++
	}
	return out, nil
}

// opens says that a text ends with an opening bracket or a comma: a comma behind
// that is no trailing one.
func opens(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r\n")
	return len(text) == 0 || bytes.IndexByte([]byte("[{,:"), text[len(text)-1]) >= 0
}

// blank overwrites all but line ends.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// stringEnd is where the string ends that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// commentEnd is where the comment ends that begins at i; i where none does.
func commentEnd(text []byte, i int) (int, error) {
	switch {
	case bytes.HasPrefix(text[i:], []byte("//")):
		if n := bytes.IndexAny(text[i:], "\r\n"); n >= 0 {
			return i + n, nil
		}
		return len(text), nil
	case bytes.HasPrefix(text[i:], []byte("/*")):
		n := bytes.Index(text[i+2:], []byte("*/"))
		if n < 0 {
			return i, errUnended
		}
		return i + n + 4, nil
	}
	return i, nil
}
