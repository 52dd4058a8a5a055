package disk

import (
	"path/filepath"
	"testing"
)

// TestLead follows links to the end, including those to missing files.
func TestLead(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(top, "real", "file"), "")
	for name, target := range map[string]string{
		"dir": "real", "absent": "real/new/file", "up": "../elsewhere/x", "absolute": filepath.Join(top, "gone"),
		"twice": "absent", "loop": "loop", "a": "b", "b": "a", "real/out": "../../outside",
	} {
		link(t, target, filepath.Join(top, name))
	}
	for path, want := range map[string]string{
		"real/file": "real/file", "dir/file": "real/file", "dir/new/deep": "real/new/deep", "new": "new", "real/file/x": "real/file/x",
		"absent": "real/new/file", "absent/below": "real/new/file/below", "twice": "real/new/file", "absolute/x": "gone/x",
		"up": "../elsewhere/x", "dir/out/x": "../outside/x", "dir/../new": "new", "loop": "loop", "loop/x": "loop/x", "a/b": "b/b",
	} {
		got := Lead(filepath.Join(top, path))
		if path == "a/b" { // a loop may be left at any of its links
			if !Within(top, got) {
				t.Errorf("%s leads to %s", path, got)
			}
			continue
		}
		if got != filepath.Join(top, want) {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
	if got := Existing(filepath.Join(top, "real/file/x/y")); got != filepath.Join(top, "real") {
		t.Errorf("existing is %s", got)
	}
}
