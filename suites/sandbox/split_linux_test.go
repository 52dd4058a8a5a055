package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSplitEmpty checks that next to a mount an empty directory gets no overlay, but an unreadable
// one does, because its files may be reached by name.
func TestSplitEmpty(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, d := range []string{"empty", "full/x", "unread", "mounted"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	list := func(dir string) []fs.DirEntry {
		if filepath.Base(dir) == "unread" {
			return nil
		}
		return entries(dir)
	}
	l := &layout{machine: []string{root}}
	sp := splitter{l: l, list: list, link: target, mounts: []mount{{At: "/"}, {At: root}, {At: filepath.Join(root, "mounted")}}}
	sp.divide()
	var overlays []string
	for _, v := range l.views {
		if v.split == nil {
			overlays = append(overlays, filepath.Base(v.at))
		}
	}
	slices.Sort(overlays)
	if want := []string{"full", "unread"}; !slices.Equal(overlays, want) {
		t.Errorf("overlays of %v, want %v", overlays, want)
	}
}
