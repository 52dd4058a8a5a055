//go:build unix

package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/disk"
)

// TestExpand checks that patterns find files in the project, and that a name without
// wildcards is returned unchanged.
func TestExpand(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, nil)
	for _, name := range []string{
		"docs/a.md", "docs/x/b.md", "docs/x.md/keep", "docs/node_modules/c.md", "docs/x/.a.md.swp", "README.md", "p[1]/d.md",
		"docs/deep/er/f.md",
	} {
		s.Write(name, "")
	}
	outside := t.TempDir()
	for link, target := range map[string]string{"docs/out": outside, "docs/in": "../p[1]", "docs/up": ".."} {
		if err := os.Symlink(target, s.Path(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "o.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for patterns, want := range map[string]string{
		"docs/**/*.md":            "docs/a.md docs/deep/er/f.md docs/in/d.md docs/x/b.md",
		"docs/*.md gone.md":       "docs/a.md gone.md",
		"README.md ./README.md":   "README.md",
		"docs/{x,deep/er}/*.md":   "docs/deep/er/f.md docs/x/b.md",
		"docs/*/*.md":             "docs/in/d.md docs/x/b.md",
		`p\[1]/*.md none/*.md`:    "p[1]/d.md",
		"docs/node_modules/*.md":  "docs/node_modules/c.md",
		"docs/out/*.md docs/a.md": "docs/a.md !docs/out",
		"../**/*.md":              "!..",
		"/**/*.md":                "!/",
	} {
		cfg := s.Config()
		p := &loader{&Project{Config: cfg, Reader: newReader(cfg, nil)}}
		got, problems := p.expand("specs", strings.Fields(patterns))
		for _, problem := range problems {
			if !strings.Contains(problem.Error(), "leads out of the project") || !strings.Contains(problem.Error(), outsideHint) {
				t.Errorf("%s: %v", patterns, problem)
			}
		}
		words, refused := strings.Fields(want), 0
		if strings.Contains(want, "!") {
			words, refused = words[:len(words)-1], 1
		}
		if diff := cmp.Diff(words, got); strings.Join(words, " ") != strings.Join(got, " ") || len(problems) != refused {
			t.Errorf("%s: %d problems, -want +got\n%s", patterns, len(problems), diff)
		}
	}
	cfg := s.Config()
	cfg.Agreed = []string{outside}
	p := &loader{&Project{Config: cfg, Reader: newReader(cfg, nil)}}
	if got, problems := p.expand("specs", []string{"docs/out/*.md"}); len(problems) > 0 || len(got) != 1 {
		t.Errorf("agreed to: %q, %v", got, problems)
	}
}

// TestInside checks which places may be watched, whether they exist or not.
func TestInside(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, nil)
	s.Write("docs/a.md", "")
	if err := os.Symlink("/usr", s.Path("out")); err != nil {
		t.Fatal(err)
	}
	r := disk.Reader{Root: s.Path("")}
	for name, want := range map[string]bool{
		"docs": true, "docs/a.md": true, "docs/none/at/all": true, "": true, "out": false, "out/none": false, "..": false, "../none": false,
	} {
		if got := inside(r, s.Path(name)); got != want {
			t.Errorf("%q is inside: %v, want %v", name, got, want)
		}
	}
}
