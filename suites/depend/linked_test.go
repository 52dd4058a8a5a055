package depend

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/suites"
)

// linkedProject creates a project with a link to one of two directories with files of equal
// names, and a link back.
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

// TestListedBehindLinks checks that files behind a link are listed in addition to those without
// it, and that a link to a parent directory ends the search.
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
	g.Refresh([]string{"hooks/now/t.sh"}) // watchers report the path of the content behind the link
	fresh := New(Project{Root: root, HookDirs: []string{"hooks"}}).Inputs(c)
	if d := Changed(fresh, g.Inputs(c)); len(d) > 0 {
		t.Errorf("refreshed, the inputs differ from those of a new graph: %+v", d)
	}
}

// TestListedBehindManyLinks checks that many links to a large directory do not multiply its
// files, and that a directory to which only one link leads is still listed. A script that a hook
// names through a link that is not listed is found too.
func TestListedBehindManyLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	const dirs, each = 40, 10
	for i := range dirs * each {
		write(fmt.Sprintf("hooks/lib/d%d/%d.sh", i%dirs, i/dirs), ":\n")
	}
	for i := range 100 {
		link("lib", fmt.Sprintf("hooks/v%02d", i))
	}
	write("hooks/lone/x.sh", ":\n")
	link("lone", "hooks/z")
	write("hooks/h.sh", ". hooks/v99/d3/5.sh\n")
	g := New(Project{Root: root, HookDirs: []string{"hooks"}})
	l := g.listing()
	if n, most := len(l.files), linkedEntries+2*dirs*each; n > most || n < linkedEntries/2 {
		t.Errorf("%d files are listed, want at most %d", n, most)
	}
	if got := len(l.in("hooks/lib")); got != dirs*each {
		t.Errorf("%d files without a link, want %d", got, dirs*each)
	}
	for _, want := range []string{"hooks/v00/d3/5.sh", "hooks/z/x.sh"} {
		if !l.has(want) {
			t.Errorf("%s is not listed", want)
		}
	}
	if l.has("hooks/v99/d3/5.sh") {
		t.Error("the last of many links is listed in full: nothing is bounded here")
	}
	inputs := g.Inputs(&suites.Case{Suite: "s", ID: "A", Hook: "hooks/h.sh"})
	if !slices.ContainsFunc(inputs, func(in suites.Input) bool { return in.Path == "hooks/v99/d3/5.sh" && in.Digest != "" }) {
		t.Errorf("a script behind a link is no input: %+v", inputs)
	}
}

// TestLinked checks that a case needs the whole target of a link, even if the link no longer
// exists.
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
