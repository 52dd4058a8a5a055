package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/cmd/mutation/mutants"
	"hookwatch/suites/depend/trace"
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
	b, err := newBench(o, root, t.TempDir(), &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.baseline(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tr := range b.traces {
		tr.Files[".claude/hooks/torture.sh"].Statements = trace.NewSet(nil)
	}
	s, err := b.lab.source(".claude/hooks/torture.sh", b.seed)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(s.Text, []byte(`"total $total"`))
	m, ok := s.Mutant("constant", mutants.Change{From: at, To: at + 1, With: `"new `, What: "by hand"})
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

func TestOperators(t *testing.T) {
	t.Parallel()
	const text = `#!/bin/bash
# a comment
x=1
f() {
  if [[ $1 == a && -n $x ]]; then
    echo one
  fi
  case $1 in a) return 1 ;; b) : ;; esac
  return 1
}
f a || exit 2
`
	s, err := mutants.NewSource("x.sh", []byte(text), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"delete":   "delete echo one",
		"negate":   "negate [[ $1 == a && -n $x ]]",
		"constant": "change a",
		"swap":     "&& to ||",
		"exit":     "make it return 2",
		"insert":   "append",
		"lines":    "append lines",
		"reorder":  "exchange",
		"global":   "change x=1",
		"rename":   "rename f",
		"comment":  "change # a comment",
		"blank":    "add blank lines",
		"indent":   "indent by 7",
		"print":    "print on stdout before echo one",
		"arm":      "drop the arm b) :",
	} {
		var made []string
		for _, c := range mutants.Operators[name](s) {
			if m, ok := s.Mutant(name, c); ok {
				made = append(made, m.What)
			}
		}
		if !strings.Contains(strings.Join(made, "\n"), want) {
			t.Errorf("%s made %q, none of them %q", name, made, want)
		}
	}
}

func TestChoiceFollowsTheSeed(t *testing.T) {
	t.Parallel()
	pick := func(seed string) string {
		o, err := parse([]string{"-seed", seed, "-max", "4"})
		if err != nil {
			t.Fatal(err)
		}
		s, err := mutants.NewSource("x.sh", []byte("a 1\nb 2\nc 3\nd 4\ne 5\nf 6\ng 7\n"), o.seed)
		if err != nil {
			t.Fatal(err)
		}
		var all []candidate
		for _, c := range mutants.Operators["constant"](s) {
			all = append(all, candidate{s, c})
		}
		return fmt.Sprint((&bench{options: o}).sample(kind{"constant", ""}, all))
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
	if err != nil || len(o.operators) != len(mutants.Study)+1 {
		t.Errorf("operators %v, %v", o.operators, err)
	}
	if err := measure(t.Context(), options{project: "testdata/none"}, nil); err == nil || errors.Is(err, errMissed) {
		t.Errorf("a project that is not there: %v", err)
	}
}
