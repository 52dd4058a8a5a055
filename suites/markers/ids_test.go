package markers

import (
	"strings"
	"testing"
)

func TestIDs(t *testing.T) {
	t.Parallel()
	known := NewIDs([]string{"P01", "P02", "P10", "P100", "no-secrets", "block", "M1", "M9", "M10", "M12"})
	tests := []struct {
		name, text string
		known      *IDs
		want       string
	}{
		{"one", "P01", nil, "P01"},
		{"ranges with dash and hyphen", "M08–M11 and M20-M21", nil, "M08 M09 M10 M11 M20 M21"},
		{"ranges in words", "M1 to M3, M5 through M6, M7..M8", nil, "M1 M2 M3 M5 M6 M7 M8"},
		{"short ends", "DEP09-11 and DEP20–22", nil, "DEP09 DEP10 DEP11 DEP20 DEP21 DEP22"},
		{"unequal numbers of digits", "M9-M12, M98–M101", nil, "M9 M10 M11 M12 M98 M99 M100 M101"},
		{"with a suite", "pm/P01-P02, pm/P07–pm/P08, DEP24, P01", nil, "pm/P01 pm/P02 pm/P07 pm/P08 DEP24 P01"},
		{"of two suites", "pm/P01–ml/P03", nil, "pm/P01 ml/P03"},
		{"an em dash is none", "M22 — M23", nil, "M22 M23"},
		{"of two letters", "M19 - P20", nil, "M19 P20"},
		{"backwards", "M30–M28", nil, "M30"},
		{"without end", "P1–P9999", nil, "P1"},
		{"variant", "M16b", nil, "M16b"},
		{"none", "the X of TCP", nil, ""},
		{"known of other shapes", "P01, P02, no-secrets, block", known, "P01 P02 no-secrets"},
		{"range as the cases spell it", "M9–M12 and P1-P2", known, "M9 M10 M11 M12 P01 P02"},
		{"with a known suite", "pm/P01", known, "pm/P01"},
		{"letters of cases, unknown number", "M7, P200, P2000", known, "M7 P200"},
		{"other letters", "Q17, Q1, Q777, Q01-Q02", known, "Q17 Q01 Q02"},
		{"rules of linters and standards", "F841 SC2086 MD013 DL3007 UTF8 B101", known, ""},
		{"names of sections", "D3, D12, D5–D9, D12–D14", known, "D5 D6 D7 D8 D9"},
	}
	for _, tt := range tests {
		r := &idReader{tt.known, map[string]bool{"D3": true, "D12": true}}
		if got := strings.Join(r.in(tt.text), " "); got != tt.want {
			t.Errorf("%s: IDs of %q are %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
