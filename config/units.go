package config

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"

	"github.com/seed6310be5c/conduct/unit"
)

// layouts reads one layout or a list of them.
func layouts(m member) ([]string, error) {
	if m.null() {
		return nil, nil
	}
	var out []string
	if s, ok := scalar(m.value); ok {
		out = []string{s}
	} else {
		var err error
		if out, err = list(m); err != nil {
			return nil, err
		}
	}
	for i, s := range out {
		l, err := unit.ParseLayout(s)
		if err != nil {
			return nil, m.wrong("is wrong: %v", err)
		}
		if err := checkPath(s, true); err != nil {
			return nil, m.wrong("is wrong: %v", err)
		}
		out[i] = l.String()
	}
	return out, nil
}

// units reads the units that are listed by name.
func units(m member) ([]Unit, error) {
	if m.null() {
		return nil, nil
	}
	all, err := members(m.value, `"units"`)
	if err != nil {
		return nil, err
	}
	var out []Unit
	for _, u := range all {
		one, err := readUnit(u)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func readUnit(m member) (Unit, error) {
	u := Unit{Name: m.name}
	if err := checkName(m.name); err != nil {
		return u, &Error{Line: m.line, Reason: err.Error()}
	}
	if m.null() || m.value.Type() != ast.MappingType && m.value.Type() != ast.MappingValueType {
		return u, m.wrong(`must have "paths"`)
	}
	fields, err := members(m.value, fmt.Sprintf("%q", m.name))
	if err != nil {
		return u, err
	}
	for _, f := range fields {
		switch f.name {
		case "paths":
			u.Paths, err = paths(f, false)
		case "reads":
			u.Reads, err = paths(f, true)
		default:
			err = unknown(f, "key of a unit", []string{"paths", "reads"})
		}
		if err != nil {
			return u, err
		}
	}
	if len(u.Paths) == 0 {
		return u, m.wrong(`has no "paths"`)
	}
	return u, nil
}

// checkName holds a unit's name to what a folder can be called, since units of
// a layout are folders and both are asked for alike.
func checkName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a unit has no name")
	case name == "." || name == "..":
		return fmt.Errorf("a unit cannot be called %q", name)
	case strings.Contains(name, "/"):
		return fmt.Errorf("the name of unit %q must not hold a slash", name)
	case strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("the name of unit %q holds a control character", name)
	case len(name) > 255:
		return fmt.Errorf("the name of unit %q… is longer than 255 bytes", strings.ToValidUTF8(name[:20], ""))
	}
	return nil
}

// paths reads a list of paths, or of patterns too.
func paths(m member, patterns bool) ([]string, error) {
	all, err := list(m)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, p := range all {
		if err := checkPath(p, patterns); err != nil {
			return nil, member{m.name, m.line, m.value.(*ast.SequenceNode).Values[i]}.wrong("is wrong: %v", err)
		}
		out = append(out, strings.TrimSuffix(p, "/"))
	}
	return out, nil
}

// checkPath holds a path to what is below the workspace. One slash at the end
// says "folder" and is fine.
func checkPath(p string, patterns bool) error {
	clean := strings.TrimSuffix(p, "/")
	first, _, _ := strings.Cut(clean, "/")
	switch {
	case p == "":
		return fmt.Errorf("a path is empty")
	case strings.HasPrefix(p, "/"):
		return fmt.Errorf("%q must be relative to the workspace", p)
	case strings.ContainsFunc(p, unicode.IsControl):
		return fmt.Errorf("%q holds a control character", p)
	case clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(clean, "/../") || strings.HasSuffix(clean, "/.."):
		return fmt.Errorf("%q must not hold \"..\"", p)
	case clean == ".":
		return fmt.Errorf("%q is the whole workspace", p)
	case path.Clean(clean) != clean:
		return fmt.Errorf("%q must be written as %q", p, path.Clean(clean))
	case strings.EqualFold(first, ".conduct"):
		return fmt.Errorf("%q is not for units", p)
	case !patterns && strings.ContainsAny(p, "*?"):
		return fmt.Errorf("%q is a pattern: only paths are possible here", p)
	}
	return nil
}

// commands reads a list of command words such as "go test".
func commands(m member) ([]string, error) {
	all, err := list(m)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if strings.TrimSpace(c) == "" {
			return nil, m.wrong("holds an empty command")
		}
		if strings.ContainsFunc(c, unicode.IsControl) {
			return nil, m.wrong("holds %q, which has a control character", c)
		}
	}
	return all, nil
}
