package depend

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"hookwatch/suites"
)

// sections returns the inputs of a case that come from markers.
func sections(g *Graph, c *suites.Case) string {
	var names []string
	for _, in := range g.Inputs(c) {
		if strings.Contains(in.Because, "marker") {
			names = append(names, in.Name())
		}
	}
	return strings.Join(names, ", ")
}

func TestClaims(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	write(t, root, map[string]string{
		"docs/specs/a.md": "R = `docs/ref.md`\n\ns/A1 is [verify: R §Block]. A2 is [verify: docs/ref.md §Nothing]. A3 is [verify: gone.md §X].\n" +
			"Case no-pip is [verify: docs/ref.md]. A4 is [verify: unresolved]. A5 is [verify: twin.sh]. A6 is [verify: ../ref.md §Allow].\n",
		"docs/specs/b.md": "A8 is [verify: ref.md §Block] and [verify: lib/sub/only.md].\n",
		"lib/sub/only.md": "x\n", "docs/specs/c.md": "A9 is [verify: only.md] and [verify: alone.md].\n", "lib/sub/alone.md": "x\n",
		".claude/hooks/a/twin.sh": "", ".claude/hooks/b/twin.sh": "",
	})
	p := projectAt(root)
	p.IDs = func() []string { return []string{"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "no-pip"} }
	p.Aliases = map[string]string{"G": ".claude/hooks/guard.sh"}
	g := New(p)
	own := hookCase("A7", "plain.sh")
	own.Verify = []string{"R §Block, §Allow", "G", "", "docs/ref.md §Nothing, config.json §mode"}
	other := hookCase("A1", "plain.sh")
	other.Suite = "other"
	for _, tt := range []struct {
		c    suites.Case
		want string
	}{
		{hookCase("A1", "plain.sh"), "docs/ref.md §Block"},
		{other, ""},
		{hookCase("A2", "plain.sh"), "docs/ref.md"},
		{hookCase("A3", "plain.sh"), "docs/specs/gone.md, gone.md"},
		{hookCase("no-pip", "plain.sh"), "docs/ref.md"},
		{hookCase("A4", "plain.sh"), ""},
		{hookCase("A5", "plain.sh"), ".claude/hooks/a/twin.sh, .claude/hooks/b/twin.sh"},
		{hookCase("A6", "plain.sh"), "docs/ref.md §Allow"},
		{hookCase("A8", "plain.sh"), "docs/ref.md §Block, lib/sub/only.md"},
		{hookCase("A9", "plain.sh"), "alone.md, docs/specs/alone.md, lib/sub/only.md"},
		{own, ".claude/hooks/config.json §mode, .claude/hooks/guard.sh, docs/ref.md, docs/ref.md §Allow, docs/ref.md §Block"},
	} {
		if got := sections(g, &tt.c); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.c.Key(), got, tt.want)
		}
	}
	resolved := g.Markers(&own)
	if len(resolved) != 6 || !resolved[0].Found || resolved[3].Why == "" || resolved[4].Found || resolved[5].File != ".claude/hooks/config.json" {
		t.Errorf("markers of the case: %+v", resolved)
	}
}

// TestHookless tests a case that runs no hook.
func TestHookless(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	g := New(projectAt(root))
	c := suites.Case{Suite: "dep", ID: "DEP19", Digest: "x", Steps: []suites.Step{{}}}
	var got []string
	for _, in := range g.Inputs(&c) {
		got = append(got, in.Path)
	}
	if want := []string{".claude/hooks/config.json", ".claude/settings.json"}; !slices.Equal(got, want) {
		t.Errorf("inputs %q, want %q", got, want)
	}
}

// TestPrepare reads all hooks at once, and queries the graph from several goroutines.
func TestPrepare(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	g, cs := New(projectAt(root)), cases()
	var all []*suites.Case
	for i := range cs {
		all = append(all, &cs[i])
	}
	g.Prepare(all)
	write(t, root, map[string]string{".claude/hooks/guard.sh": "other\n"}) // already read
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, c := range all {
				g.Digest(c)
				g.Files()
				g.Refresh([]string{"docs/ref.md"})
			}
		})
	}
	group.Wait()
	if got := existing(g, all[0]); !strings.Contains(got, "lib/log.sh") {
		t.Errorf("inputs %q are not those of what was prepared", got)
	}
	g.Refresh([]string{".claude/hooks/guard.sh"})
	if got := affected(digests(New(projectAt(root)), cs), digests(g, cs)); got != "" {
		t.Errorf("%s differ from a fresh graph", got)
	}
}

// TestClaimsOfDocuments checks the resolved references of documents, and that others are not
// attributed to them.
func TestClaimsOfDocuments(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	write(t, root, map[string]string{
		"docs/specs/a.md": "L = `.claude/hooks/lib/log.sh`\n\nA1 is [verify: L:log] and [verify: docs/ref.md §Nothing].\n",
		"draft.md":        "A1 is [verify: docs/ref.md §Block].\n",
	})
	g := New(projectAt(root))
	if specs := g.Specs(); !slices.Contains(specs, "docs/specs/a.md") || slices.Contains(specs, "draft.md") {
		t.Errorf("spec documents %q", specs)
	}
	claims, err := g.Claims("docs/specs/a.md")
	if err != nil || len(claims) != 2 || !claims[0].Meaning.Found || claims[0].Meaning.File != ".claude/hooks/lib/log.sh" || claims[1].Meaning.Found {
		t.Fatalf("%v, %+v", err, claims)
	}
	if draft, err := g.Claims("draft.md"); err != nil || len(draft) != 1 || draft[0].Marker.Spec != "draft.md" {
		t.Errorf("a document that is no spec: %v, %+v", err, draft)
	}
	if _, err := g.Claims("docs/gone.md"); err == nil {
		t.Error("a document that is not there has claims")
	}
	c := hookCase("A1", "plain.sh")
	if got := sections(g, &c); got != ".claude/hooks/lib/log.sh §log, docs/ref.md" {
		t.Errorf("the draft counts, or a symbol is the whole file: %q", got)
	}
	if found := g.Claiming(&c); len(found) != 2 || !found[0].Found || found[1].Found {
		t.Errorf("markers that name the case: %+v", found)
	}
}
