// Package sandbox runs a command so that it and its children cannot open what
// a policy hides. A backend turns a command and a policy into a plan, pure but
// for looking at the disk; Run carries the plan out.
//
// Nothing runs unconfined: what cannot be confined is refused with
// ErrUnavailable, and what a backend cannot hold is named in its Report.
package sandbox

import (
	"context"
	"errors"
	"slices"
)

// ErrUnavailable is returned when nothing ran since the command could not be
// confined: no backend works here, or the chosen one failed before the command.
var ErrUnavailable = errors.New("sandbox unavailable")

// ErrPolicy is returned for a policy that cannot be carried out as it stands.
var ErrPolicy = errors.New("not a policy")

// ErrMoved is returned when a path of a policy is no longer the folder that it
// was, or leads elsewhere as a link.
var ErrMoved = errors.New("path has moved")

// ErrCwd is returned when the command would start in a place that is hidden
// from it, or gone. A backend that went elsewhere would run it in the wrong place.
var ErrCwd = errors.New("working folder is not visible")

// Backend is one way to confine a command.
type Backend interface {
	// Name is the word for it on the command line and in a Report.
	Name() string
	// Key identifies what the backend would run, so that a verdict of Probe
	// holds as long as the key does; "" when there is nothing to run.
	Key() string
	// Confine plans the command. It starts nothing. It fails with ErrPolicy,
	// ErrMoved, ErrCwd or ErrUnavailable.
	Confine(argv []string, p Policy) (Plan, Report, error)
	// Denied says whether what a command wrote to its standard error shows, in
	// this backend's own words, that something was denied. It errs towards false.
	Denied(stderr []byte, p Policy) bool
}

// Early is a Backend that has the same runner for every plan, and no inputs: it
// is started while the plan is made. It does nothing before it has its setup.
type Early interface {
	Backend
	// Runner is the Argv of every plan.
	Runner() []string
}

// Plan is what to start instead of a command.
type Plan struct {
	// Argv is the program and its arguments. Its last program is Init, which
	// takes Setup from descriptor 3.
	Argv []string
	// Inputs are read by the program from descriptors 5, 6, …
	Inputs [][]byte
	// Setup is what Init is told.
	Setup Setup
}

// Property is one thing that confinement holds. The words are part of the
// output of doctor and exec.
type Property string

// The properties, each with what a command cannot do where it holds.
const (
	ReadSiblings   Property = "siblings-unreadable"  // open a file of a sibling
	ListSiblings   Property = "siblings-unlistable"  // list the siblings, or one of them
	WriteSiblings  Property = "siblings-unwritable"  // make, change or remove one
	StatSiblings   Property = "siblings-unseen"      // learn that a name exists
	TouchSiblings  Property = "siblings-untouched"   // change mode or times
	Records        Property = "records-hidden"       // read, list or write .conduct
	ReadOnly       Property = "read-only"            // write where the grant only reads
	Ancestors      Property = "ancestors-pinned"     // rename a folder above a sibling
	Capabilities   Property = "no-capabilities"      // mount, open by handle, make devices
	KernelSettings Property = "kernel-settings"      // write /proc/sys or /sys
	Descriptors    Property = "no-descriptors"       // use a descriptor of whoever started it
	AbstractSocket Property = "abstract-sockets"     // talk to a socket without a path
	PathSockets    Property = "path-sockets"         // talk to a socket with a path
	LaterSockets   Property = "later-sockets"        // talk to one made after the start
	Network        Property = "no-network"           // use the network, where the grant takes it away
	Aliases        Property = "aliases"              // go through another mount of the same folder
	HardLinks      Property = "hard-links"           // go through a link made before
	Processes      Property = "processes-unseen"     // see other processes
	OtherRoots     Property = "other-roots"          // go through /proc/*/root or cwd
	Signals        Property = "signals"              // signal other processes
	Survivors      Property = "no-survivors"         // leave a process behind
	PrivateTemp    Property = "private-temp"         // see another's temporary files
	CreateAbove    Property = "create-above"         // here it *can* make files above the units
	GitHint        Property = "git-hint"             // git says how to go on
	Protected      Property = "protected-unwritable" // write a protected file
)

// Gap is a property that does not hold, and why.
type Gap struct {
	Property Property
	Why      string
}

// Report says how far a plan confines.
type Report struct {
	Backend string
	// Partial are the properties that this plan does not hold.
	Partial []Gap
	// Limits are what no backend holds here; they are documented, and do not
	// make a plan partial.
	Limits []Gap
}

// limits are what no backend holds.
var limits = []Gap{
	{LaterSockets, "a server that starts later, in a place that is visible, can be reached"},
	{HardLinks, "a file of a sibling that got another name before, in a visible place, is open under it"},
}

// NewReport begins the report of a backend, with what none holds.
func NewReport(backend string) Report { return Report{Backend: backend, Limits: slices.Clone(limits)} }

// Full says that the plan holds every property.
func (r Report) Full() bool { return len(r.Partial) == 0 }

// Holds says whether the plan holds a property.
func (r Report) Holds(p Property) bool {
	for _, g := range append(r.Partial, r.Limits...) {
		if g.Property == p {
			return false
		}
	}
	return true
}

// Choose returns the first backend that works, with the errors of those before
// it. Without any it fails with ErrUnavailable and all of their reasons.
func Choose(ctx context.Context, c Cache, backends ...Backend) (Backend, error) {
	reasons := []error{ErrUnavailable}
	for _, b := range backends {
		err := c.Probe(ctx, b)
		if err == nil {
			return b, nil
		}
		reasons = append(reasons, err)
	}
	return nil, errors.Join(reasons...)
}
