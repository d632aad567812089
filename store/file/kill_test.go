package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/storetest"
)

// buildWriter builds testdata/writer with its kill points, once for all tests.
var buildWriter = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "writer")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "writer")
	out, err := exec.Command("go", "build", "-tags", "killpoints", "-o", bin, "./testdata/writer").CombinedOutput()
	if err != nil {
		return dir, fmt.Errorf("%w: %s", err, out)
	}
	return bin, os.Chmod(dir, 0o755)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := buildWriter(); err == nil {
		os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

// writer prepares a process that does op on the store in dir.
func writer(t *testing.T, dir, op string, e store.Entry, env ...string) *exec.Cmd {
	t.Helper()
	bin, err := buildWriter()
	require.NoError(t, err)
	in, err := json.Marshal(e)
	require.NoError(t, err)
	cmd := exec.Command(bin, dir, op)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// exit is how the process ended: its code, and the signal that ended it.
func exit(t *testing.T, err error) (int, syscall.Signal) {
	t.Helper()
	if err == nil {
		return 0, 0
	}
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed)
	status := failed.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return -1, status.Signal()
	}
	return status.ExitStatus(), 0
}

// write lets another process do op and returns its exit code.
func write(t *testing.T, dir, op string, e store.Entry, env ...string) int {
	t.Helper()
	out, err := writer(t, dir, op, e, env...).CombinedOutput()
	code, sig := exit(t, err)
	require.Zero(t, sig, "%s", out)
	return code
}

func newStore(t *testing.T) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".conduct")
	require.NoError(t, Init(dir))
	s, err := Open(dir, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, dir
}

// scene is a write that is killed at each of its steps.
type scene struct {
	name string
	op   string
	env  []string
	code int // of the exit when nobody kills it
	// prepare makes what is there before; it returns what is given to op.
	prepare func(*testing.T, *Store) store.Entry
	// old is what Read gives before; nil for ErrNotFound.
	old func(store.Entry) *store.Entry
	// new is what Read gives afterwards; nil for ErrNotFound.
	new func(store.Entry) *store.Entry
	// damaged says that the dispatch is damaged until it is gone.
	damaged bool
	// lost says that the index does not have the dispatch to begin with.
	lost bool
	// profile is that under which it was before, where the write changes it.
	profile string
	// again is the exit codes that the same write may have when repeated.
	again []int
}

func itself(e store.Entry) *store.Entry { return &e }
func nothing(store.Entry) *store.Entry  { return nil }
func at(g uint64, state, note string) func(store.Entry) *store.Entry {
	return func(e store.Entry) *store.Entry {
		e = storetest.At(e, g, state, note)
		return &e
	}
}

// created makes e live, a neighbour of the same name beside it, and returns
// what e is changed to.
func created(to func(store.Entry) *store.Entry) func(*testing.T, *Store) store.Entry {
	return func(t *testing.T, s *Store) store.Entry {
		e := storetest.Entry("U03", "rev")
		require.NoError(t, s.Create(t.Context(), e))
		return *to(e)
	}
}

func held(t *testing.T, s *Store) store.Entry {
	e := created(at(2, "expired", ""))(t, s)
	require.NoError(t, s.End(t.Context(), e, 1, true))
	return e
}

func torn(t *testing.T, s *Store) store.Entry {
	e := created(itself)(t, s)
	require.NoError(t, s.root.WriteFile(livePath(e.ID), []byte(`{"id":`), 0o600))
	return e
}

// long is a note that does not fit under the limit of a file's size.
var long = strings.Repeat("long ", 2000)

func scenes() []scene {
	return []scene{
		{name: "create", op: "create", old: nothing, new: itself, again: []int{0, 3},
			prepare: func(*testing.T, *Store) store.Entry { return storetest.Entry("U03", "rev") }},
		{name: "create beside others", op: "create", old: nothing, new: itself, again: []int{0, 3},
			prepare: func(*testing.T, *Store) store.Entry { return storetest.Entry("U03", "rev") }},
		{name: "create over a dead claim", op: "create", old: nothing, new: itself, again: []int{0, 3},
			prepare: func(t *testing.T, s *Store) store.Entry {
				e, dead := storetest.Entry("U03", "rev"), storetest.Entry("U03", "rev")
				require.NoError(t, s.root.Mkdir(claimsDir, 0o700))
				require.NoError(t, s.root.Symlink(linkText(e.Keys.Unit, dead.ID), claimsDir+"/"+e.Keys.Claim))
				return e
			}},
		{name: "create that fails", op: "create", code: 1, old: nothing, new: nothing, again: []int{1},
			env:     []string{"WRITER_LIMIT=4096"},
			prepare: func(*testing.T, *Store) store.Entry { return *at(1, "reserved", long)(storetest.Entry("U03", "rev")) }},
		{name: "update", op: "update", old: at(1, "reserved", ""), new: itself, again: []int{0, 4},
			prepare: created(at(2, "active", "new"))},
		{name: "update with another profile", op: "update", profile: storetest.Entry("U03", "rev").Keys.Profile, old: at(1, "reserved", ""), new: itself, again: []int{0, 4},
			prepare: func(t *testing.T, s *Store) store.Entry {
				e := created(at(2, "active", "new"))(t, s)
				e.Keys.Profile = store.Key("another")
				return e
			}},
		{name: "update with the same grant", op: "update", old: at(1, "reserved", ""), new: itself, again: []int{0, 4},
			prepare: created(at(2, "active", ""))},
		{name: "update that fails", op: "update", code: 1, env: []string{"WRITER_LIMIT=4096"},
			old: at(1, "reserved", ""), new: at(1, "reserved", ""), again: []int{1},
			prepare: created(func(e store.Entry) *store.Entry {
				grant := e.Grant
				e = storetest.At(e, 2, "active", long)
				e.Grant = grant
				return &e
			})},
		{name: "end", op: "end", old: at(1, "reserved", ""), new: itself, again: []int{0, 4},
			prepare: created(at(2, "released", ""))},
		{name: "end with another grant", op: "end", old: at(1, "reserved", ""), new: itself, again: []int{0, 4},
			prepare: created(at(2, "abandoned", "new"))},
		{name: "end and hold", op: "hold", old: at(1, "reserved", ""), new: itself, again: []int{0, 4},
			prepare: created(at(2, "expired", ""))},
		{name: "end and hold what is not in the index", op: "hold", lost: true, old: at(1, "reserved", ""), new: itself, again: []int{0, 4},
			prepare: func(t *testing.T, s *Store) store.Entry {
				e := created(at(2, "expired", ""))(t, s)
				require.NoError(t, s.root.Remove(indexPath(e.Keys.Name, e.Keys.Profile, e.ID)))
				return e
			}},
		{name: "verdict on an expired one", op: "end", old: at(2, "expired", ""), new: itself, again: []int{0, 4},
			prepare: func(t *testing.T, s *Store) store.Entry { return *at(3, "released", "")(held(t, s)) }},
		{name: "free", op: "free", old: itself, new: itself, again: []int{0}, prepare: held},
		{name: "remove", op: "remove", old: itself, new: nothing, again: []int{0, 1}, prepare: held},
		{name: "set aside", op: "aside", damaged: true, again: []int{0}, prepare: torn},
		{name: "clear", op: "clear", damaged: true, new: nothing, again: []int{0},
			prepare: func(t *testing.T, s *Store) store.Entry {
				e := torn(t, s)
				require.NoError(t, s.SetAside(t.Context(), e.ID))
				return e
			}},
		{name: "sweep", op: "sweep", old: itself, new: itself, again: []int{0}, prepare: litter},
	}
}

// litter leaves one of everything that a writer may leave when it dies, and an
// expired dispatch of which only the record was written.
func litter(t *testing.T, s *Store) store.Entry {
	e := created(at(2, "expired", ""))(t, s)
	require.NoError(t, s.replace(*at(1, "reserved", "")(e), e, liveDir, livePath(e.ID)))
	dead := storetest.Entry("U05", "rev")
	_, _, err := s.claim(t.Context(), &lock{path: "none"}, dead)
	require.NoError(t, err)
	_, err = s.index(dead.Keys, dead.Keys.Profile, dead.ID, claimsDir+"/"+dead.Keys.Claim)
	require.NoError(t, err)
	require.NoError(t, s.put(grantPath(dead.ID, 1), dead.Grant))
	require.NoError(t, s.root.WriteFile("."+string(dead.ID)+".json123", nil, 0o600))
	require.NoError(t, s.root.Mkdir(namesDir+"/"+store.Key("nobody"), 0o700))
	return e
}

// TestKilledAtEachStep lets a process die before each step of each write.
func TestKilledAtEachStep(t *testing.T) {
	steps := map[string]bool{}
	for _, sc := range scenes() {
		trace := sc.trace(t)
		for _, step := range trace {
			steps[step] = true
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			for i := range trace {
				t.Run(fmt.Sprintf("%d %s", i+1, trace[i]), func(t *testing.T) { sc.killed(t, i+1) })
			}
		})
	}
	for _, step := range initTrace(t) {
		steps[step] = true
	}
	for step := range killSteps(t) {
		require.True(t, steps[step], "no scene comes by the kill point %q", step)
	}
}

func (sc scene) world(t *testing.T) (*Store, string, store.Entry, store.Entry) {
	t.Helper()
	s, dir := newStore(t)
	bystander := storetest.Entry("U99", "rev")
	if sc.name != "create" {
		// For the first create of all, every folder is still to be made.
		require.NoError(t, s.Create(t.Context(), bystander))
	} else {
		bystander.ID = ""
	}
	if sc.name == "create over a dead claim" {
		require.NoError(t, s.root.RemoveAll(claimsDir))
	}
	return s, dir, sc.prepare(t, s), bystander
}

// trace is the steps by which the write comes when nobody kills it.
func (sc scene) trace(t *testing.T) []string {
	t.Helper()
	_, dir, e, _ := sc.world(t)
	file := filepath.Join(t.TempDir(), "trace")
	require.Equal(t, sc.code, write(t, dir, sc.op, e, append(sc.env, "CONDUCT_KILL_TRACE="+file)...))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Fields(string(data))
}

func (sc scene) killed(t *testing.T, step int) {
	s, dir, e, bystander := sc.world(t)
	file := filepath.Join(t.TempDir(), "trace")
	env := append(sc.env, "CONDUCT_KILL_TRACE="+file, fmt.Sprint("CONDUCT_KILL_AT=", step))
	out, err := writer(t, dir, sc.op, e, env...).CombinedOutput()
	_, sig := exit(t, err)
	require.Equal(t, syscall.SIGKILL, sig, "%s", out)

	sc.whole(t, s, e)
	code := write(t, dir, sc.op, e, sc.env...)
	require.Contains(t, sc.again, code)
	sc.whole(t, s, e)
	require.Zero(t, write(t, dir, "sweep", e))
	sc.whole(t, s, e)
	noLitter(t, s)
	if bystander.ID != "" {
		got, err := s.Read(bystander.ID)
		require.NoError(t, err)
		require.Equal(t, storetest.Stored(bystander), got)
	}
	sc.goOn(t, s, dir, e)
}

// whole checks that the dispatch is as before the write or as after it.
func (sc scene) whole(t *testing.T, s *Store, e store.Entry) {
	t.Helper()
	got, err := s.Read(e.ID)
	lives := collect(t, s.Live())
	switch {
	case errors.Is(err, store.ErrDamaged):
		require.True(t, sc.damaged, "%v", err)
		require.True(t, lives[e.ID], "what it blocked stays blocked")
	case errors.Is(err, store.ErrNotFound):
		require.True(t, sc.old != nil && sc.old(e) == nil || sc.new != nil && sc.new(e) == nil)
		require.False(t, lives[e.ID])
	default:
		require.NoError(t, err)
		before, after := sc.old(e), sc.new(e)
		old := before != nil && got.Generation == before.Generation
		if old {
			require.Equal(t, storetest.Stored(*before), got)
		} else {
			require.NotNil(t, after)
			require.Equal(t, storetest.Stored(*after), got)
		}
		require.Equal(t, !got.Ended, lives[e.ID])
		require.Equal(t, got.Ended, collect(t, s.Ended())[e.ID])
		if !got.Ended && !sc.lost {
			found := collect(t, s.Named(e.Keys.Name, e.Keys.Profile))[e.ID]
			require.True(t, found || old && sc.profile != "", "it is found as what it is")
			if sc.profile != "" {
				require.True(t, collect(t, s.Named(e.Keys.Name, sc.profile))[e.ID], "and as what it was")
			}
		}
		if got.Ended && sc.op == "hold" && !sc.lost {
			require.True(t, collect(t, s.Named(e.Keys.Name, e.Keys.Profile))[e.ID] ||
				collect(t, s.Named(e.Keys.Name, store.Held))[e.ID], "its name is held")
		}
	}
}

// goOn checks that the claim can be used as the dispatch's state says.
func (sc scene) goOn(t *testing.T, s *Store, dir string, e store.Entry) {
	t.Helper()
	next := storetest.Entry("U03", "rev")
	got, err := s.Read(e.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && got.Ended {
		require.Zero(t, write(t, dir, "create", next))
		return
	}
	require.Equal(t, 3, write(t, dir, "create", next))
	if err == nil {
		more := storetest.At(e, got.Generation+1, "active", "more")
		require.Zero(t, write(t, dir, "update", more))
		require.Zero(t, write(t, dir, "end", storetest.At(e, got.Generation+2, "released", "over")))
		require.Zero(t, write(t, dir, "create", next))
	}
}

func collect(t *testing.T, seq func(func(store.ID, error) bool)) map[store.ID]bool {
	t.Helper()
	out := map[store.ID]bool{}
	seq(func(id store.ID, err error) bool {
		require.NoError(t, err)
		out[id] = true
		return true
	})
	return out
}

// noLitter checks that everything below the folder belongs to a dispatch.
func noLitter(t *testing.T, s *Store) {
	t.Helper()
	for name := range s.list(".") {
		require.False(t, isTemp(name), name)
	}
	for id := range collect(t, s.records(liveDir)) {
		require.False(t, s.inLive(id, true), id)
	}
	for name := range s.list(grantsDir) {
		id, rest, _ := strings.Cut(name, ".")
		e, _, err := s.readRecord(store.ID(id))
		if errors.Is(err, store.ErrDamaged) {
			continue
		}
		require.NoError(t, err, name)
		// The grant of an update that died may stay until the next one.
		require.Contains(t, []string{fmt.Sprint(e.Generation, ".json"), fmt.Sprint(e.Generation+1, ".json")}, rest)
	}
	for link := range s.list(claimsDir) {
		claim, _, _ := strings.Cut(link, ".")
		end, err := s.walk(claim, "")
		require.NoError(t, err)
		require.Equal(t, alive, s.fate(end.holder), link)
	}
	for name := range s.list(namesDir) {
		profiles, err := s.Profiles(name)
		require.NoError(t, err)
		require.NotEmpty(t, profiles, "an empty name")
		for _, p := range profiles {
			for id := range collect(t, s.Named(name, p)) {
				f := s.fate(id)
				require.True(t, f == alive || p == store.Held && f != gone, "%s %v", p, f)
			}
		}
	}
}

// TestOrderOfSteps pins what must be on disk before what, and how many fsyncs
// it takes: put.replace is one, of the file, and sync is one, of a folder.
func TestOrderOfSteps(t *testing.T) {
	put := []string{"put.make", "put.write", "put.replace"}
	want := map[string][]string{
		"create beside others": slices.Concat(
			[]string{"mkdir.make", "mkdir.make", "claim.take"},                                                         // a lock for its unit; claims
			[]string{"index.link", "index.make", "mkdir.make", "mkdir.make", "mkdir.make", "mkdir.mode", "index.link"}, // a folder for its profile
			[]string{"mkdir.make"}, put, // the grant
			[]string{"mkdir.make", "sync", "sync", "sync", "sync"}, // claims, the profile and the name above it, grants
			put, []string{"sync"}), // the record
		"update":                     slices.Concat(put, []string{"sync"}, put, []string{"sync", "change.grant"}),
		"update with the same grant": slices.Concat([]string{"grant.link", "sync"}, put, []string{"sync", "change.grant"}),
		"end": slices.Concat([]string{"grant.link", "sync"}, put, []string{"sync", "change.grant",
			"mkdir.make", "mkdir.mode", "archive", "index.remove", "prune", "claim.remove"}),
	}
	for _, sc := range scenes() {
		if steps, ok := want[sc.name]; ok {
			require.Equal(t, steps, sc.trace(t), sc.name)
			delete(want, sc.name)
		}
	}
	require.Empty(t, want)
}

func initTrace(t *testing.T) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	dir := filepath.Join(t.TempDir(), ".conduct")
	require.Zero(t, write(t, dir, "init", store.Entry{}, "CONDUCT_KILL_TRACE="+file))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Fields(string(data))
}

// TestKilledInit: another Init finishes what one began that died.
func TestKilledInit(t *testing.T) {
	for i, step := range initTrace(t) {
		dir := filepath.Join(t.TempDir(), ".conduct")
		env := []string{"CONDUCT_KILL_TRACE=" + filepath.Join(t.TempDir(), "trace"), fmt.Sprint("CONDUCT_KILL_AT=", i+1)}
		_, err := writer(t, dir, "init", store.Entry{}, env...).CombinedOutput()
		_, sig := exit(t, err)
		require.Equal(t, syscall.SIGKILL, sig, step)
		require.NoError(t, Init(dir), step)
		s, err := Open(dir, Options{})
		require.NoError(t, err)
		_, err = s.Sweep(t.Context(), 0, 100, false)
		require.NoError(t, err)
		names := []string{}
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		require.Equal(t, []string{".gitignore", Marker}, names, step)
		require.NoError(t, s.Close())
	}
}

// TestLockOfTheKilled: the lock is free as soon as its holder is dead, and
// while it lives a writer gives up in time and says who has it.
func TestLockOfTheKilled(t *testing.T) {
	s, dir := newStore(t)
	e := storetest.Entry("U03", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	cmd := writer(t, dir, "lock", e)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, len("locked\n"))
	_, err = out.Read(line)
	require.NoError(t, err)

	short, err := Open(dir, Options{LockWait: 50 * time.Millisecond})
	require.NoError(t, err)
	defer short.Close()
	next := storetest.At(e, 2, "active", "")
	err = short.Update(t.Context(), next, 1)
	var locked *store.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, "pid 42 (somebody)", locked.Holder)
	require.GreaterOrEqual(t, locked.Waited, 50*time.Millisecond)
	require.NoError(t, short.Create(t.Context(), storetest.Entry("U04", "rev")), "another unit's lock")
	got, err := short.Read(e.ID)
	require.NoError(t, err, "readers take no lock")
	require.Equal(t, storetest.Stored(e), got)
	n, err := short.Sweep(t.Context(), 0, 100, false)
	require.NoError(t, err)
	require.Zero(t, n)

	require.NoError(t, cmd.Process.Kill())
	_, sig := exit(t, cmd.Wait())
	require.Equal(t, syscall.SIGKILL, sig)
	require.NoError(t, short.Update(t.Context(), next, 1))
	_, err = os.Lstat(filepath.Join(dir, locksDir, e.Keys.Unit+".lock"))
	require.NoError(t, err, "lock files stay")
}
