package markers

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseRef(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []Ref
	}{
		{"one section", "docs/a.md §Dependencies", []Ref{{"docs/a.md", "Dependencies"}}},
		{"no section", ".claude/settings.json", []Ref{{".claude/settings.json", ""}}},
		{"inherited source", "a.json §Pre, §Post", []Ref{{"a.json", "Pre"}, {"a.json", "Post"}}},
		{"nested", "a.md §Stop §Integration", []Ref{{"a.md", "Stop §Integration"}}},
		{"two sources", "a.json, docs/b.md §C", []Ref{{"a.json", ""}, {"docs/b.md", "C"}}},
		{"semicolon", "a.json; b.md §C", []Ref{{"a.json", ""}, {"b.md", "C"}}},
		{"wrapped in a section", "a.md §Note on\n  independent blocks", []Ref{{"a.md", "Note on independent blocks"}}},
		{"wrapped before a section", "a.json\n§x.y", []Ref{{"a.json", "x.y"}}},
		{"wrapped inside a path", "docs/specs/\n  adr.md §D1", []Ref{{"docs/specs/adr.md", "D1"}}},
		{"quoted source", "`a b/c.sh` §main", []Ref{{"a b/c.sh", "main"}}},
		{"quoted words", "a.sh §run `-x, -y` flags, §b `c`", []Ref{{"a.sh", "run -x, -y flags"}, {"a.sh", "b c"}}},
		{"comma in a name", "a.sh §lint, config interaction", []Ref{{"a.sh", "lint, config interaction"}}},
		{"odd backtick", "a.sh §it`s, §b", []Ref{{"a.sh", "it s"}, {"a.sh", "b"}}},
		{"line", "a.sh:12", []Ref{{"a.sh:12", ""}}},
		{"empty parts", ", a.sh §x, ,", []Ref{{"a.sh", "x"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseRef(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ParseRef(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestParseRefErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":           "names no source",
		" , ":        "names no source",
		"§D3":        "starts with a section",
		"unresolved": "still unresolved",
	} {
		if refs, err := ParseRef(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRef(%q) = %v, %v; want an error with %q", text, refs, err, want)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"a.md §B, §C", "§", "`a`, b §c §", "a.sh §it`s, x", "docs/\n a.md"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		refs, err := ParseRef(text)
		if (err == nil) != (len(refs) > 0) {
			t.Fatalf("ParseRef(%q) = %v, %v", text, refs, err)
		}
		for _, r := range refs {
			if r.Source == "" || strings.ContainsAny(r.String(), "\n\r`") {
				t.Errorf("ParseRef(%q) gives %q", text, r)
			}
		}
	})
}

// paragraphs have many markers in one place, each in another way.
var paragraphs = map[string]func(n int) string{
	"one sentence":   func(n int) string { return "A1 " + strings.Repeat("x [verify: a.sh §b] ", n) },
	"many sentences": func(n int) string { return "A1. " + strings.Repeat("X [verify: a.sh §b]. ", n) },
	"wrapped":        func(n int) string { return "A1\n" + strings.Repeat("x [verify: a.sh §b]\n", n) },
	"no IDs":         func(n int) string { return strings.Repeat("X [verify: a.sh §b]. ", n) },
	"in an item":     func(n int) string { return "- A1\n\n  " + strings.Repeat("x [verify: a.sh §b] ", n) },
	"in a row":       func(n int) string { return "| A |\n|---|\n| A1 " + strings.Repeat("x [verify: a.sh §b] ", n) + "|\n" },
	"in cells": func(n int) string {
		return "|" + strings.Repeat("a|", n) + "\n|" + strings.Repeat("-|", n) + "\n|" + strings.Repeat("A1 [verify: a.sh]|", n) + "\n"
	},
	"of all cases": func(n int) string { return "- A1\n- A2\n\n" + strings.Repeat("All cases [verify: a.sh].\n\n", n) },
	"of a kind": func(n int) string {
		return "**Block cases**\n\n- A1\n\n" + strings.Repeat("Block cases stop [verify: a.sh].\n\n", n)
	},
	"never closed": func(n int) string { return strings.Repeat("[verify: ", 10*n) },
}

// BenchmarkManyMarkers reads such paragraphs, because one of 600 markers once took ten
// seconds. Three times as many markers should take about three times as long; see the last
// number of each line.
func BenchmarkManyMarkers(b *testing.B) {
	for name, text := range paragraphs {
		few, many := []byte(text(600)), []byte(text(1800))
		b.Run(name, func(b *testing.B) {
			var first, second time.Duration
			for b.Loop() {
				start := time.Now()
				Read("docs/a.md", few, nil)
				first += time.Since(start)
				start = time.Now()
				Read("docs/a.md", many, nil)
				second += time.Since(start)
			}
			b.ReportMetric(float64(second)/float64(first), "x-of-3x")
		})
	}
}

// TestRefused checks that documents which would take minutes or gigabytes are not read,
// and that this is reported.
func TestRefused(t *testing.T) {
	t.Parallel()
	prefixes := ""
	for i := range 5000 {
		prefixes += fmt.Sprintf("%s1-%s999 ", word(i), word(i))
	}
	for name, tt := range map[string]struct {
		src  string
		want error
	}{
		"markers":       {strings.Repeat("A1 [verify: a.sh]. ", mostMarkers+1), errMarkers},
		"IDs":           {prefixes + strings.Repeat("x [verify: a.sh] ", 100), errMarkers},
		"quotes":        {strings.Repeat(">", 100_000) + "x", errIntricate},
		"links":         {strings.Repeat("[a](", 100_000), errIntricate},
		"brackets":      {strings.Repeat("[![", 13_000) + strings.Repeat("]", 40_000), errIntricate},
		"emphases":      {strings.Repeat("*a_ ", 10_000), errIntricate},
		"lists":         {strings.Repeat("- 1. ", 100) + "x", errIntricate},
		"a table":       {"A1 [verify: a.sh]\n\n| a | b |\n| - | - |\n" + strings.Repeat("| **a_b** | [x](y) `c_d_e` |\n", 1000) + "\n" + strings.Repeat("-", 1000), nil},
		"a long marker": {"A1 [verify: a.sh §" + strings.Repeat("b, ", markerLength) + "]", nil},
		"plain":         {strings.Repeat("A1 blocks [x](y) [verify: a.sh §b].\n\n> quoted [a](b)\n\n", 1000), nil},
	} {
		d := Read("docs/a.md", []byte(tt.src), nil)
		if !errors.Is(d.Refused, tt.want) || (d.Refused != nil) != (tt.want != nil) {
			t.Errorf("%s: %v, want %v", name, d.Refused, tt.want)
		}
		if len(d.Markers) > 0 != (name == "plain" || name == "a table") {
			t.Errorf("%s: %d markers", name, len(d.Markers))
		}
	}
}

// word returns the letters of an ID.
func word(i int) string {
	return string([]byte{byte('A' + i%26), byte('A' + i/26%26), byte('A' + i/676%26)})
}
