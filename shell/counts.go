package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// countsOnly says whether all that a statement prints is a number, or nothing:
// numbers are neither options nor names.
func countsOnly(st *syntax.Stmt) bool {
	for _, rd := range st.Redirs {
		if rd.Op != syntax.RdrIn && !(rd.Op == syntax.RdrOut && rd.Word.Lit() == "/dev/null") {
			return false
		}
	}
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && len(st.Redirs) == 0 && countsOnly(c.Y)
	case *syntax.CallExpr:
		if words, ok := plainWords(c); ok && len(words) > 0 {
			return counts(words[0], words[1:])
		}
	}
	return false
}

// plainWords returns the words of a command of which nothing is expanded.
func plainWords(c *syntax.CallExpr) ([]string, bool) {
	var out []string
	for _, w := range c.Args {
		text := ""
		for _, p := range w.Parts {
			switch p := p.(type) {
			case *syntax.Lit:
				if strings.ContainsAny(p.Value, "\\*?[{~") {
					return nil, false
				}
				text += p.Value
			case *syntax.SglQuoted:
				text += p.Value
			case *syntax.DblQuoted:
				l, ok := onlyLit(p.Parts)
				if !ok {
					return nil, false
				}
				text += l
			default:
				return nil, false
			}
		}
		out = append(out, text)
	}
	return out, len(c.Assigns) == 0
}

func onlyLit(parts []syntax.WordPart) (string, bool) {
	if len(parts) == 0 {
		return "", true
	}
	l, ok := parts[0].(*syntax.Lit)
	if !ok || len(parts) > 1 {
		return "", false
	}
	return l.Value, true
}

// counts says whether a command of these words prints a number and nothing else.
func counts(name string, args []string) bool {
	switch name {
	case "wc":
		return len(args) == 1 && inList("-l -c -w -m", args[0])
	case "nproc":
		return len(args) == 0
	case "id":
		return len(args) == 1 && (args[0] == "-u" || args[0] == "-g")
	case "date":
		return len(args) == 1 && strings.HasPrefix(args[0], "+%") && strings.Trim(args[0], "+%sYmdHMSjN") == ""
	case "grep":
		// The name of a file is only printed when there are several.
		if len(args) < 2 || len(args) > 3 || !strings.Contains(args[0], "c") || strings.Trim(args[0], "-cvwxiEFPs") != "" || args[0][0] != '-' {
			return false
		}
		return !strings.HasPrefix(args[1], "-") && !strings.HasPrefix(args[len(args)-1], "-")
	}
	return false
}
