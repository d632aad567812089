//go:build linux && e2e

// Package e2e runs the real agent programs, with models that play a script, in a
// network namespace in which there is nothing but the loopback.
package e2e

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "write testdata/results.json instead of comparing with it")

// insideVar holds, inside of the namespace, what was prepared outside of it.
const insideVar = "CONDUCT_E2E_PREPARED"

// prepared is what needs a network or the person's own environment.
type prepared struct {
	// Bin has our programs.
	Bin string
	// Missing are the packages that could not be installed, and why.
	Missing map[string]string
}

// TestMain prepares, and then runs the tests in this program's own image in a new namespace.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(insideVar) == "" {
		os.Exit(outside())
	}
	if err := loopbackUp(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot bring the loopback up:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func outside() int {
	bin, err := os.MkdirTemp("", "conduct-e2e-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(bin)
	if err := buildConduct(bin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ready, err := json.Marshal(prepared{Bin: bin, Missing: installAll()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return again(append(os.Environ(), insideVar+"="+string(ready)))
}

func buildConduct(bin string) error {
	cmd := exec.Command("go", "build", "-o", bin+string(filepath.Separator),
		"github.com/seed6310be5c/conduct/cmd/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build conduct: %w\n%s", err, out)
	}
	return nil
}

// again runs this program in a new network namespace, and in a new user namespace
// where it is not root's.
func again(env []string) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	runtime.LockOSThread() // it is the thread's end that would end the tests
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(os.Stderr, "cannot make a network namespace:", err)
		return 1
	}
	return 0
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// inside returns what was prepared.
func inside(t *testing.T) prepared {
	t.Helper()
	var p prepared
	require.NoError(t, json.Unmarshal([]byte(os.Getenv(insideVar)), &p))
	return p
}

// Nothing that these tests start can reach anything but the loopback.
func TestNoRouteButLoopback(t *testing.T) {
	all, err := net.Interfaces()
	require.NoError(t, err)
	for _, i := range all {
		require.True(t, i.Flags&net.FlagLoopback != 0 || i.Flags&net.FlagUp == 0, "%s is up", i.Name)
	}
	for _, to := range []string{"192.0.2.1:80", "8.8.8.8:53", "[2001:db8::1]:80"} {
		_, err := net.DialTimeout("tcp", to, time.Second)
		require.ErrorIs(t, err, syscall.ENETUNREACH, to)
	}
	routes, err := os.ReadFile("/proc/self/net/route")
	require.NoError(t, err)
	require.Len(t, strings.Split(strings.TrimSpace(string(routes)), "\n"), 1, "%s", routes)
}
