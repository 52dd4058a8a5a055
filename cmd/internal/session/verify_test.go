//go:build unix

package session

import (
	"slices"
	"strings"
	"testing"
)

// TestMarkersOfDocuments checks that a case that a document authorises needs no marker of
// its own, and that the document's markers must resolve.
func TestMarkersOfDocuments(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, map[string]string{
		"suites/s.yaml": oneCase("A1", "expect: {exit: 0}"),
		"docs/spec.md":  "# Spec\n\n## D1\n\nA1 is [verify: §D1].\n\n",
	})
	load := func(policy string) (*Project, []string) {
		s.Write(".hookwatch.yaml", strings.Replace(settings, "verify: off", "specs: [docs/*.md]\nverify: "+policy, 1))
		p, problems := Load(s.Config(), Filter{}, nil)
		var said []string
		for _, problem := range problems {
			said = append(said, problem.Error())
		}
		return p, said
	}
	if _, problems := load("strict"); len(problems) != 0 {
		t.Errorf("a document that resolves: %q", problems)
	}
	s.Write("docs/spec.md", "# Spec\n\n## D1\n\nA1 is [verify: §D1] and [verify: §D2]. Z99 is [verify: §D3].\n")
	if _, problems := load("strict"); len(problems) != 1 || !strings.HasPrefix(problems[0], "docs/spec.md:5:34: marker §D2 of A1 does not resolve (") {
		t.Errorf("strict: %q", problems)
	}
	if p, problems := load("warn"); len(problems) != 0 || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "docs/spec.md:5:34: 1 of the markers") {
		t.Errorf("warn: %q, %v", problems, p)
	}
	if p, problems := load("off"); len(problems)+len(p.Warnings) != 0 {
		t.Errorf("off: %q, %q", problems, p.Warnings)
	}
	s.Write("docs/spec.md", "# Spec\n\nA1 is [verify: §D1].\n")
	_, problems := load("strict")
	if len(problems) != 2 || !strings.HasPrefix(problems[0], "suites/s.yaml:5:5: 1 case without a marker: A1 (") {
		t.Errorf("a document that leads nowhere authorises nothing: %q", problems)
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, map[string]string{
		"suites/s.yaml": pair, "docs/specs/a.md": "# A\n", "docs/specs/b.md": "# B\n", "draft.md": "# Draft\n", "x.txt": "",
	})
	s.Write(".hookwatch.yaml", settings+"specs: [docs/specs/*.md]\n")
	p := s.Load(Filter{})
	all := Sources{Documents: []string{"docs/specs/a.md", "docs/specs/b.md"}, Suites: []string{"suites/s.yaml"}}
	if got := SourcesOf(p); !slices.Equal(got.Documents, all.Documents) || !slices.Equal(got.Suites, all.Suites) {
		t.Fatalf("sources %+v", got)
	}
	for _, tt := range []struct{ dir, names, want, err string }{
		{"", "docs/specs/a.md", "docs/specs/a.md", ""},
		{"docs/specs", "b.md a.md b.md", "docs/specs/a.md docs/specs/b.md", ""},
		{"", "docs", "docs/specs/a.md docs/specs/b.md", ""},
		{"", ".", "docs/specs/a.md docs/specs/b.md suites/s.yaml", ""},
		{"", "suites/s.yaml", "suites/s.yaml", ""},
		{"", "draft.md", "draft.md", ""},
		{"", "x.txt", "", "x.txt: neither a spec document nor a suite"},
		{"", "builtin:pm", "", "neither a spec document nor a suite"},
		{"", "docs/specs/c.md", "", `nearest: "docs/specs/a.md"`},
	} {
		got, err := PickSources(p, SourcesOf(p), s.Path(tt.dir), strings.Fields(tt.names))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %s", tt.names, err, tt.err)
			}
			continue
		}
		if joined := strings.Join(append(got.Documents, got.Suites...), " "); err != nil || joined != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.names, joined, err, tt.want)
		}
	}
}
