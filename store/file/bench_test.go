package file_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/store/storetest"
)

func openBench(b *testing.B) (*file.Store, string) {
	b.Helper()
	dir := filepath.Join(b.TempDir(), ".conduct")
	require.NoError(b, file.Init(dir))
	s, err := file.Open(dir, file.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	return s, dir
}

// sized is an entry of which record and grant have about 1,500 bytes.
func sized(i int) store.Entry {
	return storetest.At(storetest.Entry(fmt.Sprint("U", i), "rev"), 1, "reserved", strings.Repeat("x", 1400))
}

func BenchmarkRead(b *testing.B) {
	s, _ := openBench(b)
	e := sized(0)
	require.NoError(b, s.Create(b.Context(), e))
	for b.Loop() {
		if _, err := s.Read(e.ID); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarked(b *testing.B) {
	s, _ := openBench(b)
	require.NoError(b, s.Mark(store.Bind, "key", "value"))
	for b.Loop() {
		if _, err := s.Marked(store.Bind, "key"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmpty(b *testing.B) {
	s, _ := openBench(b)
	for b.Loop() {
		if !s.Empty() {
			b.Fatal("not empty")
		}
	}
}

func BenchmarkNamed(b *testing.B) {
	s, _ := openBench(b)
	e := sized(0)
	require.NoError(b, s.Create(b.Context(), e))
	for b.Loop() {
		for _, err := range s.Named(e.Keys.Name, e.Keys.Profile) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	s, _ := openBench(b)
	i := 0
	for b.Loop() {
		e := sized(i)
		i++
		if err := s.Create(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCreateEnd(b *testing.B) {
	s, _ := openBench(b)
	for b.Loop() {
		e := sized(0)
		if err := s.Create(b.Context(), e); err != nil {
			b.Fatal(err)
		}
		if err := s.End(b.Context(), storetest.At(e, 2, "released", strings.Repeat("x", 1400)), 1, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFloor is what Create is compared with: a bare lock and two times
// write, fsync, rename, fsync of the folder.
func BenchmarkFloor(b *testing.B) {
	dir := b.TempDir()
	data := sized(0).Record
	i := 0
	for b.Loop() {
		f := flock.New(filepath.Join(dir, "lock"))
		if err := f.Lock(); err != nil {
			b.Fatal(err)
		}
		for _, kind := range []string{"grant", "record"} {
			name := filepath.Join(dir, fmt.Sprint(kind, i))
			if err := renameio.WriteFile(name, data, 0o600, renameio.WithTempDir(dir)); err != nil {
				b.Fatal(err)
			}
			d, err := os.Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			if err := d.Sync(); err != nil {
				b.Fatal(err)
			}
			if err := d.Close(); err != nil {
				b.Fatal(err)
			}
		}
		i++
		if err := f.Unlock(); err != nil {
			b.Fatal(err)
		}
	}
}
