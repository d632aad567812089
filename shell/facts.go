package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Op is what is done with a path.
type Op uint8

// The operations. Which of them a folder allows is the caller's to judge.
const (
	Read   Op = iota + 1 // the content of a file
	Write                // created, changed, removed, moved or re-owned: a folder as a whole
	Place                // written when it is a file or missing; a folder only gets other facts' entries
	List                 // the entries of one folder, or a file that is named
	Search               // a subtree, or a file
	Enter                // gone to, or looked at from outside: whether it is there, its size, its kind
)

// Own stands in a Remedy for the pathspec of the caller's own unit as it is
// written in the call's folder: "." inside of it, or a path from there, or
// ":/construction/units/U03".
const Own = "{own}"

// Fact is one path that a command line uses.
type Fact struct {
	Op   Op
	Path string // absolute, or relative to each of Cwds
	// Cwds are all the folders that Path may be relative to: more than one where it
	// is not certain that a cd works. They are not cleaned: ".." after a link is the
	// kernel's to read. Relative ones are relative to the call's own folder, which
	// is then unknown. Nil with an absolute Path.
	Cwds []string
	// Glob says that Path is a pattern that the shell expands. Wildcards that were
	// quoted are escaped with a backslash; braces are always expanded already.
	Glob bool
	// Options says that the program would take a match of the pattern which begins
	// with a dash as an option.
	Options bool
	// Splits says that the shell would read a match of the pattern anew, so that
	// blanks and wildcards in it count.
	Splits bool
	// Follows says that a search goes through links.
	Follows bool
	// Implied says that the path was not written: the command uses it by itself.
	Implied bool
	// Guess marks a text that may be a path: in code for an interpreter, or an
	// operand of a program that is not known.
	Guess bool
	// Top says that Path is relative to the top of the git checkout that Cwds lie in.
	Top bool
	// Written is the word as it stands in the text.
	Written string
	// Remedy is a command that does what was meant within one's own unit, for a
	// refusal; it may hold Own. "" where there is none.
	Remedy string
}

// Opaque is one reason why a line may touch more than its facts say.
type Opaque struct {
	Reason string
	Pos    int // byte offset in the text
	// Command is the index in Commands of the command that is opaque by what it is,
	// so that a person may trust it; -1 when no command's name can excuse it.
	Command int
}

// Launch is the start of another agent program.
type Launch struct {
	Program string
	Args    []string // its words as far as they are known
	Prompt  string   // what the words say that the agent will be told
	Command int      // its index in Commands
}

// Repo is one run of git.
type Repo struct {
	Cwds    []string // as in a Fact: where git looks for its repository, and above
	Command int      // its index in Commands
}

// Env is what is known of where a line runs.
type Env struct {
	Cwd  string // absolute, "" when unknown
	Home string // absolute, "" when unknown
	// Top is the top of the git checkout that Cwd lies in, "" when unknown.
	Top  string
	Vars map[string]string // further variables whose value is certain
	// Exists says of an absolute path, links followed, whether there is something,
	// and whether it is a folder that can be entered. It decides between readings
	// ("cd sub; cat x" stays where it was only if there is no sub). Nil: both are taken.
	Exists func(abs string) (isDir, exists bool)
	// Hooks tells the further folders, absolute, from which git runs hooks
	// (core.hooksPath). It is asked before a verb that runs some. Nil: there are none.
	Hooks func() []string
	// Link says whether an absolute path is a symbolic link itself. Nil: it may be one.
	Link func(abs string) bool
}

// Analysis is what a command line does, as far as its text tells.
type Analysis struct {
	Facts    []Fact
	Opaque   []Opaque
	Controls []Control
	Launches []Launch
	// Repos are the runs of git: it acts on the settings of the repository that it finds.
	Repos []Repo
	// Commands are the words of each command that runs, for comparing with lists of
	// commands that people trust or deny. A word that is computed is "".
	Commands [][]string
	// Wipes says that the line removes what git does not track, as .conduct is.
	Wipes bool
}

// Bounds on one line. What is beyond them is opaque.
const (
	maxNested = 8    // shells started within shells
	maxSteps  = 4096 // commands, unrolled loops counted
	maxFacts  = 4096
	maxFields = 1024 // words of one command
	maxPlaces = 16   // folders that a line may be in
)

// Analyze reads a command line of bash: what it reads, writes, lists, searches
// and launches. It is pure but for env.Exists. The error is ErrSyntax when the
// text does not parse: nothing is known then.
func Analyze(text string, env Env) (Analysis, error) {
	e := &eval{env: env, src: text, budget: maxSteps}
	f, err := parse(text)
	if err != nil {
		return Analysis{}, err
	}
	e.misread(text, f)
	e.lines(state{at: []string{env.Cwd}, params: params{unknown: true}}, f.Stmts)
	e.overtaken()
	if (e.dashed || e.spaced) && slices.ContainsFunc(e.out.Facts, func(f Fact) bool { return f.Splits }) {
		e.opaque(0, "a name that a pattern matches is read anew, and the line itself may make such a name: put it in quotes")
	}
	if e.dashed && slices.ContainsFunc(e.out.Facts, func(f Fact) bool { return f.Options }) {
		e.opaque(0, "a pattern may match an option that the line itself makes: put ./ before it")
	}
	return e.out, nil
}

// makes notes that a fact may be of a new file whose name begins with a dash, or that
// lies in a folder of such a name.
func (e *eval) makes(f *Fact) {
	name := path.Base(f.Path)
	if named := strings.Contains("/"+f.Path, "/-") || f.Glob && !f.Implied && leads(name); !f.Guess && (f.Op == Place && named || f.Op == Write && (f.Implied || f.Top)) {
		e.dashed = true
	}
	spaced := strings.ContainsAny(f.Path, " \t\n*?[\\")
	if f.Glob {
		spaced = !f.Splits // else what it matches is looked at
	}
	e.spaced = e.spaced || spaced && !f.Guess && (f.Op == Place || f.Op == Write)
}

func parse(text string) (*syntax.File, error) {
	if strings.ContainsRune(text, 0) {
		return nil, fmt.Errorf("%w: it has a NUL", ErrSyntax)
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return f, nil
}

// opaque notes that more may happen than the facts say, whatever the command.
func (e *eval) opaque(pos int, why string) { e.opaqueBy(pos, why, -1) }

// opaqueBy notes it for one command, which a person may trust.
func (e *eval) opaqueBy(pos int, why string, command int) {
	e.changed, e.removed = true, true
	if e.nested > 0 {
		pos = e.base
	}
	for _, o := range e.out.Opaque {
		if o.Reason == why && o.Command == command {
			return
		}
	}
	e.out.Opaque = append(e.out.Opaque, Opaque{why, pos, command})
}

// fact reports one use of a path.
func (e *eval) fact(f Fact) {
	if f.Path == "" && !f.Top || !f.Glob && isDevice(f.Path) {
		return
	}
	e.makes(&f)
	switch f.Op {
	case Write:
		e.changed, e.removed = true, true
	case Place:
		e.changed = true
	}
	if len(e.out.Facts) >= maxFacts {
		e.opaque(0, "it uses too many paths")
		return
	}
	if strings.HasPrefix(f.Path, "/") && !f.Top {
		f.Cwds = nil
	}
	e.throughBrought(&f)
	for i := len(e.out.Facts) - 1; i >= max(0, len(e.out.Facts)-16); i-- {
		if e.out.Facts[i].same(&f) {
			return
		}
	}
	e.out.Facts = append(e.out.Facts, f)
	e.store(f)
}

func (f *Fact) same(g *Fact) bool {
	return f.Op == g.Op && f.Path == g.Path && f.Glob == g.Glob && f.Options == g.Options && f.Splits == g.Splits && f.Follows == g.Follows &&
		f.Implied == g.Implied && f.Guess == g.Guess && f.Top == g.Top && f.Remedy == g.Remedy && slices.Equal(f.Cwds, g.Cwds)
}

// store reports the checkout that a store of git belongs to: who has the store has
// all of its content.
func (e *eval) store(f Fact) {
	if f.Op != Search && f.Op != Write && f.Op != Read || f.Guess {
		return
	}
	head, tail, found := strings.Cut("/"+f.Path+"/", "/.git/")
	part, _, _ := strings.Cut(tail, "/")
	if !found || part != "" && part != "objects" && part != "lost-found" && part != "modules" && part != "lfs" && part != "worktrees" {
		return
	}
	if f.Op == Read {
		f.Op = Search
	}
	if f.Path = strings.TrimPrefix(head, "/"); f.Path == "" {
		f.Path = "."
	}
	f.Glob, f.Implied = false, true
	e.out.Facts = append(e.out.Facts, f)
}

// brought notes places where the line has put links, or may have: what is below
// them is not where it seems to be.
func (e *eval) brought(at []string, p string) {
	e.dashed = true
	for _, dir := range at {
		e.places = union(e.places, []string{path.Clean(joinPath(dir, p))})
	}
}

// throughBrought makes a line opaque that uses what it has brought.
func (e *eval) throughBrought(f *Fact) {
	if len(e.places) == 0 || f.Implied && f.Op != Search && f.Op != List {
		return
	}
	for _, dir := range append(slices.Clone(f.Cwds), "") {
		if e.leadsThrough(joinPath(dir, f.Path)) {
			e.opaque(0, "it uses what it has moved or unpacked, which may lead elsewhere")
			return
		}
	}
}

// leadsThrough says whether a path goes through such a place, on its way too:
// "link/.." is not where it seems to be.
func (e *eval) leadsThrough(p string) bool {
	for i := 1; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		if at := path.Clean(p[:i]); slices.ContainsFunc(e.places, func(b string) bool {
			return b == "." || at == b || strings.HasPrefix(at, b+"/")
		}) {
			return true
		}
	}
	return false
}
