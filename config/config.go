// Package config reads and writes conduct.yaml, in which a person says what
// the units of a workspace are and how the guard treats them.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// File is the name of the file in the workspace's root.
	File = "conduct.yaml"
	// MaxSize is the size in bytes above which it is not read.
	MaxSize = 1_000_000
	// DefaultRetention is how long ended dispatches are kept where nothing is said.
	DefaultRetention = 7 * 24 * time.Hour
)

var (
	// ErrNone is returned by Load when there is no file.
	ErrNone = errors.New("no " + File)
	// ErrInvalid is returned for a file that says something which is not understood.
	ErrInvalid = errors.New("invalid " + File)
)

// Config is what conduct.yaml says. A field is its zero value where the file
// is silent, except Retention; every text is checked.
type Config struct {
	// Layouts are as unit.ParseLayout reads them.
	Layouts []string
	// Units are those listed by name, in the file's order.
	Units []Unit
	// Strict blocks agents that nobody dispatched on paths of units.
	Strict bool
	// Enforce is "block" or "observe" (say what would be blocked, let it pass).
	Enforce string
	// Bind is "agent" or "first-touch".
	Bind string
	// Shared is "write" or "read": what dispatched agents may do with paths of no unit.
	Shared string
	// TTL is how long a dispatch lives when its command does not say.
	TTL time.Duration
	// Opaque is "confine", "block" or "allow": what becomes of commands that
	// cannot be understood.
	Opaque string
	// Confine is "opaque" or "all": which commands run confined.
	Confine string
	// Commands are those that a person trusts to run as they are.
	Commands []string
	// CommandsDeny are those that a dispatched agent may never run.
	CommandsDeny []string
	// Audit is "all" or "blocked": which calls leave a line.
	Audit string
	// Retention is how long what is over is kept.
	Retention time.Duration
	// Store is "file".
	Store string
}

// Unit is a unit that is listed by name.
type Unit struct {
	Name string
	// Paths are files and folders, relative to the workspace and clean.
	Paths []string
	// Reads are what the unit may read of others: files, folders, patterns.
	Reads []string
}

// Error says what is wrong with a conduct.yaml. It is an ErrInvalid.
type Error struct {
	// Line is where, from 1; 0 when no line is to blame.
	Line int
	// Reason is one line of text.
	Reason string
}

// Error has the line and the reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return File + ": " + e.Reason
	}
	return fmt.Sprintf("%s: line %d: %s", File, e.Line, e.Reason)
}

// Is makes an Error an ErrInvalid.
func (e *Error) Is(target error) bool { return target == ErrInvalid }

// Load reads the conduct.yaml of the workspace whose root is root. Without one
// it is ErrNone together with what then counts.
func Load(root string) (Config, error) {
	data, err := read(root)
	if err != nil {
		return Config{Retention: DefaultRetention}, err
	}
	return Parse(data)
}

// read returns the bytes of root's file. A link that leads out of the root is not followed.
func read(root string) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", root, err)
	}
	defer dir.Close()
	// Not to wait for a pipe that somebody put there.
	f, err := dir.OpenFile(File, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", filepath.Join(root, File), err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", filepath.Join(root, File), err)
	}
	if !st.Mode().IsRegular() {
		return nil, &Error{Reason: "not a regular file"}
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", filepath.Join(root, File), err)
	}
	return data, nil
}
