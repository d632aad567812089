package hooks

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/guard"
)

// ErrPatch is the error of a text that is no patch in the apply_patch format.
var ErrPatch = errors.New("unreadable patch")

const (
	patchBegin  = "*** Begin Patch"
	patchEnd    = "*** End Patch"
	patchEOF    = "*** End of File"
	patchAdd    = "*** Add File: "
	patchDelete = "*** Delete File: "
	patchUpdate = "*** Update File: "
	patchMove   = "*** Move to: "
)

// section is the part of a patch that a line is in.
type section uint8

const (
	between  section = iota // no file yet, or after a deletion
	adding                  // in an added file
	updating                // in an updated file, at its first line
	changing                // in an updated file, behind its first line
)

// ParsePatch lists the files that an apply_patch text touches. It is stricter
// than the programs that apply such texts: what it does not know is an ErrPatch,
// so that no reading of the text touches a file that is not in the list.
func ParsePatch(text string) ([]guard.Target, error) {
	body, err := patchBody(text)
	if err != nil {
		return nil, err
	}
	var p patch
	for line := range strings.SplitSeq(body, "\n") {
		if err := p.line(strings.TrimSuffix(line, "\r")); err != nil {
			return nil, err
		}
	}
	return p.targets, nil
}

// patchBody is what stands between the first and the last line. White space
// around the patch is allowed, as Codex allows it.
func patchBody(text string) (string, error) {
	text = strings.TrimSpace(text)
	first, rest, found := strings.Cut(text, "\n")
	if strings.TrimSpace(first) != patchBegin || !found {
		return "", fmt.Errorf("%w: it does not begin with %q", ErrPatch, patchBegin)
	}
	at := strings.LastIndexByte(rest, '\n')
	if strings.TrimSpace(rest[at+1:]) != patchEnd {
		return "", fmt.Errorf("%w: it does not end with %q", ErrPatch, patchEnd)
	}
	return rest[:max(at, 0)], nil
}

type patch struct {
	targets []guard.Target
	in      section
}

func (p *patch) line(line string) error {
	if strings.HasPrefix(line, "***") {
		return p.header(line)
	}
	switch p.in {
	case adding:
		if strings.HasPrefix(line, "+") {
			return nil
		}
	case updating, changing:
		p.in = changing
		if changedLine(line) {
			p.context(line)
			return nil
		}
	}
	// The body of an empty patch is one empty line.
	if p.in == between && line == "" && len(p.targets) == 0 {
		return nil
	}
	return fmt.Errorf("%w: a line that belongs to no file", ErrPatch)
}

// changedLine says whether a line can stand in an update.
func changedLine(line string) bool {
	return line == "" || strings.ContainsRune(" +-", rune(line[0])) || strings.HasPrefix(line, "@@")
}

// context judges an indented header in an update under both readings: Codex's
// parsers have not always agreed whether such a line is content.
func (p *patch) context(line string) {
	trimmed := strings.TrimSpace(line)
	if !strings.HasPrefix(trimmed, "***") {
		return
	}
	for _, mark := range []string{patchAdd, patchDelete, patchUpdate, patchMove} {
		if name, ok := strings.CutPrefix(trimmed, mark); ok && name != "" {
			p.targets = append(p.targets, guard.Target{Op: guard.Write, Path: name})
		}
	}
}

func (p *patch) header(line string) error {
	line = strings.TrimRight(line, " \t")
	if name, ok := strings.CutPrefix(line, patchAdd); ok {
		return p.file(name, guard.Write, adding)
	}
	if name, ok := strings.CutPrefix(line, patchDelete); ok {
		return p.file(name, guard.Write, between)
	}
	if name, ok := strings.CutPrefix(line, patchUpdate); ok {
		return p.file(name, guard.Read|guard.Write, updating)
	}
	if name, ok := strings.CutPrefix(line, patchMove); ok && p.in == updating {
		return p.file(name, guard.Write, changing)
	}
	if line == patchEOF && (p.in == updating || p.in == changing) {
		return nil
	}
	return fmt.Errorf("%w: a header that is not known", ErrPatch)
}

func (p *patch) file(name string, op guard.Op, next section) error {
	if strings.TrimSpace(name) == "" {
		return fmt.Errorf("%w: a file without a name", ErrPatch)
	}
	p.targets = append(p.targets, guard.Target{Op: op, Path: name})
	p.in = next
	return nil
}
