package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scoreOf measures the suite of testdata/gate.
func scoreOf(t *testing.T, args ...string) (string, error) {
	t.Helper()
	o, err := parse(append([]string{"-score", "-project", "testdata/gate", "-suites", "gate", "-max", "0", "-jobs", "2"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = score(t.Context(), o, &out)
	return out.String(), err
}

func TestScore(t *testing.T) {
	t.Parallel()
	out, err := scoreOf(t, "-v", "-want", "50", "-least", "20")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"5 cases: 2 pass, 1 skipped, 2 other",
		"takes no part: gate/G04, fail exit 0, want 7",
		"takes no part: gate/G05, unproven",
		"killed by gate/G01 (exit 0, want 2", // returns another code
		"SURVIVED .claude/hooks/gate.sh:9 judge: drop the arm *ls\\ *) return 0 ;; [arm] (2 run)",
		"SURVIVED .claude/hooks/gate.sh:14 never: delete echo never [delete] (no case executes it)",
		"- file: .claude/hooks/gate.sh\n  function: never\n  operator: delete\n  change: delete echo never\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
}

func TestScoreIsNotEnough(t *testing.T) {
	t.Parallel()
	for what, args := range map[string][]string{
		"percent":     {"-only", "delete", "-want", "99"},
		"the number":  {"-only", "delete", "-least", "99"},
		"wrong notes": {"-only", "delete", "-survivors", written(t, "- {file: .claude/hooks/gate.sh, function: judge, operator: delete, change: delete return 2, equivalent: no}\n")},
	} {
		if out, err := scoreOf(t, args...); !errors.Is(err, errScore) {
			t.Errorf("%s: %v\n%s", what, err, out)
		}
	}
}

func TestNotesInScore(t *testing.T) {
	t.Parallel()
	out, err := scoreOf(t, "-only", "delete,arm", "-survivors", written(t, `
- {file: .claude/hooks/gate.sh, function: judge, operator: arm, change: drop the arm *ls\ *) return 0 ;;, equivalent: the case ends with 0 as well}
- {file: .claude/hooks/gate.sh, function: never, operator: delete, change: delete echo never, missing: nobody calls it}
- {file: .claude/hooks/gate.sh, function: judge, operator: delete, change: delete return 2, unreachable: so it seemed}
- {file: .claude/hooks/gate.sh, function: gone, operator: delete, change: delete x, missing: a function that is gone}
`))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"\n  equivalent: the case ends with 0 as well\n",
		"\n  missing: nobody calls it\n",
		"no such mutant any more: .claude/hooks/gate.sh gone delete: delete x",
		"no survivor any more: .claude/hooks/gate.sh judge delete: delete return 2, killed by gate/G01",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
}

// A scoring that was stopped goes on, and what rests on something that changed
// is found out anew.
func TestScoreGoesOn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "found.jsonl")
	first, err := scoreOf(t, "-only", "delete,exit", "-resume", file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(read(t, file), "\n")
	if err := os.WriteFile(file, []byte(strings.Join(lines[:3], "")+lines[3][:20]), 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := scoreOf(t, "-only", "delete,exit", "-resume", file)
	if err != nil || second != first {
		t.Errorf("%v\n%s\n%s", err, first, second)
	}
	if now := strings.SplitAfter(read(t, file), "\n"); len(now) != len(lines)+1 { // and the torn one
		t.Errorf("%d lines, want %d", len(now), len(lines)+1)
	}
	stale := strings.ReplaceAll(read(t, file), `"basis":"`, `"basis":"x`)
	if err := os.WriteFile(file, []byte(stale), 0o644); err != nil {
		t.Fatal(err)
	}
	if third, err := scoreOf(t, "-only", "delete,exit", "-resume", file); err != nil || third != first {
		t.Errorf("%v\n%s\n%s", err, first, third)
	}
	if now := strings.Count(read(t, file), "\n"); now != strings.Count(stale, "\n")+len(lines)-1 {
		t.Errorf("%d lines after a change of what they rest on", now)
	}
}

// What rests on a case is found out anew when a tool that it is gated by is
// another one, and on nothing less.
func TestScoreGoesOnWithOtherTools(t *testing.T) {
	t.Parallel()
	project, bin := filepath.Join(t.TempDir(), "project"), t.TempDir()
	if err := os.CopyFS(project, os.DirFS("testdata/gate")); err != nil {
		t.Fatal(err)
	}
	suite := filepath.Join(project, ".claude/tests/hooks/suites/gate.yaml")
	gated := strings.ReplaceAll(read(t, suite), "no_such_tool", "a_linter")
	tool := filepath.Join(bin, "a_linter")
	for name, text := range map[string]string{suite: gated, tool: "#!/bin/sh\n"} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "found.jsonl")
	// How many findings are kept: of survivors, of those that the gated case killed
	// and of those that another one killed.
	kept := func() (n [3]int) {
		t.Helper()
		out, err := scoreOf(t, "-project", project, "-path", bin, "-only", "delete,exit,arm", "-resume", file)
		if err != nil || !strings.Contains(out, "5 cases: 3 pass, 0 skipped") {
			t.Fatalf("%v\n%s", err, out)
		}
		text := read(t, file)
		killed, gated := strings.Count(text, `"id":`), strings.Count(text, `"id":"G03"`)
		return [3]int{strings.Count(text, "\n") - killed, gated, killed - gated}
	}
	first := kept()
	if again := kept(); again != first || first[0] == 0 || first[2] == 0 {
		t.Errorf("with equal tools: %v, then %v", first, again)
	}
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n# a later version\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	// What the gated case killed is tried again, and any case may be the first now.
	if other := kept(); other[0] != 2*first[0] || other[1]+other[2] != 2*first[1]+first[2] {
		t.Errorf("%v, and with another linter %v", first, other)
	}
}

func TestScoreWithoutAPass(t *testing.T) {
	t.Parallel()
	if out, err := scoreOf(t, "-ids", "G04,G05"); err == nil || errors.Is(err, errScore) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestScoreIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o, err := parse([]string{"-score", "-project", "testdata/gate", "-suites", "gate"})
	if err != nil {
		t.Fatal(err)
	}
	if err := score(ctx, o, new(bytes.Buffer)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
