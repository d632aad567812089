package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/storetest"
)

// TestSixteenWriters: of sixteen processes with one claim exactly one gets it,
// and all others are told so; with a claim of their own each, all get it.
func TestSixteenWriters(t *testing.T) {
	s, dir := newStore(t)
	for _, tt := range []struct {
		name string
		unit func(int) string
		want map[int]int
		live int
	}{
		{"one claim", func(int) string { return "U03" }, map[int]int{0: 1, 3: 15}, 1},
		{"a unit each", func(i int) string { return fmt.Sprint("V", i) }, map[int]int{0: 16}, 17},
	} {
		codes := map[int]int{}
		var running []*exec.Cmd
		for i := range 16 {
			cmd := writer(t, dir, "create", storetest.Entry(tt.unit(i), "rev"))
			require.NoError(t, cmd.Start())
			running = append(running, cmd)
		}
		for _, cmd := range running {
			code, _ := exit(t, cmd.Wait())
			codes[code]++
		}
		require.Equal(t, tt.want, codes, tt.name)
		require.Len(t, collect(t, s.Live()), tt.live, tt.name)
	}
	noLitter(t, s)
}

// TestSixteenUpdates: each process adds one to the generation, however often it
// must read again; none is lost.
func TestSixteenUpdates(t *testing.T) {
	s, dir := newStore(t)
	e := storetest.Entry("U03", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	codes := map[int]int{}
	for g := uint64(2); g <= 5; g++ {
		var running []*exec.Cmd
		for i := range 16 {
			cmd := writer(t, dir, "update", storetest.At(e, g, "active", fmt.Sprint(i)))
			require.NoError(t, cmd.Start())
			running = append(running, cmd)
		}
		for _, cmd := range running {
			code, _ := exit(t, cmd.Wait())
			codes[code]++
		}
	}
	require.Equal(t, map[int]int{0: 4, 4: 60}, codes)
	got, err := s.Read(e.ID)
	require.NoError(t, err)
	require.Equal(t, uint64(5), got.Generation)
	noLitter(t, s)
}

// blindStore opens a store as one on which flock lets everybody in.
func blindStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{blind: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestClaimWithoutFlock: the claim is exclusive by itself, also when it is left
// by a dispatch that is gone and all want to succeed it.
func TestClaimWithoutFlock(t *testing.T) {
	for round := range 10 {
		_, dir := newStore(t)
		s := blindStore(t, dir)
		if round%2 == 1 {
			dead := storetest.Entry("U03", "rev")
			_, err := s.mkdir(claimsDir)
			require.NoError(t, err)
			link := claimsDir + "/" + dead.Keys.Claim
			require.NoError(t, s.root.Symlink(linkText(dead.Keys.Unit, dead.ID), link))
			old := unix.NsecToTimeval(time.Now().Add(-time.Hour).UnixNano())
			require.NoError(t, unix.Lutimes(filepath.Join(dir, link), []unix.Timeval{old, old}))
		}
		var wg sync.WaitGroup
		start := make(chan struct{})
		errs := make([]error, 16)
		for i := range errs {
			each, e := blindStore(t, dir), storetest.Entry("U03", "rev")
			wg.Go(func() {
				<-start
				errs[i] = each.Create(t.Context(), e)
			})
		}
		close(start)
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			require.ErrorIs(t, err, store.ErrExists)
		}
		require.Equal(t, 1, won, "round %d", round)
		require.Len(t, collect(t, s.Live()), 1)
	}
}

// TestClaimTakenTooSoon plays through what happens when a writer is taken for
// dead while it writes: whichever looks last sees the other and gives way.
func TestClaimTakenTooSoon(t *testing.T) {
	_, dir := newStore(t)
	s := blindStore(t, dir)
	slow, quick := storetest.Entry("U03", "rev"), storetest.Entry("U03", "rev")
	l := &lock{path: filepath.Join(dir, "none")}
	_, _, err := s.claim(t.Context(), l, slow)
	require.NoError(t, err)
	link := filepath.Join(dir, claimsDir, slow.Keys.Claim)
	old := unix.NsecToTimeval(time.Now().Add(-time.Hour).UnixNano())
	require.NoError(t, unix.Lutimes(link, []unix.Timeval{old, old}))

	require.NoError(t, s.Create(t.Context(), quick), "slow looks dead")
	err = s.enter(t.Context(), slow.Keys.Claim, []string{claimsDir}, slow)
	var held *store.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, quick.ID, held.By)
	s.undo(slow)
	require.Equal(t, map[store.ID]bool{quick.ID: true}, collect(t, s.Live()))

	// The other way round: slow's record comes before the successor looks again.
	_, dir = newStore(t)
	s = blindStore(t, dir)
	_, _, err = s.claim(t.Context(), l, slow)
	require.NoError(t, err)
	require.NoError(t, s.enter(t.Context(), slow.Keys.Claim, []string{claimsDir}, slow))
	require.NoError(t, s.root.Symlink(linkText(quick.Keys.Unit, quick.ID), claimsDir+"/"+slow.Keys.Claim+"."+string(slow.ID)))
	err = s.lookAgain(quick, slow.ID)
	require.ErrorAs(t, err, &held)
	require.Equal(t, slow.ID, held.By)
	s.unclaim(quick.Keys.Claim, quick.ID)
	require.NoError(t, s.confirm(t.Context(), slow))
}

// TestClaimSettles: without a working flock a young claim without a record is
// left to its writer for a while; with one it is taken over at once.
func TestClaimSettles(t *testing.T) {
	s, dir := newStore(t)
	young := storetest.Entry("U03", "rev")
	_, err := s.mkdir(claimsDir)
	require.NoError(t, err)
	link := claimsDir + "/" + young.Keys.Claim
	require.NoError(t, s.root.Symlink(linkText(young.Keys.Unit, young.ID), link))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = blindStore(t, dir).Create(ctx, storetest.Entry("U03", "rev"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.True(t, s.Empty())
	require.NoError(t, s.Create(t.Context(), storetest.Entry("U03", "rev")))
	noLitter(t, s)
}

// mounted gives a folder on a file system of its own; only root can.
func mounted(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", 0, options))
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// pairs checks that what is live is exactly want.
func pairs(t *testing.T, s *Store, want ...store.Entry) {
	t.Helper()
	ids := map[store.ID]bool{}
	for _, e := range want {
		ids[e.ID] = true
		got, err := s.Read(e.ID)
		require.NoError(t, err)
		require.Equal(t, storetest.Stored(e), got)
	}
	require.Equal(t, ids, collect(t, s.Live()))
	for d, err := range s.Damaged() {
		require.NoError(t, err)
		require.Fail(t, "damaged", "%+v", d)
	}
}

// TestFullDisk fills a small file system up to each number of free pages: a
// write works or changes nothing.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		limited(t)
		return
	}
	worked, failed := 0, 0
	for free := range 14 {
		for _, op := range []string{"create", "update", "end"} {
			dir := filepath.Join(mounted(t, "size=256k"), ".conduct")
			require.NoError(t, Init(dir))
			s, err := Open(dir, Options{})
			require.NoError(t, err)
			e := storetest.Entry("U03", "rev")
			require.NoError(t, s.Create(t.Context(), e))
			fill(t, filepath.Join(dir, "ballast"), free)
			err = nil
			next := *at(2, "active", long)(e)
			other := storetest.Entry("U04", "rev")
			switch op {
			case "create":
				err = s.Create(t.Context(), other)
			case "update":
				err = s.Update(t.Context(), next, 1)
			case "end":
				next = *at(2, "released", long)(e)
				err = s.End(t.Context(), next, 1, false)
			}
			switch {
			case err != nil:
				failed++
				require.ErrorIs(t, err, unix.ENOSPC)
				pairs(t, s, e)
			case op == "create":
				worked++
				pairs(t, s, e, other)
			case op == "update":
				worked++
				pairs(t, s, next)
			default:
				worked++
				pairs(t, s)
			}
			require.NoError(t, os.Remove(filepath.Join(dir, "ballast")))
			_, err = s.Sweep(t.Context(), 0, 100, false)
			require.NoError(t, err)
			noLitter(t, s)
			require.NoError(t, s.Create(t.Context(), storetest.Entry("U05", "rev")), "with room again")
			require.NoError(t, s.Close())
		}
	}
	require.Greater(t, failed, 5)
	require.Greater(t, worked, 5)
}

// fill writes until the disk is full and gives free pages of 4 KiB back.
func fill(t *testing.T, path string, free int) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	page := make([]byte, 4096)
	size := int64(0)
	for err == nil {
		var n int
		n, err = f.Write(page)
		size += int64(n)
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoError(t, f.Truncate(max(0, size-int64(free)*4096)))
}

// limited is what a user who cannot mount can have of a full disk: writes
// beyond a size fail in a process of their own.
func limited(t *testing.T) {
	s, dir := newStore(t)
	e := storetest.Entry("U03", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	require.Equal(t, 1, write(t, dir, "create", *at(1, "reserved", long)(storetest.Entry("U04", "rev")), "WRITER_LIMIT=4096"))
	pairs(t, s, e)
	require.Equal(t, 1, write(t, dir, "update", *at(2, "active", long)(e), "WRITER_LIMIT=4096"))
	pairs(t, s, e)
	noLitter(t, s)
}

func TestLimitedFileSize(t *testing.T) { limited(t) }

// TestReadOnlyDisk: reading works, every write fails and says why.
func TestReadOnlyDisk(t *testing.T) {
	parent := t.TempDir()
	if os.Geteuid() == 0 {
		parent = mounted(t, "size=1m")
	}
	dir := filepath.Join(parent, ".conduct")
	require.NoError(t, Init(dir))
	s, err := Open(dir, Options{})
	require.NoError(t, err)
	defer s.Close()
	e, over := storetest.Entry("U03", "rev"), storetest.Entry("U04", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	require.NoError(t, s.Create(t.Context(), over))
	over = *at(2, "released", "")(over)
	require.NoError(t, s.End(t.Context(), over, 1, false))
	want := error(unix.EROFS)
	if os.Geteuid() == 0 {
		require.NoError(t, unix.Mount("", parent, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	} else {
		want = fs.ErrPermission
		chmodAll(t, dir, 0o500)
		defer chmodAll(t, dir, 0o700)
	}
	ctx := t.Context()
	for name, err := range map[string]error{
		"create": s.Create(ctx, storetest.Entry("U05", "rev")),
		"update": s.Update(ctx, *at(2, "active", "x")(e), 1),
		"end":    s.End(ctx, *at(2, "released", "")(e), 1, false),
		"remove": s.Remove(ctx, over),
		"mark":   s.Mark(store.Seen, "k", "v"),
		"aside":  s.SetAside(ctx, e.ID),
	} {
		require.ErrorIs(t, err, want, name)
	}
	pairs(t, s, e)
	require.Equal(t, map[store.ID]bool{over.ID: true}, collect(t, s.Ended()))
}

func chmodAll(t *testing.T, dir string, mode fs.FileMode) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, mode)
		}
		return err
	}))
}

// TestAnotherUser: what another user may not read is foreign, never damaged;
// what its own user may not read is damaged. Only root can be somebody else.
func TestAnotherUser(t *testing.T) {
	s, dir := newStore(t)
	e := storetest.Entry("U03", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	if os.Geteuid() != 0 {
		require.NoError(t, s.root.Chmod(livePath(e.ID), 0))
		_, err := s.Read(e.ID)
		require.ErrorIs(t, err, store.ErrDamaged)
		return
	}
	open := func(path string, mode fs.FileMode) { require.NoError(t, os.Chmod(path, mode)) }
	for path := dir; path != "/" && path != os.TempDir(); path = filepath.Dir(path) {
		open(path, 0o755)
	}
	for _, sub := range []string{liveDir, grantsDir} {
		open(filepath.Join(dir, sub), 0o755)
	}
	// The test itself is the other user's program.
	bin := filepath.Join(t.TempDir(), "reader")
	self, err := os.Executable()
	require.NoError(t, err)
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bin, data, 0o755))
	open(filepath.Dir(bin), 0o755)
	open(filepath.Dir(filepath.Dir(bin)), 0o755)
	look := func() string {
		cmd := exec.Command(bin, "-test.run=^TestAsAnotherUser$")
		cmd.Dir = "/"
		cmd.Env = []string{"LOOK_DIR=" + dir, "LOOK_ID=" + string(e.ID), "PATH=/usr/bin:/bin"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		for _, kind := range []string{"foreign", "damaged", "fine"} {
			if bytes.Contains(out, []byte("it is "+kind+"\n")) {
				return kind
			}
		}
		return string(out)
	}
	require.Equal(t, "foreign", look(), "0600 of ours")
	open(filepath.Join(dir, livePath(e.ID)), 0o644)
	require.Equal(t, "foreign", look(), "its grant is ours alone")
	open(filepath.Join(dir, grantPath(e.ID, 1)), 0o644)
	require.Equal(t, "fine", look())
	require.NoError(t, os.Chown(filepath.Join(dir, livePath(e.ID)), 65534, 65534))
	open(filepath.Join(dir, livePath(e.ID)), 0)
	require.Equal(t, "damaged", look(), "its own")
	open(filepath.Join(dir, liveDir), 0o700)
	require.Equal(t, "foreign", look(), "the folder is ours alone")
}

// TestAsAnotherUser is the part of TestAnotherUser that runs as somebody else.
func TestAsAnotherUser(t *testing.T) {
	dir := os.Getenv("LOOK_DIR")
	if dir == "" {
		return // TestAnotherUser starts it
	}
	s, err := Open(dir, Options{})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Read(store.ID(os.Getenv("LOOK_ID")))
	switch {
	case errors.Is(err, store.ErrForeign):
		fmt.Println("it is foreign")
	case errors.Is(err, store.ErrDamaged):
		fmt.Println("it is damaged")
	case err == nil:
		fmt.Println("it is fine")
	default:
		t.Fatal(err)
	}
}
