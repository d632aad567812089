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

// Forget drops what was typed at the standard input and not read yet, where that is a
// terminal.
func Forget() {
	_ = forget(int(os.Stdin.Fd())) // elsewhere nothing was typed
}
