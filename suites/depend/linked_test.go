package depend

import (
	"os"
	"path/filepath"
	"testing"

	"hookwatch/suites"
)

// TestLinked: a case needs what a link leads to whole, also when the link is none
// any more.
func TestLinked(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, content := range map[string]string{"hooks/h.sh": ". hooks/now/t.sh\n", "hooks/x/t.sh": ":\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("x", filepath.Join(root, "hooks/now")); err != nil {
		t.Fatal(err)
	}
	g := New(Project{Root: root, HookDirs: []string{"hooks"}})
	by := map[string]suites.By{}
	for _, in := range g.Inputs(&suites.Case{Suite: "s", ID: "A", Hook: "hooks/h.sh"}) {
		by[in.Path] = in.By
	}
	if by["hooks/now/t.sh"] != suites.Needed || by["hooks/x/t.sh"] != suites.Reached || by["hooks/h.sh"] != suites.Reached {
		t.Errorf("%v", by)
	}
	before := []suites.Input{{Path: "now", Digest: "1", By: suites.Needed}}
	after := []suites.Input{{Path: "now", Digest: "2"}}
	if d := Changed(before, after); len(d) != 1 || d[0].By != suites.Needed || d[0].Digest != "2" {
		t.Errorf("%+v", d)
	}
}
