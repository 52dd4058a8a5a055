package isolate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopyBound: a copy ends where it would take up more than it may, and holes
// do not count.
func TestCopyBound(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a/b": strings.Repeat("x", 100_000), "c": strings.Repeat("y", 100_000), "sparse": ""})
	if err := os.Truncate(filepath.Join(dir, "sparse"), 1<<40); err != nil {
		t.Fatal(err)
	}
	for bound, want := range map[int64]error{0: nil, 1 << 20: nil, 150_000: errBound} {
		c := treeCopy{bound: bound}
		if err := c.tree(dir, filepath.Join(t.TempDir(), "copy")); !errors.Is(err, want) {
			t.Errorf("bound %d: %v, want %v", bound, err, want)
		}
	}
}

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
