package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Cache keeps the verdicts of probes. Dir must be out of reach of confined
// commands, or one could have a weaker backend chosen; "" keeps nothing. Boot
// identifies the boot: what a kernel allows may change with the next.
type Cache struct {
	Dir  string
	Boot string
	// Fresh asks again whatever is kept.
	Fresh bool
}

// Probe says whether a backend works here: by doing, once per boot and binary.
func (c Cache) Probe(ctx context.Context, b Backend) error {
	key := b.Key()
	if key == "" {
		return fmt.Errorf("%w: %s is not here", ErrUnavailable, b.Name())
	}
	head := strings.Join([]string{"1", c.Boot, fmt.Sprint(os.Geteuid()), key}, "\n") + "\n\n"
	file := filepath.Join(c.Dir, "sandbox-"+b.Name())
	keeps := c.Dir != "" && c.Boot != ""
	if keeps && !c.Fresh {
		if data, err := readSmall(file); err == nil {
			if verdict, ok := strings.CutPrefix(data, head); ok {
				return verdictOf(b, verdict)
			}
		}
	}
	err := Probe(ctx, b)
	if ctx.Err() != nil {
		return err // no verdict
	}
	if keeps {
		verdict := "works"
		if err != nil {
			verdict = strings.TrimPrefix(err.Error(), ErrUnavailable.Error()+": ")
		}
		if e := replace(file, head+verdict); e != nil && err == nil {
			return nil // it works; it is only asked again next time
		}
	}
	return err
}

func verdictOf(b Backend, verdict string) error {
	if verdict == "works" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, verdict)
}

// replace writes a file so that a reader sees all of it or none.
func replace(name, content string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".sandbox-")
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// What the canary in a probe ends with. They are none that a shell or a runner
// ends with by itself.
const (
	canaryHeld    = 93
	canaryLeaked  = 94
	canaryBlinded = 95
)

// Probe tries a backend out on a small workspace of its own: a file must be
// readable, and another must not be.
func Probe(ctx context.Context, b Backend) error {
	err := probe(ctx, b)
	if err != nil && !errors.Is(err, ErrUnavailable) {
		err = fmt.Errorf("%w: %s: %w", ErrUnavailable, b.Name(), err)
	}
	return err
}

func probe(ctx context.Context, b Backend) error {
	base, err := os.MkdirTemp("", "conduct-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return err
	}
	units := filepath.Join(base, "ws", "units")
	for _, dir := range []string{"ws/units/own", "ws/units/other", "tmp"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			return err
		}
	}
	open, hidden := filepath.Join(units, "own", "open"), filepath.Join(units, "other", "hidden")
	for _, name := range []string{open, hidden} {
		if err := os.WriteFile(name, []byte("canary"), 0o600); err != nil {
			return err
		}
	}
	self, err := Self()
	if err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	res, err := Run(ctx, b, []string{self, InitArg, open, hidden}, Policy{
		Root: filepath.Join(base, "ws"), Parents: []string{units}, Own: []string{filepath.Join(units, "own")},
		Temp: filepath.Join(base, "tmp"), Cwd: filepath.Join(base, "ws"), Env: []string{"PATH=/usr/bin:/bin"},
	}, Stdio{In: null, Out: null, Err: null})
	switch {
	case err != nil:
		return err
	case res.Exit == canaryLeaked:
		return errors.New("a file that it must hide was read")
	case res.Exit != canaryHeld:
		return fmt.Errorf("a file that it must show was not read (exit %d %s)", res.Exit, res.NotStarted)
	}
	return nil
}

// canary is the command of a probe: the first file must be readable, the
// others must not.
func canary(files []string) int {
	if !readable(files[0]) {
		return canaryBlinded
	}
	for _, f := range files[1:] {
		if readable(f) {
			return canaryLeaked
		}
	}
	return canaryHeld
}

func readable(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return err == nil && len(data) > 0
}

// FileKey identifies a program by what changes when it is replaced.
func FileKey(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s %d %d %d %d", path, st.Dev, st.Ino, info.Size(), info.ModTime().UnixNano())
}
