package file_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/store/storetest"
)

func open(t *testing.T) *file.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".conduct")
	require.NoError(t, file.Init(dir))
	return reopen(t, dir)
}

func reopen(t *testing.T, dir string) *file.Store {
	t.Helper()
	s, err := file.Open(dir, file.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t) })
}
