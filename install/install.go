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
	"strings"
	"unicode/utf8"
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
	// ErrAgent is returned for an agent's name that is missing, or is none.
	ErrAgent = errors.New("no agent")
	// ErrChanged is returned by Apply when the file is not what the change was planned on.
	ErrChanged = errors.New("changed in the meantime")
)

// Options says what is installed where.
type Options struct {
	// Client is the client's name.
	Client string
	Scope  Scope
	// Root is the folder whose settings are meant, absolute: a workspace's root, or
	// a linked worktree's.
	Root string
	// Workspace is the workspace's root where that is another folder.
	Workspace string
	// Home is the person's home, absolute. Only User needs it.
	Home string
	// Guard is the guard's path as GuardPath found it. Project needs none: a file
	// that is committed names nobody's home.
	Guard string
	// Agent is the agent whose hook it is, for a client that keeps hooks with agents.
	Agent string
	// Plugin is the program of a client that wants one.
	Plugin string
}

// workspace is the root of the workspace.
func (o Options) workspace() string {
	if o.Workspace != "" {
		return o.Workspace
	}
	return o.Root
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

	made []string // folders that an installation may have made, deepest first
	keep bool     // there is a person's file, without anything of ours: it is copied
}

// Changed says whether there is anything to do.
func (c Change) Changed() bool { return c.Created || c.Removed || !bytes.Equal(c.Before, c.After) }

// Settings returns the file that holds a client's hooks in a scope.
func Settings(opts Options) (string, error) {
	c, err := ByName(opts.Client)
	if err != nil {
		return "", err
	}
	return c.file(opts.Scope, opts.Root, opts.Home, opts.Agent)
}

// Plan works out how a client's settings come to hold the hook. Where they
// hold it already only a command line that differs is replaced.
func Plan(opts Options) (Change, error) {
	if err := opts.check(); err != nil {
		return Change{}, err
	}
	c, change, err := load(opts)
	if err != nil {
		return change, err
	}
	switch {
	case c.Plugin:
		change.After, err = planPlugin(change.Before, opts)
	case change.Created && c.Agents:
		return Change{}, fmt.Errorf("%q: %w: make the agent first", change.File, fs.ErrNotExist)
	case change.Created:
		change.After = fresh(c.entries(opts), c.form)
	default:
		change.After, err = insert(change.Before, c.entries(opts), c.form)
		change.keep = !hasOurs(change.Before, c.form)
	}
	if err != nil {
		return change, fmt.Errorf("%q: %w", change.File, err)
	}
	return change, nil
}

// check holds the options to what can stand in settings.
func (o Options) check() error {
	if err := o.checkAgent(); err != nil {
		return err
	}
	return o.checkPaths()
}

// checkPaths holds what goes into a command line to absolute paths in UTF-8.
func (o Options) checkPaths() error {
	var named []string
	switch o.Scope {
	case Local:
		named = []string{o.workspace(), o.Guard}
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

// checkAgent holds an agent's name to what can be a file's.
func (o Options) checkAgent() error {
	c, err := ByName(o.Client)
	switch {
	case err != nil:
		return err
	case !c.Agents && o.Agent != "":
		return fmt.Errorf("%w: the hooks of %s belong to no agent", ErrAgent, c.Title)
	case c.Agents && (o.Agent == "" || strings.ContainsAny(o.Agent, "/\\*?[") || o.Agent[0] == '.' || !utf8.ValidString(o.Agent)):
		return fmt.Errorf("%w: %q names no agent of %s", ErrAgent, o.Agent, c.Title)
	}
	return nil
}

// Remove works out how a client's settings lose the hook. What was made for
// it goes too, if it is left empty.
func Remove(opts Options) (Change, error) {
	if err := opts.checkAgent(); err != nil {
		return Change{}, err
	}
	c, change, err := load(opts)
	if err != nil {
		return change, err
	}
	if change.Created {
		change.Created = false
		return change, nil
	}
	if c.Plugin {
		change.After, change.Removed = removePlugin(change.Before)
		return change, nil
	}
	var empty bool
	if change.After, empty, err = remove(change.Before, c.form); err != nil {
		return change, fmt.Errorf("%q: %w", change.File, err)
	}
	if empty {
		change.After, change.Removed = nil, true
	}
	return change, nil
}

// load starts a change with what the file holds now.
func load(opts Options) (Client, Change, error) {
	c, err := ByName(opts.Client)
	if err != nil {
		return c, Change{}, err
	}
	file, err := Settings(opts)
	if err != nil {
		return c, Change{}, err
	}
	if real, err := target(file); err == nil {
		file = real // people keep their settings elsewhere and link them
	}
	change := Change{File: file, made: c.madeIn(opts)}
	change.Before, err = readSettings(file)
	if errors.Is(err, fs.ErrNotExist) {
		change.Created, err = true, nil
	}
	return c, change, err
}

// target follows links to a file, also to one that is not there yet.
func target(file string) (string, error) {
	for range 40 {
		to, err := os.Readlink(file)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	return filepath.Join(dir, filepath.Base(file)), err
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
