//go:build !linux

package main

import (
	"fmt"
	"runtime"
)

// machine says what the figures were measured on: nothing that names it.
func machine(string) (string, error) {
	return fmt.Sprintf("%s, %s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()), nil
}

// settle does nothing where there is no call for it.
func settle() {}
