package markers

import (
	"errors"
	"fmt"
	"math"
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

// TestManyMarkers: a paragraph of 600 markers took ten seconds. The time for three
// times as many must be nearer to three times than to nine times as long; the best
// of some tries counts, for the machine has other things to do.
func TestManyMarkers(t *testing.T) {
	for name, text := range paragraphs {
		took := func(n int) time.Duration {
			src := []byte(text(n))
			best := time.Duration(math.MaxInt64)
			for range 3 {
				start := time.Now()
				Read("docs/a.md", src, nil)
				best = min(best, time.Since(start))
			}
			return best
		}
		few, many := took(600), took(1800)
		if ratio := float64(many) / float64(few); ratio > 6 && many > 100*time.Millisecond {
			t.Errorf("%s: three times the markers take %.1f times as long (%v)", name, ratio, many)
		}
	}
}

// BenchmarkManyMarkers reads such paragraphs.
func BenchmarkManyMarkers(b *testing.B) {
	for name, text := range paragraphs {
		for _, n := range []int{600, 1200} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				src := []byte(text(n))
				for b.Loop() {
					Read("docs/a.md", src, nil)
				}
			})
		}
	}
}

// TestRefused: what would take minutes or gigabytes is not read, and says so.
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

// word is the letters of an ID.
func word(i int) string {
	return string([]byte{byte('A' + i%26), byte('A' + i/26%26), byte('A' + i/676%26)})
}
