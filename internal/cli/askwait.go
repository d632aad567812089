package cli

import (
	"fmt"
	"time"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/install"
	"github.com/seed6310be5c/conduct/internal/gate"
)

const (
	// leastWait is the shortest time in which a person may answer.
	leastWait = time.Second
	// spare is what the hook needs beside the wait: a judgement before it and one after,
	// and to start and to write things down.
	spare = 2*gate.Deadline + 2*time.Second
)

// noteWait notes in a grant for how long the hook may wait for an answer. Most
// programs take a hook that is not done in time for leave to go on, so it must stay
// well below every limit that an installed hook has.
func (d *desk) noteWait(g *grants.Grant) error {
	hooks, _ := install.Find(d.ws.Root, d.env.Getenv("HOME")) // what cannot be read is for doctor to say
	wait := g.AskWait
	if wait == 0 {
		wait = gate.DefaultWait
	}
	for _, h := range hooks {
		limit := time.Duration(h.Timeout * float64(time.Second))
		if !h.Judges() || limit <= 0 || limit >= wait+spare {
			continue
		}
		if limit-spare < leastWait {
			return hint(fmt.Errorf("the hook in %q is given %s, in which nobody can be asked", h.File, limit), "conduct init --client %s", h.Client)
		}
		d.env.warn("the hook in %q is given %s, so a question waits %s at the most", h.File, limit, limit-spare)
		wait = limit - spare
	}
	if wait != gate.DefaultWait {
		g.AskWait = wait
	}
	return nil
}

// parseWait reads how long a question may wait; "" is the default.
func parseWait(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	wait, err := config.ParseDuration(text)
	if err != nil || wait < leastWait || wait > grants.MaxAskWait {
		return 0, usageError{fmt.Errorf("--ask-wait %q is not a duration from %s to %s", text, leastWait, grants.MaxAskWait)}
	}
	return wait, nil
}
