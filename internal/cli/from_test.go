package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzDirective(f *testing.F) {
	f.Add([]byte(`{"reviewer":"r","stage":"s","unit":"u","exempt":["a"]}`))
	f.Add([]byte(`{"reviewer":"r","unit":"u","exempt":[],"more":{"x":[1,null]}}`))
	f.Add([]byte(`{"unit":"u","unit":"v"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d directive
		if err := d.decode(data); err != nil {
			require.ErrorIs(t, err, errDirective)
			return
		}
		require.NotEmpty(t, d.Reviewer)
		require.NotEmpty(t, d.Unit)
	})
}
