package markers

import (
	"regexp"
	"strconv"
	"strings"
)

// maxRange bounds what "P01–P999" may stand for.
const maxRange = 1000

var (
	// idToken matches P01, DEP09, M16b and pm/P01.
	idToken = regexp.MustCompile(`(?:([a-z][a-z0-9-]*)/)?\b([A-Z]{1,8})(\d{1,4})([a-z]?)\b`)
	usualID = regexp.MustCompile(`^[A-Z]{1,8}\d{1,4}[a-z]?$`)
	// rangeEnd matches what follows the first ID of a range: "–M37", " to M37", "-37".
	rangeEnd = regexp.MustCompile(`^(?:(?:\s*(?:-|–|\.\.)\s*|\s+(?:to|through)\s+)([A-Z]{1,8})|(?:-|–))(\d{1,4})\b`)
	// ownToken matches IDs of other shapes, which count only when they are known.
	ownToken = regexp.MustCompile(`[A-Za-z0-9]+(?:[_.-]+[A-Za-z0-9]+)*`)
)

// idsIn lists the case IDs of a text in order of appearance, each once. With
// known, only IDs it accepts count, and IDs of any shape that has a digit, a
// hyphen or an underscore.
func idsIn(text string, known func(string) bool) []string {
	var c idList
	for rest := text; ; {
		m := idToken.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		suite, prefix, digits, tail := sub(rest, m, 1), sub(rest, m, 2), sub(rest, m, 3), sub(rest, m, 4)
		rest = rest[m[1]:]
		last := digits
		if e := rangeEnd.FindStringSubmatch(rest); tail == "" && e != nil && (e[1] == "" || e[1] == prefix) {
			last, rest = e[2], rest[len(e[0]):]
		}
		c.addRange(suite, prefix, digits, last, tail, known)
	}
	if known != nil {
		for _, w := range ownToken.FindAllString(text, -1) {
			if strings.ContainsAny(w, "0123456789-_") && !usualID.MatchString(w) && known(w) {
				c.add(w)
			}
		}
	}
	return c.ids
}

func sub(s string, m []int, group int) string {
	if m[2*group] < 0 {
		return ""
	}
	return s[m[2*group]:m[2*group+1]]
}

// An idList keeps IDs in order, each once.
type idList struct {
	ids  []string
	seen map[string]bool
}

func (c *idList) add(id string) {
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	if !c.seen[id] {
		c.seen[id] = true
		c.ids = append(c.ids, id)
	}
}

// addRange adds first to last, in the width that first is written in.
func (c *idList) addRange(suite, prefix, first, last, tail string, known func(string) bool) {
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	if to < from || to-from >= maxRange {
		to = from
	}
	for n := from; n <= to; n++ {
		number := strconv.Itoa(n)
		if pad := len(first) - len(number); pad > 0 {
			number = strings.Repeat("0", pad) + number
		}
		id := prefix + number + tail
		if known != nil && !known(id) {
			continue
		}
		if suite != "" {
			id = suite + "/" + id
		}
		c.add(id)
	}
}
