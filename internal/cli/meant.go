package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed6310be5c/conduct/nearest"
)

// meant adds to a command line that cannot be understood what was probably meant, and
// which help says more.
func meant(called *cobra.Command, err error) error {
	if err == nil || errors.As(err, new(hinted)) {
		return err
	}
	help, known := called.CommandPath()+" --help", errors.As(err, new(usageError))
	if name, ok := mistyped(err); ok {
		known = true
		if !called.HasParent() {
			help = "conduct help"
		}
		if n, ok := nearest.Nearest(name, commandNames(called)); ok {
			return hint(err, "did you mean %s %s? %s", called.CommandPath(), n, help)
		}
	}
	if !known {
		return err
	}
	var flag *pflag.NotExistError
	if errors.As(err, &flag) {
		if n, ok := nearFlag(flag.GetSpecifiedName(), called.Flags()); ok {
			return hint(err, "did you mean --%s? %s", n, help)
		}
	}
	return hint(err, "%s", help)
}

// flagError is what is wrong with a command's flags. Where there is a word that should be
// a command below it and is none, that is what is wrong: the flags are of what was meant.
func flagError(c *cobra.Command, args []string, err error) error {
	if c.HasSubCommands() {
		if word := wordBehind(c, args); word != "" {
			err = fmt.Errorf("%s%q", unknownCommand, word)
		}
	}
	return usageError{err}
}

// wordBehind is the word behind a command's name, or "" where a flag of its own comes first.
func wordBehind(c *cobra.Command, args []string) string {
	path := strings.Fields(c.CommandPath())[1:]
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--dir": // the one flag of all commands that has a value
			i++
		case args[i] == "--json", strings.HasPrefix(args[i], "--dir="):
		case strings.HasPrefix(args[i], "-"):
			return "" // what follows may be its value
		case len(path) > 0:
			path = path[1:]
		default:
			return args[i]
		}
	}
	return ""
}

// mistyped is the word that is no command, if that is what is wrong. Cobra says so in a
// text alone.
func mistyped(err error) (name string, ok bool) {
	said, ok := strings.CutPrefix(err.Error(), unknownCommand)
	if !ok {
		return "", false
	}
	said, _, _ = strings.Cut(said, " for ")
	name, err = strconv.Unquote(said)
	return name, err == nil
}

func commandNames(c *cobra.Command) []string {
	var out []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			out = append(out, sub.Name())
		}
	}
	return out
}

// nearFlag is the flag that a name is the beginning of, or a slip away from.
func nearFlag(name string, flags *pflag.FlagSet) (string, bool) {
	var all, longer []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		all = append(all, f.Name)
		if name != "" && strings.HasPrefix(f.Name, name) {
			longer = append(longer, f.Name)
		}
	})
	if len(longer) == 1 {
		return longer[0], true
	}
	return nearest.Nearest(name, all)
}
