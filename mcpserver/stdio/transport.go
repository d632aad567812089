package stdio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed6310be5c/conduct/wire"
)

const (
	// maxLine bounds a message, in bytes. The longest arguments are some thousand.
	maxLine = 1 << 20
	// maxWaiting bounds the calls that wait for their turn; then nothing is read.
	maxWaiting = 64
)

// transport is what the SDK's own is not: a message that is too long or malformed is
// answered and does not end the connection; calls are made one after the other, in
// the order in which they came; and at the end of the input, what has come is still
// answered, so that a script can be piped in.
type transport struct {
	in  io.Reader
	out io.Writer
}

// Connect begins to read.
func (t *transport) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{
		out: t.out, lines: make(chan line), answered: make(chan struct{}, 1), closed: make(chan struct{}), open: map[jsonrpc.ID]bool{},
	}
	go c.scan(bufio.NewReader(t.in))
	return c, nil
}

// line is a line of the input, or what is wrong with it.
type line struct {
	text []byte
	err  error
}

var errLong = fmt.Errorf("a message is longer than %d bytes", maxLine)

type connection struct {
	lines    chan line // closed at the end of the input
	answered chan struct{}
	closed   chan struct{}
	close    sync.Once

	// waiting are calls that have come while another one was made; ended says that
	// the input has. Both are Read's alone.
	waiting []*jsonrpc.Request
	ended   bool

	mu   sync.Mutex
	out  io.Writer
	open map[jsonrpc.ID]bool // requests without an answer
	busy jsonrpc.ID          // the call that is being made, or the zero ID
}

// scan reads lines until the input ends or the connection is closed.
func (c *connection) scan(in *bufio.Reader) {
	defer close(c.lines)
	for {
		text, err := readLine(in)
		if err != nil && !errors.Is(err, errLong) {
			return // the rest of a line without an end is no message
		}
		if err == nil && len(text) == 0 {
			continue
		}
		select {
		case c.lines <- line{text, err}:
		case <-c.closed:
			return
		}
	}
}

// readLine reads a line without its end. Of one that is too long it reads all and
// keeps nothing.
func readLine(in *bufio.Reader) ([]byte, error) {
	var out []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(out)+len(part) > maxLine; !long {
			out = append(out, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(out) > 0 && !long:
			return trim(out), nil // the last line of a file may have no end
		case err != nil:
			return nil, err
		case long:
			return nil, errLong
		}
		return trim(out), nil
	}
}

func trim(text []byte) []byte {
	for len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r' || text[len(text)-1] == ' ') {
		text = text[:len(text)-1]
	}
	return text
}

// Read returns the next message that is due: a call of a tool waits for the one before.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if r := c.due(); r != nil {
			return r, nil
		}
		lines := c.lines
		switch {
		case c.ended && c.idle():
			return nil, io.EOF
		case c.ended, len(c.waiting) >= maxWaiting:
			lines = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case <-c.answered:
		case l, ok := <-lines:
			if !ok {
				c.ended = true
				continue
			}
			msg, err := c.accept(l)
			if msg != nil || err != nil {
				return msg, err
			}
		}
	}
}

// accept makes a message of a line. It returns none where that was answered already,
// or has to wait.
func (c *connection) accept(l line) (jsonrpc.Message, error) {
	if l.err != nil {
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, l.err.Error())
	}
	msg, err := decode(l.text)
	if err != nil {
		return nil, c.refuse(jsonrpc.CodeParseError, "a message is one line with one JSON-RPC object")
	}
	r, ok := msg.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return msg, nil
	}
	if !c.begin(r.ID) {
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, "a request with this id has no answer yet")
	}
	if r.Method != "tools/call" {
		return r, nil
	}
	c.waiting = append(c.waiting, r)
	return nil, nil
}

// decode is stricter than the SDK, which takes what stands behind a message, and the
// last of two members of one name.
func decode(text []byte) (jsonrpc.Message, error) {
	r := wire.NewReader(text)
	if err := errors.Join(r.Skip(), r.End()); err != nil {
		return nil, err
	}
	return jsonrpc.DecodeMessage(text)
}

// begin notes a request, and says whether its id is free.
func (c *connection) begin(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[id] {
		return false
	}
	c.open[id] = true
	return true
}

// due takes the call that is next, if none is being made.
func (c *connection) due() *jsonrpc.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 || c.busy.IsValid() {
		return nil
	}
	r := c.waiting[0]
	c.waiting, c.busy = c.waiting[1:], r.ID
	return r
}

func (c *connection) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) == 0
}

// refuse answers what is no request, so that there is no id to answer to.
func (c *connection) refuse(code int64, message string) error {
	var w wire.Writer
	w.Object("").String("jsonrpc", "2.0").Raw("id", []byte("null")).Object("error").Int("code", code).String("message", message).End().End()
	return c.send(w.Bytes())
}

// Write sends a message.
func (c *connection) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode an answer: %w", err)
	}
	if err := c.send(data); err != nil {
		return err
	}
	if r, ok := msg.(*jsonrpc.Response); ok {
		c.end(r.ID)
	}
	return nil
}

func (c *connection) send(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}

// end notes that a request was answered.
func (c *connection) end(id jsonrpc.ID) {
	c.mu.Lock()
	delete(c.open, id)
	if c.busy == id {
		c.busy = jsonrpc.ID{}
	}
	c.mu.Unlock()
	select {
	case c.answered <- struct{}{}:
	default: // Read will look anyway
	}
}

// Close ends Read. It leaves the streams alone, which are their owner's.
func (c *connection) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}

// SessionID is none: there is one session.
func (c *connection) SessionID() string { return "" }
