package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSetupRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 1, 5)
		s := Setup{
			Argv: words.Draw(t, "argv"), Env: words.Draw(t, "env"), Dir: rapid.String().Draw(t, "dir"), Rules: words.Draw(t, "rules"),
			Scopes: rapid.Bool().Draw(t, "scopes"), DropCaps: rapid.Bool().Draw(t, "caps"),
			Reap: rapid.Bool().Draw(t, "reap"), NoNetwork: rapid.Bool().Draw(t, "net"),
		}
		encoded := s.encode()
		got, err := readSetup(bytes.NewReader(encoded))
		require.NoError(t, err)
		require.Equal(t, s, got)
		_, err = readSetup(bytes.NewReader(encoded[:len(encoded)-1]))
		require.Error(t, err)
	})
}

func FuzzDecodeSetup(f *testing.F) {
	f.Add(Setup{Argv: []string{"true"}, Dir: "/"}.encode()[4:])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := decodeSetup(body)
		if err == nil {
			require.NotEmpty(t, s.Argv)
		} else {
			require.ErrorIs(t, err, errSetup)
		}
	})
}

func TestWhatInitSays(t *testing.T) {
	for said, want := range map[string]Result{
		"SD\x00\x00\x07\x00": {Exit: 7},
		"SD\x00\x00\x00\x0f": {Exit: 143, Signal: syscall.SIGTERM},
		"Nno such":           {Exit: 127, NotStarted: "no such"},
		"Xnot to be run":     {Exit: 126, NotStarted: "not to be run"},
		"SD\x00\x00\x01\x00": {Exit: 1},
		"SD\x00\x00\x08\x00": {Exit: 8},
		"SD\x00\x00\x00\x00": {},
		"SD\x00\x00\xff\x00": {Exit: 255},
	} {
		got, err := read([]byte(said))
		require.NoError(t, err, said)
		require.Equal(t, want, got, said)
	}
	for said, want := range map[string]error{"": errSilent, "S": ErrLost, "SD\x00": ErrLost, "?": errSilent} {
		_, err := read([]byte(said))
		require.ErrorIs(t, err, want, said)
	}
	_, err := read([]byte("Fbroken"))
	require.EqualError(t, err, "broken")
}

func TestAliases(t *testing.T) {
	table := parseMounts(`1 0 8:1 / / rw - ext4 /dev/sda rw
2 1 8:1 /w /mnt/again rw - ext4 /dev/sda rw
3 1 8:1 /w/units/U4 /mnt/one\040unit rw - ext4 /dev/sda rw
4 1 8:1 /w/units/U3/x /mnt/own rw - ext4 /dev/sda rw
5 1 8:2 / /mnt/disk rw - ext4 /dev/sdb rw
6 1 8:2 /u5 /w/units/U5 rw - ext4 /dev/sdb rw
7 1 8:3 /w/units /mnt/other rw - ext4 /dev/sdc rw
`)
	require.ElementsMatch(t, []string{"/mnt/again/units", "/mnt/one unit", "/mnt/disk/u5"},
		aliasesOf(table, "/w/units", []string{"/w/units/U3"}))
}

func TestSocketsOfOthers(t *testing.T) {
	require.Equal(t, []string{"/var/a b.sock", "/var/c"}, parseSockets(`Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000003 00000000 00000000 0001 03  1073
0000000000000000: 00000002 00000000 00010000 0001 01 11111 /var/a b.sock
0000000000000000: 00000002 00000000 00010000 0001 01 11112 @/abstract
0000000000000000: 00000002 00000000 00010000 0001 01 11113 /var/c
`))
}

// broken is a backend whose runner is not there; it counts how often it is asked.
type broken struct {
	key   string
	asked *int
}

func (broken) Name() string  { return "broken" }
func (b broken) Key() string { return b.key }
func (b broken) Confine([]string, Policy) (Plan, Report, error) {
	*b.asked++
	return Plan{Argv: []string{"/nonexistent"}}, Report{}, nil
}
func (broken) Denied([]byte, Policy) bool { return false }

func TestVerdictIsKept(t *testing.T) {
	asked := 0
	b := broken{"one", &asked}
	c := Cache{Dir: t.TempDir(), Boot: "this"}
	for range 3 {
		require.ErrorIs(t, c.Probe(t.Context(), b), ErrUnavailable)
	}
	require.Equal(t, 1, asked)
	b.key = "another binary"
	require.ErrorIs(t, c.Probe(t.Context(), b), ErrUnavailable)
	require.Equal(t, 2, asked)
	c.Boot = "the next"
	require.ErrorIs(t, c.Probe(t.Context(), b), ErrUnavailable)
	require.Equal(t, 3, asked)
	c.Fresh = true
	_, err := Choose(t.Context(), c, b, broken{"", &asked})
	require.ErrorIs(t, err, ErrUnavailable)
	require.Equal(t, 4, asked)
}

func TestCancelledProbeIsNoVerdict(t *testing.T) {
	asked := 0
	c := Cache{Dir: t.TempDir(), Boot: "this"}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, c.Probe(ctx, broken{"k", &asked}))
	entries, err := os.ReadDir(c.Dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestPolicyIsChecked(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	ok := Policy{Root: dir, Temp: dir, Cwd: dir}
	for _, change := range []func(*Policy){
		func(p *Policy) { p.Root = "" }, func(p *Policy) { p.Temp = "" }, func(p *Policy) { p.Cwd = "" },
		func(p *Policy) { p.Own = []string{"relative"} }, func(p *Policy) { p.Hidden = []string{"/a/../b"} },
		func(p *Policy) { p.Reads = []string{"/a\x00b"} },
	} {
		p := ok
		change(&p)
		_, err := Lay([]string{"true"}, p, "/bin/true")
		require.True(t, errors.Is(err, ErrPolicy), "%+v: %v", p, err)
	}
	_, err = Lay(nil, ok, "/bin/true")
	require.ErrorIs(t, err, ErrPolicy)
}
