package config

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// ParseDuration reads a duration as Go writes it, with "d" for 24 hours
// besides: "90m", "7d", "1d12h". It may be negative or zero: what a duration is
// for decides whether that makes sense.
func ParseDuration(s string) (time.Duration, error) {
	bad := fmt.Errorf("%q is no duration such as \"90m\", \"6h\" or \"7d\"", s)
	rest, negative := strings.CutPrefix(s, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	if rest == "" || strings.ContainsAny(rest, "+-") {
		return 0, bad
	}
	if rest == "0" {
		return 0, nil
	}
	var total time.Duration
	for rest != "" {
		number := strings.TrimLeft(rest, "0123456789.")
		letters := strings.TrimLeft(number, "abcdefghijklmnopqrstuvwxyzµμ")
		value, unit := rest[:len(rest)-len(number)], number[:len(number)-len(letters)]
		rest = letters
		times := time.Duration(1)
		if unit == "d" {
			unit, times = "h", 24
		}
		part, err := time.ParseDuration(value + unit)
		if err != nil || unit == "" || part > math.MaxInt64/times || part*times > math.MaxInt64-total {
			return 0, bad
		}
		total += part * times
	}
	if negative {
		total = -total
	}
	return total, nil
}
