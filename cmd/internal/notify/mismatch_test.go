package notify

import (
	"strconv"
	"strings"
	"testing"

	"hookwatch/suites"
)

func TestMismatchTexts(t *testing.T) {
	t.Parallel()
	output := strings.Repeat("line\n", 200)
	r := suites.Record{ActualOutput: output, ActualStderr: "other"}
	start := strconv.Quote(output[:400])
	for _, tt := range []struct{ name, got, want string }{
		{"a word", "empty", "empty"},
		{"quoted", `"{\"a\":1}\n"`, "{\"a\":1}\n"},
		{"quoted within words", `"a" on "b"`, `"a" on "b"`},
		{"unclosed", `"a`, `"a`},
		{"the beginning of the output", start + "... (1000 bytes)", output},
		{"the beginning of something else", `"x"... (9 bytes)`, "x\n... (9 bytes)"},
	} {
		if got := gotText(suites.Mismatch{Got: tt.got}, r); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for in, want := range map[string]string{
		`"one\n"`: `"one\n"`, `"one\ntwo"`: "one\ntwo", "nothing": "nothing", `no "a\nb"`: `no "a\nb"`,
	} {
		if got := wantText(suites.Mismatch{Want: in}); got != want {
			t.Errorf("want %q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestDifferenceInTheLastNewline(t *testing.T) {
	t.Parallel()
	h := New(nil, Options{}).(*human)
	var got []string
	for _, l := range h.difference("a\nb", "a\nb\n", "") {
		got = append(got, l[1].text)
	}
	if want := `@@ -1,2 +1,2 @@| a|-b|+b|\ No newline at end of file`; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}
