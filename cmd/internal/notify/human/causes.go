package human

import (
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/cause"
)

// causes are what a run's failures have in common, each with the first failure and
// the cases that are told with it at the end of the run.
type causes struct {
	all []*shared
	at  map[cause.Cause]*shared
}

type shared struct {
	cause.Cause
	first notify.CaseDone
	more  []member // the others
}

// within reports whether every case that is told with the cause is one of some.
func (s *shared) within(some map[suites.Key]bool) bool {
	if s.Kind != cause.Equal && !some[s.first.Record.Key()] {
		return false
	}
	return !slices.ContainsFunc(s.more, func(m member) bool { return !some[m.key] })
}

// A member is a case that is told with others.
type member struct {
	key   suites.Key
	rerun string
}

func tell(e notify.CaseDone) member { return member{e.Record.Key(), e.Rerun} }

func keys(cases []member) []suites.Key {
	out := make([]suites.Key, len(cases))
	for i, c := range cases {
		out[i] = c.key
	}
	return out
}

// file is what is wrong with a file, "" while nothing is: it is on the live line
// before the cases are counted.
func (c *causes) file() string {
	for _, s := range c.all {
		if s.Kind != cause.Equal {
			return s.Headline()
		}
	}
	return ""
}
