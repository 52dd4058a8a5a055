package explore

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// A Field is the place of a text in a payload, such as "tool_input.command".
type Field string

// toolName is the field of the tool's name.
const toolName Field = "tool_name"

// IsPath reports whether the field names a file.
func (f Field) IsPath() bool { return strings.HasSuffix(strings.ToLower(string(f)), "path") }

// IsOutside reports whether the field is not in the payload: a variable, $NAME, or a file, {project}/PATH.
func (f Field) IsOutside() bool { return f[0] == '$' || f[0] == '{' }

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
	Aims  Aims
	// Awaited are the lines whose comparisons come before others, because something else waits for them.
	Awaited []Lines

	goals  map[Comparison]*goal // by comparison, without a value
	places map[Comparison]int   // goals at each place
	ran    map[place]bool       // statements that some input reached
	sent   map[tried]bool
	queue  []candidate
	depth  []int          // of each firing
	tools  []string       // of each firing
	states []string       // of each firing, what was changed outside of the payload
	asked  map[string]int // inputs by tool
}

// A tried text of a field. What is outside of the payload may matter for one tool only, so it counts for each firing.
type tried struct {
	state string
	Input // with From 0, if the field is in the payload
}

// A goal is a comparison that inputs are to pass.
type goal struct {
	known  bool    // it was compared before
	fields []Field // with whose texts, and not only with an unknown one
	passed []Field // by texts of which some input passed; "" for an unknown one
	seen   []sighting
}

// goalOf returns the goal of a comparison.
func (s *Search) goalOf(c Comparison) *goal {
	c.Value = ""
	if s.goals[c] == nil {
		s.goals[c] = new(goal)
	}
	return s.goals[c]
}

// A candidate is an input that may pass a goal, with its rank; the lowest is the likeliest.
type candidate struct {
	Input
	at   place // of the comparison
	goal *goal
	rank int
	now  int // its rank beside the others
}

// now returns the rank of a candidate beside the others: what another input of the field passed comes after all that
// none did, and the tools take turns, so that those are not left out whose inputs are compared with less.
func (s *Search) now(c candidate) int {
	const turn = 4 // inputs of a tool that make the next one of it less likely
	rank := c.rank + s.Aims.weigh(c.at.file, c.at.line)
	if c.hasPassed() {
		rank += 16
	}
	if c.Field != toolName { // another tool
		rank += s.asked[s.tools[c.From]] / turn
	}
	if s.awaits(c.at) {
		rank -= 3
	}
	return rank
}

// hasPassed reports whether another input of the field passed the goal of a candidate.
func (c candidate) hasPassed() bool {
	return slices.Contains(c.goal.passed, c.Field) || slices.Contains(c.goal.passed, "")
}

// awaits reports whether something that is awaited depends on a comparison at a place.
func (s *Search) awaits(at place) bool {
	return slices.ContainsFunc(s.Awaited, func(l Lines) bool { return l.contain(at) })
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
		s.goals, s.places, s.sent, s.ran = map[Comparison]*goal{}, map[Comparison]int{}, map[tried]bool{}, map[place]bool{}
		s.asked = map[string]int{}
	}
	for _, p := range r.statements() {
		further = further || !s.ran[p]
		s.ran[p] = true
	}
	n, depth, state := len(s.depth), 0, ""
	if in.Text != "" {
		depth, state = s.depth[in.From]+1, s.states[in.From]
		if in.Field.IsOutside() {
			state += fmt.Sprintf("%s=%q ", in.Field, in.Text)
		}
	}
	s.depth, s.tools, s.states = append(s.depth, depth), append(s.tools, fields[toolName]), append(s.states, state)
	for f, text := range fields {
		s.sent[tried{state, Input{0, f, text}}] = true
	}
	for _, c := range r.Comparisons {
		g := s.goalOf(c)
		var own []Field
		for _, of := range r.origins(c.Value, fields) {
			if of.how != unknown {
				own = append(own, of.field)
			}
			compared = compared || of.how != unknown || c.Value == unseen
			s.derive(n, of.field, fields[of.field], c, of.how, depth)
		}
		if !g.known {
			s.places[Comparison{File: c.File, Line: c.Line}]++
		}
		g.known = true
		merge(&g.fields, own)
		if c.Accepts(c.Value) {
			if len(own) == 0 {
				own = []Field{""}
			}
			further = merge(&g.passed, own) || further
		}
	}
	return compared, further
}

// An origin is a field from which a compared value may be.
type origin struct {
	field Field
	how   relation
}

// origins returns the fields from which a value may be: not one whose text is only a part of another's in the value, and
// if the hook was seen to read any of them, only those. Of a payload they are all.
func (r *Record) origins(value string, fields map[Field]string) (all []origin) {
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		if how := related(value, fields[f]); how != unrelated && (how != unknown || !f.IsOutside()) {
			all = append(all, origin{f, how})
		}
	}
	if strings.Contains(value, `"hook_event_name"`) {
		return all
	}
	part := func(o origin) bool {
		return o.how == around && slices.ContainsFunc(all, func(of origin) bool {
			return (of.how == around || of.how == equal) && len(fields[of.field]) > len(fields[o.field]) && strings.Contains(fields[of.field], fields[o.field])
		})
	}
	all = slices.DeleteFunc(slices.Clone(all), part)
	if own := func(o origin) bool { return o.field != toolName && r.reads(o.field) }; !slices.ContainsFunc(all, own) {
		return all
	}
	return slices.DeleteFunc(all, func(o origin) bool { return o.field != toolName && !o.field.IsOutside() && !r.reads(o.field) })
}

// reads reports whether a firing was seen to read a field or what contains it.
func (r *Record) reads(f Field) bool {
	return slices.ContainsFunc(r.Reads, func(read FieldRead) bool {
		return read.Field == f || strings.HasPrefix(string(f), string(read.Field)+".")
	})
}

// merge adds fields to others, and reports whether one is new.
func merge(to *[]Field, fields []Field) (more bool) {
	for _, f := range fields {
		if !slices.Contains(*to, f) {
			*to, more = append(*to, f), true
		}
	}
	return more
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
	g := s.goalOf(c)
	known := g.known && (how == unknown || slices.Contains(g.fields, f))
	g.see(sighting{from, f, text, c.Value, how})
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
	add := func(made string, rank int) {
		key := tried{s.states[from], Input{0, f, made}}
		if f.IsOutside() {
			key.From = from
		}
		if !s.sent[key] && made != "" && len(made) < 4000 {
			s.sent[key] = true
			s.queue = append(s.queue, candidate{Input: Input{from, f, made}, at: place{file: c.File, line: c.Line}, goal: g, rank: rank})
		}
	}
	usual := 0
	for _, text := range s.Usual[f] {
		if usual < usualOf && c.suits(text) {
			usual++
			add(text, rank)
		}
	}
	part := how == within && (c.Op == Equal || c.Op == Glob) // a text beside it would not be a part of the value
	beyond := depth > 0 && !known && !part
	for i, t := range c.Texts(textsOf) {
		rank := rank + 3*i
		if i == 0 && c.mixesAnchors() {
			rank-- // before usual texts, which other alternatives accept
		}
		whole := c.Value == text && c.Accepts(t) // so that it is known what passes
		for j, made := range variants(f, text, c.Value, t, how, beyond) {
			again := len(made) > len(text) && strings.Contains(text, t) && strings.Contains(made, text) // which rarely helps
			if c.Accepts(made) || !whole && !again {
				add(made, rank+2*j)
			}
		}
	}
}

// Waits reports whether something that is awaited depends on a comparison of the input.
func (s *Search) Waits() bool {
	for c := range s.goals {
		if s.awaits(place{file: c.File, line: c.Line}) {
			return true
		}
	}
	return false
}

// Arrived reports whether the hook came to each part of the code that the search is for; false if it is for none.
func (s *Search) Arrived() bool { return s.Aims.arrivedAt(s.reached()) }

// reached returns the lines of the statements and comparisons to which the firings came. The parts of code that V8
// counts have none.
func (s *Search) reached() (all []place) {
	for p := range s.ran {
		if p.word != counted {
			all = append(all, p)
		}
	}
	for c := range s.places {
		all = append(all, place{file: c.File, line: c.Line})
	}
	return all
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
		if byChance(strings.ToLower(value), strings.ToLower(text)) {
			return unrelated
		}
		return around
	}
	return unrelated
}

// byChance reports whether a short word is only a part of others in a value, as "one" is of "none".
func byChance(value, text string) bool {
	const short = 4
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return len(text) < short && !strings.ContainsFunc(text, apart) && !slices.Contains(strings.FieldsFunc(value, apart), text)
}

// variants returns texts of a field whose part value becomes another text: alone, and beside what was
// there, which earlier comparisons looked for. If it is beyond one of those, that comes first.
func variants(f Field, text, value, other string, how relation, beyond bool) []string {
	if f == toolName {
		return []string{other}
	}
	if f.IsPath() && len(other) > 1 && strings.HasSuffix(other, "/") && how != within {
		other += path.Base(text) // a file in the directory
	}
	switch how {
	case within:
		at := strings.Index(strings.ToLower(text), strings.ToLower(value))
		replaced := text[:at] + other + text[at+len(value):]
		switch {
		case f.IsPath():
			return []string{replaced, other}
		case f.IsOutside():
			return []string{replaced}
		}
		if beyond {
			return []string{text + " " + other, replaced, other + " " + text, other}
		}
		return []string{replaced, other, text + " " + other, other + " " + text}
	case around:
		at := strings.Index(strings.ToLower(value), strings.ToLower(text))
		other = strings.TrimSuffix(strings.TrimPrefix(other, value[:at]), value[at+len(text):])
	}
	if f.IsPath() {
		other = strings.Trim(other, " \n")
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

// Next returns the likeliest inputs that are left, at most so many. If new is set, it returns only the first inputs of
// comparisons that were not known before.
func (s *Search) Next(most int, new bool) (all []Input) {
	const needless = 1000 // more than any rank
	waits := s.Aims == nil && s.Waits()
	for i, c := range s.queue {
		s.queue[i].now = s.now(c)
		if waits && c.hasPassed() && !s.awaits(c.at) { // it passes only what nothing that is awaited depends on
			s.queue[i].now += needless
		}
	}
	slices.SortStableFunc(s.queue, func(a, b candidate) int { return cmp.Compare(a.now, b.now) })
	n := min(most, len(s.queue))
	for n > 0 && (s.queue[n-1].now >= needless || new && s.queue[n-1].now > 1) {
		n--
	}
	for _, c := range s.queue[:n] {
		all = append(all, c.Input)
		if c.Field != toolName {
			s.asked[s.tools[c.From]]++
		}
	}
	s.queue = s.queue[n:]
	return all
}

// Beyond returns the first word of a command, or the place of a statement or comparison, that the firings of a search
// reached and those of another did not; "" if there is none. The parts of code that V8 counts are not the same in each
// run.
func (s *Search) Beyond(other *Search) string {
	var all []string
	theirs := other.reached()
	for _, p := range s.reached() {
		if !slices.Contains(theirs, p) {
			all = append(all, cmp.Or(p.word, fmt.Sprintf("line %d", p.line)))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return slices.Min(all)
}
