package idrange_test

import (
	"testing"

	"hookwatch/suites/idrange"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, in, out string }{
		{"P01-P09", "P9", "P10"},
		{"m9–12", "M010", "M8"},
		{"live_1-live_3", "live_2", "live2"},
		{"1-5", "3", "P3"},
		{"P1-P999999999999999999", "P1000000", "P"},
		{"P9-P1", "", "P5"},
		{"P1-Q2", "", ""},
		{"P1", "", ""},
		{"P1-", "", ""},
		{"P1-P99999999999999999999", "", ""},
	} {
		r, ok := idrange.Parse(tt.text)
		if ok != (tt.in+tt.out != "") {
			t.Errorf("%s is a range: %v", tt.text, ok)
		}
		if tt.in != "" && !r.Holds(tt.in) || r.Holds(tt.out) {
			t.Errorf("%s holds %s: %v, and %s: %v", tt.text, tt.in, r.Holds(tt.in), tt.out, r.Holds(tt.out))
		}
	}
}

func TestExtend(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, last, rest string }{
		{"–P09, P10", "09", ", P10"},
		{" to pm/P3.", "3", "."},
		{"..P4", "4", ""},
		{"-12", "12", ""},
		{" - 12", "1", " - 12"},
		{"–ml/P03", "1", "–ml/P03"},
		{" and P2", "1", " and P2"},
	} {
		r, rest := idrange.Range{Suite: "pm", Prefix: "P", First: "1", Last: "1"}.Extend(tt.text)
		if r.Last != tt.last || rest != tt.rest {
			t.Errorf("%q: up to %s, and %q is left", tt.text, r.Last, rest)
		}
	}
}
