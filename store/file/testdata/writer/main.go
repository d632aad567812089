// Command writer does one write to a store, so that tests can have other
// processes do it, and die in it.
//
//	writer DIR create|update|end|hold|free|remove|aside|clear|sweep|init <entry as JSON
//
// Its exit code is 0, 3 for a claim that is held, 4 for a changed generation or
// an ended dispatch, 5 for a held lock, else 1.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/file"
)

func main() {
	err := run(os.Args[1], os.Args[2])
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	switch {
	case errors.Is(err, store.ErrExists):
		os.Exit(3)
	case errors.Is(err, store.ErrGeneration), errors.Is(err, store.ErrEnded):
		os.Exit(4)
	case errors.Is(err, store.ErrLocked):
		os.Exit(5)
	}
	os.Exit(1)
}

func run(dir, op string) error {
	var e store.Entry
	if err := json.NewDecoder(os.Stdin).Decode(&e); err != nil {
		return err
	}
	if err := limit(); err != nil {
		return err
	}
	if op == "init" {
		return file.Init(dir)
	}
	s, err := file.Open(dir, file.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	ctx := context.Background()
	switch op {
	case "create":
		return s.Create(ctx, e)
	case "update":
		return s.Update(ctx, e, e.Generation-1)
	case "end", "hold":
		return s.End(ctx, e, e.Generation-1, op == "hold")
	case "free":
		return s.Free(ctx, e)
	case "remove":
		return s.Remove(ctx, e)
	case "aside":
		return s.SetAside(ctx, e.ID)
	case "clear":
		_, err := s.Clear(ctx)
		return err
	case "sweep":
		_, err := s.Sweep(ctx, 0, 1000, false)
		return err
	case "lock":
		return hold(s, e)
	}
	return fmt.Errorf("no such operation: %q", op)
}

// limit makes writes beyond WRITER_LIMIT bytes of a file fail.
func limit() error {
	text := os.Getenv("WRITER_LIMIT")
	if text == "" {
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(unix.SIGXFSZ)
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n})
}

// hold takes the lock of a unit by hand, says so, and keeps it until killed.
func hold(s *file.Store, e store.Entry) error {
	f, err := s.Root().OpenFile("locks/"+e.Keys.Unit+".lock", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	if _, err := f.WriteAt(fmt.Appendf(nil, "%-63s\n", "pid 42 (somebody)"), 0); err != nil {
		return err
	}
	fmt.Println("locked")
	time.Sleep(time.Hour)
	return nil
}
