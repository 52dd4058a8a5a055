package idrange

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// A numbered ID is letters and a number: P07 is {"P", 7, 2}.
type numbered struct {
	prefix string
	n      int
	digits int // as written, to keep leading zeros
}

// number splits an ID that can be part of a range. An ID with a dash or other signs
// cannot, because its end may be a hash, and a dash is the sign of a range.
func number(id string) (numbered, bool) {
	i := strings.IndexFunc(id, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') })
	if i <= 0 || len(id)-i > 9 {
		return numbered{}, false
	}
	for _, c := range id[i:] {
		if c < '0' || c > '9' {
			return numbered{}, false
		}
	}
	n, err := strconv.Atoi(id[i:])
	return numbered{id[:i], n, len(id) - i}, err == nil
}

func (a numbered) String() string { return fmt.Sprintf("%s%0*d", a.prefix, a.digits, a.n) }

// next returns the ID after this one in a range.
func (a numbered) next() numbered {
	n := numbered{a.prefix, a.n + 1, a.digits}
	n.digits = max(n.digits, len(strconv.Itoa(n.n)))
	return n
}

// Shorten shortens a list of IDs: three or more consecutive ones become a range
// ("P01-P10"). IDs of one prefix are sorted by number, at the position of the first of
// them. Duplicates are dropped.
func Shorten(ids []string) []string {
	type place struct{ id, prefix string } // a single ID, or all of a prefix
	var places []place
	groups := map[string][]numbered{}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		a, ok := number(id)
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
func ranges(ids []numbered) []string {
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
