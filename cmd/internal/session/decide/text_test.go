package decide

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", TextLimit)
	const notUTF8 = "\n[hookwatch: not all of this is UTF-8; other bytes are shown as \\xNN]"
	for _, c := range []struct {
		name, in string
		total    int64
		want     string
	}{
		{"empty", "", 0, ""},
		{"short", "[hook] ünï\n", 0, "[hook] ünï\n"},
		{"at the limit", full, TextLimit, full},
		{"one more", full + "y", 0, full + "\n[hookwatch: cut after 65536 of 65537 bytes]"},
		{"capture had cut it", "abc", 100_000_000, "abc\n[hookwatch: cut after 3 of 100000000 bytes]"},
		{"not UTF-8", "a\xffb\xc3", 0, `a\xffb\xc3` + notUTF8},
		{"no rune is split", full[1:] + "é", 0, full[1:] + "\n[hookwatch: cut after 65535 of 65537 bytes]"},
		{"the replacement character itself", "\ufffd", 0, "\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Text([]byte(c.in), c.total); got != c.want {
				t.Errorf("got %d bytes ending in %.90q, want %d ending in %.90q", len(got), tail(got), len(c.want), tail(c.want))
			}
		})
	}
	binary := Text([]byte(strings.Repeat("\x80", TextLimit)), 0)
	if !utf8.ValidString(binary) || len(binary) > TextLimit+200 {
		t.Errorf("%d bytes of binary give %d bytes of text", TextLimit, len(binary))
	}
}

func tail(s string) string { return s[max(0, len(s)-90):] }
