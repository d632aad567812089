package seatbelt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/sandbox"
	"github.com/seed6310be5c/conduct/sandbox/seatbelt"
)

func TestProfile(t *testing.T) {
	l := &sandbox.Layout{
		Places: []sandbox.Place{
			{Path: "/", Access: sandbox.Read},
			{Path: "/w", Access: sandbox.Write},
			{Path: "/w/.conduct", Access: sandbox.None},
			{Path: "/w/conduct.yaml", Access: sandbox.Read, Kind: sandbox.File},
			{Path: "/w/units", Access: sandbox.None},
			{Path: `/w/units/a "quoted\" one`, Access: sandbox.Write},
		},
		Sockets: []string{"/home/s"},
	}
	const want = `(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal "/dev/null"))
(allow file-write* (literal "/dev/zero"))
(allow file-write* (literal "/dev/tty"))
(allow file-write* (literal "/dev/dtracehelper"))
(allow file-write* (regex #"^/dev/ttys[0-9]+$"))
(allow file-read* file-write* process-exec* (subpath "/w"))
(deny file-read* file-write* process-exec* (subpath "/w/.conduct"))
(allow file-read* process-exec* (subpath "/w/conduct.yaml"))
(deny file-write* (subpath "/w/conduct.yaml"))
(deny file-read* file-write* process-exec* (subpath "/w/units"))
(allow file-read* file-write* process-exec* (subpath "/w/units/a \"quoted\\\" one"))
(deny file-write-unlink (literal "/w"))
(deny network-outbound (literal "/home/s"))
(deny signal (target others))
(allow signal (target children))
(deny process-info-pidinfo (target others))
`
	require.Equal(t, want, seatbelt.Profile(l, sandbox.Policy{}))
	require.Equal(t, want+"(deny network*)\n", seatbelt.Profile(l, sandbox.Policy{NoNetwork: true}))
}

func TestDenied(t *testing.T) {
	p := sandbox.Policy{Parents: []string{"/w/units"}}
	for text, want := range map[string]bool{
		"cat: /w/units/U4/x: Operation not permitted": true,
		"cat: /w/units/U4/x: No such file":            false,
		"kill: 1: Operation not permitted":            false,
		"":                                            false,
	} {
		require.Equal(t, want, seatbelt.New("/x").Denied([]byte(text), p), text)
	}
}
