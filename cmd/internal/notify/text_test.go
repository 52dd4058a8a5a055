package notify

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain §D3 日本 é":           "plain §D3 日本 é",
		"\x1b[31mred\x1b]0;t\a":    `\x1b[31mred\x1b]0;t\x07`,
		"a\tb\r\n":                 `a\tb\r\n`,
		"\x9b31m":                  `\x9b31m`, // not UTF-8
		"\u009b31m":                `\u009b31m`,
		"safe\u202etxt.exe\u200b":  `safe\u202etxt.exe\u200b`,
		"\xff\x00\x7f":             `\xff\x00\x7f`,
		"\U000e0041 tag":           `\U000e0041 tag`,
		`back\slash`:               `back\slash`,
		"replaced \ufffd as it is": "replaced \ufffd as it is",
	} {
		got := clean(in)
		if got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
		if again := clean(got); again != got {
			t.Errorf("clean(%q) changes to %q", got, again)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw     string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"exactly 10", 10, "exactly 10"},
		{strings.Repeat("x", 100), 30, strings.Repeat("x", 16) + "... +84 bytes"},
		{strings.Repeat("日", 100), 30, strings.Repeat("日", 8) + "... +276 bytes"},
		{strings.Repeat("\x00", 100), 30, strings.Repeat(`\x00`, 4) + "... +96 bytes"},
		{strings.Repeat("y", 50), 1, "y... +49 bytes"}, // something is always shown
	} {
		if got := cut(tt.raw, tt.columns); got != tt.want {
			t.Errorf("cut(%.10q..., %d) = %q, want %q", tt.raw, tt.columns, got, tt.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	if got := excerpt("a\nb\n", 80); strings.Join(got, "|") != "a|b" {
		t.Errorf("two lines give %q", got)
	}
	ten := strings.TrimSuffix(strings.Repeat("l\n", 10), "\n")
	if got := excerpt(ten, 80); len(got) != 10 || strings.Contains(strings.Join(got, ""), "...") {
		t.Errorf("ten lines give %q", got)
	}
	got := excerpt("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12", 80)
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

// FuzzShown checks that no text, shown whole or in part, holds anything but
// printable characters, and that what is cut keeps to its columns.
func FuzzShown(f *testing.F) {
	f.Add("\x1b[2J\x00\xff\u202e", 40)
	f.Add(strings.Repeat("日本\t", 40), 30)
	f.Fuzz(func(t *testing.T, in string, columns int) {
		columns = 25 + (columns&0xff)%100
		for _, shown := range append(excerpt(in, columns), clean(in), prefix(clean(in), columns)) {
			if !utf8.ValidString(shown) || strings.IndexFunc(shown, unshowable) >= 0 {
				t.Errorf("%q is shown as %q", in, shown)
			}
		}
		if got := prefix(clean(in), columns); width(got) > columns || !strings.HasPrefix(clean(in), got) {
			t.Errorf("prefix of %q in %d columns is %q", in, columns, got)
		}
		if !strings.Contains(in, "\n") && cut(in, 1<<30) != clean(in) {
			t.Errorf("%q uncut is %q", in, cut(in, 1<<30))
		}
	})
}
