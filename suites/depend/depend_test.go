package depend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

const (
	guard = "#!/bin/bash\n# Guards; see notes in config.json.\n" +
		"source \"$(dirname \"$0\")/lib/log.sh\"\n" +
		"config=\"${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/config.json\"\n" +
		"mode=$(jq -r .mode \"$config\") || echo \"config.json is bad\" >&2\n[[ $mode == *.sh ]] || exit 2\n"
	lint  = "#!/usr/bin/env bash\nDIR=${BASH_SOURCE%/*}\n. \"$DIR/lib/log.sh\"\ncommand -v shellcheck >/dev/null && shellcheck \"$1\"\n"
	plain = "#!/bin/bash\ncat >/dev/null\n"
	log   = "log() { printf '%s\\n' \"$*\"; }\n"
	spec  = "# Spec\n\nP01 blocks [verify: docs/ref.md §Block].\nP02 [verify: docs/ref.md §Allow].\nL01 [verify: config.json §mode].\n"
	ref   = "# Ref\n\nIntro.\n\n## Block\n\nBlocks.\n\n## Allow\n\nAllows.\n"
)

// files returns a small project: two hooks that share a library, and one that does not.
func files() map[string]string {
	return map[string]string{
		".claude/hooks/guard.sh":    guard,
		".claude/hooks/lint.sh":     lint,
		".claude/hooks/plain.sh":    plain,
		".claude/hooks/lib/log.sh":  log,
		".claude/hooks/config.json": `{"mode": "block", "other": 1}`,
		".claude/settings.json":     `{"hooks": {}}`,
		"docs/ref.md":               ref,
		"docs/specs/spec.md":        spec,
	}
}

func write(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func projectAt(root string) Project {
	return Project{
		Root: root, HookDirs: []string{".claude/hooks"},
		Settings: []string{".claude/settings.json"}, Specs: []string{"docs/specs/*.md"},
		Scripts: func(*suites.Case) []string { return []string{".claude/hooks/plain.sh", ".claude/hooks/lint.sh"} },
	}
}

func hookCase(id, hook string) suites.Case {
	return suites.Case{Suite: "s", ID: id, Hook: ".claude/hooks/" + hook, Digest: id, Steps: []suites.Step{{Command: "ls"}}}
}

// cases returns one case of each kind.
func cases() []suites.Case {
	override := hookCase("P25", "guard.sh")
	override.Project = &suites.ProjectOverride{}
	bare := hookCase("P26", "guard.sh")
	bare.Project = &suites.ProjectOverride{Files: map[string]string{".claude/hooks/config.json": "{}"}}
	repo := hookCase("P27", "guard.sh")
	repo.Repo = &suites.Repo{}
	marked := hookCase("Q01", "plain.sh")
	marked.Verify = []string{"docs/ref.md §Allow"}
	missing := hookCase("Q02", "plain.sh")
	missing.Verify = []string{"docs/none.md §X"}
	chain := suites.Case{Suite: "s", ID: "C01", Chain: true, Project: &suites.ProjectOverride{}, Steps: []suites.Step{{}}}
	return []suites.Case{
		hookCase("P01", "guard.sh"), hookCase("P02", "guard.sh"), hookCase("L01", "lint.sh"),
		override, bare, repo, hookCase("Q00", "plain.sh"), marked, missing, chain,
	}
}

// digests returns the digest of each case.
func digests(g *Graph, cases []suites.Case) map[string]string {
	all := map[string]string{}
	for i := range cases {
		all[cases[i].ID] = g.Digest(&cases[i])
	}
	return all
}

// affected returns the cases whose digest differs.
func affected(before, after map[string]string) string {
	var ids []string
	for id, d := range after {
		if before[id] != d {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func TestAffected(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, old, new, want string }{
		{"hook", ".claude/hooks/guard.sh", "exit 2", "exit 1", "P01 P02 P25 P26 P27"},
		{"hook of a chain", ".claude/hooks/plain.sh", "cat", "tac", "C01 Q00 Q01 Q02"},
		{"library", ".claude/hooks/lib/log.sh", "printf", "echo", "C01 L01 P01 P02 P25 P26 P27"},
		{"config", ".claude/hooks/config.json", `"other": 1`, `"other": 2`, "C01 L01 P01 P02 P25 P26 P27 Q00 Q01 Q02"},
		{"settings, which no script mentions", ".claude/settings.json", "{}}", "{} }", ""},
		{"section by document", "docs/ref.md", "Blocks.", "Stops.", "P01"},
		{"section by document and case", "docs/ref.md", "Allows.", "Lets.", "P02 Q01"},
		{"outside every section", "docs/ref.md", "Intro.", "Start.", ""},
		{"white space outside", "docs/ref.md", "Intro.\n\n", "Intro.\n\n\n\n", ""},
		{"section gone: the whole file counts", "docs/ref.md", "## Block", "## Stop", "P01"},
		{"a new claim", "docs/specs/spec.md", "P01 blocks", "P01 and P02 block", "P02"},
		{"prose of a document", "docs/specs/spec.md", "# Spec", "# Specs", ""},
		{"file that was missing", "docs/none.md", "", "# X\n", "Q02"},
		{"file that nothing names", "docs/other.md", "", "x", ""},
		{"new file in the hook directory", ".claude/hooks/new.sh", "", "x", ""},
		{"nothing", ".claude/hooks/guard.sh", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			fs := files()
			write(t, root, fs)
			g, cs := New(projectAt(root)), cases()
			before := digests(g, cs)
			write(t, root, map[string]string{tt.path: strings.Replace(fs[tt.path], tt.old, tt.new, 1)})
			g.Refresh([]string{tt.path})
			after := digests(g, cs)
			if got := affected(before, after); got != tt.want {
				t.Errorf("affected %q, want %q", got, tt.want)
			}
			if got := affected(digests(New(projectAt(root)), cs), after); got != "" {
				t.Errorf("after a refresh %s differ from a fresh graph", got)
			}
		})
	}
}

func TestExecuteBit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	g, cs := New(projectAt(root)), cases()
	before := digests(g, cs)
	hook := filepath.Join(root, ".claude/hooks/plain.sh")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	g.Refresh([]string{hook}) // a path of the system
	if got := affected(before, digests(g, cs)); got != "C01 Q00 Q01 Q02" {
		t.Errorf("affected %q", got)
	}
}

func TestInputs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	g := New(projectAt(root))
	c := cases()[0]
	want := []string{
		".claude/hooks/config.json: named in .claude/hooks/guard.sh",
		".claude/hooks/guard.sh: the case runs it",
		".claude/hooks/lib/log.sh: named in .claude/hooks/guard.sh",
		"docs/ref.md §Block: marker at docs/specs/spec.md:3:21",
	}
	var got []string
	for _, in := range g.Inputs(&c) {
		got = append(got, in.Name()+": "+in.Because)
		if in.Digest == "" {
			t.Errorf("%s has no digest", in.Name())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("inputs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if InputsDigest(g.Inputs(&c)) != g.Digest(&c) {
		t.Error("Digest differs from InputsDigest(Inputs)")
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	g, cs := New(projectAt(root)), cases()
	run := 0
	for i := range cs {
		scripts := g.Scripts(&cs[i])
		for _, f := range append(g.Files(), "none.sh") {
			runs := g.Runs(&cs[i], f)
			if runs != slices.Contains(scripts, f) {
				t.Errorf("%s runs %s: %v, its scripts are %v", cs[i].ID, f, runs, scripts)
			}
			if runs {
				run++
			}
		}
	}
	if run < len(cs) {
		t.Errorf("%d cases run %d scripts", len(cs), run)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files())
	g, cs := New(projectAt(root)), cases()
	digests(g, cs)
	got := g.Files()
	for _, want := range []string{
		".claude/hooks/guard.sh", ".claude/hooks/lib/log.sh",
		"docs/ref.md", "docs/none.md", "docs/specs/spec.md", "lib/log.sh",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("Files lacks %s: %v", want, got)
		}
	}
	write(t, root, map[string]string{"docs/specs/later.md": "x\n"})
	g.Refresh([]string{"docs/specs/later.md"})
	if !slices.Contains(g.Files(), "docs/specs/later.md") {
		t.Error("a document that came later is not among the files")
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	before := []suites.Input{{Path: "b", Digest: "1"}, {Path: "a", Section: "S", Digest: "1", Because: "x"}, {Path: "c", Digest: "1"}, {Path: "e"}}
	after := []suites.Input{{Path: "a", Section: "S", Digest: "2", Because: "y"}, {Path: "b", Digest: "1", Because: "z"}, {Path: "d", Digest: "1"}, {Path: "f"}}
	var got []string
	for _, d := range Changed(before, after) {
		got = append(got, d.Name()+" "+d.Was+">"+d.Digest+" "+d.Because)
	}
	want := []string{"a §S 1>2 y", "d >1 ", "c 1> "}
	if !slices.Equal(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
	if before[0].Path != "b" {
		t.Error("Changed reorders its argument")
	}
}

func TestInputsDigest(t *testing.T) {
	t.Parallel()
	a := suites.Input{Path: "a", Section: "S", Digest: "1", Because: "x"}
	b := suites.Input{Path: "b", Digest: "2"}
	base := InputsDigest([]suites.Input{a, b})
	reason := a
	reason.Because = "y"
	if InputsDigest([]suites.Input{b, reason, a}) != base {
		t.Error("order, repetition or reason changes the digest")
	}
	for _, other := range []suites.Input{{Path: "a", Digest: "1"}, {Path: "a", Section: "S", Digest: "3"}, {Path: "aS", Digest: "1"}} {
		if InputsDigest([]suites.Input{other, b}) == base {
			t.Errorf("%+v has the same digest", other)
		}
	}
}
