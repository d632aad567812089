package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// errNothingTyped says that there is no line: what is typed has ended, or nobody waits
// for it any more.
var errNothingTyped = errors.New("nothing was typed")

// typed reads the line that a person types from now on. What was typed before is none:
// it was meant for something else, or for nothing that could be seen then. Where ctx ends
// meanwhile nobody waits: the line that is read then, by whatever is left, counts for nothing.
func (e *Env) typed(ctx context.Context) (string, error) {
	if e.Forget != nil {
		e.Forget()
	}
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		// A terminal gives a line at a time, so nothing of the next one is lost.
		line, err := bufio.NewReader(e.Stdin).ReadString('\n')
		done <- read{line, err}
	}()
	select {
	case r := <-done:
		switch {
		case ctx.Err() != nil, errors.Is(r.err, io.EOF):
			return "", errNothingTyped
		case r.err != nil:
			return "", fmt.Errorf("read what is typed: %w", r.err)
		}
		return r.line, nil
	case <-ctx.Done():
		return "", errNothingTyped
	}
}
