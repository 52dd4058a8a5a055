package cli

import (
	"testing"

	"hookwatch/cmd/internal/compare"
)

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

// TestHeadline checks the sentence about a comparison. Where no call was compared, none is said to be allowed.
func TestHeadline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		compare.Result
		want string
	}{
		{compare.Result{Calls: 3, Hooks: 1, Changes: []compare.Change{{What: compare.NewlyAllowed}, {What: compare.Message}, {What: compare.NewlyAllowed, Together: "denied"}}}, "A -> B: 1 call newly allowed, 0 newly blocked, 1 with another message"},
		{compare.Result{Hooks: 1}, "A -> B: no call was compared"},
		{compare.Result{}, "A -> B: 0 calls newly allowed, 0 newly blocked"},
	} {
		tt.Base, tt.Head = "A", "B"
		if got := (&diffDocument{Result: tt.Result}).headline(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
