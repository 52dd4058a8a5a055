package decide

import (
	"testing"

	"hookwatch/suites"
)

// TestBaseline checks that a new verdict is compared with the latest one in its definition that
// was not aborted.
func TestBaseline(t *testing.T) {
	t.Parallel()
	key := suites.Key{Suite: "s", ID: "A"}
	verdict := func(at, definition string, status suites.Status) *Verdict {
		return &Verdict{At: at, Status: status, Digests: suites.Digests{Case: definition}}
	}
	s := NewBook()
	for _, tt := range []struct {
		now  *Verdict
		want map[string]string // definition -> time of its baseline
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

// TestBaselineOfGenerated checks that a generated case is compared with its latest verdict,
// whatever its current definition, and that a removed one starts without a baseline.
func TestBaselineOfGenerated(t *testing.T) {
	t.Parallel()
	key := suites.Key{Suite: suites.Registered, ID: "A"}
	s := NewBook()
	s.Put(key, &Verdict{At: "1", Status: suites.Pass, Digests: suites.Digests{Case: "x"}})
	if b := s.Baseline(key, "y"); b == nil || b.At != "1" || b.Digests.Case != "y" {
		t.Errorf("%+v", b)
	}
	s.Withdraw(key)
	if b := s.Baseline(key, "z"); b == nil || b.At != "1" {
		t.Errorf("withdrawn: %+v", b)
	}
	s.ForgetGone(func(suites.Key) bool { return true }, 1)
	if b := s.Baseline(key, "x"); b != nil {
		t.Errorf("gone: %+v", b)
	}
}
