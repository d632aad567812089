package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/seed6310be5c/conduct/nearest"
)

// maxNesting is how deep a file may be nested; the parser's time grows with
// the square of it.
const maxNesting = 20

// keys are the names at the top of the file, in the order in which they are documented.
func keys() []string {
	return []string{
		"layout", "units", "strict", "enforce", "bind", "shared", "ttl", "opaque", "confine",
		"commands", "commands_deny", "audit", "retention", "store",
	}
}

// Parse reads the text of a conduct.yaml, which may be JSON. Its errors are
// *Error, and so ErrInvalid.
func Parse(data []byte) (Config, error) {
	cfg := Config{Retention: DefaultRetention}
	top, err := parseTop(data)
	if err != nil {
		return cfg, err
	}
	for _, m := range top {
		if err := cfg.set(m); err != nil {
			return Config{Retention: DefaultRetention}, err
		}
	}
	return cfg, nil
}

// member is a key with its value.
type member struct {
	name  string
	line  int
	value ast.Node
}

// parseTop returns the members of the file's one mapping.
func parseTop(data []byte) ([]member, error) {
	f, err := parseFile(data)
	if err != nil {
		return nil, err
	}
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			return nil, &Error{Line: lineOf(d.Body), Reason: "more than one document"}
		}
		body = d.Body
	}
	if body == nil || body.Type() == ast.NullType {
		return nil, nil
	}
	return members(body, "the file")
}

// parseFile holds the text to the limits and parses it.
func parseFile(data []byte) (*ast.File, error) {
	if len(data) > MaxSize {
		return nil, &Error{Reason: fmt.Sprintf("larger than %d bytes", MaxSize)}
	}
	if !utf8.Valid(data) {
		return nil, &Error{Reason: "not UTF-8"}
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, &Error{Reason: "holds a NUL character"}
	}
	tokens := lexer.Tokenize(string(bytes.TrimPrefix(data, []byte("\ufeff"))))
	if err := nesting(tokens); err != nil {
		return nil, err
	}
	f, err := parser.Parse(tokens, parser.ParseComments)
	var y yaml.Error
	if errors.As(err, &y) {
		e := &Error{Reason: y.GetMessage()}
		if tk := y.GetToken(); tk != nil && tk.Position != nil {
			e.Line = tk.Position.Line
		}
		return nil, e
	}
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, &Error{Reason: first}
	}
	return f, nil
}

// nesting refuses a text that is nested deeper than anything here needs.
func nesting(tokens token.Tokens) error {
	flow, line, dashes := 0, 0, 0
	for _, tk := range tokens {
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType:
			if tk.Position.Line != line {
				line, dashes = tk.Position.Line, 0
			}
			dashes++
		default:
		}
		if flow > maxNesting || dashes > maxNesting || tk.Position.IndentLevel > maxNesting {
			return &Error{Line: tk.Position.Line, Reason: "nested too deep"}
		}
	}
	return nil
}

// set takes one key of the file over.
func (c *Config) set(m member) error {
	var err error
	switch m.name {
	case "layout":
		c.Layouts, err = layouts(m)
	case "units":
		c.Units, err = units(m)
	case "strict":
		c.Strict, err = boolean(m)
	case "enforce":
		c.Enforce, err = choice(m, "block", "observe")
	case "bind":
		c.Bind, err = choice(m, "agent", "first-touch")
	case "shared":
		c.Shared, err = choice(m, "write", "read")
	case "ttl":
		c.TTL, err = duration(m, 0)
	case "opaque":
		c.Opaque, err = choice(m, "confine", "block", "allow")
	case "confine":
		c.Confine, err = choice(m, "opaque", "all")
	case "commands":
		c.Commands, err = commands(m)
	case "commands_deny":
		c.CommandsDeny, err = commands(m)
	case "audit":
		c.Audit, err = choice(m, "all", "blocked")
	case "retention":
		c.Retention, err = duration(m, DefaultRetention)
	case "store":
		c.Store, err = choice(m, "file")
	default:
		err = unknown(m, "key", keys())
	}
	return err
}

// unknown is the error for a name that is none of those known.
func unknown(m member, what string, known []string) error {
	hint := "the known ones are " + strings.Join(known, ", ")
	if near, ok := nearest.Nearest(m.name, known); ok {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return &Error{Line: m.line, Reason: fmt.Sprintf("unknown %s %q, %s", what, m.name, hint)}
}

// wrong is the error for a value of m that is not what it should be.
func (m member) wrong(format string, args ...any) error {
	return &Error{Line: max(m.line, lineOf(m.value)), Reason: fmt.Sprintf("%q ", m.name) + fmt.Sprintf(format, args...)}
}

// null says whether m has no value; then it counts as not there.
func (m member) null() bool { return m.value == nil || m.value.Type() == ast.NullType }

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// members returns what a mapping holds. The parser has refused repeated names.
func members(n ast.Node, what string) ([]member, error) {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return nil, &Error{Line: lineOf(n), Reason: what + " is not a mapping of names to values"}
	}
	out := make([]member, 0, len(values))
	for _, v := range values {
		name, ok := scalar(v.Key)
		if !ok {
			return nil, &Error{Line: lineOf(v.Key), Reason: "a key is not plain text"}
		}
		if slices.ContainsFunc(out, func(m member) bool { return m.name == name }) {
			return nil, &Error{Line: lineOf(v.Key), Reason: fmt.Sprintf("%q is there twice", name)}
		}
		out = append(out, member{name: name, line: lineOf(v.Key), value: v.Value})
	}
	return out, nil
}

// scalar is the text of a plain value, as it is written: the unit 007 is not the unit 7.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NanNode, *ast.InfinityNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func boolean(m member) (bool, error) {
	if m.null() {
		return false, nil
	}
	b, ok := m.value.(*ast.BoolNode)
	if !ok {
		return false, m.wrong("must be true or false")
	}
	return b.Value, nil
}

func choice(m member, of ...string) (string, error) {
	if m.null() {
		return "", nil
	}
	s, ok := scalar(m.value)
	if !ok || !slices.Contains(of, s) {
		return "", m.wrong("must be %s", strings.Join(of, " or "))
	}
	return s, nil
}

func duration(m member, ifNull time.Duration) (time.Duration, error) {
	if m.null() {
		return ifNull, nil
	}
	s, ok := scalar(m.value)
	if !ok {
		return 0, m.wrong("must be a duration such as 6h or 7d")
	}
	d, err := ParseDuration(s)
	if err != nil {
		return 0, m.wrong("is wrong: %v", err)
	}
	if d <= 0 {
		return 0, m.wrong("must be more than nothing")
	}
	return d, nil
}

// list returns the texts of a sequence.
func list(m member) ([]string, error) {
	if m.null() {
		return nil, nil
	}
	seq, ok := m.value.(*ast.SequenceNode)
	if !ok {
		return nil, m.wrong("must be a list")
	}
	var out []string
	for _, v := range seq.Values {
		s, ok := scalar(v)
		if !ok {
			return nil, member{m.name, lineOf(v), v}.wrong("must be a list of texts")
		}
		out = append(out, s)
	}
	return out, nil
}
