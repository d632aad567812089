package shell

import (
	"path"
	"slices"
	"strings"
)

// steering are variables with which the commands that we know run other programs
// or look for files elsewhere; a name that ends with "_" stands for all that begin so.
var steering = []string{
	"PATH", "HOME", "CDPATH", "IFS", "ENV", "BASH_ENV", "PWD", "OLDPWD", "SHELLOPTS", "BASHOPTS", "GLOBIGNORE", "ZDOTDIR",
	"LD_", "DYLD_", "GIT_", "PAGER", "LESS", "LESSOPEN", "LESSCLOSE", "EDITOR", "VISUAL", "RIPGREP_CONFIG_PATH",
	"RSYNC_", "GREP_OPTIONS", "TMPDIR", "GCONV_PATH", "LOCPATH", "NLSPATH", "PS4", "PROMPT_COMMAND",
}

func steers(name string) bool {
	return slices.ContainsFunc(steering, func(s string) bool {
		return name == s || strings.HasSuffix(s, "_") && strings.HasPrefix(name, s)
	})
}

// running are the options with which a known command runs another program, or
// reads names of files from somewhere: what it then touches cannot be told. An
// option of one letter is meant within a cluster too, a long one in its short forms.
var running = map[string][]string{
	"sort":      {"--compress-program", "--files0-from"},
	"wc":        {"--files0-from"},
	"du":        {"--files0-from"},
	"rg":        {"--pre", "--hostname-bin"},
	"rsync":     {"-e", "--rsh", "--rsync-path", "--files-from", "--include-from", "--exclude-from"},
	"git":       {"-c", "--exec-path", "--config-env", "--ext-diff", "--open-files-in-pager", "--upload-pack", "--receive-pack"},
	"date":      {"-f", "--file"},
	"md5sum":    {"-c", "--check"},
	"sha1sum":   {"-c", "--check"},
	"sha256sum": {"-c", "--check"},
	"sha512sum": {"-c", "--check"},
	"cksum":     {"-c", "--check"},
	"jq":        {"-L", "--from-file"},
	"file":      {"-f", "--files-from"},
	"install":   {"--strip-program"},
}

// output are the options whose value a known command writes to.
var output = map[string][]string{
	"sort":    {"-o", "--output"},
	"tree":    {"-o"},
	"less":    {"-o", "-O", "--log-file", "--LOG-FILE"},
	"find":    {"-fprint", "-fprint0", "-fprintf", "-fls"},
	"rsync":   {"--log-file", "--write-batch", "--backup-dir", "--temp-dir"},
	"git":     {"--output", "-o"},
	"cp":      {"-t", "--target-directory"},
	"mv":      {"-t", "--target-directory"},
	"ln":      {"-t", "--target-directory"},
	"install": {"-t", "--target-directory"},
}

// runsMore says whether a known command's words make it do more than it is known for.
func runsMore(name string, rest []arg) bool {
	for i, a := range rest {
		switch {
		case name == "env", name == "command" && !strings.HasPrefix(rest[0].text, "-v") && rest[0].text != "-V":
			return true
		case name == "find" && slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-files0-from"}, a.text):
			return true
		case name == "less" && strings.HasPrefix(a.text, "+"), name == "strings" && strings.HasPrefix(a.text, "@"):
			return true
		case name == "git" && i > 0 && !beforeVerb(rest[:i]) && a.text != "--ext-diff" && !strings.HasPrefix(a.text, "--op"):
			continue
		}
		if slices.ContainsFunc(running[name], func(o string) bool { return isOption(a.text, o) }) {
			return true
		}
	}
	return false
}

// beforeVerb says whether git's verb is still to come after some words.
func beforeVerb(words []arg) bool {
	value := false
	for _, w := range words {
		switch {
		case value:
			value = false
		case w.text == "-C" || w.text == "--git-dir" || w.text == "--work-tree" || w.text == "--namespace":
			value = true
		case !strings.HasPrefix(w.text, "-"):
			return false
		}
	}
	return true
}

// isOption says whether a word is an option: a letter within a cluster, a long one
// with its value or cut short, as GNU's programs take it.
func isOption(word, option string) bool {
	if strings.HasPrefix(option, "--") {
		name, _, _ := strings.Cut(word, "=")
		return len(name) > 3 && strings.HasPrefix(option, name)
	}
	if len(option) > 2 {
		return word == option
	}
	return strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word[1:], option[1:])
}

// outputs reports the values of options that name a file to write.
func (r *reader) outputs(name string, rest []arg) {
	for i, a := range rest {
		for _, o := range output[name] {
			if !isOption(a.text, o) {
				continue
			}
			value := arg{}
			_, v, joined := strings.Cut(a.text, "=")
			k := strings.Index(a.text, strings.TrimLeft(o, "-"))
			switch {
			case strings.HasPrefix(o, "--") && joined:
				value = arg{v, a.glob, a.ok}
			case len(o) == 2 && k+1 < len(a.text):
				value = arg{a.text[k+1:], a.glob, a.ok}
			case i+1 < len(rest):
				value = rest[i+1]
			}
			if value.ok {
				r.add(value.text, value.glob, Put)
			}
		}
	}
}

// placed reports what cp, mv, ln and the like do: the last operand, or the folder
// after -t, is where the others are put.
func (r *reader) placed(name string, rest []arg) {
	var words []arg
	into, after := "", false
	for i, a := range rest {
		switch {
		case after || a.text == "" || !strings.HasPrefix(a.text, "-") || a.text == "-":
			words = append(words, a)
		case a.text == "--":
			after = true
		case isOption(a.text, "-t") && i+1 < len(rest) && strings.HasSuffix(a.text, "t"):
			into = rest[i+1].text
		case isOption(a.text, "--target-directory"):
			_, into, _ = strings.Cut(a.text, "=")
		}
	}
	if into == "" && len(words) > 1 && words[len(words)-1].ok {
		last := words[len(words)-1]
		into, words = last.text, words[:len(words)-1]
		r.add(into, last.glob, Put)
	}
	for _, w := range words {
		if !w.ok {
			continue
		}
		if name == "mv" {
			r.add(w.text, w.glob, Written)
		} else {
			r.word(Word{Text: w.text, Use: Operand, Glob: w.glob, Follows: follows(name, rest)})
		}
		if into == "" {
			continue
		}
		switch base := w.text[strings.LastIndexByte(w.text, '/')+1:]; base {
		case "", ".", "..":
			r.add(into+"/.", false, Written) // all that is in it
		default:
			r.add(into+"/"+base, w.glob, Written)
		}
		if name == "ln" && !strings.HasPrefix(w.text, "/") {
			// The text of a link is relative to the link's folder.
			r.add(into+"/"+w.text, w.glob, Operand)
			r.add(path.Dir(into)+"/"+w.text, w.glob, Operand)
		}
	}
}

// follows says whether a search goes through links.
func follows(name string, rest []arg) bool {
	if name == "diff" {
		return true
	}
	return slices.ContainsFunc(rest, func(a arg) bool {
		t := a.text
		switch {
		case strings.HasPrefix(t, "--"):
			return len(t) > 4 && (strings.HasPrefix("--dereference-recursive", t) || strings.HasPrefix("--dereference", t) ||
				strings.HasPrefix("--follow", t) || strings.HasPrefix("--copy-links", t))
		case t == "-follow":
			return true
		case !strings.HasPrefix(t, "-"):
			return false
		}
		letters := "L"
		switch name {
		case "grep", "egrep", "fgrep":
			letters = "R"
		case "tree":
			letters = "l"
		}
		return strings.ContainsAny(t[1:], letters)
	})
}
