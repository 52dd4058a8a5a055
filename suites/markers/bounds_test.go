package markers

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

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
		"a long marker": {"A1 [verify: a.sh §" + strings.Repeat("b, ", markerLength) + "]", nil},
		"plain":         {strings.Repeat("A1 blocks [x](y) [verify: a.sh §b].\n\n> quoted [a](b)\n\n", 1000), nil},
	} {
		d := Read("docs/a.md", []byte(tt.src), nil)
		if !errors.Is(d.Refused, tt.want) || (d.Refused != nil) != (tt.want != nil) {
			t.Errorf("%s: %v, want %v", name, d.Refused, tt.want)
		}
		if len(d.Markers) > 0 != (name == "plain") {
			t.Errorf("%s: %d markers", name, len(d.Markers))
		}
	}
}

// word returns the letters of an ID.
func word(i int) string {
	return string([]byte{byte('A' + i%26), byte('A' + i/26%26), byte('A' + i/676%26)})
}
