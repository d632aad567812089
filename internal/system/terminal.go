package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// Terminal says whether a person sits at the standard input: it is a terminal.
func Terminal() bool {
	_, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), ioctlGetTermios)
	return err == nil
}
