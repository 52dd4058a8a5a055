package decide

import (
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestForgetDefinitions checks that a case that is edited repeatedly keeps its latest verdicts in
// a few definitions.
func TestForgetDefinitions(t *testing.T) {
	t.Parallel()
	key := suites.Key{Suite: "s", ID: "A"}
	b := NewBook()
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

// TestForgetGone checks that the latest verdicts of removed cases are kept.
func TestForgetGone(t *testing.T) {
	t.Parallel()
	stays := suites.Key{Suite: "s", ID: "A"}
	b := NewBook()
	b.Put(stays, passed(0, "x"))
	key := func(n int) suites.Key { return suites.Key{Suite: "gone", ID: fmt.Sprint(n)} }
	for n := range 3 * keptGone {
		b.Put(key(n), passed(n, "x"))
		b.Put(key(n), passed(n, "y"))
	}
	b.ForgetGone(func(k suites.Key) bool { return k != stays }, 1)
	if len(b.present) != keptGone+1 || len(b.earlier) != keptGone || b.present[stays] == nil || b.present[key(3*keptGone-1)] == nil {
		t.Errorf("%d verdicts and %d earlier ones are kept, want the latest %d", len(b.present), len(b.earlier), keptGone)
	}
}

// passed returns the verdict of the nth run.
func passed(n int, definition string) *Verdict {
	return &Verdict{At: strings.Repeat("z", n), Status: suites.Pass, Digests: suites.Digests{Case: definition}}
}
