package notify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
	"hookwatch/suites/verdict"
)

// failure returns the lines of a failed case: expected and actual results, the cases that fail
// equally, output of the hook, the client's reaction, the place of the case and its input, and the
// command to run it again.
func (h *human) failure(e session.CaseDone, equal []member) []line {
	head := h.margin().with(piece{red, "FAIL "}, piece{bold, session.Label(e.Record)})
	indent := strings.Repeat(" ", h.margin().columns()+5)
	right := h.transition(e)
	var lines []line
	if brief := head.with(piece{plain, "   " + brief(e.Verdict)}); h.fits(brief, right) {
		lines = h.spread(brief, right, len(indent))
	} else {
		lines = h.spread(head, right, len(indent))
		lines = append(lines, h.details(e, indent)...)
	}
	if len(equal) > 0 {
		lines = append(lines, h.idLines(line{{plain, indent}, {bold, fmt.Sprintf("and %d more like it: ", len(equal))}}, keys(equal))...)
	}
	if more := strings.Join(e.Verdict.Remarks, "; "); more != "" && !(hasMismatch(e, "stderr") && strings.Contains(e.Record.ActualStderr, more)) {
		lines = append(lines, h.block(text(indent), plain, h.near(more))...)
	}
	lines = append(lines, h.outputLines(e, indent)...)
	if strings.Trim(e.Effect, ": ") != "" {
		lines = append(lines, h.block(text(indent), plain, effect(e.Effect))...)
	}
	if e.Fault != "" {
		lines = append(lines, text(indent+"at "+e.Fault))
	}
	if e.Remedy != "" {
		lines = append(lines, h.block(text(indent), plain, "to do: "+e.Remedy)...)
	}
	lines = append(lines, h.changes(e.Record.Changes, indent)...)
	lines = append(lines, h.inputLines(e, indent)...)
	if e.Rerun != "" {
		lines = append(lines, line{{plain, indent}, {whole, e.Rerun}})
	}
	if e.Sandbox != "" {
		lines = append(lines, line{{dim, indent + "kept: " + printable.Field(e.Sandbox)}})
	}
	return lines
}

// Failure returns the text that a view with these options prints about a failed case.
func Failure(e session.CaseDone, o Options) string {
	var b strings.Builder
	h := New(&b, o).(*human)
	h.print(h.failure(e, nil)...)
	return b.String()
}

// effect returns a sentence about the client's reaction.
func effect(words string) string {
	if strings.HasPrefix(words, "the client") {
		return words
	}
	return "the client: " + words
}

// fits reports whether a failure fits on its first line.
func (h *human) fits(brief, right line) bool {
	if brief[len(brief)-1].text == "   " {
		return false
	}
	columns := h.width()
	columns = cmp.Or(columns, plainColumns)
	need := brief.columns()
	if len(right) > 0 {
		need += 2 + right.columns()
	}
	return need <= columns
}

// details returns separate lines for each mismatch.
func (h *human) details(e session.CaseDone, indent string) []line {
	v := e.Verdict
	if len(v.Mismatches) == 0 {
		return h.block(text(indent), plain, v.Note)
	}
	var lines []line
	seen := ""
	for _, m := range v.Mismatches {
		head := indent + where(v, m)
		if short := reason(m); !needsRoom(m) && printable.Width(printable.Text(short)) <= h.room(head) {
			lines = append(lines, text(head+short))
			continue
		}
		got, want := gotText(m, e.Record), wantText(m)
		if severalLines(got) && severalLines(want) {
			lines = append(lines, line{{plain, head + m.Field}, {dim, "  - want  + got"}})
			lines = append(lines, h.difference(got, want, indent+"  ")...)
			continue
		}
		lines = append(lines, text(head+m.Field))
		if again := head + m.Field + got; again != seen {
			lines, seen = append(lines, h.quote("got", got, indent+"  ")...), again
		}
		lines = append(lines, h.quote("want", want, indent+"  ")...)
	}
	return lines
}

// quote returns the lines of a text, as far as there is room.
func (h *human) quote(name, text, indent string) []line {
	if text == "" {
		return nil
	}
	var lines []line
	label := fmt.Sprintf("%-4s  ", name)
	for _, l := range excerpt(h.near(text), h.room(indent+label), h.all()) {
		lines = append(lines, line{{dim, indent + label}, {plain, l}})
		label = strings.Repeat(" ", len(label))
	}
	return lines
}

// difference returns the differing lines of two texts of several lines.
func (h *human) difference(got, want, indent string) []line {
	unified := diff.Diff("want", withNewline(want), "got", withNewline(got))
	if unified == nil { // they differ only in the last newline
		unified = diff.Diff("want", []byte(want), "got", []byte(got))
	}
	_, body, _ := strings.Cut(string(unified), "+++ got\n")
	var lines []line
	for _, l := range excerpt(h.near(body), h.room(indent), h.all()) {
		st := plain
		switch {
		case strings.HasPrefix(l, "-"):
			st = green
		case strings.HasPrefix(l, "+"):
			st = red
		case strings.HasPrefix(l, "@@"), strings.HasPrefix(l, "..."):
			st = dim
		}
		lines = append(lines, line{{plain, indent}, {st, l}})
	}
	return lines
}

func withNewline(s string) []byte { return []byte(strings.TrimSuffix(s, "\n") + "\n") }

// shortMismatch is the maximum width of a mismatch in brief.
const shortMismatch = 60

// brief describes all mismatches in a few words, or returns "" if one of them needs more room. A
// failure without mismatches is described by its note.
func brief(v suites.Verdict) string {
	if len(v.Mismatches) == 0 {
		return v.Note
	}
	parts := make([]string, len(v.Mismatches))
	for i, m := range v.Mismatches {
		if needsRoom(m) {
			return ""
		}
		parts[i] = where(v, m) + reason(m)
	}
	return strings.Join(parts, "; ")
}

// reason describes a mismatch. If a hook gave no result at all, the reason is the actual value.
func reason(m suites.Mismatch) string {
	switch m.Kind {
	case suites.InStart, suites.InGate, suites.InCheck, suites.InTime, suites.InMemory:
		return m.Got
	}
	return m.String()
}

func needsRoom(m suites.Mismatch) bool {
	s := reason(m)
	return len(s) > 4*shortMismatch || severalLines(s) || printable.Width(printable.Text(s)) > shortMismatch
}

func severalLines(s string) bool { return strings.Contains(strings.TrimSuffix(s, "\n"), "\n") }

// where returns the step of a mismatch if a later step than the first has a mismatch.
func where(v suites.Verdict, m suites.Mismatch) string {
	for _, o := range v.Mismatches {
		if o.Step > 0 {
			return fmt.Sprintf("step %d: ", m.Step+1)
		}
	}
	return ""
}

// gotText returns the actual text of a mismatch as the hook wrote it: unquoted, and complete from
// the record if the mismatch only has its beginning.
func gotText(m suites.Mismatch, r suites.Record) string {
	quoted, err := strconv.QuotedPrefix(m.Got)
	if err != nil {
		return m.Got
	}
	text, err := strconv.Unquote(quoted)
	rest := m.Got[len(quoted):]
	switch {
	case err != nil || rest != "" && !strings.HasPrefix(rest, "..."):
		return m.Got
	case rest == "":
		return text
	}
	for _, whole := range []string{r.ActualOutput, r.ActualStderr} {
		if strings.HasPrefix(whole, text) {
			return whole
		}
	}
	return text + "\n" + rest
}

// wantText returns the expected text of a mismatch, unquoted if that gives several lines.
func wantText(m suites.Mismatch) string {
	if text, err := strconv.Unquote(m.Want); err == nil && severalLines(text) {
		return text
	}
	return m.Want
}

// shownChanges is the maximum number of a failing case's changes shown.
const shownChanges = 6

// changes lists the changes that a failing case made to files.
func (h *human) changes(all []suites.Change, indent string) []line {
	var lines []line
	for i, c := range all {
		if i == shownChanges && len(all) > shownChanges+1 {
			return append(lines, line{{dim, fmt.Sprintf("%sand %d more files", indent, len(all)-i)}})
		}
		text := string(c.Kind) + " " + c.Path
		if c.Kind != suites.Deleted {
			text += " (" + bytesText(c.Size) + ")"
		}
		lines = append(lines, h.block(line{{plain, indent}}, dim, text)...)
	}
	return lines
}

func bytesText(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	default:
		return fmt.Sprintf("%d MB", n/1_000_000)
	}
}

// causes groups a run's failures by cause. They are shown together at the end of the run, or those
// that are known after a moment if it takes longer.
type causes struct {
	all []*shared
	at  map[verdict.Cause]*shared
}

type shared struct {
	verdict.Cause
	first   session.CaseDone // of those that are not shown yet, by order
	more    []member         // the others
	printed bool             // first was shown
}

// A member is a case that is shown in a group.
type member struct {
	key   suites.Key
	order int
}

func memberOf(e session.CaseDone) member { return member{e.Record.Key(), e.Order} }

func keys(cases []member) []suites.Key {
	out := make([]suites.Key, len(cases))
	for i, c := range cases {
		out[i] = c.key
	}
	return out
}

// headline returns the most important cause so far in a line, or "".
func (c *causes) headline() string {
	for _, s := range c.all {
		if s.Kind != verdict.CauseEqual {
			return s.Headline()
		}
	}
	if len(c.all) == 0 {
		return ""
	}
	first := c.all[0].first
	return strings.TrimSpace(session.Label(first.Record) + "  " + brief(first.Verdict))
}

// joins adds a failure to its cause, and reports whether it is shown with the others later instead
// of separately now.
func (h *human) joins(e session.CaseDone) bool {
	if h.o.Verbose {
		return false
	}
	c := verdict.CauseOf(verdict.Failure{Record: &e.Record, Mismatches: e.Verdict.Mismatches})
	s := h.causes.at[c]
	switch {
	case s == nil:
		if h.causes.at == nil {
			h.causes.at = map[verdict.Cause]*shared{}
		}
		s = &shared{Cause: c, first: e}
		h.causes.at[c] = s
		h.causes.all = append(h.causes.all, s)
	case !s.printed && e.Order < s.first.Order:
		s.more, s.first = append(s.more, memberOf(s.first)), e
	default:
		s.more = append(s.more, memberOf(e))
	}
	return true
}

// sort puts causes into the order of the project's cases, because cases finish in any order; errors
// in files come first.
func (c *causes) sort() {
	for _, s := range c.all {
		slices.SortFunc(s.more, func(a, b member) int { return cmp.Compare(a.order, b.order) })
	}
	slices.SortFunc(c.all, func(a, b *shared) int {
		return cmp.Or(verdict.CompareCauses(a.Kind, 0, b.Kind, 0), cmp.Compare(a.first.Order, b.first.Order))
	})
}

// early returns the lines of the failures so far, of a run that takes long.
func (h *human) early() (lines []line) {
	h.causes.sort()
	for _, s := range h.causes.all {
		if s.Kind == verdict.CauseEqual && !s.printed && h.spare() { // the others wait for the end
			s.printed = h.hasOwnLines(s.first)
			h.asked.at = s.first.Record.Key()
			lines = append(lines, h.failure(s.first, s.more)...)
			s.more = nil
		}
	}
	return lines
}

// causeLines returns the lines of all causes with their cases.
func (h *human) causeLines() (lines []line) {
	h.causes.sort()
	for _, s := range h.causes.all {
		switch {
		case s.printed && len(s.more) > 0:
			head := fmt.Sprintf("%d more like %s: ", len(s.more), session.Label(suites.Record{ID: s.first.Record.ID}))
			lines = append(lines, h.idLines(h.margin().with(piece{red, "FAIL "}, piece{plain, head}), keys(s.more))...)
		case s.printed:
		case s.Kind != verdict.CauseEqual && len(s.more) > 0:
			h.asked.at = s.first.Record.Key()
			lines = append(lines, h.headline(s)...)
		case h.hasOwnLines(s.first):
			h.asked.at = s.first.Record.Key()
			lines = append(lines, h.failure(s.first, s.more)...)
		default:
			h.more = append(h.more, keys(s.more)...)
		}
	}
	h.causes = causes{}
	return lines
}

// headline returns a cause with its count, the cases, and the client's reaction.
func (h *human) headline(s *shared) []line {
	head := h.margin().with(piece{red, "FAIL "})
	indent := h.margin().with(piece{plain, "     "})
	cause := fmt.Sprintf("%s; %s", s.Headline(), session.Count(len(s.more)+1, "case"))
	lines := h.block(head, bold, cause)
	if right := h.transition(s.first); len(lines) == 1 {
		lines = h.spread(lines[0], right, indent.columns())
	} else if right != nil {
		lines = append(lines, slices.Concat(indent, right))
	}
	lines = append(lines, h.idLines(indent, append([]suites.Key{s.first.Record.Key()}, keys(s.more)...))...)
	if strings.Trim(s.first.Effect, ": ") != "" {
		lines = append(lines, h.block(indent, plain, effect(s.first.Effect))...)
	}
	if s.first.Fault != "" {
		lines = append(lines, h.block(indent, plain, "at "+s.first.Fault)...)
	}
	if s.first.Registered != "" {
		lines = append(lines, h.block(indent, plain, "registered at "+s.first.Registered)...)
	}
	if s.first.Remedy != "" {
		lines = append(lines, h.block(indent, plain, "to do: "+s.first.Remedy)...)
	}
	if s.first.Rerun != "" {
		lines = append(lines, indent.with(piece{whole, s.first.Rerun}))
	}
	return lines
}
