package doubt

import "testing"

// TestForgetFiles: what was seen of files goes with them.
func TestForgetFiles(t *testing.T) {
	t.Parallel()
	own := newWritten()
	for _, path := range []string{"a", "b"} {
		own.touches[path], own.files[path], own.rechecked[path] = 1, true, 1
	}
	own.forget([]string{"b", "c"})
	if own.touches["a"]+own.rechecked["a"] > 0 || own.files["a"] || !own.files["b"] || own.touches["b"] != 1 || own.rechecked["b"] != 1 {
		t.Errorf("left: %+v", own)
	}
}
