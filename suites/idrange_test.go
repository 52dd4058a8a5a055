package suites_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hookwatch/suites"
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
		r, ok := suites.ParseIDRange(tt.text)
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
		r, rest := suites.IDRange{Suite: "pm", Prefix: "P", First: "1", Last: "1"}.Extend(tt.text)
		if r.Last != tt.last || rest != tt.rest {
			t.Errorf("%q: up to %s, and %q is left", tt.text, r.Last, rest)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                        "",
		"P01":                     "P01",
		"P01 P02":                 "P01 P02",
		"P01 P02 P03":             "P01-P03",
		"P03 P01 P02":             "P01-P03",
		"P01 P01 P02 P03":         "P01-P03",
		"M15 M16 M17 M18 M20 M21": "M15-M18 M20 M21",
		"P08 P09 P10 P11":         "P08-P11",
		"P8 P9 P10 P11":           "P8-P11",
		"P98 P99 P100 P101":       "P98-P101",
		"P1 P02 P3":               "P1 P02 P3",
		"M01 P01 M02 P02 M03 P03": "M01-M03 P01-P03",
		"DEP01 live_1 DEP02":      "DEP01 DEP02 live_1",
		"x-1 x-2 x-3":             "x-1 x-2 x-3", // the end of a readable ID is a hash
		"pm/P1 pm/P2 pm/P3":       "pm/P1 pm/P2 pm/P3",
		"P1234567890 P1234567891": "P1234567890 P1234567891",
		"P P1 P2 P3":              "P P1-P3",
		"1 2 3":                   "1 2 3",
	} {
		if got := strings.Join(suites.ShortenIDs(strings.Fields(in)), " "); got != want {
			t.Errorf("Shorten(%q) = %q, want %q", in, got, want)
		}
	}
}

var rangeForm = regexp.MustCompile(`^([A-Za-z]+)([0-9]+)-([A-Za-z]+)([0-9]+)$`)

// expand reverses Shorten.
func expand(t *testing.T, parts []string) []string {
	var ids []string
	for _, p := range parts {
		m := rangeForm.FindStringSubmatch(p)
		if m == nil || m[1] != m[3] {
			ids = append(ids, p)
			continue
		}
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[4])
		if to-from < 2 || to-from > 10_000 {
			t.Fatalf("%q is no range worth its name", p)
		}
		for n := from; n <= to; n++ {
			ids = append(ids, fmt.Sprintf("%s%0*d", m[1], len(m[2]), n))
		}
	}
	return ids
}

func FuzzShorten(f *testing.F) {
	f.Add("P01 P02 P03 P05")
	f.Add("P9 P10 P11 P009 P010 P011")
	f.Add("a-1 a1 A1 A2 A3 a2 a3")
	f.Add("P P\x00 P1")
	f.Fuzz(func(t *testing.T, in string) {
		ids := strings.Fields(in)
		for _, id := range ids {
			if rangeForm.MatchString(id) {
				return // looks like a range itself
			}
		}
		got := expand(t, suites.ShortenIDs(ids))
		slices.Sort(ids)
		slices.Sort(got)
		if want := slices.Compact(ids); !slices.Equal(got, want) {
			t.Errorf("%q came back as %q", want, got)
		}
	})
}
