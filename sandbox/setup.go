package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Setup is what Init does before and after it starts the command.
type Setup struct {
	Argv []string
	Env  []string
	Dir  string
	// Rules are what Landlock allows, each a letter and a path: "r" read, "w"
	// write, "d" a device, "l" list. Without any, files are not restricted.
	Rules []string
	// Scopes keeps abstract sockets and signals inside, where the kernel can.
	Scopes bool
	// DropCaps takes root's dangerous capabilities away.
	DropCaps bool
	// Reap makes Init the parent of all that the command leaves behind, and
	// kill it. Without it, Init is process 1 of its own, which the kernel ends.
	Reap bool
	// NoNetwork has Landlock refuse TCP, where there is no network of its own.
	NoNetwork bool
}

// maxSetup bounds what Init reads, in bytes.
const maxSetup = 64 << 20

var errSetup = errors.New("malformed setup")

func (s Setup) encode() []byte {
	var body []byte
	for _, list := range [][]string{s.Argv, s.Env, {s.Dir}, s.Rules, s.flags()} {
		body = binary.AppendUvarint(body, uint64(len(list)))
		for _, v := range list {
			body = binary.AppendUvarint(body, uint64(len(v)))
			body = append(body, v...)
		}
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func (s Setup) flags() []string {
	var out []string
	for _, f := range []struct {
		on   bool
		name string
	}{{s.Scopes, "scopes"}, {s.DropCaps, "drop-caps"}, {s.Reap, "reap"}, {s.NoNetwork, "no-network"}} {
		if f.on {
			out = append(out, f.name)
		}
	}
	return out
}

func readSetup(r io.Reader) (Setup, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Setup{}, fmt.Errorf("read setup: %w", err)
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxSetup {
		return Setup{}, errSetup
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return Setup{}, fmt.Errorf("read setup: %w", err)
	}
	return decodeSetup(body)
}

func decodeSetup(body []byte) (Setup, error) {
	d := decoder{rest: body}
	s := Setup{Argv: d.list(), Env: d.list()}
	dir := d.list()
	s.Rules = d.list()
	for _, f := range d.list() {
		switch f {
		case "scopes":
			s.Scopes = true
		case "drop-caps":
			s.DropCaps = true
		case "reap":
			s.Reap = true
		case "no-network":
			s.NoNetwork = true
		default:
			d.bad = true // of a newer version: what it asks for would not be done
		}
	}
	if d.bad || len(d.rest) > 0 || len(dir) != 1 || len(s.Argv) == 0 {
		return Setup{}, errSetup
	}
	s.Dir = dir[0]
	return s, nil
}

type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) list() []string {
	var out []string
	for range d.number() {
		n := d.number()
		if d.bad || n > uint64(len(d.rest)) {
			d.bad = true
			return nil
		}
		out = append(out, string(d.rest[:n]))
		d.rest = d.rest[n:]
	}
	return out
}
