package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed6310be5c/conduct/ledger"
)

// These are the commands that the scripts have beside those of testscript.

func condition(name string) (bool, error) {
	switch name {
	case "sandbox":
		// CI has bubblewrap, and must not skip these.
		_, err := exec.LookPath("bwrap")
		return os.Getenv("CI") != "" || err == nil, nil
	case "mounts":
		// Whether this process may mount a file system.
		dir, err := os.MkdirTemp("", "mount")
		if err != nil {
			return false, err
		}
		defer os.Remove(dir)
		if mount(dir, "size=64k") != nil {
			return false, nil
		}
		return true, unmount(dir)
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func need(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

// exits runs a program that must end with an exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) >= 2, "exits code program args…")
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, not %s", got, args[0])
	}
}

var (
	errorLine = regexp.MustCompile(`^conduct: [^A-Z].*[^.]$`)
	code      = map[string]string{"1": "failed", "2": "usage", "3": "conflict", "4": "not_found", "5": "locked", "6": "damaged"}
)

// fails runs conduct, which must fail with an exit code and a message that
// matches: as one line and a hint on the error stream, and again with --json as
// one object. Nothing else is printed, and the records are as they were.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) >= 3, "fails code message args…")
	message, err := regexp.Compile(args[1])
	ts.Check(err)
	before := records(ts)
	exits(ts, false, append([]string{args[0], "conduct"}, args[2:]...))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("a failure that prints %q", out)
	}
	said := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
	for len(said) > 0 && strings.HasPrefix(said[0], "conduct: warning: ") {
		said = said[1:]
	}
	if len(said) == 0 || len(said) > 2 || !errorLine.MatchString(said[0]) || !message.MatchString(said[0]) {
		ts.Fatalf("the message is %q", said)
	}
	hint := ""
	if len(said) == 2 {
		if hint = strings.TrimPrefix(said[1], "hint: "); hint == said[1] {
			ts.Fatalf("the second line is %q", said[1])
		}
	}
	exits(ts, false, append([]string{args[0], "conduct", "--json"}, args[2:]...))
	var doc struct {
		Error struct{ Code, Message, Hint string }
	}
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.DisallowUnknownFields()
	ts.Check(d.Decode(&doc))
	if d.More() {
		ts.Fatalf("more than one object")
	}
	if doc.Error.Code != code[args[0]] && doc.Error.Code != "undispatched" && !slices.Contains(ledger.Codes(), ledger.Code(doc.Error.Code)) {
		ts.Fatalf("error.code is %q", doc.Error.Code)
	}
	if !message.MatchString("conduct: "+doc.Error.Message) || doc.Error.Hint != hint {
		ts.Fatalf("with --json it says %q, hint %q", doc.Error.Message, doc.Error.Hint)
	}
	if after := records(ts); after != before {
		ts.Fatalf("the records were changed:\n%s\nto\n%s", before, after)
	}
}

// jsonField holds a field of the JSON object on the last output against a value:
// json dispatches.0.unit U03. With !, the field is not there.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) == 2 || neg && len(args) == 1, "[!] json field [value]")
	var v any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.UseNumber()
	ts.Check(d.Decode(&v))
	if d.More() {
		ts.Fatalf("more than one JSON value")
	}
	for part := range strings.SplitSeq(args[0], ".") {
		switch at := v.(type) {
		case map[string]any:
			got, ok := at[part]
			if !ok {
				if neg {
					return
				}
				ts.Fatalf("no field %q in %v", part, v)
			}
			v = got
		case []any:
			if part == "len" {
				v = len(at)
				continue
			}
			i, err := strconv.Atoi(part)
			ts.Check(err)
			if i >= len(at) {
				ts.Fatalf("only %d of %q", len(at), args[0])
			}
			v = at[i]
		default:
			ts.Fatalf("nothing below %v", v)
		}
	}
	if got := fmt.Sprint(v); neg || got != args[1] {
		ts.Fatalf("%s is %q", args[0], got)
	}
}

// lines counts the lines of the last output.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "lines n")
	if n := strings.Count(ts.ReadFile("stdout"), "\n"); strconv.Itoa(n) != args[0] {
		ts.Fatalf("%d lines", n)
	}
}

// save puts the first word of the last output into a variable.
func save(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "save VARIABLE")
	words := strings.Fields(ts.ReadFile("stdout"))
	if len(words) == 0 {
		ts.Fatalf("nothing was printed")
	}
	ts.Setenv(args[0], words[0])
}

// call sends a tool call of an agent through the hook: call own_unit reviewer
// a1 Read construction/units/U03/design.md. The code must be the one given.
func call(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 5, "call code agent id tool path")
	payload, err := json.Marshal(map[string]any{
		"session_id": "s1", "cwd": ts.MkAbs("."), "hook_event_name": "PreToolUse", "tool_name": args[3],
		"tool_input": map[string]string{"file_path": args[4]}, "tool_use_id": strconv.FormatInt(time.Now().UnixNano(), 36),
		"agent_type": args[1], "agent_id": args[2],
	})
	ts.Check(err)
	file := filepath.Join(ts.Getenv("WORK"), "payload.json")
	ts.Check(os.WriteFile(file, payload, 0o600))
	_ = ts.Exec("sh", "-c", `exec conduct-guard --client generic <"$1"`, "sh", file)
	jsonField(ts, false, []string{"code", args[0]})
}

// await waits until a dispatch has a state.
func await(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "await state")
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		ts.Check(ts.Exec("conduct", "status", "--all", "--json"))
		if strings.Contains(ts.ReadFile("stdout"), `"state":"`+args[0]+`"`) {
			return
		}
	}
	ts.Fatalf("no dispatch is %s", args[0])
}

// asked waits until there is an open question, and puts its id into a variable.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "asked VARIABLE")
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		ts.Check(ts.Exec("conduct", "approve", "--json"))
		var doc struct{ Questions []struct{ Key string } }
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc))
		if len(doc.Questions) == 1 {
			ts.Setenv(args[0], doc.Questions[0].Key)
			return
		}
	}
	ts.Fatalf("nobody asks")
}

// records describes what is in .conduct, but for the lock files, which are
// signed by whoever takes them.
func records(ts *testscript.TestScript) string {
	root := filepath.Join(ts.Getenv("WS"), ".conduct")
	var out strings.Builder
	_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // not there yet
		}
		if e.Name() == "locks" {
			return fs.SkipDir
		}
		text := ""
		if e.Type().IsRegular() {
			data, rerr := os.ReadFile(p)
			text = fmt.Sprintf("%q %v", data, rerr)
		} else if e.Type()&fs.ModeSymlink != 0 {
			text, _ = os.Readlink(p)
		}
		fmt.Fprintf(&out, "%s %s %s\n", strings.TrimPrefix(p, root), e.Type(), text)
		return nil
	})
	return out.String()
}

// snapshot remembers the records, and unchanged compares.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 0, "snapshot")
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "snapshot"), []byte(records(ts)), 0o600))
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 0, "unchanged")
	if before, after := ts.ReadFile(filepath.Join(ts.Getenv("WORK"), "snapshot")), records(ts); before != after {
		ts.Fatalf("the records were changed:\n%s\nto\n%s", before, after)
	}
}

// mode compares the permissions of a file, or of all files that a pattern matches.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "mode octal pattern")
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	found, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(found) == 0 {
		ts.Fatalf("nothing matches %s", args[1])
	}
	for _, f := range found {
		info, err := os.Lstat(f)
		ts.Check(err)
		got := uint64(info.Mode().Perm())
		if info.Mode()&fs.ModeSetgid != 0 {
			got |= 0o2000
		}
		if got != want {
			ts.Fatalf("%s has the mode %o", f, got)
		}
	}
}

// hold takes every lock of the workspace until the script ends.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 0, "hold")
	found, err := filepath.Glob(ts.MkAbs(".conduct/locks/*.lock"))
	ts.Check(err)
	if len(found) == 0 {
		ts.Fatalf("there are no locks")
	}
	for _, f := range found {
		l := flock.New(f)
		ok, err := l.TryLock()
		ts.Check(err)
		if !ok {
			ts.Fatalf("%s is taken", f)
		}
		ts.Defer(func() { _ = l.Unlock() })
	}
}

// spoil writes garbage over the record with an id.
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "spoil id")
	file := ts.MkAbs(".conduct/live/" + args[0] + ".json")
	old, err := os.ReadFile(file)
	ts.Check(err)
	ts.Check(os.WriteFile(file, bytes.TrimSuffix(old, []byte("}")), 0o600))
}

// tmpfs puts an empty file system over a folder.
func tmpfs(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "tmpfs folder options")
	dir := ts.MkAbs(args[0])
	ts.Check(mount(dir, args[1]))
	ts.Defer(func() { _ = unmount(dir) })
}

// freeze makes the file system of a folder read-only.
func freeze(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "freeze folder")
	ts.Check(remount(ts.MkAbs(args[0])))
}

// fill writes into a folder until its disk is full.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "fill folder")
	f, err := os.Create(filepath.Join(ts.MkAbs(args[0]), "filler"))
	ts.Check(err)
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else {
			ts.Check(err)
		}
	}
}
