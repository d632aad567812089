package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed6310be5c/conduct/sandbox"
)

// The first arguments with which the test's program is one of the processes of
// an attack.
const (
	runArg    = "sandboxtest-run"    // start a sandbox
	attackArg = "sandboxtest-attack" // attack from inside
	nestedArg = "sandboxtest-nested" // and from a user namespace in it
	victimArg = "sandboxtest-victim" // another agent's process
	holderArg = "sandboxtest-holder" // a process left behind
	dialerArg = "sandboxtest-dialer" // talk to a socket
)

// Maker makes the backend under test; self is the real path of our program.
type Maker func(self string) sandbox.Backend

// How an attack ends.
const (
	exitHeld = 40 + iota
	exitLeaked
	exitBroken // it could not be tried
)

// Main takes the parts of an attack that are processes of their own. A TestMain
// calls it first and exits with the code where handled is true.
func Main(args []string, maker Maker) (handled bool, exit int) {
	if handled, exit := sandbox.Init(args); handled {
		return true, exit
	}
	if len(args) == 0 {
		return false, 0
	}
	switch args[0] {
	case runArg:
		return true, runInside(args[1:], maker)
	case attackArg:
		return true, tryInside(args[1], World(args[2]))
	case nestedArg:
		if err := nestedTry(args[1], World(args[2])); err != nil {
			_, _ = io.WriteString(os.Stdout, err.Error()) // the attack reads it
		}
		return true, 0
	case victimArg:
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
		return true, 0
	case holderArg:
		return true, hold(args[1])
	case dialerArg:
		return true, listen(args[1])
	}
	return false, 0
}

func tryInside(name string, w World) int {
	for _, a := range attacks() {
		if a.name != name {
			continue
		}
		err := a.try(w)
		if err == nil {
			return exitHeld
		}
		_, _ = io.WriteString(os.Stdout, err.Error()) // the test shows it
		if errors.Is(err, errLeak) {
			return exitLeaked
		}
		return exitBroken
	}
	return exitBroken
}

// hold takes a lock, says so, and waits for ever.
func hold(name string) int {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil || syscall.Flock(int(f.Fd()), syscall.LOCK_EX) != nil {
		return exitBroken
	}
	if _, err := os.Stdout.Write([]byte("!")); err != nil {
		return exitBroken
	}
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGHUP, syscall.SIGTERM)
	for range never { // not even a polite signal ends it
	}
	return 0
}

// listen prints what is said behind a socket.
func listen(address string) int {
	c, err := net.Dial("unix", address)
	if err != nil {
		return 1
	}
	defer c.Close()
	if _, err := io.Copy(os.Stdout, c); err != nil {
		return exitBroken
	}
	return 0
}

// outcome is what a sandbox started by runInside says about a command.
type outcome struct {
	exit    int
	denied  bool
	partial []string // properties that do not hold
	err     string
}

// outcomeMark begins the line that carries an outcome.
const outcomeMark = "\nsandboxtest-outcome "

func (o outcome) String() string {
	return fmt.Sprintf("%s%d %t %s %s\n", outcomeMark, o.exit, o.denied, strings.Join(append(o.partial, "-"), ","), o.err)
}

func parseOutcome(out string) (outcome, string, bool) {
	before, line, ok := strings.Cut(out, outcomeMark)
	if !ok {
		return outcome{}, out, false
	}
	f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
	if len(f) != 4 {
		return outcome{}, out, false
	}
	exit, err := strconv.Atoi(f[0])
	o := outcome{exit: exit, denied: f[1] == "true", partial: strings.Split(strings.TrimSuffix(f[2], "-"), ","), err: f[3]}
	return o, before, err == nil
}

// runInside is conduct's part: it runs a command confined, as whatever user it
// is, with a descriptor left open by whoever started it.
func runInside(args []string, maker Maker) int {
	mode, w, argv := args[0], World(args[1]), args[2:]
	fd, err := syscall.Open(w.parent(), syscall.O_RDONLY, 0)
	if err == nil {
		err = syscall.Dup3(fd, inheritedFd, 0)
	}
	if err != nil {
		return exitBroken
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGUSR1)
	res, err := sandbox.Run(context.Background(), maker(w.self()), argv, w.policy(mode), sandbox.Stdio{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Watch: true, Signals: signals,
	})
	o := outcome{exit: res.Exit, denied: res.Denied}
	for _, g := range append(res.Report.Partial, res.Report.Limits...) {
		o.partial = append(o.partial, string(g.Property))
	}
	if err != nil {
		o.err = strings.ReplaceAll(err.Error(), "\n", " ")
	}
	if _, err := io.WriteString(os.Stdout, o.String()); err != nil {
		return exitBroken
	}
	return 0
}
