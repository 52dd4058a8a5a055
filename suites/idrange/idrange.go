// Package idrange reads ranges of case IDs, such as P01-P09.
package idrange

import (
	"strconv"
	"strings"

	"hookwatch/suites/pattern"
)

// A Range contains the IDs of one prefix with numbers from First to Last, with any number
// of digits. Suite is "" if none is named.
type Range struct{ Suite, Prefix, First, Last string }

var (
	typed = pattern.Lazy(`^(.*?)(\d{1,18})(?:-|–)(.*?)(\d{1,18})$`)
	// end matches the text after the first ID of a range in running text: "–M37", " to M37",
	// "-37". It is stricter than typed, which is for arguments of the user.
	end = pattern.Lazy(`^(?:(?:\s*(?:-|–|\.\.)\s*|\s+(?:to|through)\s+)(?:([a-z][a-z0-9-]*)/)?([A-Z]{1,8})|(?:-|–))(\d{1,4})\b`)
)

// Parse reads a range that the user types: "M9-M12", or "m9-12".
func Parse(text string) (Range, bool) {
	m := typed().FindStringSubmatch(text)
	if m == nil || m[3] != "" && !strings.EqualFold(m[1], m[3]) {
		return Range{}, false
	}
	return Range{Prefix: m[1], First: m[2], Last: m[4]}, true
}

// Extend reads the end of a range from the text after its first ID, if there is one, and
// returns the rest of the text.
func (r Range) Extend(text string) (Range, string) {
	m := end().FindStringSubmatch(text)
	if m == nil || m[2] != "" && m[2] != r.Prefix || m[1] != "" && m[1] != r.Suite {
		return r, text
	}
	r.Last = m[3]
	return r, text[len(m[0]):]
}

// Numbers returns the numbers of the first and of the last ID.
func (r Range) Numbers() (first, last int) {
	first, _ = strconv.Atoi(r.First)
	last, _ = strconv.Atoi(r.Last)
	return first, last
}

// Holds reports whether an ID, of any suite, is in the range.
func (r Range) Holds(id string) bool {
	prefix := strings.TrimRight(id, "0123456789")
	n, err := strconv.Atoi(id[len(prefix):])
	first, last := r.Numbers()
	return err == nil && strings.EqualFold(prefix, r.Prefix) && first <= n && n <= last
}
