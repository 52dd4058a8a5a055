package cli

import "testing"

// TestFirstOnly checks which of the files that a hook wrote is shown: one that the other side did not write under a
// name with other numbers.
func TestFirstOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lines, others []string
		want          string
	}{
		{[]string{"created /s-24b66b2c/loop", "created /s-24b66b2c/done"}, []string{"created /s-2221af88/loop"}, "created /s-24b66b2c/done"},
		{[]string{"created /s-24b66b2c/loop"}, []string{"created /s-2221af88/loop", "created /x"}, ""},
		{[]string{""}, []string{"created /x"}, ""},
		{[]string{"deleted /x (0 bytes)"}, []string{"created /x (7 bytes)"}, "deleted /x (0 bytes)"},
	} {
		if got := firstOnly(tt.lines, tt.others); got != tt.want {
			t.Errorf("%q beside %q: %q, want %q", tt.lines, tt.others, got, tt.want)
		}
	}
}
