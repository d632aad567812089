// Package mint makes the ids of dispatches. It stands apart from package
// dispatch so that the hook, which makes none, does not start the library.
package mint

import (
	"fmt"
	"io"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/seed6310be5c/conduct/store"
)

// ULID returns a maker of ids that sort by the time they are made at. random is
// crypto/rand.Reader; when it fails, no id is made.
func ULID(random io.Reader) func(now time.Time) (store.ID, error) {
	return func(now time.Time) (store.ID, error) {
		id, err := ulid.New(ulid.Timestamp(now), random)
		if err != nil {
			return "", fmt.Errorf("cannot make an id: %w", err)
		}
		return store.ID(id.String()), nil
	}
}
