package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where a verb of ours ends is told of a plain word of the line itself, and of no other.
func TestVerbEnd(t *testing.T) {
	for line, want := range map[string][]int{
		"conduct brief":                        {13},
		"conduct brief --x; é; conduct inbox":  {13, 36},
		"timeout 5 /usr/bin/conduct brief":     {32},
		"echo $(conduct brief)":                {20},
		"conduct":                              {0},
		"conduct --json":                       {0},
		"conduct 'brief'":                      {0},
		"conduct brief''":                      {0},
		"conduct bri\\ef":                      {0},
		"conduct bri\\\nef":                    {0},
		"conduct {brief,x}":                    {0},
		"conduct brie{f,x}":                    {0},
		"v=brief; conduct $v":                  {0},
		"bash -c 'conduct brief'":              {0},
		"conduct brief; eval 'conduct brief'":  {13, 0},
		"eval 'conduct brief'; conduct status": {0, 36},
		"unheard conduct brief":                {0},
	} {
		a, err := Analyze(line, worldEnv())
		require.NoError(t, err)
		var got []int
		for _, c := range a.Controls {
			got = append(got, c.VerbEnd)
		}
		require.Equal(t, want, got, line)
	}
}
