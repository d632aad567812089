package crashtest

import (
	"os"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// History is what was asked and answered, and when, by one clock.
type History struct {
	start time.Time
	mu    sync.Mutex
	ops   []porcupine.Operation
}

// NewHistory begins a history.
func NewHistory() *History { return &History{start: time.Now()} }

// Now is the time of the history, for Add.
func (h *History) Now() int64 { return int64(time.Since(h.start)) }

// Add notes what was asked at a time, and answered just now.
func (h *History) Add(client int, call int64, in, out any) {
	op := porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: h.Now()}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, op)
}

// Operations is all that was noted.
func (h *History) Operations() []porcupine.Operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ops
}

// soakVar says for how long such a test runs, as a duration.
const soakVar = "CONDUCT_SOAK"

// Time is how long a test runs: usual, or what CONDUCT_SOAK says.
func Time(usual time.Duration) time.Duration {
	if d, err := time.ParseDuration(os.Getenv(soakVar)); err == nil {
		return d
	}
	return usual
}
