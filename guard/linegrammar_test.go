//go:build linux

package guard_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
)

// lineGrammar writes random command lines about the files of diffTree.
type lineGrammar struct {
	*rand.Rand
	top string
	// meant says that a path of the line leads to a sibling, or to what is above
	// them: a line may be refused for it though that part of it never runs.
	meant bool
}

func (g *lineGrammar) pick(of ...string) string { return of[g.IntN(len(of))] }

// one says yes in one of n cases.
func (g *lineGrammar) one(n int) bool { return g.IntN(n) == 0 }

// whole is a line for a workspace, and where it begins.
func (g *lineGrammar) whole(root string) (cwd, line string) {
	g.top = root
	cwd = g.pick(root+"/"+own, root+"/"+own, root+"/"+own, root, root+"/docs", root+"/"+own+"/sub")
	return cwd, g.line(cwd, 2)
}

// line is a line that begins in a folder; depth is how deep it may nest. What
// follows a change of folder is written for the new one.
func (g *lineGrammar) line(cwd string, depth int) string {
	line, sep := "", ""
	for range 1 + g.IntN(3) {
		if g.one(5) {
			to := g.folder()
			if line != "" {
				line += g.pick("; ", "\n")
			}
			line += g.pick("cd ", "cd ", "cd -P ", "pushd ") + g.spell(to, cwd) + g.pick(" && ", "; ")
			cwd, sep = to, ""
		}
		line += sep + g.statement(cwd, depth)
		sep = g.pick("; ", "; ", " && ", "\n", " || ")
	}
	return line
}

func (g *lineGrammar) statement(cwd string, depth int) string {
	if depth == 0 || g.one(2) {
		return g.plain(cwd)
	}
	inner := func() string { return g.statement(cwd, depth-1) }
	switch g.IntN(17) {
	case 0:
		return "(" + g.line(cwd, depth-1) + ")"
	case 1:
		return "{ " + inner() + "; }"
	case 2:
		return "if [ -f " + g.read(cwd) + " ]; then " + inner() + "; else " + inner() + "; fi"
	case 3:
		return "for f in " + g.read(cwd) + " " + g.read(cwd) + "; do " + g.reader() + ` "$f"; done`
	case 4:
		return g.pick("bash", "sh") + " -c '" + strings.ReplaceAll(g.plain(cwd), "'", `'\''`) + "'"
	case 5:
		return g.pick("timeout 5", "env X=1", "nice -n 1", "nohup", "command", "time", "stdbuf -oL") + " " + g.simple(cwd)
	case 6:
		to := g.folder()
		return "env -C " + g.spell(to, cwd) + " " + g.simple(to)
	case 7:
		to := g.folder()
		return "(cd " + g.spell(to, cwd) + " && " + g.statement(to, depth-1) + "); " + inner()
	case 8, 9:
		return g.plain(cwd)
	case 10:
		return "d=" + g.read(cwd) + "; " + g.reader() + ` "$d"`
	case 11:
		return "d=" + filepath.Dir(g.plainPath(g.target(), cwd)) + "; " + g.reader() + ` "$d"/` + g.pick("design.md", "notes.md", "a.txt")
	case 12:
		return "echo " + g.read(cwd) + " | xargs " + g.reader()
	case 13:
		return "cat <(" + inner() + ")"
	case 14:
		return g.simple(cwd) + " | " + g.pick("head -n 1", "wc -l", "sort", "grep -c TODO", "sed 's/a/b/'", "cat", "tee "+g.write(cwd), "cut -c1-5")
	case 15:
		return "f() { " + g.reader() + ` "$1"; }; f ` + g.read(cwd)
	}
	return "while read -r x; do echo \"$x\"; done < " + g.read(cwd)
}

// plain is a command with its redirections.
func (g *lineGrammar) plain(cwd string) string {
	c := g.simple(cwd)
	switch g.IntN(10) {
	case 0:
		return c + " > " + g.write(cwd)
	case 1:
		return c + " >> " + g.write(cwd)
	case 2:
		return c + " 2> /dev/null"
	case 3:
		return c + " < " + g.read(cwd)
	}
	return c
}

func (g *lineGrammar) reader() string {
	return g.pick("cat", "head -n 2", "tail -1", "wc -l", "grep TODO", "sort", "nl", "cksum", "od -c", "sed -n 1p", "awk '{print $1}'", "cut -c1-20", "cat -n", "tac")
}

func (g *lineGrammar) simple(cwd string) string {
	switch g.IntN(20) {
	case 0, 1, 2, 3, 4:
		return g.reader() + " " + g.read(cwd)
	case 5:
		return g.reader() + " " + g.read(cwd) + " " + g.read(cwd)
	case 6, 7:
		return g.pick("ls", "ls -l", "ls -R", "ls -d", "du -s", "stat", "tree") + " " + g.spell(g.folder(), cwd)
	case 8, 9:
		return g.pick("grep -rn TODO", "grep -Rl TODO", "rg TODO", "grep -rl --include='*.md' TODO") + " " + g.spell(g.folder(), cwd)
	case 10:
		return "find " + g.spell(g.folder(), cwd) + g.pick("", " -name '*.md'", " -maxdepth 1", " -type f -exec cat {} +", " -newer "+g.read(cwd))
	case 11:
		// Text that only looks like a path.
		return g.pick("echo 'see ../U04/design.md'", "printf '%s\\n' ../U04/design.md", "grep -c ../U04 design.md", "sed -n 's#../U04#x#p' design.md",
			"true # ../U04/design.md", "cat << E\n../U04/design.md\nE\n:", "echo construction/units/U04")
	case 12:
		return g.pick("cp", "cp -L", "cp -p", "mv", "ln", "install -m 600", "rsync -a") + " " + g.read(cwd) + " " + g.write(cwd)
	case 13:
		return g.pick("cp -r", "cp -a", "rsync -a") + " " + g.spell(g.folder(), cwd) + " " + g.write(cwd)
	case 14:
		return g.pick("touch", "rm -f", "truncate -s 1", "sed -i s/a/b/", "chmod 600", "tee", "mkdir -p") + " " + g.write(cwd)
	case 15:
		return "tar cf " + g.write(cwd) + " " + g.pick(g.read(cwd), g.spell(g.folder(), cwd), "-C "+g.spell(g.folder(), cwd)+" .")
	case 16:
		a, b := g.folder(), g.folder()
		// diff goes through the links of a folder, where the other one has the name too.
		g.meant = g.meant || hasLinks(a) || hasLinks(b)
		return g.pick("diff -r", "diff -r", "diff -rN") + " " + g.spell(a, cwd) + " " + g.spell(b, cwd)
	case 17:
		return "dd status=none if=" + g.plainPath(g.target(), cwd) + " of=" + g.plainPath(g.place(), cwd)
	case 18:
		return g.pick("pwd", "date", "true", "ls", "echo done", "git --version", "wc -l *.md", "cat *.md", "grep -n TODO *")
	}
	return "sort -o " + g.write(cwd) + " " + g.read(cwd)
}

// hasLinks says whether a folder of the tree has links.
func hasLinks(folder string) bool {
	return !strings.HasSuffix(folder, "/src") && !strings.HasSuffix(folder, "/sub") && !strings.HasSuffix(folder, "/api")
}

// within the workspace: mostly where an agent belongs.
func (g *lineGrammar) unit() string {
	if !g.one(5) {
		return g.pick(own, own, own, own, own+"/in/..", own+"/up/U03", "docs", "docs", "src")
	}
	return g.pick(sib, sib, "construction/units/U05", own+"/over", "docs/over")
}

// target is a file that exists, as a path of the workspace.
func (g *lineGrammar) target() string {
	switch u := g.unit(); u {
	case "docs":
		return "docs/" + g.pick("guide.md", "api/index.md")
	case "src":
		return "src/main.go"
	case "construction/units/U05":
		return u + "/design.md"
	default:
		return u + "/" + g.pick("design.md", "notes.md", "sub/a.txt")
	}
}

// place is where something may be written.
func (g *lineGrammar) place() string {
	if g.one(3) {
		return g.target()
	}
	return g.unit() + "/" + fmt.Sprintf("new%d", g.IntN(3))
}

// folder is an absolute folder.
func (g *lineGrammar) folder() string {
	if !g.one(4) {
		return g.top + "/" + g.pick(own, own, own, own+"/sub", own+"/in", "docs/api", "docs/api", "src")
	}
	return g.top + "/" + g.pick(sib, sib+"/sub", own+"/over", "construction", "construction/units", "docs")
}

func (g *lineGrammar) read(cwd string) string  { return g.spell(g.top+"/"+g.target(), cwd) }
func (g *lineGrammar) write(cwd string) string { return g.spell(g.top+"/"+g.place(), cwd) }

func (g *lineGrammar) plainPath(rel, cwd string) string { return g.way(g.top+"/"+rel, cwd) }

// way writes an absolute path, as it is or from a folder.
func (g *lineGrammar) way(abs, cwd string) string {
	p := abs
	rel := strings.TrimPrefix(abs, g.top+"/")
	g.meant = g.meant || strings.HasPrefix(rel, sib) || strings.Contains(rel, "/over") || strings.Contains(rel, "U05") ||
		rel == "construction" || rel == "construction/units"
	if !g.one(4) {
		if rel, err := filepath.Rel(cwd, abs); err == nil {
			p = rel
		}
	}
	if g.one(6) {
		p = strings.Replace(p, "/", g.pick("/./", "//"), 1)
	}
	if g.one(8) && !strings.HasPrefix(p, "/") {
		p = "./" + p
	}
	return p
}

// spell writes a path as a word of the shell.
func (g *lineGrammar) spell(abs, cwd string) string {
	p := g.way(abs, cwd)
	switch g.IntN(16) {
	case 0:
		return `"` + p + `"`
	case 1:
		return "'" + p + "'"
	case 2:
		return "$'" + strings.Replace(p, "U", `\x55`, 1) + "'"
	case 3:
		return p[:len(p)/2] + `""` + p[len(p)/2:]
	case 4:
		return p[:len(p)-1] + "?"
	case 5:
		// The guard refuses it for the own unit too: it might match a sibling. Rare, as in life.
		if strings.Contains(p, "U04") || g.one(12) {
			return strings.Replace(p, "U0", "U[0]", 1)
		}
	case 6:
		return strings.Replace(p, "U04", "U0{4,3}", 1)
	case 7:
		return strings.Replace(p, "design", "des*", 1)
	case 8:
		if !strings.HasPrefix(p, "/") {
			return g.pick(`"$PWD"/`, "${PWD}/", "~+/") + p
		}
	case 9:
		return strings.Replace(p, "U0", `U\0`, 1)
	case 10:
		return strings.Replace(p, "U04", "U0$((3+1))", 1)
	}
	return p
}
