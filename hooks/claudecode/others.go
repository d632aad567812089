package claudecode

import (
	"strings"

	"github.com/seed6310be5c/conduct/wire"
)

// Settings are the files in which Claude Code finds hooks.
func (client) Settings(projects []string, home string) []string {
	var out []string
	for _, dir := range projects {
		if strings.HasPrefix(dir, "/") {
			out = append(out, dir+"/.claude/settings.json", dir+"/.claude/settings.local.json")
		}
	}
	if home != "" {
		out = append(out, home+"/.claude/settings.json")
	}
	return out
}

// Rewrites says whether settings hold a PreToolUse hook for a tool that does not
// start our guard. Settings that cannot be read may hold one.
func (client) Rewrites(settings []byte, tool string) bool {
	found := false
	r := wire.NewReader(settings)
	err := r.Object(func(name string) error {
		if name != "hooks" || r.Kind() != '{' {
			return r.Skip()
		}
		return r.Object(func(event string) error {
			if event != "PreToolUse" || r.Kind() != '[' {
				return r.Skip()
			}
			return r.Array(func() error {
				other, err := group(r, tool)
				found = found || other
				return err
			})
		})
	})
	return found || err != nil
}

// group reads one matcher with its hooks.
func group(r *wire.Reader, tool string) (other bool, err error) {
	matcher, theirs := "", false
	err = r.Object(func(name string) (err error) {
		switch {
		case name == "matcher" && r.Kind() == '"':
			matcher, err = r.String()
		case name == "hooks" && r.Kind() == '[':
			err = r.Array(func() error {
				return r.Object(func(name string) error {
					if name != "command" || r.Kind() != '"' {
						return r.Skip()
					}
					command, err := r.String()
					theirs = theirs || !strings.Contains(command, "conduct-guard")
					return err
				})
			})
		default:
			err = r.Skip()
		}
		return err
	})
	return theirs && matches(matcher, tool), err
}

// matches says whether a matcher may take a tool: it is a list of names, or a
// regular expression, which is not read and may take any.
func matches(matcher, tool string) bool {
	if matcher == "" || strings.ContainsAny(matcher, "*.+?[(^$\\") {
		return true
	}
	for name := range strings.SplitSeq(matcher, "|") {
		if strings.TrimSpace(name) == tool {
			return true
		}
	}
	return false
}
