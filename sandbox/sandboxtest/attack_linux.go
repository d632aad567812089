package sandboxtest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/seed6310be5c/conduct/sandbox"
)

// attack is one try, made inside. It returns how it got through, nil when it was held.
type attack struct {
	name     string
	property sandbox.Property
	mode     string // of the policy; "" the usual one
	try      func(w World) error
	// after looks from outside at what the try left; nil when there is nothing.
	after func(w World) error
	// before prepares the world, from outside.
	before func(w World)
}

// attacks are all of them, in the order of the table in the docs.
func attacks() []attack {
	all := []attack{
		{name: "read a file", property: sandbox.ReadSiblings, try: func(w World) error { return steal(w.secret()) }},
		{name: "read a listed unit", property: sandbox.ReadSiblings, try: func(w World) error { return steal(w.at("ws/listed/sib/code.txt")) }},
		{name: "read by a child", property: sandbox.ReadSiblings, try: readByChild},
		{name: "read by a detached child", property: sandbox.ReadSiblings, try: readDetached},
		{name: "read through a new link", property: sandbox.ReadSiblings, try: readByLink},
		{name: "read by a climbing path", property: sandbox.ReadSiblings, try: func(w World) error { return steal("../U0004/secret.txt") }},
		{name: "make a hard link", property: sandbox.ReadSiblings, try: hardLink},
		{name: "read git's objects", property: sandbox.ReadSiblings, try: func(w World) error { return steal(w.at("ws/.git/objects/aa/bb")) }},
		{name: "list the units", property: sandbox.ListSiblings, try: func(w World) error { return lists(w.parent(), "U0004") }},
		{name: "list a sibling", property: sandbox.ListSiblings, try: func(w World) error { return lists(w.sibling(), "secret.txt") }},
		{name: "stat a sibling", property: sandbox.StatSiblings, try: stat},
		{name: "write a file", property: sandbox.WriteSiblings, try: func(w World) error { return writes(w.secret()) }, after: siblingSame},
		{name: "make a file", property: sandbox.WriteSiblings, try: func(w World) error { return writes(filepath.Join(w.sibling(), "new")) }, after: siblingSame},
		{name: "truncate a file", property: sandbox.WriteSiblings, try: func(w World) error { return worked("truncate", os.Truncate(w.secret(), 0)) }, after: siblingSame},
		{name: "remove a sibling", property: sandbox.WriteSiblings, try: removeSibling, after: siblingSame},
		{name: "move a sibling", property: sandbox.WriteSiblings, try: func(w World) error {
			return worked("rename", os.Rename(w.sibling(), filepath.Join(w.own(), "taken")))
		}, after: siblingSame},
		{name: "make a unit", property: sandbox.WriteSiblings, try: func(w World) error {
			return worked("mkdir", os.Mkdir(filepath.Join(w.parent(), "U0006"), 0o755))
		}},
		{name: "chmod a sibling", property: sandbox.TouchSiblings, try: func(w World) error { return worked("chmod", os.Chmod(w.secret(), 0o600)) }},
		{name: "change its times", property: sandbox.TouchSiblings, try: func(w World) error {
			return worked("utime", os.Chtimes(w.secret(), time.Unix(1, 0), time.Unix(1, 0)))
		}},
		{name: "read a record", property: sandbox.Records, try: func(w World) error { return steal(filepath.Join(w.records(), "workspace.json")) }},
		{name: "list the records", property: sandbox.Records, try: func(w World) error { return lists(w.records(), "workspace.json") }},
		{name: "write a record", property: sandbox.Records, try: func(w World) error { return writes(filepath.Join(w.records(), "forged")) }},
		{name: "move the records", property: sandbox.Records, try: func(w World) error { return worked("rename", os.Rename(w.records(), w.at("ws/old"))) }},
		{name: "remove the records", property: sandbox.Records, try: func(w World) error { return removed(w.records()) }, after: recordsSame},
		{name: "write the own unit", property: sandbox.ReadOnly, mode: "read-only", try: func(w World) error { return writes(filepath.Join(w.own(), "x")) }},
		{name: "write at the top", property: sandbox.ReadOnly, mode: "read-only", try: func(w World) error { return writes(w.at("ws/top.txt")) }},
		{name: "write a shared file", property: sandbox.ReadOnly, mode: "shared-read", try: func(w World) error { return writes(w.at("ws/src/shared.txt")) }},
		{name: "write beside the units", property: sandbox.ReadOnly, mode: "shared-read", try: func(w World) error { return writes(filepath.Join(w.parent(), "README.md")) }},
		{name: "write into the home", property: sandbox.ReadOnly, try: func(w World) error { return writes(filepath.Join(w.home(), ".bashrc")) }},
		{name: "write a program of cargo", property: sandbox.ReadOnly, try: func(w World) error { return writes(filepath.Join(w.home(), ".cargo/bin/cargo")) }},
		{name: "write an opened file", property: sandbox.ReadOnly, mode: "opened", try: func(w World) error { return writes(w.at("ws/construction/units/U0005/secret2.txt")) }},
		{name: "move a folder above", property: sandbox.Ancestors, try: func(w World) error { return moved(w.at("ws/construction")) }},
		{name: "move the units", property: sandbox.Ancestors, try: func(w World) error { return moved(w.parent()) }},
		{name: "move the workspace", property: sandbox.Ancestors, try: func(w World) error { return moved(w.root()) }},
		{name: "move what holds it", property: sandbox.Ancestors, try: func(w World) error { return moved(string(w)) }},
		{name: "write hook settings", property: sandbox.Protected, try: func(w World) error { return writes(w.settings()) }},
		{name: "swap their folder", property: sandbox.Protected, try: func(w World) error { return moved(w.at("ws/.claude")) }},
		{name: "write conduct.yaml", property: sandbox.Protected, try: func(w World) error { return writes(w.at("ws/conduct.yaml")) }},
		{name: "write git's settings", property: sandbox.Protected, try: func(w World) error { return writes(w.at("ws/.git/config")) }, after: gitSame},
		{name: "write a hook of git", property: sandbox.Protected, try: writeHook, after: gitSame},
		{name: "swap our program", property: sandbox.Protected, try: func(w World) error { return moved(w.self()) }},
		{name: "abstract socket", property: sandbox.AbstractSocket, try: func(w World) error { return dial(w.abstract()) }},
		{name: "path socket", property: sandbox.PathSockets, try: func(w World) error { return dial(w.pathSocket()) }},
		{name: "another mount", property: sandbox.Aliases, try: func(w World) error { return steal(filepath.Join(w.alias(), "units/U0004/secret.txt")) }},
		{name: "an old hard link", property: sandbox.HardLinks, try: func(w World) error { return steal(w.linked()) }},
		{name: "another's temporary file", property: sandbox.PrivateTemp, try: strangersTemp, before: leaveTemp},
		{name: "leave a process", property: sandbox.Survivors, try: leaveProcess, after: nobodyHolds},
	}
	return append(all, kernelAttacks()...)
}

var errLeak = errors.New("got through")

func leak(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errLeak}, args...)...)
}

// steal reads a file; one that holds a secret is a leak.
func steal(path string) error {
	data, err := os.ReadFile(path)
	if err == nil && strings.Contains(string(data), Secret) {
		return leak("read %s", path)
	}
	return nil
}

func worked(what string, err error) error {
	if err == nil {
		return leak("%s worked", what)
	}
	return nil
}

func writes(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil
	}
	defer f.Close()
	if _, err := f.WriteString("forged"); err != nil {
		return nil
	}
	return leak("wrote %s", path)
}

func lists(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Name() == name {
			return leak("listed %s", name)
		}
	}
	return nil
}

func moved(path string) error { return worked("rename", os.Rename(path, path+"-moved")) }

func removed(path string) error { return worked("remove", os.RemoveAll(path)) }

func stat(w World) error {
	_, err := os.Lstat(w.sibling())
	return worked("stat", err)
}

func readByChild(w World) error {
	out, _ := exec.Command("/bin/sh", "-c", `sh -c 'cat "$1"' - "$1"`, "-", w.secret()).CombinedOutput()
	if strings.Contains(string(out), Secret) {
		return leak("a child read it")
	}
	return nil
}

func readDetached(w World) error {
	cmd := exec.Command("/bin/cat", w.secret())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, _ := cmd.Output()
	if strings.Contains(string(out), Secret) {
		return leak("a child of another session read it")
	}
	return nil
}

func readByLink(w World) error {
	link := filepath.Join(w.own(), "link")
	if err := os.Symlink("../U0004/secret.txt", link); err != nil {
		return fmt.Errorf("the own unit is not writable: %w", err)
	}
	return steal(link)
}

func hardLink(w World) error {
	link := filepath.Join(w.own(), "hard")
	if err := os.Link(w.secret(), link); err != nil {
		return nil
	}
	return steal(link)
}

func removeSibling(w World) error {
	_ = os.RemoveAll(w.sibling()) // a sibling that is not seen is removed without an error
	return nil
}

// siblingSame looks from outside.
func siblingSame(w World) error {
	data, err := os.ReadFile(w.secret())
	if err != nil || string(data) != Secret {
		return leak("the sibling's file is now %q (%v)", data, err)
	}
	entries, err := os.ReadDir(w.sibling())
	if err != nil || len(entries) != 1 {
		return leak("the sibling's folder has changed (%v)", err)
	}
	return nil
}

func recordsSame(w World) error {
	if _, err := os.Stat(filepath.Join(w.records(), "workspace.json")); err != nil {
		return leak("the records are gone")
	}
	return nil
}

func gitSame(w World) error {
	if _, err := os.Stat(w.at("ws/.git/hooks")); err == nil {
		return leak("a folder of hooks was made")
	}
	data, err := os.ReadFile(w.at("ws/.git/config"))
	if err != nil || strings.Contains(string(data), "forged") {
		return leak("git's settings have changed (%v)", err)
	}
	return nil
}

func writeHook(w World) error {
	_ = os.Mkdir(w.at("ws/.git/hooks"), 0o755) // the write says whether it worked
	return writes(w.at("ws/.git/hooks/pre-commit"))
}

func dial(address string) error {
	c, err := net.DialTimeout("unix", address, 5*time.Second)
	if err != nil {
		return nil
	}
	defer c.Close()
	data, _ := io.ReadAll(c)
	if strings.Contains(string(data), Secret) {
		return leak("%s answered", address)
	}
	return nil
}

// strangerFile is a temporary file of another agent.
func (w World) strangerFile() string {
	return filepath.Join("/tmp", "stranger-"+filepath.Base(string(w)))
}

func leaveTemp(w World) {
	_ = os.WriteFile(w.strangerFile(), []byte(Secret), 0o644) // the try would say so
}

func strangersTemp(w World) error {
	if getenv := os.Getenv("TMPDIR"); getenv != w.temp() {
		return fmt.Errorf("TMPDIR is %q", getenv)
	}
	if err := steal(w.strangerFile()); err != nil {
		return err
	}
	return lists("/tmp", filepath.Base(w.strangerFile()))
}

// leaveProcess leaves a process in a session of its own, which holds a lock for
// as long as it lives.
func leaveProcess(w World) error {
	r, wr, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(w.self(), holderArg, filepath.Join(w.own(), "lock"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout = wr
	if err := cmd.Start(); err != nil {
		return err
	}
	wr.Close()
	if _, err := r.Read(make([]byte, 1)); err != nil {
		return fmt.Errorf("the process did not get the lock: %w", err)
	}
	return nil
}

func nobodyHolds(w World) error {
	f, err := os.OpenFile(filepath.Join(w.own(), "lock"), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("the process has not run: %w", err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return leak("a process still holds its lock")
	}
	return nil
}
