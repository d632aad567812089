// Package broker lets a confined command ask the process that confined it: for a worker's
// verbs, which need the records that are hidden inside. What is asked for is decided
// outside, by whoever serves; here is only how the question gets there.
//
// A question and its answer go over a socket in the dispatch's private folder for temporary
// files. That folder is hidden from the commands of other dispatches by bubblewrap; Landlock
// before its version 9 holds back no connection to a path, so who asks has to know a word as
// well, which stands in the command's environment alone.
package broker

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Var is the environment variable of a confined command that says where to ask.
const Var = "CONDUCT_BROKER"

// ErrUnreachable is returned by Ask when nobody serves, or gives no answer.
var ErrUnreachable = errors.New("nobody answers outside of the sandbox")

const (
	// maxAtOnce is how many questions are answered at a time; others wait for their turn.
	maxAtOnce = 4
	// patience is how long one side waits for the other to send or take something.
	patience = 5 * time.Second
	// maxRun is how long one question may take: longer than any wait for a lock.
	maxRun = 20 * time.Second
)

// Run answers a question: the words of a command line, without the program's name.
type Run func(ctx context.Context, args []string) Answer

// Answer is what a command line came to.
type Answer struct {
	Exit           int // 0 to 255
	Stdout, Stderr []byte
}

// Server answers questions until it is closed.
type Server struct {
	run      Run
	word     string
	path     string
	listener net.Listener
	ctx      context.Context
	stop     context.CancelFunc
	turns    chan struct{}
	running  sync.WaitGroup
}

// Serve answers the questions that come over a socket in a private folder.
func Serve(dir string, run Run) (*Server, error) {
	word := rand.Text()
	name := "conduct-" + rand.Text()[:8]
	at, release, err := address(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer release()
	l, err := net.Listen("unix", at)
	if err != nil {
		return nil, fmt.Errorf("listen in %q: %w", dir, err)
	}
	path := filepath.Join(dir, name)
	l.(*net.UnixListener).SetUnlinkOnClose(false) // it knows another name of it
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("close the socket to others: %w", err), l.Close(), os.Remove(path))
	}
	s := &Server{run: run, word: word, path: path, listener: l, turns: make(chan struct{}, maxAtOnce)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.running.Go(s.accept)
	return s, nil
}

// Address is the value of Var for those that may ask.
func (s *Server) Address() string { return s.word + ":" + s.path }

// Close hangs up on all who ask, and returns when no question is being answered any more.
func (s *Server) Close() error {
	s.stop()
	err := s.listener.Close()
	s.running.Wait()
	if gone := os.Remove(s.path); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

func (s *Server) accept() {
	for {
		select {
		case s.turns <- struct{}{}:
		case <-s.ctx.Done():
			return
		}
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.running.Go(func() {
			defer func() { <-s.turns }()
			s.answer(c)
		})
	}
}

// answer answers the one question of a connection. Who asks wrongly, or not at all, is
// hung up on.
func (s *Server) answer(c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(s.ctx, func() { c.Close() })()
	if c.SetDeadline(time.Now().Add(patience)) != nil {
		return
	}
	word, args, err := readQuestion(c)
	if err != nil || subtle.ConstantTimeCompare([]byte(word), []byte(s.word)) != 1 {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, maxRun)
	defer cancel()
	a := s.run(ctx, args)
	if c.SetDeadline(time.Now().Add(patience)) != nil {
		return
	}
	_ = writeAnswer(c, a) // who is gone needs none
}

// Ask asks the server whose address is given. The error is ErrUnreachable.
func Ask(ctx context.Context, addr string, args []string) (Answer, error) {
	failed := func(err error) (Answer, error) { return Answer{}, fmt.Errorf("%w: %w", ErrUnreachable, err) }
	word, path, ok := strings.Cut(addr, ":")
	if !ok || !filepath.IsAbs(path) {
		return failed(fmt.Errorf("%s has no address", Var))
	}
	at, release, err := address(path)
	if err != nil {
		return failed(err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, patience+maxRun)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", at)
	if err != nil {
		return failed(err)
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if err := writeQuestion(c, word, args); err != nil {
		return failed(err)
	}
	a, err := readAnswer(c)
	if err != nil {
		return failed(err)
	}
	return a, nil
}

// maxPath is how long the name of a socket may be; macOS allows the fewest bytes.
const maxPath = 103

// address is a name of a path that is short enough for a socket, until it is released.
func address(path string) (short string, release func(), err error) {
	if len(path) <= maxPath {
		return path, func() {}, nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)), func() { dir.Close() }, nil
}
