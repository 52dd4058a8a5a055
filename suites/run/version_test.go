package run

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
)

// TestViewed checks the path of a project's file in the case's view, by any path to the file, and
// that a name is not a file even if hookwatch is started in the project.
func TestViewed(t *testing.T) {
	t.Parallel()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err) // not every user may create links everywhere
	}
	elsewhere := filepath.Join(t.TempDir(), "lint")
	view := filepath.Join(t.TempDir(), "copy")
	s := &caseRun{o: &Options{Root: root}, root: view}
	for file, want := range map[string]string{
		filepath.Join(root, "bin", "lint"): filepath.Join(view, "bin", "lint"),
		filepath.Join(link, "lint"):        filepath.Join(view, "lint"),
		elsewhere:                          "",
		root + "-lint":                     "",
		"lint":                             "",
	} {
		at, ok := s.viewPath(file)
		if path := cmp.Or(want, file); at != path || ok != (want != "") {
			t.Errorf("%s: %s, %v, want %s", file, at, ok, path)
		}
	}
}
