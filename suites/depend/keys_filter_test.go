package depend

import (
	"strings"
	"testing"
)

// TestReadsOfMany checks that a filter whose paths double is read in bounded time, and counts as
// reading everything.
func TestReadsOfMany(t *testing.T) {
	t.Parallel()
	got, err := FilterKeys(strings.Repeat("(.a,.b)|", 60) + ".c")
	if err != nil || len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("%v, %v, want the whole input", got, err)
	}
}
