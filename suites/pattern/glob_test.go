package pattern

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// TestGlob checks that a glob without a hint matches fast, and that costly ones have a hint.
func TestGlob(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		glob, path     string
		valid, matches bool
	}{
		{"**/*.{md,txt}", "a/b.md", true, true}, {"{a,b}/{c,d}", "b/c", true, true}, {"[", "[", false, false}, {`\{a,b\}`, "{a,b}", true, true},
		{strings.Repeat("{a,a}", 40) + "b", strings.Repeat("a", 40) + "c", false, false}, {strings.Repeat("{a,{a,a}}", 40) + "b", strings.Repeat("a", 40) + "c", false, false},
	} {
		valid, matches := GlobHint(test.glob) == "", false
		if valid {
			matches, _ = doublestar.Match(test.glob, test.path)
		}
		if valid != test.valid || matches != test.matches {
			t.Errorf("%.40s: valid %v, matches %v", test.glob, valid, matches)
		}
	}
}
