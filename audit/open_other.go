//go:build !linux

package audit

import "os"

// open opens a segment that exists for reading and appending.
func (l *Log) open(name string) (*os.File, error) {
	return l.root.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
}
