// Package seatbelt confines commands on macOS with a sandbox profile.
package seatbelt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed6310be5c/conduct/sandbox"
)

// program is part of macOS. Nothing else is taken for it.
const program = "/usr/bin/sandbox-exec"

// Backend runs sandbox-exec. Make it with New.
type Backend struct {
	self string
}

// New returns the backend. Self is the real path of the program that calls
// sandbox.Init.
func New(self string) *Backend { return &Backend{self} }

// Name implements sandbox.Backend.
func (b *Backend) Name() string { return "seatbelt" }

// Key implements sandbox.Backend.
func (b *Backend) Key() string {
	if _, err := os.Stat(program); err != nil {
		return ""
	}
	return sandbox.FileKey(program) + "\n" + sandbox.FileKey(b.self)
}

// Confine implements sandbox.Backend.
func (b *Backend) Confine(argv []string, p sandbox.Policy) (sandbox.Plan, sandbox.Report, error) {
	report := sandbox.NewReport(b.Name())
	if b.Key() == "" {
		return sandbox.Plan{}, report, fmt.Errorf("%w: there is no %s", sandbox.ErrUnavailable, program)
	}
	l, err := sandbox.Lay(argv, p, b.self)
	if err != nil {
		return sandbox.Plan{}, report, err
	}
	plan := sandbox.Plan{
		Argv:  []string{program, "-p", Profile(l, p), b.self, sandbox.InitArg},
		Setup: sandbox.Setup{Argv: argv, Env: l.Env, Dir: p.Cwd, Reap: true},
	}
	report.Partial = append(report.Partial, l.Gaps...)
	for _, g := range gaps {
		report.Partial = append(report.Partial, g)
	}
	return plan, report, nil
}

var gaps = [...]sandbox.Gap{
	{Property: sandbox.StatSiblings, Why: "the profile denies metadata where it can, and a name that exists can still be told by its error"},
	{Property: sandbox.Processes, Why: "the command lines of other processes can be read"},
	{Property: sandbox.Survivors, Why: "a process that leaves its session outlives the call"},
	{Property: sandbox.GitHint, Why: "git finds no repository, and does not say why"},
}

// Profile writes the rules for a layout. The last rule that matches a path
// decides, so a folder comes before what is in it.
func Profile(l *sandbox.Layout, p sandbox.Policy) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	for _, d := range []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper"} {
		rule(&b, "allow file-write*", "literal", d)
	}
	b.WriteString("(allow file-write* (regex #\"^/dev/ttys[0-9]+$\"))\n")
	for _, pl := range l.Places {
		switch {
		case pl.Path == "/":
		case pl.Access == sandbox.None:
			rule(&b, "deny file-read* file-write* process-exec*", "subpath", pl.Path)
		case pl.Access == sandbox.Read:
			rule(&b, "allow file-read* process-exec*", "subpath", pl.Path)
			rule(&b, "deny file-write*", "subpath", pl.Path)
		default:
			rule(&b, "allow file-read* file-write* process-exec*", "subpath", pl.Path)
		}
	}
	// A folder above something hidden must keep its name.
	for _, pl := range l.Places {
		if pl.Access == sandbox.Write && above(l, pl.Path) {
			rule(&b, "deny file-write-unlink", "literal", pl.Path)
		}
	}
	for _, path := range l.Sockets {
		rule(&b, "deny network-outbound", "literal", path)
	}
	b.WriteString("(deny signal (target others))\n(allow signal (target children))\n(deny process-info-pidinfo (target others))\n")
	if p.NoNetwork {
		b.WriteString("(deny network*)\n")
	}
	return b.String()
}

func above(l *sandbox.Layout, dir string) bool {
	for _, pl := range l.Places {
		if pl.Access != sandbox.Write && pl.Path != dir && sandbox.Under(pl.Path, dir) {
			return true
		}
	}
	return false
}

func rule(b *strings.Builder, what, how, path string) {
	fmt.Fprintf(b, "(%s (%s %s))\n", what, how, quote(path))
}

// quote writes a string of the profile's language, in which only the quote and
// the backslash are special.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(filepath.Clean(s)) + `"`
}

// Denied implements sandbox.Backend. "Operation not permitted" is taken for a
// denial only beside a path that is hidden from the command.
func (b *Backend) Denied(stderr []byte, p sandbox.Policy) bool {
	for line := range bytes.Lines(stderr) {
		if !bytes.Contains(line, []byte("peration not permitted")) && !bytes.Contains(line, []byte("EPERM")) {
			continue
		}
		for _, dirs := range [][]string{p.Parents, p.Hidden, p.Records} {
			for _, dir := range dirs {
				if bytes.Contains(line, []byte(dir)) {
					return true
				}
			}
		}
	}
	return false
}
