//go:build !race

package guard_test

// cases is how many cases the property tests try.
const cases = 2000
