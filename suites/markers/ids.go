package markers

import (
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// maxRange is the maximum number of IDs in a range such as "P01–P999".
const maxRange = 1000

var (
	// idToken matches P01, DEP09, M16b and pm/P01.
	idToken = pattern.Lazy(`(?:([a-z][a-z0-9-]*)/)?\b([A-Z]{1,8})(\d{1,4})([a-z]?)\b`)
	usualID = pattern.Lazy(`^([A-Z]{1,8})(\d{1,4})[a-z]?$`)
	// ownToken matches IDs of other forms, which count only if they are known.
	ownToken = pattern.Lazy(`[A-Za-z0-9]+(?:[_.-]+[A-Za-z0-9]+)*`)
)

// IDs are the case IDs of a project. They distinguish IDs in documents from text in the
// same form, such as a linter's rule or a section. A nil *IDs accepts everything in the
// usual form.
type IDs struct {
	all    map[string]bool
	spelt  map[numbered][]string
	digits map[string]int // by prefix, the largest number of digits
}

// A numbered ID is its letters and its number: P01 and P1 are the same.
type numbered struct {
	prefix string
	n      int
}

// NewIDs returns the set of the given IDs.
func NewIDs(all []string) *IDs {
	k := &IDs{all: map[string]bool{}, spelt: map[numbered][]string{}, digits: map[string]int{}}
	for _, id := range all {
		if k.all[id] {
			continue
		}
		k.all[id] = true
		if m := usualID().FindStringSubmatch(id); m != nil {
			n, _ := strconv.Atoi(m[2])
			k.digits[m[1]] = max(k.digits[m[1]], len(m[2]))
			if strings.HasSuffix(id, m[2]) {
				at := numbered{m[1], n}
				k.spelt[at] = append(k.spelt[at], id)
			}
		}
	}
	return k
}

// has reports whether a case has the ID.
func (k *IDs) has(id string) bool { return k != nil && k.all[id] }

// plausible reports whether an unknown ID may still be meant as one, which is worth a
// warning. It may if it has two digits, or at most as many as the cases with that prefix;
// F841 and UTF8 are no IDs.
func (k *IDs) plausible(prefix, digits string, inRange bool) bool {
	if k == nil || k.uses(prefix) {
		return k == nil || len(digits) <= k.digits[prefix]
	}
	return inRange || len(digits) == 2
}

// uses reports whether any IDs begin with the letters.
func (k *IDs) uses(prefix string) bool { return k == nil || k.digits[prefix] > 0 }

// An idReader finds case IDs in running text. Names of sections, such as "D3", do not
// count unless there are IDs with that letter.
type idReader struct {
	known    *IDs
	sections map[string]bool
}

// in returns the case IDs of a text in order of appearance, each once: those of the usual
// form that the reader does not rule out, and known ones of any form with a digit, a
// hyphen or an underscore.
func (r *idReader) in(text string) []string {
	var c idList
	for rest := text; ; {
		m := idToken().FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		number, tail := sub(rest, m, 3), sub(rest, m, 4)
		s := suites.IDRange{Suite: sub(rest, m, 1), Prefix: sub(rest, m, 2), First: number, Last: number}
		if rest = rest[m[1]:]; tail == "" {
			s, rest = s.Extend(rest)
		}
		r.addRange(&c, s, tail)
	}
	if r.known != nil {
		for _, w := range ownToken().FindAllString(text, -1) {
			if strings.ContainsAny(w, "0123456789-_") && !usualID().MatchString(w) && r.known.has(w) {
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

// addRange adds the IDs of a range. Numbers are spelt as in the known IDs, or else with
// the width of the first one; tail is the letter after a single ID.
func (r *idReader) addRange(c *idList, s suites.IDRange, tail string) {
	from, to := s.Numbers()
	if to < from || to-from >= maxRange {
		to = from
	}
	section := !r.known.uses(s.Prefix) && (r.sections[s.Prefix+s.First] || r.sections[s.Prefix+s.Last])
	for n := from; n <= to && !section; n++ {
		number := strconv.Itoa(n)
		if pad := len(s.First) - len(number); pad > 0 {
			number = strings.Repeat("0", pad) + number
		}
		for _, id := range r.spellings(s.Prefix, number, tail, n, to > from) {
			if s.Suite != "" {
				id = s.Suite + "/" + id
			}
			c.add(id)
		}
	}
}

// spellings returns the IDs for one number of a range.
func (r *idReader) spellings(prefix, number, tail string, n int, inRange bool) []string {
	id := prefix + number + tail
	switch {
	case r.known.has(id):
		return []string{id}
	case inRange && r.known != nil && len(r.known.spelt[numbered{prefix, n}]) > 0:
		return r.known.spelt[numbered{prefix, n}]
	case !r.known.plausible(prefix, number, inRange):
		return nil
	}
	return []string{id}
}

// sectionNames returns the short names of sections in a document, such as "D3": the first
// words of headings and of the sections that markers name.
func sectionNames(blocks []*block, src []byte) map[string]bool {
	names := map[string]bool{}
	note := func(name string) {
		name = strings.TrimLeft(name, spaces)
		if m := idToken().FindStringIndex(name); m != nil && m[0] == 0 {
			names[name[:m[1]]] = true
		}
	}
	for _, b := range blocks {
		if isHeading(b.node) {
			note(plainText(b.node, src))
		}
		for _, c := range b.claims() {
			for _, section := range strings.Split(b.text[c.start:c.end], sign)[1:] {
				note(section)
			}
		}
	}
	return names
}

// An idList keeps IDs in order, each once.
type idList struct {
	ids  []string
	seen map[string]bool
}

// mostIDs is the maximum number of cases of one claim.
const mostIDs = 5000

func (c *idList) add(ids ...string) {
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	for _, id := range ids {
		if !c.seen[id] && len(c.ids) < mostIDs {
			c.seen[id] = true
			c.ids = append(c.ids, id)
		}
	}
}
