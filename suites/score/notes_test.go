package score

import (
	"strings"
	"testing"

	"hookwatch/suites/mutate"
)

func TestNotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "",
		"- {file: x, operator: delete, change: c, equivalent: e}":                                                        "",
		"- {file: x, operator: delete, change: c, nth: 2, function: f, missing: m}":                                      "",
		"- {file: x, operator: delete, change: c}":                                                                       "one of equivalent, missing and unreachable",
		"- {file: x, operator: delete, change: c, missing: m, unreachable: u}":                                           "one of equivalent, missing and unreachable",
		"- {file: x, operator: delete, equivalent: e}":                                                                   "names no mutant",
		"- {file: x, operator: delete, change: c, why: e}":                                                               "why",
		"- {file: x, operator: delete, change: c, missing: m}\n- {file: x, operator: delete, change: c, unreachable: u}": "second entry",
		"{file: x}": "cannot",
	} {
		_, err := ParseNotes([]byte(text))
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	id := mutate.Identity{File: "x", Operator: "delete", Change: "c", Nth: 2}
	n, err := ParseNotes([]byte("- {file: x, operator: delete, change: c, nth: 2, missing: m}"))
	if err != nil || n[id].Missing != "m" || n[id].String() != "missing: m" {
		t.Errorf("%v, %v", n, err)
	}
}

func FuzzNotes(f *testing.F) {
	f.Add([]byte("- {file: x, operator: delete, change: c, nth: 2, function: f, missing: m}"))
	f.Add([]byte("- file: [\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := ParseNotes(data)
		for id, n := range found {
			if err != nil || id.File == "" || n.String() == "" {
				t.Errorf("%q gave %+v, %v", data, n, err)
			}
		}
	})
}
