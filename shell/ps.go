package shell

import "strings"

// ps makes the line opaque where it may show the environment of processes, which for a
// confined command holds what it alone is to know.
func (c *command) ps() {
	before := ""
	for i := range c.args {
		f := &c.args[i]
		if f.unknown || f.glob || showsEnvironment(before, f.text) {
			c.e.opaqueBy(c.pos, "it may show the environment of other processes", c.index)
			return
		}
		before = f.text
	}
}

// showsEnvironment says whether a word of ps, behind another one, asks for environments:
// the letter e of the options without a dash, macOS' -E, and a column of that name.
func showsEnvironment(before, word string) bool {
	if strings.Contains(word, "environ") {
		return true
	}
	takesValue := "oOkpqU"
	if strings.HasPrefix(before, "-") {
		takesValue = "oOCpqGgUuts"
	}
	switch {
	case strings.HasPrefix(word, "--"):
		return false
	case strings.HasPrefix(word, "-"):
		return strings.Contains(word, "E")
	case strings.HasPrefix(before, "--") && !strings.Contains(before, "="), before != "" && strings.ContainsAny(before[len(before)-1:], takesValue):
		return false
	}
	options, _, _ := strings.Cut(word, ",")
	return strings.Contains(options, "e")
}
