package session

import (
	"slices"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// transition tells how a verdict differs from the one it is compared with: the
// case's latest in the same definition.
func (s *Session) transition(before *lastVerdict, seen bool, now suites.Record) notify.Transition {
	switch {
	case before != nil:
	case seen:
		return notify.Edited
	default:
		return notify.New
	}
	explain := func(a, b string) bool { return s.toolsExplain(now.Key(), a, b) }
	switch verdict.Turn(before.status, now.Status(), before.digests, now.Digests, explain) {
	case verdict.Regression:
		return notify.Regression
	case verdict.Resolved:
		return notify.Resolved
	case verdict.Explained:
		return notify.Explained
	case verdict.Edited:
		return notify.Edited
	default:
		return notify.Same
	}
}

// toolsExplain reports whether a tool that both sets have, and that concerns the
// case, is another one now.
func (s *Session) toolsExplain(k suites.Key, before, now string) bool {
	return len(s.explaining(k, before, now)) > 0
}

func (s *Session) explaining(k suites.Key, before, now string) []string {
	return slices.DeleteFunc(s.sets.Changed(before, now), func(tool string) bool { return !s.p.Concerns(k, tool) })
}

// earlierTools are what tools there were, as far as it is on record.
func (s *Session) earlierTools() []suites.Environment {
	if s.o.Store == nil {
		return nil
	}
	earlier, _ := s.o.Store.Tools() // what cannot be read explains nothing
	return earlier
}

// RunOf makes a recorded run ready to be compared.
func RunOf(s *record.Snapshot) verdict.Run {
	r := verdict.Run{ID: s.Environment.RunID, Records: s.Records, Env: s.Environment}
	r.Time, _ = time.Parse(suites.TimestampLayout, s.Environment.Time)
	if len(s.Records) > 0 && r.ID == "" {
		r.ID = s.Records[0].RunID
	}
	return r
}
