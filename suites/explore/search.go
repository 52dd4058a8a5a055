package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Field is the place of a text in a payload, such as "tool_input.command".
type Field string

// isPath reports whether the field names a file.
func (f Field) isPath() bool { return strings.HasSuffix(string(f), "path") }

// An Input is a call to fire next: that of an earlier firing with another text in one field.
type Input struct {
	From  int // the number of the earlier firing, as given to Take
	Field Field
	Text  string
}

// A Search derives inputs from what the hook compared earlier ones with. The same firings lead to the
// same inputs.
type Search struct {
	// Usual are texts of fields that a user would type, which come before others that pass a comparison.
	Usual map[Field][]string

	goals  map[Comparison]bool // without values
	places map[Comparison]int  // goals at each place
	passed map[Comparison]bool // goals that some input passed
	ran    map[place]bool      // statements that some input reached
	sent   map[Input]bool      // with From 0
	queue  []candidate
	depth  []int // of each firing
}

// A candidate is an input with its rank; the lowest is the likeliest.
type candidate struct {
	Input
	rank int
}

// textsOf and usualOf are the numbers of texts, and of usual ones, tried for a pattern.
const (
	textsOf = 5
	usualOf = 2
)

// suits reports whether a comparison accepts a text or a word of it.
func (c Comparison) suits(text string) bool {
	return c.Accepts(text) || slices.ContainsFunc(strings.Fields(text), c.Accepts)
}

// Take derives inputs from a firing. fields are the texts that were sent, without those that the client
// alone decides. It reports whether the hook compared any of them, and whether it came further than by
// earlier inputs: to another statement, or past another comparison.
func (s *Search) Take(in Input, fields map[Field]string, r *Record) (compared, further bool) {
	if s.goals == nil {
		s.goals, s.places, s.sent = map[Comparison]bool{}, map[Comparison]int{}, map[Input]bool{}
		s.passed, s.ran = map[Comparison]bool{}, map[place]bool{}
	}
	for _, p := range r.statements() {
		further = further || !s.ran[p]
		s.ran[p] = true
	}
	n, depth := len(s.depth), 0
	if in.Text != "" {
		depth = s.depth[in.From] + 1
	}
	s.depth = append(s.depth, depth)
	for f, text := range fields {
		s.sent[Input{0, f, text}] = true
	}
	sorted := slices.Sorted(maps.Keys(fields))
	for _, c := range r.Comparisons {
		for _, f := range sorted {
			how := related(c.Value, fields[f])
			if how == unrelated {
				continue
			}
			compared = compared || how != unknown || c.Value == unseen
			s.derive(n, f, fields[f], c, how, depth)
		}
		goal, place := Comparison{c.File, c.Line, c.Op, "", c.Pattern}, Comparison{File: c.File, Line: c.Line}
		if !s.goals[goal] {
			s.goals[goal] = true
			s.places[place]++
		}
		if c.Accepts(c.Value) && !s.passed[goal] {
			s.passed[goal], further = true, true
		}
	}
	return compared, further
}

// Of returns the field whose text, or a part of it, a comparison is of; false if it is of none.
func (c Comparison) Of(fields map[Field]string) (Field, bool) {
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		if how := related(c.Value, fields[f]); how != unrelated && how != unknown {
			return f, true
		}
	}
	return "", false
}

// derive adds the inputs by which a field may pass a comparison.
func (s *Search) derive(from int, f Field, text string, c Comparison, how relation, depth int) {
	known := s.goals[Comparison{c.File, c.Line, c.Op, "", c.Pattern}]
	rank := depth
	if known {
		rank += 8 // it was tried with another input
	}
	if how == unknown {
		rank++
	}
	if s.places[Comparison{File: c.File, Line: c.Line}] > 3 {
		rank += 6 // the rest of a list
	}
	if c.Accepts(c.Value) {
		return
	}
	add := func(text string, rank int) {
		if key := (Input{0, f, text}); !s.sent[key] && text != "" && len(text) < 4000 {
			s.sent[key] = true
			s.queue = append(s.queue, candidate{Input{from, f, text}, rank})
		}
	}
	usual := 0
	for _, text := range s.Usual[f] {
		if usual < usualOf && c.suits(text) {
			usual++
			add(text, rank)
		}
	}
	for i, t := range c.Texts(textsOf) {
		for j, made := range variants(f, text, c.Value, t, how, depth > 0 && !known) {
			add(made, rank+3*i+2*j)
		}
	}
}

// A relation is that of a compared value to the text of a field.
type relation int

const (
	unrelated relation = iota
	unknown            // the value is not known
	equal
	within // a part of the text
	around // the text is a part of it
)

func related(value, text string) relation {
	fold := strings.EqualFold
	switch {
	case value == "" || value == unseen:
		return unknown
	case text == "":
		return unrelated
	case fold(value, text):
		return equal
	case len(value) > 1 && strings.Contains(strings.ToLower(text), strings.ToLower(value)):
		return within
	case len(text) > 1 && strings.Contains(strings.ToLower(value), strings.ToLower(text)):
		return around
	}
	return unrelated
}

// variants returns texts of a field whose part value becomes another text: alone, and beside what was
// there, which earlier comparisons looked for. If it is beyond one of those, that comes first.
func variants(f Field, text, value, other string, how relation, beyond bool) []string {
	if f == "tool_name" {
		return []string{other}
	}
	switch how {
	case within:
		at := strings.Index(strings.ToLower(text), strings.ToLower(value))
		replaced := text[:at] + other + text[at+len(value):]
		if f.isPath() {
			return []string{replaced, other}
		}
		if beyond {
			return []string{text + " " + other, replaced, other + " " + text, other}
		}
		return []string{replaced, other, text + " " + other, other + " " + text}
	case around:
		at := strings.Index(strings.ToLower(value), strings.ToLower(text))
		other = strings.TrimSuffix(strings.TrimPrefix(other, value[:at]), value[at+len(text):])
	}
	if f.isPath() {
		other = strings.Trim(other, " \n")
		if strings.HasPrefix(other, "/") && strings.HasSuffix(other, "/") && len(other) > 2 {
			other = "x" + other + "x" // a directory anywhere
		}
		if strings.ContainsAny(other, " \n") {
			other = strings.Join(strings.Fields(other), "x")
		}
		return []string{other, "x/" + strings.TrimPrefix(other, "/"), strings.TrimSuffix(other, "/") + "/x"}
	}
	if beyond {
		return []string{text + " " + other, other + " " + text, other, text + " ; " + other}
	}
	return []string{other, other + " x", text + " " + other, other + " " + text, text + " ; " + other}
}

// Next returns the likeliest inputs that are left, at most so many. If new is set, it returns only the
// first inputs of comparisons that were not known before.
func (s *Search) Next(most int, new bool) (all []Input) {
	slices.SortStableFunc(s.queue, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	n := min(most, len(s.queue))
	for new && n > 0 && s.queue[n-1].rank > 1 {
		n--
	}
	for _, c := range s.queue[:n] {
		all = append(all, c.Input)
	}
	s.queue = s.queue[n:]
	return all
}

// Beyond returns the first word of a command, or the place of a statement, that the firings of a search reached and
// those of another did not; "" if there is none. The parts of code that V8 counts are not the same in each run.
func (s *Search) Beyond(other *Search) string {
	var all []string
	for p := range s.ran {
		if !other.ran[p] && p.word != counted {
			all = append(all, cmp.Or(p.word, fmt.Sprintf("line %d", p.line)))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return slices.Min(all)
}
