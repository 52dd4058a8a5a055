package cause

import (
	"strconv"

	"hookwatch/suites/pattern"
)

// placed is where programs say that something went wrong: bash, Python and node each
// in its own way.
var placed = pattern.Lazy(`([^\s"'(:]+)(?:: line |", line |:)(\d+)\b`)

// node is how node ends what it says of an exception.
var node = pattern.Lazy(`(?m)^Node\.js v`)

// Line is the line of a script that was named last in what it wrote to stderr; 0 where
// none was. Whoever raises an error names the innermost place last, but for node,
// which names it first.
func Line(script, stderr string) int {
	line := 0
	for _, m := range placed().FindAllStringSubmatch(stderr, -1) {
		if base(m[1]) != base(script) {
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err == nil && (line == 0 || !node().MatchString(stderr)) {
			line = n
		}
	}
	return line
}
