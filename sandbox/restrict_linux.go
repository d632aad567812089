package sandbox

import (
	"errors"
	"fmt"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// LandlockABI returns the version of Landlock in this kernel, 0 for none.
func LandlockABI() int {
	v, err := landlock.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// keptCaps are what root keeps: what package managers and tests need, and
// nothing that reaches around a mount or into another process.
var keptCaps = [...]uint{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID,
	unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE, unix.CAP_NET_RAW,
}

// The rights that Landlock knows, by what they are for.
const (
	rightsRead  = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSReadDir
	rightsWrite = rightsRead | landlock.AccessFSWriteFile | landlock.AccessFSRemoveDir | landlock.AccessFSRemoveFile |
		landlock.AccessFSMakeDir | landlock.AccessFSMakeReg | landlock.AccessFSMakeSock | landlock.AccessFSMakeFifo |
		landlock.AccessFSMakeSym | landlock.AccessFSRefer | landlock.AccessFSTruncate | landlock.AccessFSResolveUnix
	rightsDevice = rightsWrite | landlock.AccessFSIoctlDev
	rightsAll    = rightsDevice | landlock.AccessFSMakeChar | landlock.AccessFSMakeBlock
	rightsFile   = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSWriteFile | landlock.AccessFSTruncate |
		landlock.AccessFSIoctlDev | landlock.AccessFSResolveUnix
)

// handled returns the file rights that a version of Landlock knows.
func handled(abi int) uint64 {
	rights := uint64(rightsAll)
	for _, r := range []struct {
		right uint64
		since int
	}{
		{landlock.AccessFSRefer, 2}, {landlock.AccessFSTruncate, 3}, {landlock.AccessFSIoctlDev, 5}, {landlock.AccessFSResolveUnix, 9},
	} {
		if abi < r.since {
			rights &^= r.right
		}
	}
	return rights
}

// The versions of Landlock that brought what is not about files.
const (
	abiNetwork = 4
	abiScopes  = 6
)

// restrict restricts the calling thread, and so what it starts.
func restrict(s Setup) error {
	if s.DropCaps {
		if err := dropCaps(); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	abi := LandlockABI()
	var attr landlock.RulesetAttr
	if s.Scopes && abi >= abiScopes {
		attr.Scoped = landlock.ScopeAbstractUnixSocket | landlock.ScopeSignal
	}
	if len(s.Rules) > 0 {
		attr.HandledAccessFS = handled(abi)
	}
	if s.NoNetwork && abi >= abiNetwork {
		attr.HandledAccessNet = landlock.AccessNetBindTCP | landlock.AccessNetConnectTCP
	}
	if attr == (landlock.RulesetAttr{}) {
		return nil
	}
	return enforce(attr, s.Rules)
}

func enforce(attr landlock.RulesetAttr, rules []string) error {
	set, err := landlock.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return fmt.Errorf("make a landlock ruleset: %w", err)
	}
	defer unix.Close(set)
	for _, r := range rules {
		if err := addRule(set, r, attr.HandledAccessFS); err != nil {
			return err
		}
	}
	if err := landlock.LandlockRestrictSelf(set, 0); err != nil {
		return fmt.Errorf("enforce landlock: %w", err)
	}
	return nil
}

func addRule(set int, rule string, handled uint64) error {
	if len(rule) < 2 {
		return errSetup
	}
	path := rule[1:]
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) {
		return nil // gone, or closed to us anyway: what is not allowed is denied
	}
	if err != nil {
		return fmt.Errorf("allow %q: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("allow %q: %w", path, err)
	}
	rights := map[byte]uint64{'r': rightsRead, 'w': rightsWrite, 'd': rightsDevice, 'l': landlock.AccessFSReadDir}[rule[0]]
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFLNK:
		return nil // where it leads has a rule of its own
	default:
		rights &= rightsFile
	}
	if rights &= handled; rights == 0 {
		return nil
	}
	if err := landlock.LandlockAddPathBeneathRule(set, &landlock.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0); err != nil {
		return fmt.Errorf("allow %q: %w", path, err)
	}
	return nil
}

// dropCaps takes from this thread every capability that is not kept, for good.
func dropCaps() error {
	var keep [2]uint32
	for _, c := range keptCaps {
		keep[c/32] |= 1 << (c % 32)
	}
	for c := uint(0); c <= unix.CAP_LAST_CAP; c++ {
		if keep[c/32]&(1<<(c%32)) != 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("drop a capability: %w", err)
		}
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&head, &data[0]); err != nil {
		return fmt.Errorf("read the capabilities: %w", err)
	}
	for i := range data {
		data[i].Effective &= keep[i]
		data[i].Permitted &= keep[i]
		data[i].Inheritable &= keep[i]
	}
	if err := unix.Capset(&head, &data[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
