// Appendwrite takes a lock, appends a line to one file and replaces another one, all of it
// durably: what any program that keeps a log and what it comes to costs at the least. Its
// argument is the folder.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// About the sizes of an event and of an item in bytes.
const (
	lineSize = 170
	fileSize = 570
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: appendwrite DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	if err := appendLine(filepath.Join(dir, "log")); err != nil {
		return err
	}
	return replace(dir, "item")
}

func appendLine(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(bytes.Repeat([]byte{'x'}, lineSize-1), '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

func replace(dir, name string) error {
	temp := filepath.Join(dir, "."+name)
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{'x'}, fileSize))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(dir, name)); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
