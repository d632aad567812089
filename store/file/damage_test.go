package file

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/storetest"
)

// picture is every file below a folder with its kind, content and times.
func picture(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := fmt.Sprint(info.Mode(), info.ModTime().UnixNano(), " ")
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += link
		}
		out[path] = text
		return nil
	}))
	return out
}

// readAll does everything that only reads.
func readAll(t *testing.T, s *Store, e store.Entry) {
	t.Helper()
	_, _ = s.Read(e.ID)
	_, _ = s.Read(storetest.Entry("none", "none").ID)
	collect(t, s.Live())
	collect(t, s.Ended())
	s.Empty()
	_, err := s.Profiles(e.Keys.Name)
	require.NoError(t, err)
	collect(t, s.Named(e.Keys.Name, e.Keys.Profile))
	_, _ = s.Marked(store.Bind, "k")
	for range s.Marks(store.Bind) {
		continue
	}
	for _, err := range s.Damaged() {
		require.NoError(t, err)
	}
	_, err = s.Sweep(t.Context(), 0, 100, true)
	require.NoError(t, err)
}

func TestReadingNeverWrites(t *testing.T) {
	s, dir := newStore(t)
	before := picture(t, dir)
	readAll(t, s, storetest.Entry("U03", "rev"))
	require.Equal(t, before, picture(t, dir), "not even a folder")

	e := litter(t, s)
	require.NoError(t, s.Mark(store.Bind, "k", "v"))
	bad := torn2(t, s)
	before = picture(t, dir)
	readAll(t, s, e)
	readAll(t, s, bad)
	require.Equal(t, before, picture(t, dir))
}

// torn2 makes a dispatch of its own unit and tears its record.
func torn2(t *testing.T, s *Store) store.Entry {
	t.Helper()
	e := storetest.Entry("U77", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	require.NoError(t, s.root.WriteFile(livePath(e.ID), []byte(`{"id":`), 0o600))
	return e
}

// TestDamage: what cannot be believed is damaged, and no writer touches it.
func TestDamage(t *testing.T) {
	write := func(text func(store.Entry) string) func(*testing.T, *Store, store.Entry) {
		return func(t *testing.T, s *Store, e store.Entry) {
			require.NoError(t, s.root.WriteFile(livePath(e.ID), []byte(text(e)), 0o600))
		}
	}
	record := func(e store.Entry) string { return string(e.Record) }
	replaced := func(make func(path string) error) func(*testing.T, *Store, store.Entry) {
		return func(t *testing.T, s *Store, e store.Entry) {
			require.NoError(t, s.root.Remove(livePath(e.ID)))
			require.NoError(t, make(filepath.Join(s.root.Name(), livePath(e.ID))))
		}
	}
	tests := []struct {
		name   string
		damage func(*testing.T, *Store, store.Entry)
	}{
		{"empty", write(func(store.Entry) string { return "" })},
		{"truncated", write(func(e store.Entry) string { return record(e)[:len(record(e))/2] })},
		{"nothing but zeroes", write(func(e store.Entry) string { return strings.Repeat("\x00", len(record(e))) })},
		{"text after the end", write(func(e store.Entry) string { return record(e) + "{}" })},
		{"a member twice", write(func(e store.Entry) string {
			return strings.Replace(record(e), `{`, `{"generation":1,`, 1)
		})},
		{"a member twice in another case", write(func(e store.Entry) string {
			return strings.Replace(record(e), `{`, `{"ID":"x",`, 1)
		})},
		{"no UTF-8", write(func(e store.Entry) string { return strings.Replace(record(e), "reserved", "\xff", 1) })},
		{"no object", write(func(store.Entry) string { return `[]` })},
		{"no id", write(func(e store.Entry) string { return strings.Replace(record(e), `"id"`, `"no"`, 1) })},
		{"another's id", write(func(e store.Entry) string {
			return strings.Replace(record(e), string(e.ID), string(storetest.Entry("x", "y").ID), 1)
		})},
		{"no generation", write(func(e store.Entry) string { return strings.Replace(record(e), "generation", "no", 1) })},
		{"a generation that is text", write(func(e store.Entry) string {
			return strings.Replace(record(e), `"generation":1`, `"generation":"1"`, 1)
		})},
		{"a negative generation", write(func(e store.Entry) string {
			return strings.Replace(record(e), `"generation":1`, `"generation":-1`, 1)
		})},
		{"too large", write(func(e store.Entry) string { return record(e) + strings.Repeat(" ", store.MaxSize) })},
		{"a folder", replaced(func(path string) error { return os.Mkdir(path, 0o700) })},
		{"a pipe", replaced(func(path string) error { return unix.Mkfifo(path, 0o600) })},
		{"a link", replaced(func(path string) error { return os.Symlink("../workspace.json", path) })},
		{"a dangling link", replaced(func(path string) error { return os.Symlink("nowhere", path) })},
		{"no grant", func(t *testing.T, s *Store, e store.Entry) {
			require.NoError(t, s.root.Remove(grantPath(e.ID, 1)))
		}},
		{"a pipe as grant", func(t *testing.T, s *Store, e store.Entry) {
			require.NoError(t, s.root.Remove(grantPath(e.ID, 1)))
			require.NoError(t, unix.Mkfifo(filepath.Join(s.root.Name(), grantPath(e.ID, 1)), 0o600))
		}},
		{"a grant too large", func(t *testing.T, s *Store, e store.Entry) {
			require.NoError(t, s.root.WriteFile(grantPath(e.ID, 1), make([]byte, store.MaxSize+1), 0o600))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := newStore(t)
			e := storetest.Entry("U03", "rev")
			require.NoError(t, s.Create(t.Context(), e))
			tt.damage(t, s, e)
			before := picture(t, filepath.Join(dir, liveDir))
			_, err := s.Read(e.ID)
			var damage *store.DamageError
			require.ErrorAs(t, err, &damage)
			require.ErrorIs(t, err, store.ErrDamaged)
			require.ErrorIs(t, s.Update(t.Context(), storetest.At(e, 2, "active", ""), 1), store.ErrDamaged)
			require.ErrorIs(t, s.End(t.Context(), storetest.At(e, 2, "released", ""), 1, false), store.ErrDamaged)
			require.ErrorIs(t, s.Remove(t.Context(), e), store.ErrDamaged)
			require.ErrorIs(t, s.Create(t.Context(), storetest.Entry("U03", "rev")), store.ErrExists)
			n, err := s.Sweep(t.Context(), 0, 100, false)
			require.NoError(t, err)
			require.Zero(t, n)
			require.Equal(t, before, picture(t, filepath.Join(dir, liveDir)))
			require.False(t, s.Empty())
			require.Equal(t, map[store.ID]bool{e.ID: true}, collect(t, s.Live()))
			require.Equal(t, []store.Damage{{ID: e.ID, File: damage.File, Reason: damage.Reason}}, damages(t, s))

			require.NoError(t, s.SetAside(t.Context(), e.ID))
			require.False(t, s.Empty())
			require.ErrorIs(t, s.Create(t.Context(), storetest.Entry("U03", "rev")), store.ErrExists)
			require.Equal(t, []store.Damage{{ID: e.ID, File: asidePath(e.ID), Reason: "it was set aside", Aside: true}}, damages(t, s))
			n, err = s.Clear(t.Context())
			require.NoError(t, err)
			require.Equal(t, 1, n)
			require.True(t, s.Empty())
			require.Empty(t, damages(t, s))
			require.NoError(t, s.Create(t.Context(), storetest.Entry("U03", "rev")))
			noLitter(t, s)
		})
	}
}

func damages(t *testing.T, s *Store) []store.Damage {
	t.Helper()
	out := []store.Damage{}
	for d, err := range s.Damaged() {
		require.NoError(t, err)
		out = append(out, d)
	}
	return out
}

func TestMisnamed(t *testing.T) {
	s, _ := newStore(t)
	require.NoError(t, s.root.Mkdir(liveDir, 0o700))
	require.NoError(t, s.root.WriteFile(liveDir+"/copy of x.json", nil, 0o600))
	require.Equal(t, []store.Damage{{File: "live/copy of x.json", Reason: "its name is not that of a record"}}, damages(t, s))
	require.Empty(t, collect(t, s.Live()))
	require.False(t, s.Empty())
}

// TestEndedByItsRecord: a record that says it has ended has, wherever it lies.
func TestEndedByItsRecord(t *testing.T) {
	s, _ := newStore(t)
	e := storetest.Entry("U03", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	over := storetest.At(e, 2, "released", "")
	require.NoError(t, s.replace(e, over, liveDir, livePath(e.ID)))
	got, err := s.Read(e.ID)
	require.NoError(t, err)
	require.Equal(t, storetest.Stored(over), got)
	require.Empty(t, collect(t, s.Live()))
	require.Equal(t, map[store.ID]bool{e.ID: true}, collect(t, s.Ended()))
	require.ErrorIs(t, s.Update(t.Context(), storetest.At(e, 3, "active", ""), 2), store.ErrEnded)
	require.NoError(t, s.Create(t.Context(), storetest.Entry("U03", "rev")), "its claim is taken over")
}

// TestSweepFinishes counts what each kind of litter adds, and that a grace
// keeps what may be half of a write.
func TestSweepFinishes(t *testing.T) {
	s, dir := newStore(t)
	e := litter(t, s)
	young, err := s.Sweep(t.Context(), time.Hour, 1000, false)
	require.NoError(t, err)
	require.Equal(t, 1, young, "the ended record, which needs no grace")
	before := picture(t, dir)
	would, err := s.Sweep(t.Context(), 0, 1000, true)
	require.NoError(t, err)
	require.Equal(t, before, picture(t, dir))
	// The temporary file; the index entries of the dead one and of the expired
	// one, which is moved; both claims; the dead one's grant and the expired
	// one's old grant.
	require.Equal(t, 7, would)
	for i := range 7 {
		n, err := s.Sweep(t.Context(), 0, 1, false)
		require.NoError(t, err)
		require.LessOrEqual(t, n, 1, "step %d", i)
	}
	_, err = s.Sweep(t.Context(), 0, 1000, false)
	require.NoError(t, err)
	noLitter(t, s)
	require.Equal(t, map[store.ID]bool{e.ID: true}, collect(t, s.Named(e.Keys.Name, store.Held)))
	n, err := s.Sweep(t.Context(), 0, 0, false)
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestSweepKeepsTheNextGrant: a grant of the generation to come may be half of
// an update, however old it looks.
func TestSweepKeepsTheNextGrant(t *testing.T) {
	s, _ := newStore(t)
	e := storetest.Entry("U03", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	next := storetest.At(e, 2, "active", "")
	require.NoError(t, s.putGrant(e, next))
	n, err := s.Sweep(t.Context(), 0, 100, false)
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = s.root.Lstat(grantPath(e.ID, 2))
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), storetest.At(e, 2, "active", "other"), 1), "and is no obstacle")
}

// TestLinksLeadNowhere: a folder that was replaced by a link out of the store
// is not followed by a writer.
func TestLinksLeadNowhere(t *testing.T) {
	for _, sub := range []string{liveDir, grantsDir, claimsDir, namesDir, locksDir} {
		s, dir := newStore(t)
		outside := t.TempDir()
		require.NoError(t, os.Symlink(outside, filepath.Join(dir, sub)))
		require.Error(t, s.Create(t.Context(), storetest.Entry("U03", "rev")), sub)
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Empty(t, entries, sub)
	}
}

func TestModes(t *testing.T) {
	for _, tt := range []struct {
		parent, dir, file fs.FileMode
	}{
		{0o755, 0o700, 0o600},
		{0o777, 0o700, 0o600},
		{0o775 | fs.ModeSetgid, 0o770 | fs.ModeSetgid, 0o660},
		{0o755 | fs.ModeSetgid, 0o700, 0o600},
	} {
		for _, umask := range []int{0o022, 0o077, 0o000} {
			modesWith(t, tt.parent, umask, tt.dir, tt.file)
		}
	}
}

// modesWith writes one of everything under a umask and checks all modes.
func modesWith(t *testing.T, parent fs.FileMode, umask int, dirMode, fileMode fs.FileMode) {
	t.Helper()
	top := t.TempDir()
	require.NoError(t, os.Chmod(top, parent))
	defer unix.Umask(unix.Umask(umask))
	dir := filepath.Join(top, ".conduct")
	require.NoError(t, Init(dir))
	s, err := Open(dir, Options{})
	require.NoError(t, err)
	defer s.Close()
	e := storetest.Entry("U03", "rev")
	require.NoError(t, s.Create(t.Context(), e))
	require.NoError(t, s.Update(t.Context(), storetest.At(e, 2, "active", "x"), 1))
	require.NoError(t, s.Mark(store.Seen, "k", "v"))
	over := storetest.Entry("U04", "rev")
	require.NoError(t, s.Create(t.Context(), over))
	require.NoError(t, s.End(t.Context(), storetest.At(over, 2, "expired", ""), 1, true))
	count := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		const bits = fs.ModePerm | fs.ModeSetgid
		switch {
		case d.IsDir():
			require.Equal(t, dirMode, info.Mode()&bits&^(fs.ModeSetgid&^dirMode&parent), "%s with umask %o", path, umask)
		case d.Type().IsRegular():
			require.Equal(t, fileMode, info.Mode()&bits, "%s with umask %o", path, umask)
		}
		count++
		return nil
	}))
	require.Greater(t, count, 20)
}

func TestInit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".conduct")
	require.NoError(t, Init(dir))
	marker, err := os.ReadFile(filepath.Join(dir, Marker))
	require.NoError(t, err)
	require.Regexp(t, `^\{"schema":1,"id":"[0-9a-f]{32}","created":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"\}\n$`, string(marker))
	ignore, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	require.NoError(t, err)
	require.Equal(t, "*\n", string(ignore))
	before := picture(t, dir)
	require.NoError(t, Init(dir))
	require.Equal(t, before, picture(t, dir), "a second time it does nothing")

	empty := t.TempDir()
	require.NoError(t, Init(empty), "an empty folder")

	foreign := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "config.json"), []byte("{}"), 0o600))
	before = picture(t, foreign)
	require.ErrorIs(t, Init(foreign), ErrForeignFolder)
	require.Equal(t, before, picture(t, foreign))

	ignoring := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(ignoring, ".gitignore"), []byte("x\n"), 0o600))
	require.ErrorIs(t, Init(ignoring), ErrForeignFolder)

	for _, text := range []string{"", "{}", `{"schema":2}`, `{"schema":1}{}`} {
		torn := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(torn, Marker), []byte(text), 0o600))
		require.ErrorIs(t, Init(torn), store.ErrDamaged, "%q", text)
	}
	require.ErrorIs(t, Init(filepath.Join(t.TempDir(), "none", ".conduct")), fs.ErrNotExist)
	_, err = Open(filepath.Join(t.TempDir(), "none"), Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestBadRecord: a record that a reader would not believe is not written.
func TestBadRecord(t *testing.T) {
	s, _ := newStore(t)
	for name, change := range map[string]func(*store.Entry){
		"no JSON":            func(e *store.Entry) { e.Record = []byte("x") },
		"another id":         func(e *store.Entry) { e.Record = storetest.Entry("a", "b").Record },
		"another generation": func(e *store.Entry) { e.Generation = 2 },
	} {
		e := storetest.Entry("U03", "rev")
		change(&e)
		require.Error(t, s.Create(t.Context(), e), name)
	}
	require.True(t, s.Empty())
}

// TestManyOfAName: the first ids of many come without the rest being read.
func TestManyOfAName(t *testing.T) {
	s, dir := newStore(t)
	profile := namesDir + "/" + store.Key("rev") + "/" + store.Key("p")
	_, err := s.mkdir(profile)
	require.NoError(t, err)
	const many = 2000
	first := storetest.Entry("U", "rev").ID
	require.NoError(t, os.Symlink("x", filepath.Join(dir, profile, string(first))))
	for range many - 1 {
		id := storetest.Entry("U", "rev").ID
		require.NoError(t, os.Link(filepath.Join(dir, profile, string(first)), filepath.Join(dir, profile, string(id))))
	}
	require.Len(t, collect(t, s.Named(store.Key("rev"), store.Key("p"))), many)
	two := func() {
		n := 0
		for range s.Named(store.Key("rev"), store.Key("p")) {
			if n++; n == 2 {
				break
			}
		}
	}
	// Reading all of them would take an allocation each.
	require.Less(t, testing.AllocsPerRun(5, two), float64(2*chunk))
}
