package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// row is one line of the report.
type row struct {
	group string
	what  string
	goal  string
	limit float64 // of value; 0 for a row without a goal
	value float64
	unit  string // "×", "µs", "ms", "+ms" for a difference, "MB"
	ours  string // absolute, for orientation
	than  string // what it was compared with, absolute
	why   string // it was not run
}

// ratio is a row that compares two times.
func ratio(what, goal string, limit float64, ours, floor time.Duration) row {
	return row{
		what: what, goal: goal, limit: limit, value: float64(ours) / float64(floor), unit: "×",
		ours: short(ours), than: short(floor),
	}
}

// absolute is a row with a limit in microseconds.
func absolute(what, goal string, limit float64, ours time.Duration) row {
	return row{what: what, goal: goal, limit: limit, value: float64(ours) / float64(time.Microsecond), unit: "µs", ours: short(ours)}
}

// milliseconds is a row with a limit in milliseconds.
func milliseconds(what, goal string, limit float64, ours time.Duration) row {
	return row{what: what, goal: goal, limit: limit, value: float64(ours) / float64(time.Millisecond), unit: "ms", ours: short(ours)}
}

func (r row) verdict() string {
	switch {
	case r.why != "":
		return "not run: " + r.why
	case r.limit == 0:
		return ""
	case r.value <= r.limit:
		return "met"
	}
	return "**not met**"
}

func (r row) measured() string {
	switch r.unit {
	case "":
		return ""
	case "+ms":
		return fmt.Sprintf("+%.1f ms", r.value)
	case "×":
		return fmt.Sprintf("%.2f ×", r.value)
	case "µs":
		return fmt.Sprintf("%.1f µs", r.value)
	}
	return fmt.Sprintf("%.1f %s", r.value, r.unit)
}

// short prints a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(100 * time.Nanosecond).String()
}

// write prints the rows as the tables of a page.
func write(to io.Writer, machine string, rows []row) error {
	var b strings.Builder
	b.WriteString(head)
	group := ""
	for _, r := range rows {
		if r.group != group {
			group = r.group
			fmt.Fprintf(&b, "\n## %s\n\n| what | goal | measured | | ours | compared with |\n|---|---|---|---|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.what, r.goal, r.measured(), r.verdict(), r.ours, r.than)
	}
	fmt.Fprintf(&b, "\nMachine: %s.\n", machine)
	_, err := io.WriteString(to, b.String())
	return err
}

const head = `# Performance

Written by ` + "`make bench`" + `; do not edit.

The guard is a process that starts before every tool call, so it must cost nearly nothing beyond that start. Times depend on
the machine; ratios do much less. Each figure is therefore a ratio to a bare program in ` + "`bench/floor`" + `, built with the same
flags and run in turn with ours on the same machine, the median of the runs. Absolute times are there for orientation only.

Not in these figures: the first call of an agent, which binds it and reads its transcript.
`
