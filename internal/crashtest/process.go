// Package crashtest is for tests of what many processes write at once, some of which
// are killed. It runs the program of a test once more as processes that are asked and
// answer, kills them at any moment, and notes what they were asked and said, and when,
// so that porcupine can say whether that could have happened one after the other.
package crashtest

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"time"
)

// Serve is what such a process does: it answers each question on r until there are no
// more.
func Serve[Q, A any](r io.Reader, w io.Writer, answer func(Q) A) error {
	in, out := gob.NewDecoder(r), gob.NewEncoder(w)
	for {
		var q Q
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
		if err := out.Encode(answer(q)); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
}

// Process is the program of the test once more, which calls Serve. It is asked one
// question at a time.
type Process[Q, A any] struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	enc *gob.Encoder
	dec *gob.Decoder
}

// Start starts a process with variables added to its environment. What it complains of
// goes to stderr.
func Start[Q, A any](stderr io.Writer, env ...string) (*Process[Q, A], error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program of the test: %w", err)
	}
	cmd := exec.Command(self)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the program of the test: %w", err)
	}
	return &Process[Q, A]{cmd: cmd, in: in, enc: gob.NewEncoder(in), dec: gob.NewDecoder(out)}, nil
}

// Ask asks a question and waits for the answer. Where there is none, told is false and
// the process is gone: what it was asked for has happened by now, or never does.
func (p *Process[Q, A]) Ask(q Q) (a A, told bool) {
	if p.enc.Encode(q) == nil && p.dec.Decode(&a) == nil {
		return a, true
	}
	p.Kill()
	var none A
	return none, false
}

// AskAndKill is Ask with a kill some time after the question, whether or not the answer
// has come by then.
func (p *Process[Q, A]) AskAndKill(q Q, after time.Duration) (a A, told bool) {
	kill := time.AfterFunc(after, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	a, told = p.Ask(q)
	p.Kill()
	return a, told
}

// Kill ends the process with no chance to tidy, and returns when it is gone.
func (p *Process[Q, A]) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Close has the process end by itself.
func (p *Process[Q, A]) Close() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// Mortal asks a process that is killed now and then, at any moment of an answer, and
// followed by another one.
type Mortal[Q, A any] struct {
	Start func() (*Process[Q, A], error)

	now  *Process[Q, A]
	took time.Duration // for the last answer
}

// seldom says that one question in so many is the last one of its process.
const seldom = 12

// Ask is Process.Ask. An error says that no process could be started.
func (m *Mortal[Q, A]) Ask(q Q) (a A, told bool, err error) {
	begun := m.now == nil
	if begun {
		if m.now, err = m.Start(); err != nil {
			return a, false, err
		}
	}
	if rand.IntN(seldom) == 0 {
		a, told = m.now.AskAndKill(q, rand.N(max(m.took, 100*time.Microsecond)))
		m.now = nil
		return a, told, nil
	}
	asked := time.Now()
	a, told = m.now.Ask(q)
	switch {
	case !told:
		m.now = nil
	case !begun: // else most of it was the start
		m.took = time.Since(asked)
	}
	return a, told, nil
}

// End kills the process that is left.
func (m *Mortal[Q, A]) End() {
	if m.now != nil {
		m.now.Kill()
		m.now = nil
	}
}
