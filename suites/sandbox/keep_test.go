package sandbox

import (
	"strings"
	"testing"
)

func TestTooMuch(t *testing.T) {
	t.Parallel()
	files := map[string]int64{"a": 5, "b": 10, "c": 3, "d": 10}
	for bound, want := range map[int64]string{0: "", 28: "", 27: "b", 18: "b", 17: "b d", 1: "a b c d"} {
		var out []string
		for _, name := range []string{"a", "b", "c", "d"} {
			if tooMuch(files, bound)[name] {
				out = append(out, name)
			}
		}
		if got := strings.Join(out, " "); got != want {
			t.Errorf("bound %d leaves out %q, want %q", bound, got, want)
		}
	}
}
