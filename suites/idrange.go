package suites

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"hookwatch/suites/pattern"
)

// An IDRange contains the IDs of one prefix with numbers from First to Last, with any number
// of digits. Suite is "" if none is named.
type IDRange struct{ Suite, Prefix, First, Last string }

var (
	typedRange = pattern.Lazy(`^(.*?)(\d{1,18})(?:-|–)(.*?)(\d{1,18})$`)
	// rangeEnd matches the text after the first ID of a range in running text: "–M37", " to M37",
	// "-37". It is stricter than typed, which is for arguments of the user.
	rangeEnd = pattern.Lazy(`^(?:(?:\s*(?:-|–|\.\.)\s*|\s+(?:to|through)\s+)(?:([a-z][a-z0-9-]*)/)?([A-Z]{1,8})|(?:-|–))(\d{1,4})\b`)
)

// ParseIDRange reads a range that the user types: "M9-M12", or "m9-12".
func ParseIDRange(text string) (IDRange, bool) {
	m := typedRange().FindStringSubmatch(text)
	if m == nil || m[3] != "" && !strings.EqualFold(m[1], m[3]) {
		return IDRange{}, false
	}
	return IDRange{Prefix: m[1], First: m[2], Last: m[4]}, true
}

// Extend reads the end of a range from the text after its first ID, if there is one, and
// returns the rest of the text.
func (r IDRange) Extend(text string) (IDRange, string) {
	m := rangeEnd().FindStringSubmatch(text)
	if m == nil || m[2] != "" && m[2] != r.Prefix || m[1] != "" && m[1] != r.Suite {
		return r, text
	}
	r.Last = m[3]
	return r, text[len(m[0]):]
}

// Numbers returns the numbers of the first and of the last ID.
func (r IDRange) Numbers() (first, last int) {
	first, _ = strconv.Atoi(r.First)
	last, _ = strconv.Atoi(r.Last)
	return first, last
}

// Holds reports whether an ID, of any suite, is in the range.
func (r IDRange) Holds(id string) bool {
	prefix := strings.TrimRight(id, "0123456789")
	n, err := strconv.Atoi(id[len(prefix):])
	first, last := r.Numbers()
	return err == nil && strings.EqualFold(prefix, r.Prefix) && first <= n && n <= last
}

// A numberedID ID is letters and a number: P07 is {"P", 7, 2}.
type numberedID struct {
	prefix string
	n      int
	digits int // as written, to keep leading zeros
}

// splitID splits an ID that can be part of a range. An ID with a dash or other signs
// cannot, because its end may be a hash, and a dash is the sign of a range.
func splitID(id string) (numberedID, bool) {
	i := strings.IndexFunc(id, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') })
	if i <= 0 || len(id)-i > 9 {
		return numberedID{}, false
	}
	for _, c := range id[i:] {
		if c < '0' || c > '9' {
			return numberedID{}, false
		}
	}
	n, err := strconv.Atoi(id[i:])
	return numberedID{id[:i], n, len(id) - i}, err == nil
}

func (a numberedID) String() string { return fmt.Sprintf("%s%0*d", a.prefix, a.digits, a.n) }

// next returns the ID after this one in a range.
func (a numberedID) next() numberedID {
	n := numberedID{a.prefix, a.n + 1, a.digits}
	n.digits = max(n.digits, len(strconv.Itoa(n.n)))
	return n
}

// ShortenIDs shortens a list of IDs: three or more consecutive ones become a range
// ("P01-P10"). IDs of one prefix are sorted by number, at the position of the first of
// them. Duplicates are dropped.
func ShortenIDs(ids []string) []string {
	type place struct{ id, prefix string } // a single ID, or all of a prefix
	var places []place
	groups := map[string][]numberedID{}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		a, ok := splitID(id)
		if !ok {
			places = append(places, place{id: id})
			continue
		}
		if groups[a.prefix] == nil {
			places = append(places, place{prefix: a.prefix})
		}
		groups[a.prefix] = append(groups[a.prefix], a)
	}
	out := make([]string, 0, len(places))
	for _, p := range places {
		if p.prefix == "" {
			out = append(out, p.id)
		} else {
			out = append(out, ranges(groups[p.prefix])...)
		}
	}
	return out
}

// ranges sorts IDs of one prefix and joins consecutive ones.
func ranges(ids []numberedID) []string {
	sort.Slice(ids, func(i, j int) bool {
		return ids[i].n < ids[j].n || ids[i].n == ids[j].n && ids[i].digits < ids[j].digits
	})
	var out []string
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && ids[j+1] == ids[j].next() {
			j++
		}
		if j-i < 2 { // two are no shorter as a range
			out = append(out, ids[i].String())
			i++
			continue
		}
		out = append(out, ids[i].String()+"-"+ids[j].String())
		i = j + 1
	}
	return out
}
