package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gojqcli "github.com/itchyny/gojq/cli"

	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
)

const torture = "testdata/torture"

// A few edits of each kind on a hook made to be hard to trace.
func TestNothingIsMissed(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-project", torture, "-suites", "torture", "-max", "1", "-only", "delete,insert,lines,comment,library,second", "-jobs", "4"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := measure(t.Context(), o, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"18 cases, 0 do not repeat themselves, 0 have another outcome when traced", "the study's", "library", "second"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
}

// A rule that leaves out too much must be found out.
func TestMissIsFound(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "project")
	if err := copyProject(torture, root); err != nil {
		t.Fatal(err)
	}
	o, err := parse([]string{"-suites", "torture", "-ids", "T02,T03", "-jobs", "2"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	b, err := newMeasurement(o, root, t.TempDir(), &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.baseline(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tr := range b.traces {
		tr.Files[".claude/hooks/torture.sh"].Statements = trace.NewSet(nil)
	}
	text, err := os.ReadFile(filepath.Join(root, ".claude/hooks/torture.sh"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.lab.script(".claude/hooks/torture.sh", b.seed)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, []byte(`"total $total"`))
	m, ok := s.Mutant("constant", mutate.Change{From: at, To: at + 1, With: `"new `, What: "by hand"})
	if !ok {
		t.Fatal("the edit does not parse")
	}
	if err := b.try(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if b.missed != 2 || !strings.Contains(out.String(), "MISSED torture/T02") {
		t.Errorf("missed %d, want 2:\n%s", b.missed, out.String())
	}
}

func TestChoiceFollowsTheSeed(t *testing.T) {
	t.Parallel()
	pick := func(seed string) string {
		o, err := parse([]string{"-seed", seed, "-max", "4"})
		if err != nil {
			t.Fatal(err)
		}
		s, err := mutate.NewSource("x.sh", []byte("a 1\nb 2\nc 3\nd 4\ne 5\nf 6\ng 7\n"), o.seed)
		if err != nil {
			t.Fatal(err)
		}
		var all []candidate
		for _, c := range s.Changes("constant") {
			all = append(all, candidate{s, c})
		}
		return fmt.Sprint((&measurement{options: o}).sample(kind{"constant", ""}, all))
	}
	if first, second := pick("1"), pick("1"); first != second || first == pick("2") {
		t.Error("the same seed must give the same mutants, and another one others")
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-only", "nonsense"}, {"rest"}, {"-max", "x"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
	o, err := parse([]string{"-only", "study,rename"})
	if err != nil || len(o.operators) != len(Study)+1 {
		t.Errorf("operators %v, %v", o.operators, err)
	}
	if err := measure(t.Context(), options{project: "testdata/none"}, nil); err == nil || errors.Is(err, errMissed) {
		t.Errorf("a project that is not there: %v", err)
	}
}

// TestMain makes the test binary the JSON tool that hooks find as a stand-in.
func TestMain(m *testing.M) {
	if standsIn() {
		os.Exit(gojqcli.Run())
	}
	os.Exit(m.Run())
}
