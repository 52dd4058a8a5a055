package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

const notTestable = "not testable: "

// A coverage table lists for every rule of the document behind a suite the cases that test it,
// or the reason why none can. See the files in coverage.
type coverageRow struct {
	line              int
	part, rule, cases string
}

// TestCoverage checks that each row of each table names existing cases.
func TestCoverage(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("coverage/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	ids := map[string][]string{}
	all, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		for j := range all[i].Cases {
			id := all[i].Cases[j].ID
			ids[all[i].Name] = append(ids[all[i].Name], id)
			if family, ok := suites.InFamily(all[i].Name); ok { // families share one table
				ids[family] = append(ids[family], id)
			}
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var known []string
		for _, suite := range tableOf(string(text), strings.TrimSuffix(filepath.Base(file), ".md")) {
			if ids[suite] == nil {
				t.Errorf("%s: no built-in suite %s", file, suite)
			}
			known = append(known, ids[suite]...)
		}
		for _, problem := range coverageProblems(string(text), known) {
			t.Errorf("%s:%s", file, problem)
		}
	}
}

// tableOf returns the suites of a table: those in a line "Suites: a, b", otherwise the suite or
// family in the file's name.
func tableOf(text, name string) []string {
	for line := range strings.Lines(text) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), "Suites: "); ok {
			return strings.Split(list, ", ")
		}
	}
	return []string{name}
}

// coverageProblems returns the errors in a table, with line numbers.
func coverageProblems(text string, ids []string) []string {
	var problems []string
	add := func(line int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%d: ", line)+fmt.Sprintf(format, args...))
	}
	if len(ids) == 0 {
		add(1, "no built-in suite has the file's name")
	}
	rows, bad := coverageRows(text)
	for _, line := range bad {
		add(line, "want | part | rule | cases |")
	}
	if len(rows) == 0 {
		add(1, "no rows")
	}
	seen := map[string]int{}
	for _, r := range rows {
		if r.part == "" || r.rule == "" || r.cases == "" {
			add(r.line, "an empty column")
			continue
		}
		if first := seen[r.part+"|"+r.rule]; first > 0 {
			add(r.line, "the rule of line %d again", first)
		}
		seen[r.part+"|"+r.rule] = r.line
		if why, none := strings.CutPrefix(r.cases, "not testable"); none {
			if len(strings.TrimPrefix(why, ": ")) < len("a reason") || !strings.HasPrefix(r.cases, notTestable) {
				add(r.line, "want not testable: and the reason")
			}
			continue
		}
		for _, id := range strings.Split(r.cases, ",") {
			for _, one := range expandedIDs(strings.TrimSpace(id), ids) {
				if !slices.Contains(ids, one) {
					add(r.line, "no case %s", one)
				}
			}
		}
	}
	return problems
}

// coverageRows returns the rows of a file's tables, and the lines with a wrong number of cells.
func coverageRows(text string) (rows []coverageRow, bad []int) {
	for i, line := range strings.Split(text, "\n") {
		cells := strings.Split(strings.TrimSpace(line), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
		case len(cells) != 5:
			bad = append(bad, i+1)
		case strings.TrimSpace(cells[1]) == "part", strings.Trim(cells[1], " -:") == "" && strings.Contains(cells[1], "-"):
		default:
			rows = append(rows, coverageRow{i + 1, strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])})
		}
	}
	return rows, bad
}

// expandedIDs expands a range of IDs, and returns any other text unchanged.
func expandedIDs(text string, ids []string) []string {
	r, ok := suites.ParseIDRange(text)
	if !ok || slices.Contains(ids, text) {
		return []string{text}
	}
	first, last := r.Numbers()
	if first > last || last-first > len(ids) {
		return []string{text}
	}
	var all []string
	for n := first; n <= last; n++ {
		all = append(all, fmt.Sprintf("%s%0*d", r.Prefix, len(r.First), n))
	}
	return all
}

// TestCoverageProblems checks the messages for errors in a table.
func TestCoverageProblems(t *testing.T) {
	t.Parallel()
	head := "# T\n\n| part | rule | cases |\n| --- | --- | --- |\n"
	ids := []string{"A01", "A02", "A03", "B01"}
	for name, tt := range map[string]struct {
		text string
		ids  []string
		want []string
	}{
		"whole":        {head + "| p | r | A01-A03, B01 |\n| p | s | not testable: it is about people |\n", ids, nil},
		"unknown":      {head + "| p | r | A01, A04 |\n", ids, []string{"5: no case A04"}},
		"range":        {head + "| p | r | A02-A05 |\n", ids, []string{"5: no case A04", "5: no case A05"}},
		"backwards":    {head + "| p | r | A03-A01 |\n", ids, []string{"5: no case A03-A01"}},
		"no cases":     {head + "| p | r | |\n", ids, []string{"5: an empty column"}},
		"no reason":    {head + "| p | r | not testable |\n| p | s | not testable: no |\n", ids, []string{"5: want not testable: and the reason", "6: want not testable: and the reason"}},
		"twice":        {head + "| p | r | A01 |\n| p | r | A02 |\n", ids, []string{"6: the rule of line 5 again"}},
		"columns":      {head + "| p | r |\n| p | r | A01 |\n", ids, []string{"5: want | part | rule | cases |"}},
		"no rows":      {head, ids, []string{"1: no rows"}},
		"no suite":     {head + "| p | r | not testable: it is about people |\n", nil, []string{"1: no built-in suite has the file's name"}},
		"trailing one": {head + "| p | r | A01, |\n", ids, []string{"5: no case "}},
	} {
		if diff := cmp.Diff(tt.want, coverageProblems(tt.text, tt.ids)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
