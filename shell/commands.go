package shell

import (
	"path"
	"slices"
	"strings"
)

// verbs are the words by which a run of conduct behind another command is known.
var verbs = map[string]bool{
	"init": true, "unit": true, "dispatch": true, "grant": true, "renew": true, "release": true, "done": true,
	"status": true, "check": true, "log": true, "janitor": true, "off": true, "on": true, "demo": true,
	"doctor": true, "version": true, "completion": true, "help": true, "guard": true, "exec": true, "run": true,
	"brief": true, "report": true, "request": true, "message": true, "inbox": true, "board": true,
	"channel": true, "approve": true, "knob": true,
}

// textual are the commands whose operands are text.
var textual = []string{"echo", "printf", "true", "false", ":", "sleep", "exit", "return", "kill", "export", "unset", "set"}

// writers are the commands that change every operand, a folder as a whole; makers
// only files; movers what they put where the last operand says.
var (
	writers = []string{"rm", "rmdir", "chmod", "chown", "chgrp", "shred", "unlink"}
	makers  = []string{"mkdir", "touch", "tee", "truncate"}
	movers  = []string{"cp", "mv", "ln", "install", "rsync"}
)

// known are the commands that do with plain operands what their name says.
// Every other command is opaque: it may read what it does not name.
var known = []string{
	"cat", "head", "tail", "wc", "ls", "grep", "egrep", "fgrep", "rg", "find", "diff", "cmp", "comm", "sort", "uniq",
	"cut", "tr", "paste", "join", "nl", "tac", "rev", "fold", "column", "stat", "file", "du", "tree", "pwd", "cd",
	"basename", "dirname", "realpath", "readlink", "which", "type", "command", "test", "[", "jq", "less", "more",
	"md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "od", "xxd", "hexdump", "strings", "git", "id", "whoami",
	"uname", "hostname", "env", "printenv", "dd", "seq", "yes", "date",
}

// operands reports the words of one command that may be paths.
func (r *reader) operands(args []arg, piped bool) {
	name := path.Base(args[0].text)
	rest := args[1:]
	if strings.Contains(args[0].text, "/") && args[0].ok {
		r.add(args[0].text, false, Operand)
	}
	if slices.Contains(textual, name) {
		for _, a := range rest {
			if a.ok && a.glob {
				r.add(a.text, true, Listed) // the shell shows what it matches
			}
		}
		return
	}
	if args[0].text == "conduct" || args[0].text == "conduct-guard" {
		return // a Control
	}
	if !isKnown(name, rest) {
		r.changes = true
		r.line.Unknown = append(r.line.Unknown, len(r.line.Commands)-1)
	}
	switch name {
	case "git":
		r.git(rest)
		return
	case "ls":
		r.list(rest)
		return
	}
	r.outputs(name, rest)
	if slices.Contains(movers, name) {
		r.placed(name, rest)
		return
	}
	r.plainOperands(name, rest)
	r.implied(name, rest, piped)
}

func isKnown(name string, rest []arg) bool {
	all := slices.Contains(writers, name) || slices.Contains(makers, name) || slices.Contains(movers, name) || slices.Contains(known, name)
	return all && !runsMore(name, rest)
}

// plainOperands reports each operand, and the values of options.
func (r *reader) plainOperands(name string, rest []arg) {
	n := 0
	for _, a := range rest {
		if !a.ok {
			continue
		}
		use := Operand
		if !strings.HasPrefix(a.text, "-") {
			n++
		}
		switch {
		case slices.Contains(writers, name), name == "sed" && hasFlag(rest, "i"), name == "find" && hasWord(rest, "-delete"):
			use = Written
		case slices.Contains(makers, name), n == 2 && (name == "uniq" || name == "xxd"):
			use = Put
		}
		for _, t := range candidates(a.text) {
			u := use
			if name == "dd" && strings.HasPrefix(a.text, "of=") {
				u = Put
			}
			r.word(Word{
				Text: t, Use: u, Glob: a.glob, Follows: follows(name, rest),
				Bare: !strings.Contains(t, "/") && t != ".." && t != ".",
			})
		}
	}
}

func hasWord(rest []arg, text string) bool {
	return slices.ContainsFunc(rest, func(a arg) bool { return a.text == text })
}

// candidates returns what of a word may be a path: the word, or the value within it.
func candidates(text string) []string {
	out := []string{}
	if !strings.HasPrefix(text, "-") {
		out = append(out, text)
	} else if !strings.HasPrefix(text, "--") && len(text) > 2 && strings.ContainsAny(text[2:], "/.") {
		out = append(out, text[2:])
	}
	if _, v, ok := strings.Cut(text, "="); ok && v != "" {
		out = append(out, v)
	}
	if v, ok := strings.CutPrefix(text, "@"); ok && v != "" {
		out = append(out, v)
	}
	return out
}

// list reports the operands of ls: listed, or with -R searched.
func (r *reader) list(rest []arg) {
	use, any := Listed, false
	for _, a := range rest {
		if a.text == "--recursive" || strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "R") {
			use = Operand
		}
	}
	for _, a := range rest {
		if strings.HasPrefix(a.text, "-") {
			continue
		}
		any = true
		if a.ok {
			r.add(a.text, a.glob, use)
		}
	}
	if !any {
		if use == Operand {
			use = Searched
		}
		r.word(Word{Text: ".", Use: use, Implied: true, Follows: follows("ls", rest)})
	}
}

// implied reports the folder that a search without an operand uses.
func (r *reader) implied(name string, rest []arg, piped bool) {
	operands, recursive := 0, false
	for _, a := range rest {
		switch {
		case !strings.HasPrefix(a.text, "-"):
			operands++
		case a.text == "-r", a.text == "-R", a.text == "--recursive", a.text == "--dereference-recursive":
			recursive = true
		case !strings.HasPrefix(a.text, "--") && strings.ContainsAny(a.text, "rR"):
			recursive = true
		}
	}
	use := false
	switch name {
	case "rg", "ag", "ack":
		// Values of options are counted as operands, so the current folder is
		// left out only where there are clearly more words than a pattern.
		use = operands <= 1 && !piped
	case "grep", "egrep", "fgrep":
		use = recursive && operands <= 1
	case "find", "tree", "du":
		use = len(rest) == 0 || strings.HasPrefix(rest[0].text, "-") || operands == 0
	}
	if use {
		r.word(Word{Text: ".", Use: Searched, Implied: true, Follows: follows(name, rest)})
	}
}

// git reports the operands of a git command but for text, and what wipes.
func (r *reader) git(rest []arg) {
	verb, text := "", false
	began := r.at
	defer func() { r.at = began }()
	for i, a := range rest {
		switch {
		case text:
			text = false
		case verb == "" && (a.text == "-C" || a.text == "--git-dir" || a.text == "--work-tree" || a.text == "-c"):
			text = a.text == "-c"
		case verb == "" && !strings.HasPrefix(a.text, "-"):
			if i > 0 && rest[i-1].text == "-C" {
				r.add(a.text, a.glob, Entered)
				r.at = r.at.enter(a.text)
				continue
			}
			verb = a.text
		case a.text == "-m" || a.text == "--message" || a.text == "-F" && verb == "notes":
			text = true
		case strings.HasPrefix(a.text, "--message=") || strings.HasPrefix(a.text, "-m"):
		case !a.ok:
		default:
			r.gitOperand(a)
		}
	}
	if verb == "clean" && hasFlag(rest, "xX") || verb == "stash" && (hasFlag(rest, "a") || slices.ContainsFunc(rest, func(a arg) bool { return a.text == "--all" })) {
		r.line.Wipes = true
	}
}

func (r *reader) gitOperand(a arg) {
	for _, magic := range []string{":/", ":(top)"} {
		if p, ok := strings.CutPrefix(a.text, magic); ok {
			if p == "" {
				p = "."
			}
			r.word(Word{Text: p, Use: Operand, Glob: a.glob, Top: true})
			return
		}
	}
	for _, t := range candidates(a.text) {
		r.add(t, a.glob, Operand)
	}
}

// hasFlag says whether a cluster of short options has one of the letters.
func hasFlag(rest []arg, letters string) bool {
	for _, a := range rest {
		if strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.ContainsAny(a.text[1:], letters) {
			return true
		}
	}
	return false
}
