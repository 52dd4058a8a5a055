package session

import (
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestBaseline checks that a new verdict is compared with the latest one in its definition that
// was not aborted.
func TestBaseline(t *testing.T) {
	t.Parallel()
	key := suites.Key{Suite: "s", ID: "A"}
	verdict := func(at, definition string, status suites.Status) *keptVerdict {
		return &keptVerdict{At: at, Status: status, Digests: suites.Digests{Case: definition}}
	}
	s := newBook()
	for _, tt := range []struct {
		now  *keptVerdict
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
	equal(t, "present verdict after its withdrawal", nil, s.Present(key))
	equal(t, "baseline after the withdrawal", verdict("8", "x", suites.Fail), s.Baseline(key, "x"))
}

// TestBaselineOfGenerated checks that a generated case is compared with its latest verdict,
// whatever its current definition, and that a removed one starts without a baseline.
func TestBaselineOfGenerated(t *testing.T) {
	t.Parallel()
	key := suites.Key{Suite: suites.Registered, ID: "A"}
	s := newBook()
	s.Put(key, &keptVerdict{At: "1", Status: suites.Pass, Digests: suites.Digests{Case: "x"}})
	want := &keptVerdict{At: "1", Status: suites.Pass, Digests: suites.Digests{Case: "y"}}
	equal(t, "baseline", want, s.Baseline(key, "y"))
	s.Withdraw(key)
	if b := s.Baseline(key, "z"); b == nil || b.At != "1" {
		t.Errorf("withdrawn: %+v", b)
	}
	s.ForgetGone(func(suites.Key) bool { return true }, 1)
	if b := s.Baseline(key, "x"); b != nil {
		t.Errorf("gone: %+v", b)
	}
}

// TestForgetDefinitions checks that a case that is edited repeatedly keeps its latest verdicts in
// a few definitions.
func TestForgetDefinitions(t *testing.T) {
	t.Parallel()
	key := suites.Key{Suite: "s", ID: "A"}
	b := newBook()
	for n := range 100 {
		b.Put(key, passed(n, fmt.Sprint(n)))
	}
	if got := len(b.earlier[key]); got != keptDefinitions {
		t.Errorf("%d definitions are kept, want %d", got, keptDefinitions)
	}
	for n := range 100 {
		if kept := b.Baseline(key, fmt.Sprint(n)) != nil; kept != (n >= 99-keptDefinitions) {
			t.Errorf("baseline of definition %d: %v", n, kept)
		}
	}
}

// TestForgetGoneCases checks that the latest verdicts of removed cases are kept.
func TestForgetGoneCases(t *testing.T) {
	t.Parallel()
	stays := suites.Key{Suite: "s", ID: "A"}
	b := newBook()
	b.Put(stays, passed(0, "x"))
	key := func(n int) suites.Key { return suites.Key{Suite: "gone", ID: fmt.Sprint(n)} }
	for n := range 3 * keptGone {
		b.Put(key(n), passed(n, "x"))
		b.Put(key(n), passed(n, "y"))
	}
	b.ForgetGone(func(k suites.Key) bool { return k != stays }, 1)
	equal(t, "numbers of kept verdicts and earlier ones", []int{keptGone + 1, keptGone}, []int{len(b.present), len(b.earlier)})
	for _, k := range []suites.Key{stays, key(3*keptGone - 1)} {
		if b.present[k] == nil {
			t.Errorf("the verdict of %s is forgotten", k)
		}
	}
}

// passed returns the verdict of the nth run.
func passed(n int, definition string) *keptVerdict {
	return &keptVerdict{At: strings.Repeat("z", n), Status: suites.Pass, Digests: suites.Digests{Case: definition}}
}
