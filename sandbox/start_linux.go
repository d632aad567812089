package sandbox

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// passed are the signals that the runner must not die of: it starts with them
// blocked, and Init unblocks them for the command.
var passed = [...]unix.Signal{
	unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGPIPE,
}

// start starts a runner with files as its descriptors 0, 1, … and no others.
func start(argv []string, files []*os.File) (*os.Process, error) {
	// Whoever started us may have left descriptors open; ours are closed anyway.
	if err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return nil, fmt.Errorf("close inherited descriptors: %w", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var block, before unix.Sigset_t
	for _, sig := range passed {
		block.Val[(sig-1)/64] |= 1 << ((sig - 1) % 64)
	}
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &block, &before); err != nil {
		return nil, fmt.Errorf("block signals: %w", err)
	}
	// The command's environment goes by the setup: the runner needs none, and a
	// preloaded library is none of its business. Init is one small program, which
	// starts faster without threads for more than one processor.
	proc, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Dir: "/", Env: []string{"GOMAXPROCS=1", "GOGC=off", initVar + "=1"}, Files: files})
	if e := unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil); err == nil && e != nil {
		err = e
	}
	return proc, err
}
