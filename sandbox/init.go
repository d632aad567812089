//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// failed is the exit code of an Init that failed. Nobody reads it: what it says
// on its socket counts.
const failed = 70

// Init is the first process inside a sandbox. A program that uses this package
// calls it first, with its arguments without its own name; unless handled is
// false, it must exit with the code.
func Init(args []string) (handled bool, exit int) {
	if len(args) == 0 || args[0] != InitArg {
		return false, 0
	}
	if len(args) > 1 {
		return true, canary(args[1:])
	}
	sock := os.NewFile(3, "sandbox")
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(commandErr)
	i := &inner{sock: sock}
	if err := i.run(); err != nil {
		i.say(saysFailed, err.Error())
		return true, failed
	}
	return true, 0
}

type inner struct {
	sock  *os.File
	setup Setup
}

func (i *inner) say(what byte, text string) {
	_, _ = i.sock.Write(append([]byte{what}, text...)) // nobody else could be told
}

// execError says that the command is there and cannot be run.
type execError struct{ err error }

func (e *execError) Error() string { return e.err.Error() }
func (e *execError) Unwrap() error { return e.err }

// start starts the command on the calling thread. The error is fs.ErrNotExist or
// an execError where the command is at fault.
func (s Setup) start() (int, error) {
	if err := os.Chdir(s.Dir); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrCwd, err)
	}
	path, err := lookPath(s.Argv[0], getenv(s.Env, "PATH"))
	if err != nil {
		return 0, err
	}
	pid, err := syscall.ForkExec(path, s.Argv, &syscall.ProcAttr{Env: s.Env, Files: []uintptr{0, 1, commandErr}})
	if err != nil {
		return 0, &execError{fmt.Errorf("run %q: %w", path, err)}
	}
	return pid, nil
}

// sayFault says what kept the command from starting.
func (i *inner) sayFault(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		i.say(saysNotFound, err.Error())
	case errors.As(err, new(*execError)):
		i.say(saysCannotRun, err.Error())
	default:
		return err
	}
	return nil
}

// lookPath finds a command as execvp does. The error is fs.ErrNotExist or an
// execError.
func lookPath(name, path string) (string, error) {
	if strings.Contains(name, "/") {
		return name, executable(name)
	}
	var found error
	for _, dir := range filepath.SplitList(path) {
		at := filepath.Join(".", dir, name)
		if filepath.IsAbs(dir) {
			at = filepath.Join(dir, name)
		}
		err := executable(at)
		if err == nil {
			return at, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			found = err
		}
	}
	if found != nil {
		return "", found
	}
	return "", fmt.Errorf("command %q: %w", name, fs.ErrNotExist)
}

func executable(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return fmt.Errorf("command %q: %w", path, fs.ErrNotExist)
	}
	if err == nil && info.IsDir() {
		err = unix.EISDIR
	}
	if err == nil {
		err = unix.Access(path, unix.X_OK)
	}
	if err != nil {
		return &execError{fmt.Errorf("command %q: %w", path, err)}
	}
	return nil
}
