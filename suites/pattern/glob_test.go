package pattern

import (
	"strings"
	"testing"
	"time"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		glob, path     string
		valid, matches bool
	}{
		{"**/*.{md,txt}", "a/b.md", true, true}, {"{a,b}/{c,d}", "b/c", true, true}, {"[", "[", false, false}, {`\{a,b\}`, "{a,b}", true, true},
		{strings.Repeat("{a,a}", 40) + "b", strings.Repeat("a", 40) + "c", false, false}, {strings.Repeat("{a,{a,a}}", 40) + "b", strings.Repeat("a", 40) + "c", false, false},
	} {
		begin := time.Now()
		if valid, matches := GlobHint(test.glob) == "", Glob(test.glob, test.path); valid != test.valid || matches != test.matches {
			t.Errorf("%.40s: valid %v, matches %v", test.glob, valid, matches)
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%.40s took %s", test.glob, took)
		}
	}
}
