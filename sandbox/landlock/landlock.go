// Package landlock confines commands with Landlock: a list of what may be opened,
// which the kernel holds for the command and its children. Nothing is mounted, so
// it works where namespaces are not allowed, and holds less.
package landlock

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed6310be5c/conduct/sandbox"
)

// Backend confines with Landlock. Make it with New.
type Backend struct {
	self string
	root bool
	abi  int
	// HideNames closes the folders above the units to listing. Landlock cannot
	// open a folder to listing and not those in it, so without it the names of
	// siblings can be listed, and with it neither "ls" nor a build tool works at
	// the top of the workspace.
	HideNames bool
}

// The versions of Landlock that brought what is needed.
const (
	abiRefer    = 2 // before it, no rename from folder to folder works
	abiTruncate = 3 // before it, a file of a sibling can be emptied
	abiNetwork  = 4
	abiScopes   = 6
	abiUnix     = 9
)

// New returns the backend for this kernel. Self is the real path of the program
// that calls sandbox.Init.
func New(self string) *Backend {
	return &Backend{self: self, root: os.Geteuid() == 0, abi: sandbox.LandlockABI()}
}

// Name implements sandbox.Backend.
func (b *Backend) Name() string { return "landlock" }

// Key implements sandbox.Backend.
func (b *Backend) Key() string {
	if b.abi < abiTruncate {
		return ""
	}
	return fmt.Sprintf("landlock %d\n%s", b.abi, sandbox.FileKey(b.self))
}

// Runner implements sandbox.Early.
func (b *Backend) Runner() []string { return []string{b.self, sandbox.InitArg} }

// Confine implements sandbox.Backend.
func (b *Backend) Confine(argv []string, p sandbox.Policy) (sandbox.Plan, sandbox.Report, error) {
	report := sandbox.NewReport(b.Name())
	if b.abi < abiTruncate {
		return sandbox.Plan{}, report, fmt.Errorf("%w: landlock %d is needed, this kernel has %d", sandbox.ErrUnavailable, abiTruncate, b.abi)
	}
	if p.NoNetwork && b.abi < abiNetwork {
		return sandbox.Plan{}, report, fmt.Errorf("%w: landlock %d cannot take the network away", sandbox.ErrUnavailable, b.abi)
	}
	l, err := sandbox.Lay(argv, p, b.self)
	if err != nil {
		return sandbox.Plan{}, report, err
	}
	rules, err := b.rules(l)
	if err != nil {
		return sandbox.Plan{}, report, err
	}
	plan := sandbox.Plan{
		Argv: b.Runner(),
		Setup: sandbox.Setup{
			Argv: argv, Env: l.Env, Dir: p.Cwd, Rules: rules,
			Scopes: true, DropCaps: b.root, Reap: true, NoNetwork: p.NoNetwork,
		},
	}
	return plan, b.report(report, l, p), nil
}

func (b *Backend) report(r sandbox.Report, l *sandbox.Layout, p sandbox.Policy) sandbox.Report {
	r.Partial = append(r.Partial, l.Gaps...)
	give := func(p sandbox.Property, why string) {
		r.Partial = append(r.Partial, sandbox.Gap{Property: p, Why: why})
	}
	give(sandbox.StatSiblings, "a name that exists can be told from one that does not")
	give(sandbox.TouchSiblings, "the owner of a file can change its mode and times")
	give(sandbox.Processes, "the command lines of other processes can be read")
	give(sandbox.CreateAbove, "nothing can be made in the folders above the units")
	give(sandbox.GitHint, "git finds no repository, and does not say why")
	if !b.HideNames {
		give(sandbox.ListSiblings, "folders above the units can be listed only together with what is in them")
		give(sandbox.Records, "the names of records can be listed, for the same reason")
		give(sandbox.PrivateTemp, "the names of others' temporary files can be listed, for the same reason")
	}
	if b.abi < abiScopes {
		give(sandbox.AbstractSocket, "this version of Landlock cannot close them")
		give(sandbox.Signals, "this version of Landlock cannot hold them back")
		give(sandbox.Survivors, "a command can kill what would end it")
	}
	if b.abi < abiUnix {
		give(sandbox.PathSockets, "this version of Landlock cannot close them")
	}
	if p.NoNetwork {
		give(sandbox.Network, "only TCP is refused")
	}
	return r
}

// devices are the nodes of /dev that programs need. The rest would be open to
// root: the disk itself.
var devices = [...]string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm",
}

// rules turns a layout into a list of what is allowed.
func (b *Backend) rules(l *sandbox.Layout) ([]string, error) {
	t := &tree{rules: []string{}}
	for _, pl := range l.Places {
		t.put(pl.Path, pl.Access)
	}
	t.put("/dev", sandbox.None)
	for _, d := range devices {
		t.rules = append(t.rules, "d"+d)
	}
	if !b.HideNames {
		t.rules = append(t.rules, "l/")
	}
	return t.rules, t.allow("/", &t.top, sandbox.None)
}

// tree holds the places of a layout by their names.
type tree struct {
	top   node
	rules []string
}

type node struct {
	placed bool
	access sandbox.Access
	below  map[string]*node
}

func (t *tree) put(path string, a sandbox.Access) {
	n := &t.top
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name == "" {
			break
		}
		if n.below == nil {
			n.below = map[string]*node{}
		}
		if n.below[name] == nil {
			n.below[name] = &node{}
		}
		n = n.below[name]
	}
	n.placed, n.access = true, a
}

// lesser says whether something below allows less than a.
func (n *node) lesser(a sandbox.Access) bool {
	for _, c := range n.below {
		if c.placed && c.access < a || c.lesser(a) {
			return true
		}
	}
	return false
}

// allow adds the rules for a path. Landlock only ever adds to what is allowed
// above, so a folder that holds something lesser is allowed entry by entry.
func (t *tree) allow(path string, n *node, a sandbox.Access) error {
	if n.placed {
		a = n.access
	}
	split := n.lesser(a)
	if split {
		if err := t.entries(path, n, a); err != nil {
			return err
		}
	} else {
		t.rule(path, a)
	}
	for name, c := range n.below {
		if err := t.allow(filepath.Join(path, name), c, a); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) rule(path string, a sandbox.Access) {
	switch a {
	case sandbox.Read:
		t.rules = append(t.rules, "r"+path)
	case sandbox.Write:
		t.rules = append(t.rules, "w"+path)
	}
}

// entries allows what is in a folder now, but for what has a node of its own.
func (t *tree) entries(path string, n *node, a sandbox.Access) error {
	f, err := os.Open(path)
	if os.IsPermission(err) || os.IsNotExist(err) {
		return nil // what we cannot list we cannot allow
	}
	if err != nil {
		return fmt.Errorf("list %q: %w", path, err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return fmt.Errorf("list %q: %w", path, err)
	}
	for _, name := range names {
		if n.below[name] == nil {
			t.rule(filepath.Join(path, name), a)
		}
	}
	return nil
}

// Denied implements sandbox.Backend. "Permission denied" is what any file says;
// it is taken for a denial only beside a path that is hidden from the command.
func (b *Backend) Denied(stderr []byte, p sandbox.Policy) bool {
	for line := range bytes.Lines(stderr) {
		lower := bytes.ToLower(line)
		if !bytes.Contains(lower, []byte("permission denied")) && !bytes.Contains(line, []byte("EACCES")) {
			continue
		}
		for _, dirs := range [][]string{p.Parents, p.Hidden, p.Records} {
			for _, dir := range dirs {
				if bytes.Contains(line, []byte(dir)) {
					return true
				}
			}
		}
	}
	return false
}
