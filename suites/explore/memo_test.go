package explore

import (
	"fmt"
	"strings"
	"testing"
)

// TestMemo checks that a result is made once, unless its text is long or many others came meanwhile.
func TestMemo(t *testing.T) {
	t.Parallel()
	var m memo[int]
	made := 0
	of := func(text string) { m.of(text, func() int { made++; return made }) }
	for range 3 {
		of("a")
		of(strings.Repeat("a", 5000))
	}
	if made != 1+3 {
		t.Errorf("made %d times, want 4", made)
	}
	for i := range 5000 {
		of(fmt.Sprint(i))
	}
	if before := made; len(m.known) > 4096 {
		t.Errorf("%d results are kept", len(m.known))
	} else if of("a"); made != before+1 {
		t.Error("the oldest result is kept")
	}
}
