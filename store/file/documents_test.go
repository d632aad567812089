package file_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/file"
)

// What other packages keep beside the records is written as the records are.
func TestDocuments(t *testing.T) {
	s := open(t)
	made, err := s.Mkdir("mine/deep")
	require.NoError(t, err)
	require.Equal(t, []string{".", "mine"}, made)
	require.NoError(t, s.Put("mine/deep/a.json", []byte("{}")))
	require.NoError(t, s.Sync(append(made, "mine/deep")...))
	require.NoError(t, s.Sync())
	got, err := s.ReadDocument("mine/deep/a.json")
	require.NoError(t, err)
	require.Equal(t, "{}", string(got))
	var names []string
	for name, err := range s.Names("mine/deep") {
		require.NoError(t, err)
		names = append(names, name)
	}
	require.Equal(t, []string{"a.json"}, names)
	require.Empty(t, slices.Collect(func(yield func(string) bool) {
		for name := range s.Names("nowhere") {
			yield(name)
		}
	}))
	info, err := s.Root().Stat("mine/deep/a.json")
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())

	require.ErrorContains(t, s.Put("mine/deep/b.json", []byte(strings.Repeat("x", store.MaxSize+1))), "more than")
	_, err = s.ReadDocument("mine/deep/b.json")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, s.Root().Symlink("a.json", "mine/deep/c.json"))
	_, err = s.ReadDocument("mine/deep/c.json")
	require.ErrorIs(t, err, store.ErrDamaged, "no link is followed")
	require.ErrorIs(t, s.Unreadable("mine/deep/b.json", fs.ErrNotExist), fs.ErrNotExist)
	require.ErrorIs(t, s.Unreadable("mine/deep/a.json", &fs.PathError{Err: fs.ErrPermission}), store.ErrDamaged)
}

func TestLockOfOthers(t *testing.T) {
	s := open(t)
	free, err := s.Lock(t.Context(), "mine")
	require.NoError(t, err)
	short, err := file.Open(s.Root().Name(), file.Options{LockWait: 20 * time.Millisecond})
	require.NoError(t, err)
	defer short.Close()
	_, err = short.Lock(t.Context(), "mine")
	require.ErrorIs(t, err, store.ErrLocked)
	free()
	free, err = short.Lock(t.Context(), "mine")
	require.NoError(t, err)
	free()
	_, err = s.Lock(t.Context(), "../mine")
	require.ErrorContains(t, err, "no key")
}
