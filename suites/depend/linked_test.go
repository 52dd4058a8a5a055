package depend

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/suites"
)

// linkedProject has a link to one of two directories with files of equal names,
// and one that leads back.
func linkedProject(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"hooks/h.sh": ". hooks/now/t.sh\n", "hooks/x/t.sh": ":\n", "hooks/y/t.sh": "true\n", "hooks/y/u.sh": "false\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"hooks/now": "x", "hooks/x/back": ".."} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestListedBehindLinks: what is listed behind a link does not take the place of
// what is listed without it; and a link that leads back ends.
func TestListedBehindLinks(t *testing.T) {
	t.Parallel()
	root := linkedProject(t)
	g := New(Project{Root: root, HookDirs: []string{"hooks"}})
	want := []string{"hooks/h.sh", "hooks/now/t.sh", "hooks/x/t.sh", "hooks/y/t.sh", "hooks/y/u.sh"}
	if got := g.listing().files; !slices.Equal(got, want) {
		t.Errorf("listed %v", got)
	}
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/h.sh"}
	g.Inputs(c)
	now := filepath.Join(root, "hooks/now")
	if err := os.Remove(now); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("y", now); err != nil {
		t.Fatal(err)
	}
	g.Refresh([]string{"hooks/now/t.sh"}) // as it is told: the content that the path leads to
	anew := New(Project{Root: root, HookDirs: []string{"hooks"}}).Inputs(c)
	if d := Changed(anew, g.Inputs(c)); len(d) > 0 {
		t.Errorf("refreshed, the inputs differ from those read anew: %+v", d)
	}
}

// TestLinked: a case needs what a link leads to whole, also when the link is none
// any more.
func TestLinked(t *testing.T) {
	t.Parallel()
	root := linkedProject(t)
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
