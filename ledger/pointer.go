package ledger

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PointerType is what a Pointer points to.
type PointerType string

// The types of pointers.
const (
	PR     PointerType = "pr"
	Commit PointerType = "commit"
	Path   PointerType = "path"
	URL    PointerType = "url"
	Ticket PointerType = "ticket"
)

// PointerTypes lists the types of pointers.
func PointerTypes() []PointerType { return []PointerType{PR, Commit, Path, URL, Ticket} }

// The longest values of pointers, in bytes.
const (
	MaxURL    = 512
	MaxPath   = 256
	MaxTicket = 32
	maxPR     = 9 // digits
)

// Shape says in words what a value of the type looks like.
func (p PointerType) Shape() string {
	switch p {
	case PR:
		return "a number of 1 to 9 digits"
	case Commit:
		return "7 to 64 hexadecimal digits in lower case"
	case Path:
		return "a path relative to the workspace, of letters, digits and ._-+@=~,()[], at most 256 bytes"
	case URL:
		return "https and a host, with a path or without; no user, query or fragment; at most 512 bytes"
	case Ticket:
		return "capital letters, a dash and digits, as in ABC-12, at most 32 bytes"
	}
	return ""
}

// Pointer names something that a worker has made. Only ParsePointer makes one, so
// that whatever a sibling sees of it has one of the five shapes and is no prose.
type Pointer struct {
	kind  PointerType
	value string
}

// Type returns what it points to.
func (p Pointer) Type() PointerType { return p.kind }

// Value returns it without its type.
func (p Pointer) Value() string { return p.value }

func (p Pointer) String() string { return string(p.kind) + ":" + p.value }

// ParsePointer reads TYPE:VALUE. All else is BadPointer, which says what shape the
// value has to have.
func ParsePointer(s string) (Pointer, error) {
	kind, value, ok := strings.Cut(s, ":")
	p := Pointer{PointerType(kind), value}
	if !ok || !slices.Contains(PointerTypes(), p.kind) {
		return Pointer{}, refuse(BadPointer, "an artifact is TYPE:VALUE, where TYPE is one of pr, commit, path, url, ticket").in("artifact")
	}
	if !p.shaped() {
		return Pointer{}, refuse(BadPointer, "the value of a %s is %s", p.kind, p.kind.Shape()).in("artifact")
	}
	return p, nil
}

func (p Pointer) shaped() bool {
	switch p.kind {
	case PR:
		n, err := strconv.ParseUint(p.value, 10, 32)
		return err == nil && n > 0 && len(p.value) <= maxPR && p.value[0] != '0'
	case Commit:
		return len(p.value) >= 7 && len(p.value) <= 64 && strings.Trim(p.value, "0123456789abcdef") == ""
	case Path:
		return isPath(p.value)
	case URL:
		return isURL(p.value)
	case Ticket:
		return isTicket(p.value)
	}
	return false
}

func isTicket(s string) bool {
	project, number, ok := strings.Cut(s, "-")
	return ok && len(s) <= MaxTicket && project != "" && number != "" &&
		strings.Trim(project, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && strings.Trim(number, "0123456789") == ""
}

func isPath(s string) bool {
	if s == "" || len(s) > MaxPath || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@=~,()[]", r)
	}) {
		return false
	}
	for i, part := range strings.Split(s, "/") {
		if part == "" || part == "." || part == ".." || i == 0 && part[0] == '~' || part == ".conduct" {
			return false
		}
	}
	return true
}

func isURL(s string) bool {
	if len(s) > MaxURL || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return false
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" || u.String() != s ||
		u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.ContainsRune(s, '#') {
		return false
	}
	// What is written with % is read as what it stands for.
	return !strings.ContainsFunc(u.Host+u.Path, func(r rune) bool { return unicode.IsSpace(r) || forbidden(r) })
}
