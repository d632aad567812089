package sandboxtest

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// mountAlias mounts the folder above the units elsewhere, where we may.
func mountAlias(t *testing.T, w World) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Log("not root: no alias mount")
		return
	}
	require.NoError(t, unix.Mount(w.at("ws/construction"), w.alias(), "", unix.MS_BIND, ""))
	t.Cleanup(func() { require.NoError(t, unix.Unmount(w.alias(), unix.MNT_DETACH)) })
}

// noteHandle writes down the secret's file handle, as an attacker might guess it.
func noteHandle(t *testing.T, w World) {
	t.Helper()
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, w.secret(), 0)
	require.NoError(t, err)
	data := binary.LittleEndian.AppendUint32(nil, uint32(h.Type()))
	require.NoError(t, os.WriteFile(w.at("handle"), append(data, h.Bytes()...), 0o644))
}
