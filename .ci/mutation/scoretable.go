package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// A sum is of the findings of an operator, of a file, or of all.
type sum struct {
	mutants, equivalent, killed, hung, missing, unreachable, open int
}

func (s *scoring) sum(of func(finding) bool) sum {
	var t sum
	for _, f := range s.results {
		if !of(f) {
			continue
		}
		t.mutants++
		n := s.notes[f.id]
		switch {
		case f.killed():
			t.killed++
			if f.Hung {
				t.hung++
			}
		case n.Equivalent != "":
			t.equivalent++
		case n.Unreachable != "":
			t.unreachable++
		case n.Missing != "":
			t.missing++
		default:
			t.open++
		}
	}
	return t
}

// real are the mutants that are not equivalent.
func (t sum) real() int { return t.mutants - t.equivalent }

func (t sum) percent() float64 { return 100 * float64(t.killed) / float64(max(t.real(), 1)) }

// print writes the table and what survived.
func (s *scoring) print() {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tmutants\tequivalent\tcounted\tkilled\tby time-out\tcase missing\tunreachable\tunexplained\tscore\t")
	files := map[string]bool{}
	for _, f := range s.results {
		files[f.File] = true
	}
	for _, op := range scored {
		row(w, op, s.sum(func(f finding) bool { return f.Operator == op }))
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		row(w, file[strings.LastIndexByte(file, '/')+1:], s.sum(func(f finding) bool { return f.File == file }))
	}
	row(w, "all", s.sum(everything))
	_ = w.Flush()
	s.printSurvivors()
}

func everything(finding) bool { return true }

func row(w io.Writer, name string, t sum) {
	if t.mutants > 0 {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t\n", name, t.mutants, t.equivalent, t.real(), t.killed, t.hung, t.missing, t.unreachable, t.open, t.percent())
	}
}

// printSurvivors lists them by file and line, with what is known of each.
func (s *scoring) printSurvivors() {
	list := slices.DeleteFunc(slices.Clone(s.results), finding.killed)
	slices.SortFunc(list, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.id.String(), b.id.String()))
	})
	for _, f := range list {
		met := fmt.Sprintf("%d run", f.Ran)
		if f.unmet() {
			met = "no case executes it"
		}
		fmt.Fprintf(s.out, "SURVIVED %s [%s] (%s)\n  %s\n", f.subject, f.Operator, met, s.notes[f.id])
		if s.verbose && s.notes[f.id] == (note{}) {
			fmt.Fprintf(s.out, "%s", f.id.yaml())
		}
	}
}

// verdict is an error when too few mutants were killed, or tried, or when the
// notes are wrong. all are the mutants that there are.
func (s *scoring) verdict(all [][]subject) error {
	var wrong []string
	for _, id := range s.stale(all) {
		fmt.Fprintf(s.out, "no such mutant any more: %s\n", id)
	}
	for _, f := range s.results {
		n := s.notes[f.id]
		switch {
		case !f.killed() || n == (note{}):
		case n.Equivalent != "":
			wrong = append(wrong, fmt.Sprintf("%s is called equivalent and was killed by %s (%s)", f.id, f.Killer, brief(f.Why)))
		default:
			fmt.Fprintf(s.out, "no survivor any more: %s, killed by %s\n", f.id, f.Killer)
		}
	}
	t := s.sum(everything)
	if t.percent() < s.want {
		wrong = append(wrong, fmt.Sprintf("%.1f %% were killed, want %.4g %%", t.percent(), s.want))
	}
	if t.real() < s.least {
		wrong = append(wrong, fmt.Sprintf("%d mutants count, want %d", t.real(), s.least))
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %s", errScore, strings.Join(wrong, "; "))
	}
	return nil
}

// stale are the notes of which there is no mutant.
func (s *scoring) stale(all [][]subject) []identity {
	there := map[identity]bool{}
	for _, m := range slices.Concat(all...) {
		there[m.id] = true
	}
	var gone []identity
	for id := range s.notes {
		if !there[id] {
			gone = append(gone, id)
		}
	}
	slices.SortFunc(gone, func(a, b identity) int { return strings.Compare(a.String(), b.String()) })
	return gone
}
