package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mount is one line of /proc/self/mountinfo.
type mount struct {
	dev, root, point string
}

// mounts reads the table of mounts; a system without one has none that matter.
func mounts() ([]mount, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the mounts: %w", err)
	}
	return parseMounts(string(data)), nil
}

func parseMounts(data string) []mount {
	var out []mount
	for line := range strings.Lines(data) {
		f := strings.Fields(line)
		if len(f) > 4 {
			out = append(out, mount{f[2], unescape(f[3]), unescape(f[4])})
		}
	}
	return out
}

// unescape undoes what the kernel does to blanks and backslashes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s // nearly all
	}
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// aliases hides the other mounts of what is hidden, and of what is mounted in it.
func (l *Layout) aliases(p Policy) error {
	table, err := mounts()
	if err != nil {
		return err
	}
	for _, pl := range l.list() {
		if pl.Access != None || pl.Kind == TempDir || pl.Path == "/run" {
			continue
		}
		for _, path := range aliasesOf(table, pl.Path, p.Own) {
			if l.Visible(path) {
				l.put(path, None)
			}
		}
	}
	return nil
}

// aliasesOf returns where else the content of path can be reached. A mount of
// something in an own path is no alias of a sibling.
func aliasesOf(table []mount, path string, own []string) []string {
	var out []string
	for _, src := range sources(table, path) {
		for _, m := range table {
			if m.dev != src.dev || Under(m.point, path) {
				continue
			}
			switch {
			case Under(src.root, m.root):
				if at := filepath.Join(m.point, strings.TrimPrefix(src.root, m.root)); at != path && !Under(path, at) {
					out = append(out, at)
				}
			case Under(m.root, src.root):
				inner := filepath.Join(path, strings.TrimPrefix(m.root, src.root))
				if !underAny(inner, own) && !Under(path, m.point) {
					out = append(out, m.point)
				}
			}
		}
	}
	return out
}

// sources returns path as its file system knows it, and what is mounted below it.
func sources(table []mount, path string) []mount {
	var best mount
	var out []mount
	for _, m := range table {
		switch {
		case Under(path, m.point):
			if len(m.point) >= len(best.point) {
				best = m
			}
		case Under(m.point, path):
			out = append(out, mount{m.dev, m.root, m.point})
		}
	}
	if best.point != "" {
		out = append(out, mount{best.dev, filepath.Join(best.root, strings.TrimPrefix(path, best.point)), path})
	}
	return out
}

// sockets finds the path sockets of others that a command could connect to: a
// server behind one would act for it outside.
func (l *Layout) sockets(p Policy) {
	data, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return
	}
	seen := map[string]bool{}
	for _, path := range parseSockets(string(data)) {
		path, err := filepath.EvalSymlinks(path)
		if err != nil || seen[path] || !l.Visible(path) || Under(path, p.Temp) {
			continue
		}
		seen[path] = true
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
			l.Sockets = append(l.Sockets, path)
		}
	}
	if n := len(l.Sockets); n > maxSockets {
		l.Sockets = l.Sockets[:maxSockets]
		l.Gaps = append(l.Gaps, Gap{PathSockets, fmt.Sprintf("%d sockets are in reach, of which %d are covered", n, maxSockets)})
	}
}

// parseSockets returns the paths of /proc/net/unix; an abstract name begins with "@".
func parseSockets(data string) []string {
	var out []string
	for line := range strings.Lines(data) {
		if _, path, ok := strings.Cut(strings.TrimRight(line, "\n"), " /"); ok {
			out = append(out, "/"+path)
		}
	}
	return out
}
