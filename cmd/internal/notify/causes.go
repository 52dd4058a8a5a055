package notify

import (
	"cmp"
	"fmt"
	"slices"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// causes groups a run's failures by cause, each with the first failure and the cases that are
// shown with it at the end of the run.
type causes struct {
	all []*shared
	at  map[verdict.Cause]*shared
}

type shared struct {
	verdict.Cause
	first session.CaseDone
	more  []member // the others
}

// within reports whether some contains every case that is shown with the cause.
func (s *shared) within(some map[suites.Key]bool) bool {
	if s.Kind != verdict.CauseEqual && !some[s.first.Record.Key()] {
		return false
	}
	return !slices.ContainsFunc(s.more, func(m member) bool { return !some[m.key] })
}

// A member is a case that is shown in a group.
type member struct {
	key   suites.Key
	rerun string
}

func tell(e session.CaseDone) member { return member{e.Record.Key(), e.Rerun} }

func keys(cases []member) []suites.Key {
	out := make([]suites.Key, len(cases))
	for i, c := range cases {
		out[i] = c.key
	}
	return out
}

// file returns the headline of the first cause other than equal failures, such as an error in a
// file, or "". The live line shows it before the cases are counted.
func (c *causes) file() string {
	for _, s := range c.all {
		if s.Kind != verdict.CauseEqual {
			return s.Headline()
		}
	}
	return ""
}

// joins adds a failure to its cause, and reports whether it is shown with the group later instead
// of separately now.
func (h *human) joins(e session.CaseDone) bool {
	if h.o.Verbose {
		return false
	}
	c := verdict.CauseOf(verdict.Failure{Record: &e.Record, Mismatches: e.Verdict.Mismatches})
	if s := h.causes.at[c]; s != nil {
		s.more = append(s.more, tell(e))
		return true
	}
	if h.causes.at == nil {
		h.causes.at = map[verdict.Cause]*shared{}
	}
	s := &shared{Cause: c, first: e}
	h.causes.at[c] = s
	h.causes.all = append(h.causes.all, s)
	return c.Kind != verdict.CauseEqual
}

// causesTold returns the lines of all causes with their cases, in the order of the run's records
// because cases finish in any order. A failure without equals needs no headline.
func (h *human) causesTold(records []suites.Record) []line {
	at := make(map[suites.Key]int, len(records))
	for i := range records {
		at[records[i].Key()] = i
	}
	for _, s := range h.causes.all {
		slices.SortStableFunc(s.more, func(a, b member) int { return cmp.Compare(at[a.key], at[b.key]) })
	}
	slices.SortStableFunc(h.causes.all, func(a, b *shared) int {
		return cmp.Or(verdict.CompareCauses(a.Kind, len(a.more), b.Kind, len(b.more)),
			cmp.Compare(at[a.first.Record.Key()], at[b.first.Record.Key()]))
	})
	var lines []line
	for _, s := range h.causes.all {
		switch {
		case s.Kind == verdict.CauseEqual && len(s.more) == 0:
		case s.Kind == verdict.CauseEqual:
			head := fmt.Sprintf("%d more like %s: ", len(s.more), session.Label(suites.Record{ID: s.first.Record.ID}))
			lines = append(lines, h.idLines(h.margin().with(piece{red, "FAIL "}, piece{plain, head}), keys(s.more))...)
		case len(s.more) == 0:
			h.asked.at = s.first.Record.Key()
			lines = append(lines, h.failure(s.first)...)
		default:
			h.asked.at = s.first.Record.Key()
			lines = append(lines, h.headline(s, at)...)
		}
	}
	h.causes = causes{}
	return lines
}

// headline returns a cause with its count, followed by the cases.
func (h *human) headline(s *shared, at map[suites.Key]int) []line {
	cases := append([]member{tell(s.first)}, s.more...)
	slices.SortStableFunc(cases, func(a, b member) int { return cmp.Compare(at[a.key], at[b.key]) })
	head := h.margin().with(piece{red, "FAIL "})
	lines := h.block(head, bold, fmt.Sprintf("%s; %s", s.Headline(), session.Count(len(cases), "case")))
	indent := h.margin().with(piece{plain, "     "})
	lines = append(lines, h.idLines(indent, keys(cases))...)
	if rerun := cases[0].rerun; rerun != "" {
		lines = append(lines, indent.with(piece{whole, rerun}))
	}
	return lines
}
