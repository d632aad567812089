package store

import (
	"fmt"
	"io"
	"time"
)

// alphabet is Crockford's base 32, as ulid specifies it.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// Mint makes a new ID in the form of a ulid: 48 bits of the time in
// milliseconds and 80 random ones, so that later ids sort after earlier ones.
// The library for it seeds a generator at the start of every process that
// links it, which the hook would pay for at every call.
func Mint(now time.Time, random io.Reader) (ID, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[6:]); err != nil {
		return "", fmt.Errorf("cannot make an id: %w", err)
	}
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (8 * (5 - i)))
	}
	// 26 digits of 5 bits are 130: the first two bits are none.
	var out [26]byte
	acc, bits, at := uint32(0), 2, 0
	for _, c := range b {
		acc, bits = acc<<8|uint32(c), bits+8
		for bits >= 5 {
			bits -= 5
			out[at] = alphabet[acc>>bits&31]
			at++
		}
	}
	return ID(out[:]), nil
}
