package session

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/record"
	"hookwatch/suites/record/foreign"
)

// A lastVerdict is what a session keeps of a case's record: enough to tell what is
// stale, and what a new verdict changes.
type lastVerdict struct {
	status   suites.Status
	layer    suites.Layer
	digests  suites.Digests
	run      string // its ID
	at       string // as the record has it
	duration int64  // milliseconds
	printed  printed
}

func lastVerdictOf(r *suites.Record) *lastVerdict {
	return &lastVerdict{
		r.Status(), r.Layer, r.Digests, r.RunID, r.Timestamp, r.DurationMS, printedOf(r.ActualExit, r.ActualOutput, r.ActualStderr),
	}
}

// remember takes over what is on record.
func (s *Session) remember(before *record.Snapshot) {
	s.environment = before.Environment
	s.sets.Recall(before.Environment, s.earlierTools)
	for digest, in := range before.Inputs {
		s.inputs[digest] = in
	}
	records, _ := foreign.Identify(before.Records, s.p.Every())
	s.news = plan.NewNews(records)
	seen := make(texts)
	verdicts := make([]lastVerdict, len(records)) // in one piece, apart from what was read
	for i := range records {
		r := &records[i]
		key, v := r.Key(), &verdicts[i]
		*v = *lastVerdictOf(r)
		v.run, v.at = seen.one(v.run), seen.one(v.at)
		v.digests.Inputs, v.digests.Tools = seen.one(v.digests.Inputs), seen.one(v.digests.Tools)
		if c := s.p.Find(key); c != nil {
			key = c.Key()
			if v.digests.Case == c.Digest {
				v.digests.Case = c.Digest
			}
		}
		s.remembered(key, v)
	}
}

// texts holds one copy of each text, of which records repeat some in every line.
type texts map[string]string

func (t texts) one(s string) string {
	if first, ok := t[s]; ok {
		return first
	}
	t[s] = s
	return s
}

// remembered makes v the present verdict of a case.
func (s *Session) remembered(key suites.Key, v *lastVerdict) {
	if was := s.present[key]; was != nil && (v.status == suites.Aborted || v.digests.Case != was.digests.Case) {
		s.withdraw(key)
	}
	s.present[key] = v
}

// withdraw leaves a case without a present verdict. What that was is still what
// the next one in its definition is compared with, unless it says nothing.
func (s *Session) withdraw(key suites.Key) {
	if was := s.present[key]; was.status != suites.Aborted {
		others := slices.DeleteFunc(s.earlier[key], func(v *lastVerdict) bool { return v.digests.Case == was.digests.Case })
		s.earlier[key] = slices.Insert(others[:min(len(others), keptDefinitions-1)], 0, was)
	}
	delete(s.present, key)
}

// baseline is what a new verdict of a case in this definition is compared with,
// nil when there is nothing: an aborted run says nothing to compare with.
func (s *Session) baseline(key suites.Key, definition string) *lastVerdict {
	if v := s.present[key]; v != nil && v.status != suites.Aborted && v.digests.Case == definition {
		return v
	}
	for _, v := range s.earlier[key] {
		if v.digests.Case == definition {
			return v
		}
	}
	return nil
}
