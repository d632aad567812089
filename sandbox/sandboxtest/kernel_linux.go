package sandboxtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/sandbox"
)

// inheritedFd is a descriptor of the units' folder that whoever starts the
// sandbox has left open.
const inheritedFd = 9

func kernelAttacks() []attack {
	return []attack{
		{name: "unmount", property: sandbox.Capabilities, try: unmount},
		{name: "bind mount", property: sandbox.Capabilities, try: bindMount},
		{name: "open by handle", property: sandbox.Capabilities, try: openByHandle},
		{name: "make a device", property: sandbox.Capabilities, try: makeDevice},
		{name: "open the disk", property: sandbox.Capabilities, try: openDisk},
		{name: "unmount in a user namespace", property: sandbox.Capabilities, try: nested("unmount")},
		{name: "bind mount in a user namespace", property: sandbox.Capabilities, try: nested("bind")},
		{name: "pivot in a user namespace", property: sandbox.Capabilities, try: nested("pivot")},
		{name: "open by handle in a user namespace", property: sandbox.Capabilities, try: nested("handle")},
		{name: "remount in a user namespace", property: sandbox.Capabilities, try: nested("remount")},
		{name: "chroot out", property: sandbox.Capabilities, try: chrootOut},
		{name: "write /proc/sys", property: sandbox.KernelSettings, try: kernelSettings},
		{name: "write /proc/sys in a user namespace", property: sandbox.KernelSettings, try: nested("settings")},
		{name: "inherited descriptor", property: sandbox.Descriptors, try: descriptors},
		{name: "descriptors of process 1", property: sandbox.Descriptors, try: parentsDescriptors},
		{name: "see processes", property: sandbox.Processes, try: seeProcesses},
		{name: "/proc/*/root and cwd", property: sandbox.OtherRoots, try: otherRoots},
		{name: "enter another's namespaces", property: sandbox.OtherRoots, try: enter},
		{name: "trace a process", property: sandbox.OtherRoots, try: trace},
		{name: "take a descriptor of a process", property: sandbox.OtherRoots, try: takeDescriptor},
		{name: "signal a process", property: sandbox.Signals, try: signalOther},
		{name: "kill our own keeper", property: sandbox.Survivors, try: killKeeper, after: nobodyHolds},
	}
}

func stealAt(path string) error { return steal(filepath.Join(path, "U0004/secret.txt")) }

func unmount(w World) error {
	for _, path := range []string{w.parent(), w.root(), "/"} {
		_ = unix.Unmount(path, unix.MNT_DETACH) // what counts is whether the file can be read
		if err := steal(w.secret()); err != nil {
			return err
		}
	}
	return nil
}

// bindMount mounts a folder above the siblings without what is mounted in it.
func bindMount(w World) error {
	to := filepath.Join(w.own(), "here")
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(w.at("ws/construction"), to, "", unix.MS_BIND, ""); err != nil {
		return nil
	}
	return stealAt(filepath.Join(to, "units"))
}

func openByHandle(w World) error {
	data, err := os.ReadFile(w.at("handle"))
	if err != nil {
		return err
	}
	h := unix.NewFileHandle(int32(binary.LittleEndian.Uint32(data)), data[4:])
	for _, dir := range []string{w.own(), w.at("ws/src"), w.root(), w.temp(), "/", "/proc", "/usr"} {
		at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			continue
		}
		fd, err := unix.OpenByHandleAt(at, h, unix.O_RDONLY)
		unix.Close(at)
		if err != nil {
			continue
		}
		buf := make([]byte, 64)
		n, _ := unix.Read(fd, buf)
		unix.Close(fd)
		if strings.Contains(string(buf[:max(n, 0)]), Secret) {
			return leak("its handle opened through %s", dir)
		}
	}
	return nil
}

func diskNumber(w World) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat(w.own(), &st); err != nil {
		return 0, err
	}
	return st.Dev, nil
}

func makeDevice(w World) error {
	dev, err := diskNumber(w)
	if err != nil {
		return err
	}
	for _, dir := range []string{w.own(), w.temp(), "/dev", "/dev/shm"} {
		path := filepath.Join(dir, "disk")
		if unix.Mknod(path, unix.S_IFBLK|0o600, int(dev)) == nil {
			return errors.Join(leak("made a device in %s", dir), os.Remove(path))
		}
	}
	return nil
}

// openDisk opens the disk itself, where /dev names it.
func openDisk(World) error {
	for _, pattern := range []string{"/dev/vd*", "/dev/sd*", "/dev/nvme*", "/dev/dm-*", "/dev/mem", "/dev/kmsg"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, p := range paths {
			if f, err := os.Open(p); err == nil {
				f.Close()
				return leak("opened %s", p)
			}
		}
	}
	return nil
}

// nested tries something as root of a user namespace of its own.
func nested(what string) func(World) error {
	return func(w World) error {
		cmd := exec.Command(w.self(), nestedArg, what, string(w))
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), errLeak.Error()) {
			return leak("nested: %s", out)
		}
		if err != nil && cmd.ProcessState != nil {
			return fmt.Errorf("nested: %w: %s", err, out)
		}
		return nil // no namespace to be had
	}
}

func nestedTry(what string, w World) error {
	switch what {
	case "unmount":
		return unmount(w)
	case "bind":
		return bindMount(w)
	case "handle":
		return openByHandle(w)
	case "settings":
		_ = unix.Unmount("/proc/sys", unix.MNT_DETACH) // then what lies below is tried
		return kernelSettings(w)
	case "remount":
		_ = unix.Mount("", w.parent(), "", unix.MS_REMOUNT|unix.MS_BIND, "")
		return worked("mkdir", os.Mkdir(filepath.Join(w.parent(), "U0006"), 0o755))
	case "pivot":
		return pivot(w)
	}
	return fmt.Errorf("no nested attack %q", what)
}

func pivot(w World) error {
	to := filepath.Join(w.own(), "here")
	if err := os.MkdirAll(filepath.Join(to, "old"), 0o755); err != nil {
		return err
	}
	if unix.Mount(to, to, "", unix.MS_BIND|unix.MS_REC, "") != nil || unix.PivotRoot(to, filepath.Join(to, "old")) != nil {
		return nil
	}
	_ = unix.Unmount("/old"+w.parent(), unix.MNT_DETACH) // what counts is whether the file can be read
	return stealAt("/old" + w.parent())
}

func chrootOut(w World) error {
	to := filepath.Join(w.own(), "jail")
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	top, err := os.Open("/")
	if err != nil {
		return nil
	}
	defer top.Close()
	if unix.Chroot(to) != nil || top.Chdir() != nil {
		return nil
	}
	for range 64 {
		_ = os.Chdir("..") // at the top it stays there
	}
	return steal("." + w.secret())
}

func kernelSettings(World) error {
	for _, path := range []string{"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/sys/power/state"} {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			f.Close()
			return leak("opened %s for writing", path)
		}
	}
	return nil
}

func descriptors(World) error {
	for fd := 3; fd < 64; fd++ {
		f, err := unix.Openat(fd, "U0004/secret.txt", unix.O_RDONLY, 0)
		if err == nil {
			unix.Close(f)
			return leak("descriptor %d leads to the units", fd)
		}
	}
	return nil
}

func parentsDescriptors(World) error {
	for _, pid := range []string{"1", strconv.Itoa(os.Getppid())} {
		for fd := range 64 {
			path := filepath.Join("/proc", pid, "fd", strconv.Itoa(fd))
			if target, err := os.Readlink(path); err == nil && fd > 2 && pid != "0" {
				return leak("%s is %s", path, target)
			}
		}
	}
	return nil
}

// pids are the processes that we see but our own.
func pids() []string {
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var out []string
	for _, p := range paths {
		if filepath.Base(p) != strconv.Itoa(os.Getpid()) {
			out = append(out, p)
		}
	}
	return out
}

func seeProcesses(World) error {
	for _, p := range pids() {
		if data, err := os.ReadFile(filepath.Join(p, "cmdline")); err == nil && strings.Contains(string(data), Secret) {
			return leak("read the command line of %s", p)
		}
	}
	return nil
}

func otherRoots(w World) error {
	for _, p := range pids() {
		for _, path := range []string{filepath.Join(p, "root", w.secret()), filepath.Join(p, "cwd/secret.txt"), filepath.Join(p, "cwd/U0004/secret.txt")} {
			if err := steal(path); err != nil {
				return err
			}
		}
	}
	return nil
}

func enter(w World) error {
	runtime.LockOSThread() // never unlocked: this thread may end up elsewhere
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return err // without it, no thread of several may enter anything
	}
	for _, pid := range []int{1, os.Getppid(), w.victimPid()} {
		fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/mnt", pid), unix.O_RDONLY, 0)
		if err != nil {
			continue
		}
		if unix.Setns(fd, unix.CLONE_NEWNS) == nil {
			return leak("entered the namespace of %d", pid)
		}
		unix.Close(fd)
	}
	return nil
}

func trace(w World) error {
	runtime.LockOSThread()
	for _, pid := range []int{1, os.Getppid(), w.victimPid()} {
		if unix.PtraceSeize(pid) == nil { // unlike attaching, it stops nobody
			return leak("traced %d", pid)
		}
	}
	return nil
}

func takeDescriptor(w World) error {
	for _, pid := range []int{1, os.Getppid(), w.victimPid()} {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		for n := range 16 {
			if got, err := unix.PidfdGetfd(fd, n, 0); err == nil {
				unix.Close(got)
				return leak("took descriptor %d of %d", n, pid)
			}
		}
		unix.Close(fd)
	}
	return nil
}

func signalOther(w World) error {
	if unix.Kill(w.victimPid(), 0) == nil {
		return leak("may signal %d", w.victimPid())
	}
	return nil
}

// killKeeper leaves a process and then tries to have nobody left to end it.
func killKeeper(w World) error {
	if err := leaveProcess(w); err != nil {
		return err
	}
	_ = unix.Kill(os.Getppid(), unix.SIGKILL) // both are refused, or do nothing
	_ = unix.Kill(os.Getppid(), unix.SIGSTOP)
	return nil
}
