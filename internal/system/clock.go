// Package system is the clock and the names of the machine that we run on.
package system

import (
	"sync"
	"time"
)

// Clock is the real clock; it implements dispatch.Clock. It reads the boot id
// once, so one value serves one process.
type Clock struct {
	asked sync.Once
	boot  string
}

// Now is the wall clock.
func (c *Clock) Now() time.Time { return time.Now() }

// Boot returns the id of this boot and the time since it began, sleep included.
func (c *Clock) Boot() (string, time.Duration) {
	c.asked.Do(func() { c.boot = bootID() })
	return c.boot, sinceBoot()
}
