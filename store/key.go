package store

import (
	"crypto/sha256"
	"encoding/hex"
)

// Key makes a name from parts: 32 hex digits, the same for the same parts and,
// since every part is counted, for no others.
func Key(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		for i, l := 0, len(p); i < 8; i++ {
			n[i] = byte(l >> (8 * i))
		}
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ValidKey says whether s has the form that Key makes, or is a short word of
// letters and digits as profiles and some marks are.
func ValidKey(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-') {
			return false
		}
	}
	return true
}
