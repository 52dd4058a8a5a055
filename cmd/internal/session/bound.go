package session

import (
	"cmp"
	"maps"
	"slices"

	"hookwatch/suites"
)

// A session lasts for days. What it keeps is bounded by what the project is: each
// of these rules is for one of its maps.
const (
	keptDefinitions = 4  // verdicts in other definitions than the present one, of a case
	keptGone        = 40 // cases that are no more of which there are verdicts, or as many as there are cases
)

// forget gives up what no verdict refers to any more: inputs by their digests, and
// what tools there were. It is for the end of a run, when no case is under way.
func (s *Session) forget() {
	inputs, tools := make(map[string]bool), make(map[string]bool)
	refer := func(v *lastVerdict) { inputs[v.digests.Inputs], tools[v.digests.Tools] = true, true }
	for _, v := range s.present {
		refer(v)
	}
	for _, of := range s.earlier {
		for _, v := range of {
			refer(v)
		}
	}
	maps.DeleteFunc(s.inputs, func(digest string, _ []suites.Input) bool { return !inputs[digest] })
	maps.DeleteFunc(s.sets, func(set string, _ map[string]string) bool {
		_, current := s.environment.CaseTools[set]
		return !tools[set] && !current
	})
}

// forgetGone gives up the verdicts of cases that are no more, but for the latest of
// them: a branch that is checked out again finds those as it left them. What else is
// known of such cases goes at once.
func (s *Session) forgetGone() {
	gone := func(k suites.Key) bool { return s.p.Find(k) == nil }
	latest := make(map[suites.Key]string) // when each was judged last
	for k, v := range s.present {
		if gone(k) {
			latest[k] = v.at
		}
	}
	for k, of := range s.earlier {
		if gone(k) {
			latest[k] = max(latest[k], of[0].at)
		}
	}
	if most := max(keptGone, len(s.p.Every())); len(latest) > most {
		keys := slices.SortedFunc(maps.Keys(latest), func(a, b suites.Key) int {
			return cmp.Or(cmp.Compare(latest[b], latest[a]), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.ID, b.ID))
		})
		for _, k := range keys[most:] {
			delete(s.present, k)
			delete(s.earlier, k)
		}
	}
	maps.DeleteFunc(s.endings, func(k suites.Key, _ ending) bool { return gone(k) })
	maps.DeleteFunc(s.audited, func(k suites.Key, _ audited) bool { return gone(k) })
	s.news.Forget(gone)
}

// forget gives up what is known of files that no case depends on, by followed, which
// is sorted.
func (w *selfWritten) forget(followed []string) {
	for path := range w.touches {
		if _, is := slices.BinarySearch(followed, path); !is {
			delete(w.touches, path)
		}
	}
	for path := range w.files {
		if _, is := slices.BinarySearch(followed, path); !is {
			delete(w.files, path)
			delete(w.rechecked, path)
		}
	}
}
