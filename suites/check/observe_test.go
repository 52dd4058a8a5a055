package check

import (
	"testing"

	"hookwatch/suites"
)

func TestReactionDiffers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		harmless, other string
		want            bool
	}{
		{"", "", false},
		{"", " \n", false},
		{"a", "b\n", false},
		{"a \t", "\nb", false},
		{"", "a", true},
		{"a", "a\nb", true},
		{"a\n\nb", "a\nb", true},
	} {
		harmless, other := suites.Result{Stdout: []byte(tt.harmless)}, suites.Result{Stdout: []byte(tt.other)}
		if got := ReactionDiffers(harmless, other); got != tt.want {
			t.Errorf("%q and %q: %t, want %t", tt.harmless, tt.other, got, tt.want)
		}
		if string(harmless.Stdout) != tt.harmless || string(other.Stdout) != tt.other {
			t.Errorf("the output %q became %q, %q became %q", tt.harmless, harmless.Stdout, tt.other, other.Stdout)
		}
	}
}
