package verdict

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hookwatch/suites"
)

func TestJudgeText(t *testing.T) {
	t.Parallel()
	text := func(e suites.TextExpectation) suites.Expectation { return suites.Expectation{Stdout: &e} }
	out := func(s string) suites.Result { return suites.Result{Stdout: []byte(s)} }
	long := strings.Repeat("x", 1000)
	judgeAll(t, []judgement{
		{"contains", text(suites.TextExpectation{Contains: []string{"a", "b"}}), out("b and a"), nil, "-"},
		{"contains one of two", text(suites.TextExpectation{Contains: []string{"a", "z"}}), out("b and a"),
			[]suites.Mismatch{miss(0, "stdout", `"z"`, `"b and a"`)}, `stdout "b and a", want "z"`},
		{"contains in nothing", text(suites.TextExpectation{Contains: []string{"a"}}), out(""),
			[]suites.Mismatch{miss(0, "stdout", `"a"`, "empty")}, `stdout empty, want "a"`},
		{"case counts", text(suites.TextExpectation{Contains: []string{"A"}}), out("a"), []suites.Mismatch{miss(0, "stdout", `"A"`, `"a"`)}, ""},
		{"matches", text(suites.TextExpectation{Matches: []string{`^\d+$`}}), out("12"), nil, "-"},
		{"matches no line", text(suites.TextExpectation{Matches: []string{`^b`}}), out("a\nb"),
			[]suites.Mismatch{miss(0, "stdout", "a match of ^b", `"a\nb"`)}, ""},
		{"matches a line", text(suites.TextExpectation{Matches: []string{`(?m)^b`}}), out("a\nb"), nil, "-"},
		{"absent", text(suites.TextExpectation{Absent: []string{"z"}}), out("a"), nil, "-"},
		{"absent and there", text(suites.TextExpectation{Absent: []string{"z", "a"}}), out("a"),
			[]suites.Mismatch{miss(0, "stdout", `no "a"`, `"a"`)}, `stdout "a", want no "a"`},
		{"empty", text(suites.TextExpectation{Empty: true}), out(""), nil, "-"},
		{"a new line is not empty", text(suites.TextExpectation{Empty: true}), out("\n"),
			[]suites.Mismatch{miss(0, "stdout", "nothing", `"\n"`)}, ""},
		{"stdout is another stream", text(suites.TextExpectation{Contains: []string{"a"}}), suites.Result{Stderr: []byte("a")},
			[]suites.Mismatch{miss(0, "stdout", `"a"`, "empty")}, ""},
		{"stderr is another stream", suites.Expectation{Stderr: &suites.TextExpectation{Contains: []string{"a"}}}, out("a"),
			[]suites.Mismatch{miss(0, "stderr", `"a"`, "empty")}, ""},
		{"stderr", suites.Expectation{Stderr: &suites.TextExpectation{Matches: []string{"^e"}, Absent: []string{"x"}}},
			suites.Result{Stderr: []byte("err")}, nil, "-"},
		{"a long text is cut", text(suites.TextExpectation{Contains: []string{"a"}}), out(long),
			[]suites.Mismatch{miss(0, "stdout", `"a"`, `"`+long[:quoteLimit]+`"... (1000 bytes)`)}, ""},
	})
	got := judgeOne(text(suites.TextExpectation{Matches: []string{"("}}), out("x"))
	if got.Status != suites.Fail || !strings.Contains(got.Note, "missing closing") {
		t.Errorf("a pattern that is none: %s %q", got.Status, got.Note)
	}
}

func TestJudgeModelAndFiles(t *testing.T) {
	t.Parallel()
	files := func(list ...suites.FileExpectation) suites.Expectation { return suites.Expectation{Files: list} }
	holding := func(s string) suites.FileExpectation {
		return suites.FileExpectation{Path: "{tmp}/a", Text: suites.TextExpectation{Contains: []string{s}}}
	}
	left := suites.Result{Files: map[string][]byte{"{tmp}/a": []byte("hello")}}
	judgeAll(t, []judgement{
		{"the model sees", suites.Expectation{ModelSees: []string{"uv add", "instead"}},
			suites.Result{ModelSees: []string{"Use uv add", "instead of pip"}}, nil, "-"},
		{"the model sees nothing", suites.Expectation{ModelSees: []string{"uv"}}, okay(),
			[]suites.Mismatch{miss(0, "model_sees", `"uv"`, "empty")}, `model_sees empty, want "uv"`},
		{"the model sees something else", suites.Expectation{ModelSees: []string{"uv", "pip"}}, suites.Result{ModelSees: []string{"pip"}},
			[]suites.Mismatch{miss(0, "model_sees", `"uv"`, `"pip"`)}, ""},
		{"a file is there", files(suites.FileExpectation{Path: "{tmp}/a"}), left, nil, "-"},
		{"a file is not there", files(suites.FileExpectation{Path: "{tmp}/b"}), left,
			[]suites.Mismatch{miss(0, "file {tmp}/b", "the file", "does not exist")}, "file {tmp}/b does not exist, want the file"},
		{"an empty file is there", files(suites.FileExpectation{Path: "e"}), suites.Result{Files: map[string][]byte{"e": {}}}, nil, "-"},
		{"a file is gone", files(suites.FileExpectation{Path: "{tmp}/b", Absent: true}), left, nil, "-"},
		{"a file is not gone", files(suites.FileExpectation{Path: "{tmp}/a", Absent: true}), left,
			[]suites.Mismatch{miss(0, "file {tmp}/a", "no such file", "exists")}, ""},
		{"a file holds", files(holding("ell")), left, nil, "-"},
		{"a file holds something else", files(holding("bye")), left, []suites.Mismatch{miss(0, "file {tmp}/a", `"bye"`, `"hello"`)}, ""},
		{"a file that is not there holds nothing", files(holding("bye")), okay(),
			[]suites.Mismatch{miss(0, "file {tmp}/a", "the file", "does not exist")}, ""},
	})
}

func TestJudgeJQ(t *testing.T) {
	t.Parallel()
	deny := `{"hookSpecificOutput": {"permissionDecision": "deny"}, "n": 3}`
	for _, tt := range []struct{ name, filter, stdout, want string }{
		{"no filter", "", "not looked at", ""},
		{"true", `.hookSpecificOutput.permissionDecision == "deny"`, deny, ""},
		{"false", `.n == 4`, deny, "false on "},
		{"null", `.nothing`, deny, " on "},
		{"no result", `empty`, deny, " on "},
		{"select that lets nothing through", `select(.n > 5)`, deny, " on "},
		{"an error", `.n | keys`, deny, "keys"},
		{"error of its own", `error("no good")`, deny, "no good"},
		{"not JSON", `.`, "oops", `stdout is not one JSON document: "oops"`},
		{"nothing", `.`, "", "stdout is not one JSON document: empty"},
		{"two documents", `.`, "{} {}", "stdout is not one JSON document"},
		{"white space around it", `.n == 3`, "\n " + deny + "\n", ""},
		{"no filter at all", `.[`, deny, "unexpected EOF"},
		{"a function that does not exist", `nope`, deny, "nope"},
		{"neither environment nor input", `(env | length) == 0 and ([inputs] | length) == 0`, deny, "input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := judgeOne(suites.Expectation{JQ: tt.filter}, suites.Result{Stdout: []byte(tt.stdout)})
			switch {
			case tt.want == "" && got.Status != suites.Pass:
				t.Errorf("%s: %s", got.Status, got.Note)
			case tt.want == "":
			case len(got.Mismatches) != 1 || got.Mismatches[0].Field != "jq" || got.Mismatches[0].Want != tt.filter:
				t.Errorf("mismatches %+v, want one of jq", got.Mismatches)
			case !strings.Contains(got.Mismatches[0].Got, tt.want):
				t.Errorf("got %q, want %q in it", got.Mismatches[0].Got, tt.want)
			}
		})
	}
}

// TestNotEvaluated checks that an expression that was not evaluated fails the case with that
// reason.
func TestNotEvaluated(t *testing.T) {
	t.Parallel()
	for _, e := range []suites.Expectation{
		{JQ: `def f: f; f`},
		{Stdout: &suites.TextExpectation{Matches: []string{`(.*x.*y){500}`}}},
	} {
		o := suites.Outcome{Results: []suites.Result{{Stdout: bytes.Repeat([]byte("1"), 10_000)}}}
		c := &suites.Case{Steps: []suites.Step{{Expect: e}}}
		if got := Judge(c, o, time.Second); got.Status != suites.Fail || !strings.Contains(got.Note, "could not be evaluated") {
			t.Errorf("%+v: %s %q", e, got.Status, got.Note)
		}
		q := o.Questions(c)
		if len(q) != 1 {
			t.Fatalf("%+v: asks %d questions, want one", e, len(q))
		}
		o.Answers = map[suites.Question]suites.ExpressionResult{q[0]: {Holds: true}}
		if got := Judge(c, o, time.Second); got.Status != suites.Pass {
			t.Errorf("%+v: %s %q, want the given answer to count", e, got.Status, got.Note)
		}
	}
}

// FuzzJudgeJQ checks for any filter and output that judging ends without a panic and returns at
// most one mismatch, with text that is valid in a record.
func FuzzJudgeJQ(f *testing.F) {
	for _, seed := range []struct{ filter, stdout string }{
		{`.a == 1`, `{"a": 1}`}, {`.[0]`, `[null]`}, {`..`, `[[[]]]`}, {`. as [$a] | $a`, `[1e999]`},
		{`.[`, ``}, {`input`, `1`}, {`halt`, `1`}, {`halt_error`, `"\ud800"`}, {`ltrimstr("a")`, `"a` + "\xff" + `"`},
		{`limit(3; repeat(.))`, `-0`}, {`@base64d`, `"="`}, {`test("(")`, `"x"`}, {`$ENV`, `{}`}, {`error(null)`, `1`},
	} {
		f.Add(seed.filter, []byte(seed.stdout))
	}
	f.Fuzz(func(t *testing.T, filter string, stdout []byte) {
		if len(filter) > 200 || len(stdout) > 2000 || loops.MatchString(filter) {
			return // limited elsewhere
		}
		said := 0
		q := suites.Question{Kind: suites.FilterExpression, Source: filter, Text: string(stdout)}
		ctx, cancel := context.WithTimeout(t.Context(), suites.MaxExpressionTime)
		defer cancel()
		o := &suites.Outcome{Answers: map[suites.Question]suites.ExpressionResult{q: q.Evaluate(ctx)}}
		judgeJQ(func(kind suites.MismatchKind, got, want string) {
			said++
			if kind != suites.InJQ || want != filter {
				t.Errorf("said %q, want %q", kind, want)
			}
			if utf8.ValidString(filter) && !utf8.ValidString(got) {
				t.Errorf("not UTF-8: %q", got)
			}
		}, filter, stdout, o)
		if said > 1 || (filter == "" && said > 0) {
			t.Errorf("%q has %d assertions", filter, said)
		}
	})
}

// loops matches filters that may collect without end, which the time limit stops, or create
// large arrays, which gojq limits. The fuzzer skips them because its memory is too small.
var loops = regexp.MustCompile(`range|repeat|recurse|while|until|infinite|limit|def|reduce|foreach|combinations|sub|\*|\d{5}|\d[eE]`)
