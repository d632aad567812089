package shell

import "strings"

// remote follows what talks to other repositories, by the names that they have.
func (g *gitCall) remote() {
	if g.r.operands == "push" {
		g.hooks("pre-push")
	}
	for i := range g.args {
		f := &g.args[i]
		switch {
		case f.unknown:
		case inList("push fetch", g.r.name) && i > 0 && !f.dash() && !isCommit(strings.SplitN(strings.TrimPrefix(f.text, "+"), ":", 2)[0]):
			g.everything(Search)
		case strings.Contains(f.text, "::") || shortens(f.text, "--upload-pack --receive-pack --exec"):
			g.e.opaqueBy(f.pos, "a repository that is reached by a program", g.index)
		case strings.HasPrefix(f.text, "/") || strings.HasPrefix(f.text, ".") || strings.HasPrefix(f.text, "file:"):
			p := f.tail(strings.TrimPrefix(f.text, "file://"))
			g.use(&p, Search)
			if g.r.operands == "push" {
				g.use(&p, Write)
			}
		}
	}
}

// clone follows git clone: a repository of this machine is read as a whole.
func (g *gitCall) clone() {
	p := g.p
	if len(p.operands) == 0 {
		return
	}
	from := p.operands[0]
	switch t := from.text; {
	case strings.Contains(t, "::"):
		g.e.opaqueBy(from.pos, "a repository that is reached by a program", g.index)
	case from.unknown:
		g.e.opaque(from.pos, "a repository that is computed")
	case strings.Contains(t, "://") && !strings.HasPrefix(t, "file:"), strings.Contains(t, ":") && !strings.Contains(strings.SplitN(t, ":", 2)[0], "/"):
	default:
		v := from.tail(strings.TrimPrefix(t, "file://"))
		g.use(&v, Search)
		g.everything(Search)
	}
	if len(p.operands) > 1 {
		g.use(&p.operands[1], Place)
	} else {
		g.implied(Place, strings.TrimSuffix(base(from.text), ".git"), Fact{})
	}
}
