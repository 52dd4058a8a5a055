package depend

import (
	"fmt"
	"math/rand"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

// TestRefreshRandom edits a project at random and, after each refresh, compares every case's
// inputs with those of a new graph.
func TestRefreshRandom(t *testing.T) {
	t.Parallel()
	for seed := range int64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			e := &editor{t: t, root: t.TempDir(), r: rand.New(rand.NewSource(seed))}
			write(t, e.root, files())
			g, cs := New(projectAt(e.root)), cases()
			outside := suites.Case{Suite: "s", ID: "O01", Hook: "scripts/o.py", Digest: "O01"}
			cs = append(cs, outside, hookCase("P03", "plain.sh"), hookCase("Q04", "plain.sh")) // like Q00 at first
			observe := func(g *Graph) {
				for i, paths := range observedSets {
					g.Observe(cs[i].Key(), paths, false)
				}
			}
			observe(g)
			for step := range 60 {
				digests(g, cs)
				changed := e.edit()
				g.Refresh(changed)
				fresh := New(projectAt(e.root))
				observe(fresh)
				for i := range cs {
					if diff := Changed(g.Inputs(&cs[i]), fresh.Inputs(&cs[i])); len(diff) > 0 {
						t.Fatalf("step %d, changed %v: %s differs from a fresh graph: %+v", step, changed, cs[i].ID, diff)
					}
					for _, in := range fresh.Inputs(&cs[i]) {
						if name := []string{in.Path}; g.Signatures(name)[0] != fresh.Signatures(name)[0] {
							t.Fatalf("step %d, changed %v: %s has the signature %v, in a fresh graph %v", step, changed, in.Path, g.Signatures(name), fresh.Signatures(name))
						}
					}
				}
				if got := affected(digests(fresh, cs), digests(g, cs)); got != "" {
					t.Fatalf("step %d, changed %v: digests of %s differ from a fresh graph", step, changed, got)
				}
				if diff := cmp.Diff(fresh.Files(), g.Files()); diff != "" {
					t.Fatalf("step %d, changed %v: files (-fresh +refreshed):\n%s", step, changed, diff)
				}
			}
		})
	}
}

// observedSets are the paths that the first cases of TestRefreshRandom were seen to use.
var observedSets = [][]string{
	{".claude/hooks/config.json", ".claude/hooks/lib/", "docs", "docs/none.md"},
	{".claude/hooks/config.json", ".claude/hooks/lib/", "docs", "docs/none.md"},
	{"docs/", "docs/specs/", "scripts/", "scripts/p.py"},
	{".claude/hooks/deep/", ".claude/hooks/deep/log.sh", "lib", "lib/log.sh"},
}

type editor struct {
	t    *testing.T
	root string
	r    *rand.Rand
}

var (
	places = []string{
		".claude/hooks/guard.sh", ".claude/hooks/lint.sh", ".claude/hooks/plain.sh", ".claude/hooks/lib/log.sh", ".claude/hooks/config.json",
		".claude/settings.json", "docs/ref.md", "docs/none.md", "docs/specs/spec.md", "docs/specs/more.md", "scripts/o.py", "scripts/p.py",
		".claude/hooks/new.sh", ".claude/hooks/deep/log.sh", "lib/log.sh", "config.json",
	}
	contents = []string{
		guard, lint, plain, log, spec, ref, "", "{}", "source \"$1\"\n", "# Ref\n\n## Block\n\nOther.\n\n## Allow\n\nAllows.\n",
		"P01–P02 [verify: none.md §X].\n", "P01 and P03 [verify: log.sh §log].\n", "jq . \"$(dirname \"$0\")/config.json\"\n", "#!/usr/bin/python3\nimport p\n",
	}
	dirs = []string{".claude/hooks", ".claude/hooks/lib", "docs", "docs/specs", "scripts"}
)

// edit makes one change and returns the paths that a watcher would report.
func (e *editor) edit() []string {
	p := places[e.r.Intn(len(places))]
	abs := filepath.Join(e.root, p)
	switch e.r.Intn(8) {
	case 0:
		_ = os.Remove(abs)
		return []string{p}
	case 1: // a directory is renamed, or renamed back
		dir := dirs[e.r.Intn(len(dirs))]
		away := path.Join(path.Dir(dir), "away-"+path.Base(dir))
		if err := os.Rename(filepath.Join(e.root, dir), filepath.Join(e.root, away)); err != nil {
			_ = os.Rename(filepath.Join(e.root, away), filepath.Join(e.root, dir))
		}
		return []string{dir, away}
	case 2: // a link gets another target
		target := places[e.r.Intn(len(places))]
		_ = os.Remove(abs)
		if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
			return nil
		}
		_ = os.Symlink(filepath.Join(e.root, target), abs)
		return []string{p}
	case 3:
		_ = os.Chmod(abs, 0o644|os.FileMode(e.r.Intn(2)*0o111))
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			return []string{abs, real} // a link's own bits do not change
		}
		return []string{abs}
	default:
		_ = os.Remove(abs)
		write(e.t, e.root, map[string]string{p: contents[e.r.Intn(len(contents))]})
		return []string{p}
	}
}

func TestRefreshAll(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	g, cs := New(projectAt(root)), cases()
	digests(g, cs)
	write(t, root, map[string]string{".claude/hooks/lib/log.sh": "other\n", ".claude/hooks/lib/more.sh": ""})
	g.Refresh([]string{"."})
	if got := affected(digests(New(projectAt(root)), cs), digests(g, cs)); got != "" {
		t.Errorf("%s differ from a fresh graph", got)
	}
}

// TestDefinitionChanges queries a case whose definition changed.
func TestDefinitionChanges(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	g, c := New(projectAt(root)), hookCase("P01", "plain.sh")
	before := g.Digest(&c)
	other := hookCase("P01", "guard.sh")
	if g.Digest(&other) == before {
		t.Error("a case with another hook has the inputs of the old one")
	}
	third := other
	third.Verify = []string{"docs/ref.md §Allow"}
	if got := sections(g, &third); !strings.Contains(got, "docs/ref.md §Allow") {
		t.Errorf("a case with another marker has the sections %q", got)
	}
}

// TestRefreshForgets checks that the cache of a graph is limited to the files of its cases and a
// bounded rest, however many names were added to and removed from scripts.
func TestRefreshForgets(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	c := hookCase("Q00", "named.sh")
	g := New(projectAt(root))
	for n := range 2 * spareEntries {
		hook := fmt.Sprintf(". lib/gone-%d.sh\n", n)
		write(t, root, map[string]string{".claude/hooks/named.sh": hook})
		g.Refresh([]string{".claude/hooks/named.sh"})
		g.Digest(&c)
		if want := ".claude/hooks/lib/gone-" + fmt.Sprint(n) + ".sh"; !slices.Contains(g.Files(), want) {
			t.Fatalf("edit %d: %s is not among %v", n, want, g.Files())
		}
	}
	if size := g.files.size(); size > 2*spareEntries {
		t.Errorf("%d paths are remembered", size)
	}
}

// TestRefreshAfterReading checks that a file which was read between an edit and its refresh is
// as stale as any other.
func TestRefreshAfterReading(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const config = ".claude/hooks/config.json"
	write(t, root, map[string]string{".claude/hooks/plain.sh": "jq . config.json\n", config: `{"level": 1}`})
	c := hookCase("Q00", "plain.sh")
	g := New(projectAt(root))
	for n, look := range []func(){
		func() { g.Section(config, "level") },
		func() { g.Section(config, "level"); g.Section(config, "none") },
		func() {},
	} {
		g.Digest(&c)
		write(t, root, map[string]string{config: fmt.Sprintf(`{"level": %d}`, n+2)})
		look()
		g.Refresh([]string{config})
		if got, want := g.Digest(&c), New(projectAt(root)).Digest(&c); got != want {
			t.Errorf("edit %d: the case stays what it was", n)
		}
	}
}

// TestPassing checks that temporary files of editors are no inputs.
func TestPassing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{".claude/hooks/broken.sh": "if then\n", ".claude/hooks/broken.sh~": "", ".claude/hooks/other.sh": ""})
	p := projectAt(root)
	p.Passing = func(name string) bool { return strings.HasSuffix(name, "~") }
	c := hookCase("Q00", "broken.sh") // it may use any file around it
	g := New(p)
	g.Digest(&c)
	if files := g.Files(); slices.Contains(files, ".claude/hooks/broken.sh~") || !slices.Contains(files, ".claude/hooks/other.sh") {
		t.Errorf("files %v", files)
	}
}

// TestRefreshElsewhere checks that a file which one hook may read and another one names is
// refreshed for both, and that a second refresh changes nothing.
func TestRefreshElsewhere(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	all := files()
	all[".claude/hooks/any.py"] = "#!/usr/bin/env python3\nimport sys\nsys.exit(0)\n"
	write(t, root, all)
	project := projectAt(root)
	project.Other = func(string, bool) bool { return true }
	g := New(project)
	names, any := hookCase("P01", "guard.sh"), hookCase("A01", "any.py")
	digests := func(g *Graph) [2]string { return [2]string{g.Digest(&names), g.Digest(&any)} }
	before := digests(g)
	write(t, root, map[string]string{".claude/hooks/config.json": `{"mode": "allow", "other": 22}`})
	g.RefreshElsewhere()
	g.Refresh([]string{".claude/hooks/config.json"})
	got := digests(g)
	if want := digests(New(project)); got != want {
		t.Errorf("%v, want %v as of a new graph", got, want)
	}
	if got[0] == before[0] || got[1] == before[1] {
		t.Errorf("%v, before %v: the change is not seen", got, before)
	}
}

// TestElsewhereSequences edits a file that can also be reached through a linked directory, in
// every sequence of two steps: a graph that is refreshed must agree with a new one, so that no
// case is stale because of how its graph came about.
func TestElsewhereSequences(t *testing.T) {
	t.Parallel()
	const file, link = ".claude/hooks/y/t.sh", ".claude/hooks/current"
	names, any := hookCase("P01", "link.sh"), hookCase("A01", "any.py")
	digests := func(g *Graph) [2]string { return [2]string{g.Digest(&names), g.Digest(&any)} }
	steps := map[string]func(root string, g *Graph){
		"remove": func(root string, _ *Graph) { _ = os.Remove(filepath.Join(root, file)) },
		"write":  func(root string, _ *Graph) { write(t, root, map[string]string{file: "T=22\n"}) },
		"retarget": func(root string, g *Graph) {
			_ = os.Remove(filepath.Join(root, link))
			if err := os.Symlink("x", filepath.Join(root, link)); err != nil {
				t.Fatal(err)
			}
			g.Refresh([]string{link + "/t.sh"})
		},
		"look elsewhere": func(_ string, g *Graph) { g.RefreshElsewhere() },
		"refresh":        func(_ string, g *Graph) { g.Refresh([]string{file}) },
		"ask":            func(_ string, g *Graph) { digests(g) },
	}
	for first := range steps {
		for second := range steps {
			root := t.TempDir()
			all := files()
			all[".claude/hooks/any.py"] = "#!/usr/bin/env python3\nimport sys\nsys.exit(0)\n"
			all[".claude/hooks/link.sh"] = "#!/bin/bash\n. \"$CLAUDE_PROJECT_DIR/.claude/hooks/current/t.sh\"\n"
			all[".claude/hooks/x/t.sh"], all[file] = "T=x\n", "T=y\n"
			write(t, root, all)
			if err := os.Symlink("y", filepath.Join(root, link)); err != nil {
				t.Skipf("needs symbolic links: %v", err)
			}
			project := projectAt(root)
			project.Other = func(string, bool) bool { return true }
			g := New(project)
			digests(g)
			steps[first](root, g)
			steps[second](root, g)
			g.Refresh([]string{file, link + "/t.sh"})
			if got, want := digests(g), digests(New(project)); got != want {
				t.Errorf("%s, %s: %v, want %v as of a new graph", first, second, got, want)
			}
		}
	}
}

// TestSignatures checks that the signature of a file belongs to the content of which the graph knows
// the digest: neither a second reading nor the passing of time replaces it, but Refresh does.
func TestSignatures(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"one.sh": "echo"})
	g := New(Project{Root: root})
	names := []string{"one.sh", "none.sh"}
	first := g.Signatures(names)
	write(t, root, map[string]string{"one.sh": "echo other"})
	if _, err := g.files.read("one.sh"); err != nil {
		t.Fatal(err)
	}
	if got := g.Signatures(names); !slices.Equal(got, first) {
		t.Errorf("the digest is still that of the earlier content, the signature is %v, was %v", got, first)
	}
	if !g.Refresh(names) || slices.Equal(g.Signatures(names), first) {
		t.Error("Refresh does not read the other content")
	}
	second := g.Signatures(names)
	if err := os.Chtimes(filepath.Join(root, "one.sh"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if g.Refresh(names) || slices.Equal(g.Signatures(names), second) {
		t.Error("the content is the same, and its signature another")
	}
}
