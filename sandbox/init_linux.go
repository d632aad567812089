package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func (i *inner) run() error {
	// Signals are the command's: those sent to our group reach it, those sent to
	// the runner come by the socket. Being caught here, they are at their default there.
	caught := make(chan os.Signal, 1)
	for _, sig := range passed {
		signal.Notify(caught, sig)
	}
	// Nobody inside looks into this process or at its descriptors.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("become unreadable: %w", err)
	}
	var err error
	if i.setup, err = readSetup(i.sock); err != nil {
		return err
	}
	if i.setup.Reap {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("become the reaper: %w", err)
		}
	}
	pid, err := i.spawn()
	if err != nil {
		return i.sayFault(err)
	}
	i.say(saysStarted, "")
	go i.obey(pid)
	ws := reap(pid)
	if i.setup.Reap {
		endAll()
	}
	i.say(saysEnded, string(binary.BigEndian.AppendUint32(nil, uint32(ws))))
	return nil
}

// spawn starts the command from a thread that is restricted, which only the
// command inherits: the rest of this process can still signal it, and it cannot
// touch us.
func (i *inner) spawn() (int, error) {
	type started struct {
		pid int
		err error
	}
	out := make(chan started)
	go func() {
		runtime.LockOSThread() // never unlocked: nothing else may run on this thread
		pid, err := i.spawnHere()
		out <- started{pid, err}
		select {} // the thread must outlive the command, or its children would learn of its end
	}()
	s := <-out
	return s.pid, s.err
}

func (i *inner) spawnHere() (int, error) {
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, new(unix.Sigset_t), nil); err != nil {
		return 0, fmt.Errorf("unblock signals: %w", err)
	}
	if err := restrict(i.setup); err != nil {
		return 0, err
	}
	return i.setup.start()
}

// obey passes on the signals that come by the socket. When the other end is
// gone, everything goes.
func (i *inner) obey(pid int) {
	buf := make([]byte, 1)
	for {
		if _, err := io.ReadFull(i.sock, buf); err != nil {
			break
		}
		_ = unix.Kill(pid, unix.Signal(buf[0])) // it may have ended
	}
	if !i.setup.Reap {
		// Process 1: the kernel ends the rest with the command.
		_ = unix.Kill(-1, unix.SIGKILL)
		return
	}
	_ = unix.Kill(pid, unix.SIGKILL)
}

// reap waits for the command, and for whatever its children leave to us.
func reap(pid int) unix.WaitStatus {
	for {
		var ws unix.WaitStatus
		got, err := unix.Wait4(-1, &ws, 0, nil)
		if got == pid && err == nil {
			return ws
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return ws
		}
	}
}

// endAll kills what the command left behind: as the reaper we become the parent
// of every orphan, so this ends when no child is left.
func endAll() {
	for {
		// Mostly there is none, and then their list need not be read.
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); pid <= 0 && errors.Is(err, unix.ECHILD) {
			return
		}
		for _, pid := range children() {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		_, err := unix.Wait4(-1, nil, 0, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// children lists the processes whose parent we are.
func children() []int {
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return nil
	}
	var out []int
	for _, t := range tasks {
		data, err := os.ReadFile(t)
		if err != nil {
			continue
		}
		for f := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(f); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}
