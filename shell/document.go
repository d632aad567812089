package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// documents makes a line opaque with a here-document that ends, or may end, at another
// line for bash than for our parser: what is text to the one is commands to the other.
func (e *eval) documents(text string, f *syntax.File) {
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			// Within backquotes the backslashes are not yet what they will be.
			if part := text[n.Pos().Offset():n.End().Offset()]; n.Backquotes && strings.Contains(part, "<<") && strings.Contains(part, "\\") {
				e.opaque(offset(n), unsureEnd)
			}
		case *syntax.Redirect:
			if (n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc) && !endsAsRead(text, n) {
				e.opaque(offset(n), unsureEnd)
			}
		}
		return true
	})
}

const unsureEnd = "a here-document of which the end is not certain"

// endsAsRead says whether bash ends a here-document where our parser does. Bash reads
// it line by line, lines that go on in the next one joined, and looks into it later.
func endsAsRead(text string, rd *syntax.Redirect) bool {
	stop, quoted, ok := stopWord(rd.Word)
	if !ok || rd.Hdoc == nil {
		return ok
	}
	from, to := offset(rd.Hdoc), int(rd.Hdoc.End().Offset())
	body := text[strings.LastIndexByte(text[:from], '\n')+1 : to]
	for more := true; more; {
		var line string
		line, body, more = strings.Cut(body, "\n")
		for !quoted && more && continued(line) {
			var next string
			next, body, more = strings.Cut(body, "\n")
			line = line[:len(line)-1] + next
		}
		if rd.Op == syntax.DashHdoc {
			line = strings.TrimLeft(line, "\t")
		}
		if line == stop {
			return !more
		}
		if strings.HasPrefix(line, stop+")") {
			return false // within $(…) it ends here for some
		}
	}
	return false
}

// stopWord is the line that ends a here-document, and whether its text is taken as it
// stands. It returns false for a word that is quoted in a way that shells differ about.
func stopWord(w *syntax.Word) (stop string, quoted, ok bool) {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			plain := strings.ReplaceAll(p.Value, "\\", "")
			if quoted = quoted || plain != p.Value; plain != p.Value && !isName(plain) {
				return "", false, false
			}
			stop += plain
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false, false
			}
			stop, quoted = stop+p.Value, true
		case *syntax.DblQuoted:
			l, one := onlyLit(p.Parts)
			if p.Dollar || !one || strings.ContainsAny(l, "\\$`") {
				return "", false, false
			}
			stop, quoted = stop+l, true
		default:
			return "", false, false
		}
	}
	return stop, quoted, !strings.Contains(stop, "\n")
}
