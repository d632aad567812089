// Package nearest finds the word that somebody probably meant.
package nearest

// Nearest returns the member of words that is closest to word, the first one of
// several. It is false when none is close enough for a hint to help: about
// one slip in three letters, a slip being a letter added, lost, changed or
// swapped with its neighbour.
func Nearest(word string, words []string) (string, bool) {
	w := []rune(word)
	limit := (len(w) + 2) / 3
	best, found := "", false
	for _, candidate := range words {
		d := distance(w, []rune(candidate), limit)
		if d > limit || d >= max(len(w), len(candidate)) {
			continue // too far, or nothing of it is left
		}
		best, found = candidate, true
		if d == 0 {
			break
		}
		limit = d - 1
	}
	return best, found
}

// distance counts the slips between a and b (optimal string alignment). Above
// limit any larger number will do.
func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		least := row[0]
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
