// Lockwrite takes a lock and writes two files durably: what any program that
// keeps a pair of records safe costs at the least. Its arguments are the folder
// and a number that makes the names of the files.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// size is about that of a record or a grant in bytes.
const size = 600

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: lockwrite DIR NUMBER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir, number string) error {
	lock, err := os.OpenFile(filepath.Join(dir, "lock-"+number), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	for _, folder := range []string{"a", "b"} {
		if err := write(filepath.Join(dir, folder), number); err != nil {
			return err
		}
	}
	return nil
}

func write(dir, name string) error {
	temp, path := filepath.Join(dir, "."+name), filepath.Join(dir, name)
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{'x'}, size))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
