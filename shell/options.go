package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// exits says whether it is certain that exit ends the shell: it does not when it is
// asked for help, or when a variable before it cannot be set.
func (c *command) exits() bool {
	switch len(c.args) {
	case 0:
		return len(c.values) == 0
	case 1:
		f := &c.args[0]
		return len(c.values) == 0 && (f.number || !f.unknown && !f.glob && isNumber(f.text))
	}
	return false
}

// leaves notes that a loop may be left here. As that may fail, the line goes on, too.
func (c *command) leaves() {
	if !c.s.dead {
		c.e.left = append(c.e.left, leaving{c.s, len(c.args) > 0})
	}
}

// plainOptions are options of the shell that change nothing of what its words mean.
const plainOptions = "errexit nounset pipefail xtrace noglob verbose noclobber physical"

func isCluster(word string) bool {
	return len(word) > 1 && (word[0] == '-' || word[0] == '+') && word != "--"
}

// plainSwitches says the same of a cluster of letters, of which "o" takes a name.
func plainSwitches(word string) bool {
	letters := strings.TrimSuffix(word[1:], "o")
	return strings.Trim(letters, "euxvfCPbhmnET") == ""
}

// plainShopts are the names of further options that the rules reckon with.
const plainShopts = "globstar extglob inherit_errexit"

// refuses says whether declare and the like may set nothing, for an option: it is about
// functions, prints, or is not known to them.
func refuses(d *syntax.DeclClause, words []string) bool {
	plain := "xrgtnaAiulc" // of the others it is said elsewhere
	if d.Variant.Value == "export" {
		plain = "n"
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return len(w) > 1 && (w[0] == '-' || w[0] == '+') && w != "--" && strings.Trim(w[1:], plain) != ""
	})
}

// mayAsk makes a test opaque in which a computed word may be "-v", and what stands
// after it the name of an array with an index, which is evaluated.
func (c *command) mayAsk(f *field, after []field) {
	switch {
	case f.number && f.text == "", strings.Trim(f.text, "-v") != "" && !f.loose:
	case f.loose:
		c.e.opaque(f.pos, "a word that is computed")
	case len(after) > 0 && !after[0].number && (after[0].unknown || strings.Contains(after[0].text, "[") && strings.ContainsAny(after[0].text, "$`")):
		c.e.subscript(after[0])
	}
}
