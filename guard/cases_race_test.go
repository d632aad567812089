//go:build race

package guard_test

// cases is how many cases the property tests try; under the race detector each takes longer.
const cases = 500
