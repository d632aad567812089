package shell

import (
	"path"
	"strings"
)

// fetch follows curl and wget: where they put what comes, and what they send.
func (c *command) fetch(p *parsed) {
	c.optionFacts(p)
	if p.has(hidden) {
		c.e.opaqueBy(c.pos, "an option with which more happens than can be told", c.index)
	}
	named, output := c.name == "wget", false
	for i := range p.values {
		v := &p.values[i]
		switch v.option.name {
		case "-O", "--remote-name", "--remote-name-all":
			if c.name == "curl" {
				named = true
			} else {
				output = true
			}
		case "--output-document", "--spider":
			output = true
		case "-d", "--data", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-H", "--header", "-w", "--write-out":
			c.sent(&v.field)
		case "-F", "--form":
			c.form(&v.field)
		case "-T", "--upload-file":
			c.severalNames(&v.field, "{[")
		case "-o", "--output":
			c.severalNames(&v.field, "#") // a part of the address
		case "--url":
			p.operands = append(p.operands, v.field)
		case "-J", "--remote-header-name":
			c.implied(Place, ".", Fact{})
		}
	}
	into := "."
	if v, ok := p.value("-P", "--directory-prefix", "--output-dir"); ok {
		into = v.text
	}
	if p.has(stopped) {
		c.implied(Write, into, Fact{})
	}
	for i := range p.operands {
		f := &p.operands[i]
		if len(f.text) > 5 && strings.EqualFold(f.text[:5], "file:") {
			c.fileAddress(f)
			continue
		}
		if scheme, _, _ := strings.Cut(f.text, "/"); c.name == "curl" {
			c.severalNames(&field{value: value{text: scheme}, pos: f.pos}, "{[")
		}
		if f.unknown && !strings.HasPrefix(f.text, "http") {
			c.e.opaque(f.pos, "an address that is computed")
		}
		if named && !output {
			c.implied(Place, joinPath(into, remoteName(f.text)), Fact{})
		}
	}
}

// fileAddress reports the file of a file URL.
func (c *command) fileAddress(f *field) {
	rest := f.text[5:]
	if host, ok := strings.CutPrefix(rest, "//"); ok {
		if rest = "/"; strings.Contains(host, "/") {
			rest = host[strings.IndexByte(host, '/'):]
		}
	}
	name, err := Unescape(rest)
	if err != nil || strings.ContainsAny(name, "{}[]?#") {
		c.e.opaque(f.pos, "an address that is computed")
	}
	g := *f
	g.text = name
	c.use(&g, Read)
}

// severalNames holds that curl makes no other names of a word.
func (c *command) severalNames(f *field, marks string) {
	if strings.ContainsAny(f.text, marks) || f.glob {
		c.e.opaqueBy(f.pos, "an address or a name that stands for several", c.index)
	}
}

// form reports the file that a field of a form names. There may be several of them, in
// quotes, and with files of headers.
func (c *command) form(f *field) {
	_, file, ok := strings.Cut(f.text, "=")
	if !ok || strings.IndexAny(file, "@<") != 0 {
		if f.unknown {
			c.e.opaque(f.pos, "a word that is computed")
		}
		return
	}
	name, rest, _ := strings.Cut(file, ";")
	if strings.ContainsAny(name, `",\`) || strings.ContainsAny(rest, "@<") {
		c.e.opaqueBy(f.pos, "a form with more than a file", c.index)
	}
	c.sent(f)
}

// sent reports the file that a value names after an "@".
func (c *command) sent(f *field) {
	if strings.Contains(f.text, "%output{") {
		c.e.opaqueBy(f.pos, "a format that writes files", c.index)
	}
	if i := strings.IndexByte(f.text, '@'); i == 0 || i > 0 && (strings.Contains(f.text[:i], "=") || isName(f.text[:i])) {
		g := *f
		name, _, _ := strings.Cut(f.text[i+1:], ";")
		if g.text = name; name != "-" {
			c.use(&g, Read)
		}
	} else if i := strings.Index(f.text, "=<"); i >= 0 {
		g := *f
		g.text = f.text[i+2:]
		c.use(&g, Read)
	}
}

// remoteName is the name that a file from an address gets.
func remoteName(u string) string {
	if i := strings.Index(u, "://"); i >= 0 {
		u = u[i+3:]
	}
	u, _, _ = strings.Cut(u, "#")
	i := strings.IndexByte(u, '/')
	if i < 0 || strings.HasSuffix(u, "/") {
		return "index.html"
	}
	return path.Base(u[i:])
}
