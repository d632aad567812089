//go:build unix && !linux

package sandbox

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// passed are the signals that Init leaves to the command.
var passed = [...]os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}

func (i *inner) run() error {
	signal.Notify(make(chan os.Signal, 1), passed[:]...)
	var err error
	if i.setup, err = readSetup(i.sock); err != nil {
		return err
	}
	pid, err := i.setup.start()
	if err != nil {
		return i.sayFault(err)
	}
	i.say(saysStarted, "")
	go i.obey(pid)
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &ws, 0, nil)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	i.say(saysEnded, string(binary.BigEndian.AppendUint32(nil, uint32(ws))))
	return nil
}

// obey passes on the signals that come by the socket. When the other end is
// gone, the command goes.
func (i *inner) obey(pid int) {
	buf := make([]byte, 1)
	for {
		if _, err := io.ReadFull(i.sock, buf); err != nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			return
		}
		_ = syscall.Kill(pid, syscall.Signal(buf[0]))
	}
}
