package shell

import (
	"errors"
	"strconv"
	"strings"
)

// errEscape is the error of an address with a broken escape.
var errEscape = errors.New("a broken escape")

// Unescape undoes the percent escapes in the path of a URL. It is here since
// net/url costs every start of the hook more than most calls.
func Unescape(s string) (string, error) {
	if !strings.Contains(s, "%") {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", errEscape
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", errEscape
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), nil
}
