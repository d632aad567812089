package guard

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHooksPathOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                               nil,
		"[core]\n\thooksPath = tools/hooks":              {"tools/hooks"},
		"[Core]\n  HOOKSPATH=\"a b/#c\" ; why\n":         {"a b/#c"},
		"[core] hooksPath = x # here\n":                  {"x"},
		"[core \"sub\"]\nhooksPath = x\n":                nil,
		"[user]\nhooksPath = x\n[core]\nhooksPath = y\n": {"y"},
		"[core]\nhooksPath =\nhooksPath = ~/h\n":         {"~/h"},
		"[core]\r\n\thooksPath = win\\\\dows\r\n[alias]": {`win\dows`},
		"[core]\nhooksPathX = a\nhooks = b\nhooksPath\n": nil,
		"# [core]\n[core\nhooksPath = torn":              {"torn"}, // rather too much than too little
	} {
		require.Equal(t, want, hooksPathOf(text), text)
	}
}

func FuzzHooksPathOf(f *testing.F) {
	f.Add("[core]\n\thooksPath = \"a\\\"b\" ; c\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range hooksPathOf(text) {
			require.NotEmpty(t, v)
			require.NotContains(t, v, "\n")
		}
	})
}
