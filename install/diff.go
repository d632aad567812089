package install

import (
	"fmt"
	"slices"
	"strings"
)

// around is how many unchanged lines are shown before and after changed ones.
const around = 3

func lines(b []byte) []string { return slices.Collect(strings.Lines(string(b))) }

// hunk shows everything between the first and the last line that differ.
// Settings are short, so one piece will do.
func hunk(a, b []string) string {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	from, after := head-min(head, around), min(tail, around)
	x, y := a[from:len(a)-tail+after], b[from:len(b)-tail+after]
	var out strings.Builder
	fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", start(from, x), len(x), start(from, y), len(y))
	put := func(sign, line string) {
		out.WriteString(sign + line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
	common := commonSuffixes(x, y)
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			put(" ", x[i])
			i, j = i+1, j+1
		case i < len(x) && (j == len(y) || common[i+1][j] >= common[i][j+1]):
			put("-", x[i])
			i++
		default:
			put("+", y[j])
			j++
		}
	}
	return out.String()
}

// commonSuffixes is the length of the longest common subsequence of each a[i:] and b[j:].
func commonSuffixes(a, b []string) [][]int {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	return n
}

// start is the number of a hunk's first line; 0 for a file that is not there.
func start(from int, part []string) int {
	if len(part) == 0 {
		return 0
	}
	return from + 1
}
