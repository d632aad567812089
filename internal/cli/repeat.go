package cli

import (
	"context"
	"time"
)

// repeat does something at once, and again each time that every has passed, until
// ctx ends: then it has done what it should. An error ends it before.
func repeat(ctx context.Context, every time.Duration, do func() error) error {
	next := time.NewTicker(every)
	defer next.Stop()
	for {
		if err := do(); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-next.C:
		}
	}
}
