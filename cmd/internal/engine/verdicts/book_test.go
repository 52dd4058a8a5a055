package verdicts

import (
	"testing"

	"hookwatch/suites"
)

// TestBaseline: a new verdict is compared with the latest of its definition that
// was no aborted run.
func TestBaseline(t *testing.T) {
	t.Parallel()
	key := suites.Key{Suite: "s", ID: "A"}
	verdict := func(at, definition string, status suites.Status) *Verdict {
		return &Verdict{At: at, Status: status, Digests: suites.Digests{Case: definition}}
	}
	s := NewBook()
	for _, tt := range []struct {
		now  *Verdict
		want map[string]string // definition -> when its baseline is from
	}{
		{verdict("1", "x", suites.Aborted), map[string]string{"x": "", "y": ""}},
		{verdict("2", "x", suites.Pass), map[string]string{"x": "2", "y": ""}},
		{verdict("3", "x", suites.Fail), map[string]string{"x": "3"}},
		{verdict("4", "y", suites.Pass), map[string]string{"x": "3", "y": "4"}},
		{verdict("5", "y", suites.Aborted), map[string]string{"x": "3", "y": "4"}},
		{verdict("6", "x", suites.Pass), map[string]string{"x": "6", "y": "4"}},
		{verdict("7", "z", suites.Aborted), map[string]string{"x": "6", "y": "4", "z": ""}},
	} {
		s.Put(key, tt.now)
		for definition, want := range tt.want {
			got := ""
			if b := s.Baseline(key, definition); b != nil {
				got = b.At
			}
			if got != want {
				t.Errorf("after %s the baseline of %s is from %q, want %q", tt.now.At, definition, got, want)
			}
		}
	}
	s.Put(key, verdict("8", "x", suites.Fail))
	s.Withdraw(key)
	if b := s.Baseline(key, "x"); s.Present(key) != nil || b == nil || b.At != "8" {
		t.Errorf("withdrawn: present %v, baseline %v", s.Present(key), b)
	}
}
