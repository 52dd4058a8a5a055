package pattern_test

import (
	"testing"

	"hookwatch/suites/pattern"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"suites", "verify", "hooks", "run", "denied"}
	for _, tt := range []struct{ word, want string }{
		{"deny", "denied"}, {"suite", "suites"}, {"vrefy", "verify"}, {"hoks", "hooks"}, {"hooks", "hooks"},
		{"rn", "run"}, {"x", ""}, {"", ""}, {"something", ""}, {"veri", "verify"}, {"ver", ""}, {"verification", ""},
	} {
		if got := pattern.Nearest(tt.word, words); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.word, got, tt.want)
		}
	}
	if near, far := pattern.NearestHint("hoks", words), pattern.NearestHint("something", words); near != "did you mean hooks?" || far != "" {
		t.Errorf("hints: %q and %q", near, far)
	}
}
