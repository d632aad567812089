// Package install puts the hook into an agent program's settings and takes it
// out again. What a person wrote there keeps its bytes: the settings are never
// printed anew, only spliced, and taking out undoes exactly what putting in did.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/google/renameio/v2"
)

// Program is the file name of the guard.
const Program = "conduct-guard"

// Scope says whose settings are meant.
type Scope string

// The scopes.
const (
	// Local is one person's settings of one workspace; they are not committed.
	Local Scope = "local"
	// Project is a workspace's settings that everybody shares.
	Project Scope = "project"
	// User is one person's settings everywhere.
	User Scope = "user"
)

var (
	// ErrScope is returned for a scope that is none.
	ErrScope = errors.New("unknown scope")
	// ErrSettings is returned for settings that cannot be parsed, or that hold
	// something else where hooks should be. They are left alone.
	ErrSettings = errors.New("unreadable settings")
	// ErrChanged is returned by Apply when the file is not what the change was planned on.
	ErrChanged = errors.New("changed in the meantime")
)

// Options says what is installed where.
type Options struct {
	Scope Scope
	// Root is the workspace's root, absolute.
	Root string
	// Home is the person's home, absolute. Only User needs it.
	Home string
	// Guard is the guard's path as GuardPath found it. Project needs none: a file
	// that is committed names nobody's home.
	Guard string
}

// Change is what would become of one settings file.
type Change struct {
	// File is the settings file, links resolved.
	File string
	// Before and After are its bytes.
	Before, After []byte
	// Created says that there is no file yet, Removed that none is left: nothing
	// but what was put in was in it.
	Created, Removed bool
}

// Changed says whether there is anything to do.
func (c Change) Changed() bool { return c.Created || c.Removed || !bytes.Equal(c.Before, c.After) }

// Settings returns the file that holds Claude Code's hooks in a scope.
func Settings(opts Options) (string, error) {
	switch opts.Scope {
	case Local:
		return filepath.Join(opts.Root, ".claude", "settings.local.json"), nil
	case Project:
		return filepath.Join(opts.Root, ".claude", "settings.json"), nil
	case User:
		return filepath.Join(opts.Home, ".claude", "settings.json"), nil
	}
	return "", fmt.Errorf("%q: %w", opts.Scope, ErrScope)
}

// Plan works out how Claude Code's settings come to hold the hook. Where they
// hold it already only a command line that differs is replaced.
func Plan(opts Options) (Change, error) {
	if err := opts.check(); err != nil {
		return Change{}, err
	}
	c, err := load(opts)
	if err != nil {
		return c, err
	}
	want := entries(Command(opts), Notice(opts))
	if c.Created {
		c.After = fresh(want)
		return c, nil
	}
	if c.After, err = insert(c.Before, want); err != nil {
		return c, fmt.Errorf("%q: %w", c.File, err)
	}
	return c, nil
}

// check holds what goes into a command line to absolute paths in UTF-8.
func (o Options) check() error {
	var named []string
	switch o.Scope {
	case Local:
		named = []string{o.Root, o.Guard}
	case User:
		named = []string{o.Guard}
	}
	for _, path := range named {
		if !filepath.IsAbs(path) || !utf8.ValidString(path) {
			return fmt.Errorf("%q cannot stand in settings: it must be absolute and UTF-8", path)
		}
	}
	return nil
}

// Remove works out how Claude Code's settings lose the hook. What was made for
// it goes too, if it is left empty.
func Remove(opts Options) (Change, error) {
	c, err := load(opts)
	if err != nil {
		return c, err
	}
	if c.Created {
		c.Created = false
		return c, nil
	}
	var empty bool
	if c.After, empty, err = remove(c.Before); err != nil {
		return c, fmt.Errorf("%q: %w", c.File, err)
	}
	if empty {
		c.After, c.Removed = nil, true
	}
	return c, nil
}

// load starts a change with what the file holds now.
func load(opts Options) (Change, error) {
	file, err := Settings(opts)
	if err != nil {
		return Change{}, err
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // people keep their settings elsewhere and link them
	}
	data, err := readSettings(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Change{File: file, Created: true}, nil
	}
	return Change{File: file, Before: data}, err
}

// readSettings reads a file of at most maxSettings bytes.
func readSettings(file string) ([]byte, error) {
	st, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxSettings {
		return nil, fmt.Errorf("%q: %w: not a regular file of at most %d bytes", file, ErrSettings, maxSettings)
	}
	return os.ReadFile(file)
}

// Apply makes the change: all of it or nothing. It is ErrChanged when the file
// is no longer what it was planned on.
func (c Change) Apply() error {
	if !c.Changed() {
		return nil
	}
	now, err := readSettings(c.File)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	if missing != c.Created || !bytes.Equal(now, c.Before) {
		return fmt.Errorf("%q has %w", c.File, ErrChanged)
	}
	dir, name := filepath.Split(c.File)
	if c.Removed {
		return c.unlink(dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write %q: %w", c.File, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("write %q: %w", c.File, err)
	}
	defer root.Close()
	if err := renameio.WriteFile(name, c.After, 0o644, renameio.WithRoot(root)); err != nil {
		return fmt.Errorf("write %q: %w", c.File, err)
	}
	return nil
}

// unlink removes the file, and its folder when that is left empty.
func (c Change) unlink(dir string) error {
	if err := os.Remove(c.File); err != nil {
		return fmt.Errorf("remove %q: %w", c.File, err)
	}
	if filepath.Base(dir) == ".claude" {
		_ = os.Remove(dir) // fails, as it should, when something else is in it
	}
	return nil
}

// Diff shows the change as a unified diff, "" when there is none.
func (c Change) Diff() string {
	if !c.Changed() {
		return ""
	}
	from, to := c.File, c.File
	if c.Created {
		from = "/dev/null"
	}
	if c.Removed {
		to = "/dev/null"
	}
	return "--- " + from + "\n+++ " + to + "\n" + hunk(lines(c.Before), lines(c.After))
}
