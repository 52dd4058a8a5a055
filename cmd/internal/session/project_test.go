//go:build unix

package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

func ids(cases []*suites.Case) string {
	var out []string
	for _, c := range cases {
		out = append(out, c.ID)
	}
	return strings.Join(out, " ")
}

func TestFilter(t *testing.T) {
	t.Parallel()
	other := "suite: other\nhook: hooks/guard.sh\nevent: Stop\ncases:\n  - {id: B1, name: blocks_too, expect: {exit: 0}}\n"
	s := newProjectFiles(t, map[string]string{"suites/s.yaml": pair, "suites/other.yaml": other})
	for _, tt := range []struct {
		filter Filter
		want   string
		empty  string
	}{
		{Filter{}, "B1 B1 A1", ""},
		{Filter{Suites: []string{"s"}}, "B1 A1", ""},
		{Filter{Suites: []string{"s", "other"}}, "B1 B1 A1", ""},
		{Filter{Text: "b1"}, "B1 B1", ""},
		{Filter{Text: "let_"}, "A1", ""},
		{Filter{Text: "LET_THROUGH"}, "A1", ""},
		{Filter{Text: "?1"}, "B1 B1 A1", ""},
		{Filter{Text: "block*"}, "B1 B1", ""},
		{Filter{Text: "?LOCK*"}, "B1 B1", ""},
		{Filter{Text: "[A]1"}, "A1", ""},
		{Filter{Text: "["}, "", "no case matches"},
		{Filter{Suites: []string{"other"}, Text: "A1"}, "", "no case matches"},
		{Filter{Suites: []string{"s", "none"}}, "", "--suite none: no such suite here (there are other, s)"},
	} {
		p := s.Load(tt.filter)
		if got := ids(p.Cases); got != tt.want {
			t.Errorf("%+v lets through %q, want %q", tt.filter, got, tt.want)
		}
		if (p.Empty != nil) != (tt.empty != "") || p.Empty != nil && !strings.Contains(p.Empty.Error(), tt.empty) {
			t.Errorf("%+v: %v, want %q", tt.filter, p.Empty, tt.empty)
		}
		if len(p.Every()) != 3 {
			t.Errorf("%+v leaves %d cases known", tt.filter, len(p.Every()))
		}
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, nil)
	if err := s.Load(Filter{}).Empty; err == nil || !strings.Contains(err.Error(), "no cases for the 1 hook of "+s.Root) || !strings.Contains(err.Error(), "hookwatch init writes") {
		t.Errorf("hooks without a case: %v", err)
	}
	if err := os.Remove(s.Path("hooks/guard.sh")); err != nil {
		t.Fatal(err)
	}
	if err := s.Load(Filter{}).Empty; err == nil || !strings.Contains(err.Error(), "no hooks found in "+s.Root) || !strings.Contains(err.Error(), "hooks, .claude/settings.json") {
		t.Errorf("nothing at all: %v", err)
	}
}

// TestApplicable checks that a built-in suite whose hook the project does not have is
// dropped, and a suite of the user's never is.
func TestApplicable(t *testing.T) {
	t.Parallel()
	own := oneCase("A1", "expect: {exit: 0}")
	s := newProjectFiles(t, map[string]string{"suites/s.yaml": strings.ReplaceAll(own, "hooks/guard.sh", "hooks/none.sh")})
	s.Write(".hookwatch.yaml", strings.Replace(settings, "suites: [", "suites: [builtin, ", 1))
	if names := (&loader{s.Load(Filter{})}).suiteNames(); names != "s" {
		t.Errorf("suites %s, want s", names)
	}
	s.Write(".claude/hooks/enforce_package_managers.sh", guard)
	p := s.Load(Filter{})
	if names := strings.Split((&loader{p}).suiteNames(), ", "); !slices.Contains(names, "pm") || !slices.Contains(names, "s") {
		t.Errorf("suites %s, want pm and s among them", names)
	}
	pm := 0
	for _, c := range p.Cases {
		if c.Suite == "pm" {
			pm++
		}
	}
	if pm != 32 {
		t.Errorf("%d cases of pm, want 32", pm)
	}
}

// TestGated checks that the project's policy has priority over the case's for the tools
// that it names, and that the shared suite does not change.
func TestGated(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, map[string]string{
		"suites/s.yaml": oneCase("A1", "gates: [biome, ruff, {tool: oxlint, policy: fail}], expect: {exit: 0}")})
	s.Write(".hookwatch.yaml", settings+"gates: {ruff: fail, oxlint: skip}\n")
	want := []suites.Gate{{Tool: "biome", Policy: suites.GateFail}, {Tool: "ruff", Policy: suites.GateFail}, {Tool: "oxlint", Policy: suites.GateSkip}}
	if got := s.Load(Filter{}).Cases[0].Gates; !cmp.Equal(got, want) {
		t.Errorf("gates %v, want %v", got, want)
	}
	p := s.Load(Filter{})
	mine := []suites.Gate{{Tool: "ruff", Policy: suites.GateSkip}}
	if got := (&loader{p}).resolveGates(mine, map[string][]string{"ruff": {"bin/ruff"}}); got[0].Places[0] != "bin/ruff" || mine[0].Places != nil {
		t.Errorf("gated %v, the case's own are now %v", got, mine)
	}
	if got := (&loader{p}).resolveGates(mine, nil); got[0].Policy != suites.GateFail || mine[0].Policy != suites.GateSkip {
		t.Errorf("gated %v, the case's own are now %v", got, mine)
	}
}

func TestRel(t *testing.T) {
	s := newProjectFiles(t, map[string]string{"my hooks/a b.sh": guard, "sub/inner.sh": guard})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.Root, link); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, s.Path("away")); err != nil {
		t.Fatal(err)
	}
	p := s.Load(Filter{})
	from := s.Path("sub")
	for file, want := range map[string]string{
		s.Path("hooks/guard.sh"):       "hooks/guard.sh",
		s.Path("hooks") + "/../a.sh":   "a.sh",
		s.Path("my hooks/a b.sh"):      "my hooks/a b.sh",
		"my hooks/a b.sh":              "my hooks/a b.sh",
		"./hooks//guard.sh":            "hooks/guard.sh",
		"inner.sh":                     "sub/inner.sh",
		"none.sh":                      "sub/none.sh",
		"../hooks/none.sh":             "hooks/none.sh",
		s.Path("none/yet.sh"):          "none/yet.sh",
		s.Path("away/x.sh"):            "away/x.sh",
		filepath.Join(outside, "x.sh"): filepath.ToSlash(filepath.Join(outside, "x.sh")),
		s.Root + "-other/x.sh":         filepath.ToSlash(s.Root + "-other/x.sh"),
		filepath.Dir(s.Root):           filepath.ToSlash(filepath.Dir(s.Root)),
		s.Path("..dots/x.sh"):          "..dots/x.sh",
	} {
		if got := p.RelFrom(from, file); got != want {
			t.Errorf("Rel(%q) is %q, want %q", file, got, want)
		}
	}
	// A project that was reached through a link uses that name in messages.
	via := projectFiles{T: t, Root: link}
	p = via.Load(Filter{})
	if got := p.Rel(filepath.Join(link, "hooks", "guard.sh")); got != "hooks/guard.sh" {
		t.Errorf("through the link: %q", got)
	}
	equal(t, "name", "link", p.Name())
	for name, want := range map[string]bool{"my hooks/a b.sh": true, "nothing": false} {
		equal(t, name+" exists", want, p.Exists(name))
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, map[string]string{"suites/s.yaml": pair, "hooks/config.json": "{}"})
	s.Write(".hookwatch.yaml", settings+"specs: [docs/**/*.md]\n")
	p := s.Load(Filter{})
	for name, want := range map[string]bool{
		".hookwatch.yaml": true, "suites/s.yaml": true, "suites/new.yaml": true, "docs/a/b.md": true,
		".claude/settings.json": true, "hooks/guard.sh": false, "suites/s.txt": false, "other.md": false,
	} {
		if got := p.Shapes(s.Path(name)); got != want {
			t.Errorf("%s reports the parts of the project: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{
		"hooks/guard.sh": true, "hooks/config.json": true, "suites/s.yaml": true, "README.md": false, "src/a.sh": false,
	} {
		if got := p.Matters(name); got != want {
			t.Errorf("%s matters: %v, want %v", name, got, want)
		}
	}
}

// TestMarkerPolicy checks the effect of verify on a marker that does not resolve.
func TestMarkerPolicy(t *testing.T) {
	t.Parallel()
	suite := oneCase("A1", `expect: {exit: 0}, verify: ["docs/none.md §D1"]`) + "  - {id: A2, name: two, expect: {exit: 0}}\n" +
		"  - {id: A3, name: three, expect: {exit: 0}, verify: [hooks/guard.sh]}\n"
	s := newProjectFiles(t, map[string]string{"suites/s.yaml": suite})
	for policy, want := range map[string]struct{ problems, warnings int }{"strict": {2, 0}, "warn": {0, 2}, "off": {0, 0}} {
		s.Write(".hookwatch.yaml", strings.Replace(settings, "verify: off", "verify: "+policy, 1))
		p, problems := Load(s.Config(), Filter{}, nil)
		if len(problems) != want.problems || len(p.Warnings) != want.warnings {
			t.Errorf("%s: problems %v, warnings %q", policy, problems, p.Warnings)
		}
		for _, problem := range problems {
			if problem.At.File != "suites/s.yaml" || problem.At.Line == 0 || problem.Hint == "" {
				t.Errorf("%s: %+v has no place or no remedy", policy, problem)
			}
		}
	}
}
