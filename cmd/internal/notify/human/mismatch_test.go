package human

import (
	"strconv"
	"strings"
	"testing"

	"hookwatch/suites"
)

func TestRemark(t *testing.T) {
	t.Parallel()
	exit := suites.Mismatch{Kind: "exit", Field: "exit", Got: "127", Want: "2"}
	stderr := suites.Mismatch{Kind: "stderr", Field: "stderr", Got: "empty", Want: `"a; b"`}
	second := suites.Mismatch{Kind: "exit", Step: 1, Field: "exit", Got: "1", Want: "0"}
	for _, tt := range []struct {
		name, note string
		mismatches []suites.Mismatch
		want       string
	}{
		{"nothing more", `exit 127, want 2; stderr empty, want "a; b"`, []suites.Mismatch{exit, stderr}, ""},
		{"a cause", "exit 127, want 2; jq: not found; stand-in: jaq", []suites.Mismatch{exit}, "jq: not found"},
		{"steps", "step 1: exit 127, want 2; step 2: exit 1, want 0; left a process", []suites.Mismatch{exit, second}, "left a process"},
		{"a list cut short", "exit 127, want 2; and 1 more; jq: not found", []suites.Mismatch{exit, stderr}, "jq: not found"},
		{"only cut short", "exit 127, want 2; and 1 more", []suites.Mismatch{exit, stderr}, ""},
		{"a time-out", "TIMEOUT_30s", []suites.Mismatch{{Kind: "timeout", Field: "timeout", Got: "TIMEOUT_30s"}}, ""},
		{"a check", "RUFF_ABSENT", []suites.Mismatch{{Kind: "check", Field: "check", Got: "RUFF_ABSENT"}}, ""},
		{"a gate", "absent: biome", []suites.Mismatch{{Kind: "gate", Field: "gate", Got: "absent: biome", Want: "the tool"}}, ""},
		{"no mismatches", "was not run", nil, ""},
		{"no words in common", "was not run", []suites.Mismatch{exit}, "was not run"},
		{"a number that only begins alike", "exit 127, want 20", []suites.Mismatch{exit}, "exit 127, want 20"},
	} {
		if got := remark(suites.Verdict{Note: tt.note, Mismatches: tt.mismatches}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

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
