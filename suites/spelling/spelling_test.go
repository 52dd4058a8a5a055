package spelling_test

import (
	"testing"

	"hookwatch/suites/spelling"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"suites", "verify", "hooks", "run"}
	for _, tt := range []struct{ word, want string }{
		{"suite", "suites"}, {"vrefy", "verify"}, {"hoks", "hooks"}, {"hooks", "hooks"},
		{"rn", "run"}, {"x", ""}, {"", ""}, {"something", ""}, {"veri", "verify"}, {"ver", ""},
	} {
		if got := spelling.Nearest(tt.word, words); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.word, got, tt.want)
		}
	}
}
