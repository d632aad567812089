package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// initVar marks the environment of the first process of a sandbox.
const initVar = "CONDUCT_SANDBOX_INIT"

// InitArg is the first argument with which a program must call Init.
const InitArg = "sandbox-init"

// Stdio is what the command is connected to. Files are handed on as they are,
// so that the order of its output is its own.
type Stdio struct {
	In, Out, Err *os.File
	// Watch has its standard error pass through us, to look for denials in it. It
	// must not be set where Err is a terminal or the same file as Out.
	Watch bool
	// Signals are passed on to the command.
	Signals <-chan os.Signal
	// Before is called when the runner has started and the command has not, while
	// the runner gets ready.
	Before func()
	// Started is called when the command itself has begun, not its runner.
	Started func()
}

// Result is how a command ended.
type Result struct {
	// Exit is its exit code: 128 and the signal's number when a signal ended
	// it, 127 or 126 when it was not found or cannot be run.
	Exit int
	// Signal is what ended it, 0 for none.
	Signal syscall.Signal
	// NotStarted is why it was not found or cannot be run.
	NotStarted string
	// Denied says that its output shows a denial. False says nothing.
	Denied bool
	Report Report
}

// What Init says on its socket, one letter first.
const (
	saysStarted   = 'S'
	saysEnded     = 'D' // and the wait status, 4 bytes
	saysNotFound  = 'N' // and why
	saysCannotRun = 'X' // and why
	saysFailed    = 'F' // and why: nothing ran

	maxSaid     = 64 << 10
	watchedTail = 64 << 10
	commandErr  = 4 // the descriptor of the command's standard error, until it starts

	exitNotFound   = 127
	exitCannotRun  = 126
	exitWithSignal = 128
)

// Run runs a command confined by a backend, and returns when it and all that it
// started have ended. It fails with what Confine fails with, and with
// ErrUnavailable when the confinement failed before the command ran; then
// nothing ran. A cancelled context kills the command.
func Run(ctx context.Context, b Backend, argv []string, p Policy, std Stdio) (Result, error) {
	for try := 1; ; try++ {
		res, err := runOnce(ctx, b, argv, p, std)
		if !errors.Is(err, errSilent) || try == tries {
			return res, err
		}
	}
}

// tries is how often a plan is made anew when its runner gave up before the
// command: a file or socket that it named may have gone in between.
const tries = 3

func runOnce(ctx context.Context, b Backend, argv []string, p Policy, std Stdio) (Result, error) {
	if os.Getenv(initVar) != "" {
		// We were started as the first process of a sandbox and are not in Init: a
		// program that does not call it would start itself without end.
		return Result{}, fmt.Errorf("%w: this program does not call Init first", ErrUnavailable)
	}
	s := &session{std: std}
	if e, ok := b.(Early); ok {
		if err := s.start(e.Runner(), 0); err != nil {
			return Result{}, fmt.Errorf("%w: %s: %w", ErrUnavailable, b.Name(), err)
		}
	}
	plan, report, err := b.Confine(argv, p)
	if err != nil {
		s.abandon()
		return Result{Report: report}, err
	}
	said, err := s.run(ctx, plan)
	if err != nil {
		return Result{Report: report}, fmt.Errorf("%w: %s: %w", ErrUnavailable, b.Name(), err)
	}
	res, err := read(said)
	res.Report = report
	switch {
	case ctx.Err() != nil:
		return res, ctx.Err()
	case errors.Is(err, ErrLost):
		return res, err
	case err != nil:
		return res, fmt.Errorf("%w: %s: %w: %s", ErrUnavailable, b.Name(), err, bytes.TrimSpace(s.runner))
	}
	res.Denied = std.Watch && b.Denied(s.tail, p)
	return res, nil
}

// ErrLost is returned when the command had started and then its confinement was
// killed from outside: what it did is done, and how it ended is not known.
var ErrLost = errors.New("confined command was lost")

var errSilent = errors.New("it ended before the command began")

// read turns what Init said into a result.
func read(said []byte) (Result, error) {
	if len(said) == 0 {
		return Result{}, errSilent
	}
	rest := said[1:]
	switch said[0] {
	case saysNotFound:
		return Result{Exit: exitNotFound, NotStarted: string(rest)}, nil
	case saysCannotRun:
		return Result{Exit: exitCannotRun, NotStarted: string(rest)}, nil
	case saysFailed:
		return Result{}, errors.New(string(rest))
	case saysStarted:
		if len(rest) == 5 && rest[0] == saysEnded {
			return ended(syscall.WaitStatus(binary.BigEndian.Uint32(rest[1:]))), nil
		}
		return Result{}, ErrLost
	}
	return Result{}, errSilent
}

func ended(ws syscall.WaitStatus) Result {
	if ws.Signaled() {
		return Result{Exit: exitWithSignal + int(ws.Signal()), Signal: ws.Signal()}
	}
	return Result{Exit: ws.ExitStatus()}
}

// session is one confined run.
type session struct {
	plan Plan
	std  Stdio
	proc *os.Process // nil until the runner is started
	pipes
	tail []byte // the last of the standard error, where watched
	// runner is what the runner wrote, apart from the command.
	runner []byte
}

// run carries a plan out and returns what Init said until it ended.
func (s *session) run(ctx context.Context, plan Plan) ([]byte, error) {
	s.plan = plan
	if s.proc == nil {
		if err := s.start(plan.Argv, len(plan.Inputs)); err != nil {
			return nil, err
		}
	}
	return s.attend(ctx), nil
}

// start starts a runner, with a number of inputs.
func (s *session) start(argv []string, inputs int) (err error) {
	var theirs []*os.File
	defer func() {
		closeAll(theirs)
		if err != nil {
			s.pipes.close()
		}
	}()
	pipe := func(ours **os.File, reads bool) *os.File {
		if err != nil {
			return nil
		}
		var r, w *os.File
		if r, w, err = os.Pipe(); err != nil {
			return nil
		}
		if reads {
			r, w = w, r
		}
		*ours, theirs = w, append(theirs, r)
		return r
	}
	sock, init, err := socketPair()
	if err != nil {
		return err
	}
	s.sock, theirs = sock, append(theirs, init)
	files := []*os.File{s.std.In, s.std.Out, pipe(&s.said, true), init, s.std.Err}
	if s.std.Watch {
		files[commandErr] = pipe(&s.watched, true)
	}
	s.feeds = make([]*os.File, inputs)
	for i := range s.feeds {
		files = append(files, pipe(&s.feeds[i], false))
	}
	if err != nil {
		return err
	}
	s.proc, err = start(argv, files)
	return err
}

// abandon ends a runner that has got no setup, and so runs nothing.
func (s *session) abandon() {
	if s.proc == nil {
		return
	}
	s.pipes.close()
	_, _ = s.proc.Wait() // how it ended is of no interest
}

// pipes are our ends of what connects us with a runner.
type pipes struct {
	sock    *os.File   // the socket of Init
	said    *os.File   // the runner's standard error
	watched *os.File   // the command's, nil where not watched
	feeds   []*os.File // the plan's inputs
}

func (p *pipes) close() {
	for _, f := range append([]*os.File{p.sock, p.said, p.watched}, p.feeds...) {
		if f != nil {
			f.Close()
		}
	}
}

// attend feeds a runner, passes signals on and waits for its end.
func (s *session) attend(ctx context.Context) []byte {
	defer s.pipes.close()
	var done sync.WaitGroup
	for i, w := range s.feeds {
		done.Go(func() {
			_, _ = w.Write(s.plan.Inputs[i]) // a reader that is gone says why itself
			w.Close()
		})
	}
	if s.watched != nil {
		done.Go(func() { s.watch(s.watched) })
	}
	done.Go(func() {
		s.runner, _ = io.ReadAll(io.LimitReader(s.said, maxSaid)) // it is only shown
	})
	if s.std.Before != nil {
		s.std.Before()
	}
	over := make(chan struct{})
	done.Go(func() { s.control(ctx, over) })
	said := s.hear()
	_, _ = s.proc.Wait() // how the runner ended is not how the command did
	close(over)
	done.Wait()
	return said
}

// hear reads what Init says until it ends. What is cut off is judged as such.
func (s *session) hear() []byte {
	var said []byte
	buf := make([]byte, 4<<10)
	for len(said) < maxSaid {
		n, err := s.sock.Read(buf)
		if len(said) == 0 && n > 0 && buf[0] == saysStarted && s.std.Started != nil {
			s.std.Started()
		}
		said = append(said, buf[:n]...)
		if err != nil {
			break
		}
	}
	return said[:min(len(said), maxSaid)]
}

// control sends the setup and then signals, one byte each. Closing our end makes
// Init kill everything.
func (s *session) control(ctx context.Context, over <-chan struct{}) {
	if _, err := s.sock.Write(s.plan.Setup.encode()); err != nil {
		return // the runner is gone, which the reader learns too
	}
	for {
		select {
		case <-over:
			return
		case <-ctx.Done():
			hangUp(s.sock)
			return
		case sig := <-s.std.Signals:
			if n, ok := sig.(syscall.Signal); ok {
				_, _ = s.sock.Write([]byte{byte(n)})
			}
		}
	}
}

func (s *session) watch(r *os.File) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			_, _ = s.std.Err.Write(buf[:n]) // a reader that is gone stops nobody
			s.tail = append(s.tail, buf[:n]...)
			if over := len(s.tail) - watchedTail; over > 0 {
				s.tail = append(s.tail[:0], s.tail[over:]...)
			}
		}
		if err != nil {
			return
		}
	}
}

// hangUp ends what Init reads; what it says can still be read.
func hangUp(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_WR) })
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // no other start may inherit them in between
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("make a socket pair: %w", err)
	}
	// Only ours is waited on; the runtime does that without a thread.
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "sandbox"), os.NewFile(uintptr(fds[1]), "sandbox-init"), nil
}
