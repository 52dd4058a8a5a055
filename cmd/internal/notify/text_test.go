package notify

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hookwatch/suites/printable"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	if got := excerpt("a\nb\n", 80, false); strings.Join(got, "|") != "a|b" {
		t.Errorf("two lines give %q", got)
	}
	ten := strings.TrimSuffix(strings.Repeat("l\n", 10), "\n")
	if got := excerpt(ten, 80, false); len(got) != 10 || strings.Contains(strings.Join(got, ""), "...") {
		t.Errorf("ten lines give %q", got)
	}
	got := excerpt("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12", 80, false)
	if want := "1|2|3|4|5|6|... 3 lines left out ...|10|11|12"; strings.Join(got, "|") != want {
		t.Errorf("twelve lines give %q, want %q", strings.Join(got, "|"), want)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in      string
		columns int
		want    string
	}{
		{"", 10, ""},
		{"one two three", 0, "one two three"},
		{"one two three", 7, "one two|three"},
		{"one\ttwo\n three", 8, "one two|three"},
		{"incomprehensible as it is", 5, "incomprehensible|as it|is"},
		{"日本 日本 日本", 9, "日本 日本|日本"},
	} {
		if got := strings.Join(wrap(tt.in, tt.columns), "|"); got != tt.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.in, tt.columns, got, tt.want)
		}
	}
}

// FuzzShown checks that text shown in full or in part contains only printable characters, and
// that cut text fits its columns.
func FuzzShown(f *testing.F) {
	f.Add("\x1b[2J\x00\xff\u202e", 40)
	f.Add(strings.Repeat("日本\t", 40), 30)
	f.Fuzz(func(t *testing.T, in string, columns int) {
		columns = 25 + (columns&0xff)%100
		for _, shown := range append(excerpt(in, columns, false), printable.Text(in), printable.Prefix(printable.Text(in), columns)) {
			if !utf8.ValidString(shown) || strings.IndexFunc(shown, obeyed) >= 0 {
				t.Errorf("%q is shown as %q", in, shown)
			}
		}
		if got := printable.Prefix(printable.Text(in), columns); printable.Width(got) > columns || !strings.HasPrefix(printable.Text(in), got) {
			t.Errorf("prefix of %q in %d columns is %q", in, columns, got)
		}
	})
}
