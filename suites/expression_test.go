package suites

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
)

// usual are typical filters of suites.
var usual = []string{
	`.`, `.a.b`, `.hookSpecificOutput.permissionDecision == "deny"`, `. == {decision: "block", reason: "no"}`, `.a[0]?`, `.["a b"]`, `.a[-1:]`,
	`keys == ["decision", "reason"] and (.reason | contains("flake8"))`, `.systemMessage | test("^a.*(b|c)+$")`, `has("a") | not`,
	`.. | strings | contains("x")`, `[.. | scalars] | length > 3`, `((.a | keys) - ["x", "y"]) == []`, `(.a | length > 0) and (has("b") | not)`,
	`[has("type"), has("content")] | any | not`, `if .a then .b else "c" end`, `.a // .b // "none"`, `map(select(.x == 1)) | length == 2`,
	`[.[] | .name] == ["a", "b"]`, `.a | split("\n")[1] | length == 4000`, `any(. == 1)`, `.a + "x" == "bx"`, `try .a.b == 1`, `{a, b: .c, "d": 1}`,
}

// hostile are filters that take any amount of time or memory, with an input for which they
// do.
var hostile = []string{
	`reduce range(40) as $i ("aaaa"; . + .)`, `[range(100000)] | tojson | gsub("";"x")`, `def f: f; f`, `"x" * 1000000000`, `[limit(1000000000; repeat(1))]`,
	`[range(1e9)]`, `last(range(1e12))`, `. as $x | [$x, $x]`, `[.[] | . as $a | .. | . as $b | [$a, $b]]`, `[splits("")]`, `tojson`, `@sh`, `"\(.)\(.)"`,
	`implode`, `.[1e9] = 1`, `.a |= . + .`, `[paths]`, `combinations`, `input`, `env`, `[..]`, `.. | .. | strings`, `label $f | break $f`, `foreach .[] as $x (0; . + $x)`,
	strings.Repeat("(.,.)|", 30) + ".", strings.Repeat(". + .|", 30) + ".", strings.Repeat("[.,.]|", 30) + ".", strings.Repeat("map(.,.)|", 30) + ".",
	strings.Repeat("{a:.,b:.}|", 30) + ".", `.[] == .[]`, `[.[]] - .`, `contains(.)`, `test(.)`, `split("")|split("")`, `1e1000000`, `error`,
	strings.Repeat("split(\"a\") | .[0] | ", 30) + ".", `try error("x") catch (.+.)`, `first(.[],.[])`, `.a[(.b)]`, strings.Repeat("[", 300) + strings.Repeat("]", 300),
}

func TestCheap(t *testing.T) {
	t.Parallel()
	text := `{"decision": "block", "reason": "` + strings.Repeat("a long reason ", 100) + `"}`
	for _, f := range usual {
		if !(Question{FilterExpression, f, text}).Cheap() {
			t.Errorf("%s: not known to be cheap", f)
		}
	}
	for _, f := range hostile {
		if (Question{FilterExpression, f, text}).Cheap() {
			t.Errorf("%.60s: taken to be cheap", f)
		}
	}
	for source, want := range map[string]bool{`^ok\n$`: true, `(a+)+$`: true, `(?i)no such (file|directory)`: true, `(.{0,30}x){30}`: false, strings.Repeat(`.{1000}`, 1000): false} {
		if got := (Question{PatternExpression, source, strings.Repeat(text, 10)}).Cheap(); got != want {
			t.Errorf("%.60s: cheap is %v, want %v", source, got, want)
		}
	}
	if (Question{FilterExpression, `.a == .b`, strings.Repeat(" ", 64<<20)}).Cheap() || (Question{PatternExpression, `(a|b)*c`, strings.Repeat("a", 64<<20)}).Cheap() {
		t.Error("a cheap expression on a huge text is taken to be cheap")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind         ExpressionKind
		source, want string
	}{
		{FilterExpression, `.a == 1`, ""}, {FilterExpression, `def f: f; f`, ""}, {FilterExpression, `.[`, "unexpected EOF"}, {FilterExpression, `nope`, "function not defined: nope/0"},
		{FilterExpression, strings.Repeat("[", 300) + strings.Repeat("]", 300), "nested more than 200 deep"}, {FilterExpression, strings.Repeat(" ", MaxExpression) + ".", "at most 16384"},
		{PatternExpression, `^a+$`, ""}, {PatternExpression, `(`, "missing closing )"}, {PatternExpression, strings.Repeat(`.{1000}`, 30), "at most 20000"}, {PatternExpression, `.{1000}`, ""},
	} {
		err := CheckExpression(test.kind, test.source)
		if got := fmt.Sprint(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%.40s: %v, want %q", test.source, err, test.want)
		}
	}
}

// FuzzFilterFactor checks for filters with a factor that their outputs are no larger than
// the factor permits, and that they end.
func FuzzFilterFactor(f *testing.F) {
	for _, filter := range append(usual, hostile...) {
		f.Add(filter, `{"a": [1, "x\u0001", null, {"b": [[[]]]}], "reason": "flake8"}`)
	}
	f.Fuzz(func(t *testing.T, filter, text string) {
		var input any
		if len(filter) > 300 || len(text) > 2000 || json.Unmarshal([]byte(text), &input) != nil {
			return
		}
		factor, ok := filterFactor(filter)
		if !ok || factor > 10_000 {
			return
		}
		q, err := gojq.Parse(filter)
		if err != nil {
			return
		}
		most := factor * (valueSize*(len(text)+1) + len(filter))
		size := 0
		for results := q.Run(input); ; {
			v, more := results.Next()
			if !more {
				break
			}
			if _, failed := v.(error); failed {
				break
			}
			if size += sizeOf(v); size > most {
				t.Fatalf("%q on %q: outputs of more than %d, factor %d", filter, text, most, factor)
			}
		}
	})
}

// sizeOf returns the size of a value as filterFactor counts it.
func sizeOf(v any) int {
	size := valueSize
	switch v := v.(type) {
	case string:
		size = len(v)
	case []any:
		for _, e := range v {
			size += sizeOf(e)
		}
	case map[string]any:
		for k, e := range v {
			size += len(k) + sizeOf(e)
		}
	}
	return size
}

func BenchmarkFilter(b *testing.B) {
	q := Question{FilterExpression, `.hookSpecificOutput.permissionDecision == "deny"`, `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}`}
	b.Run("evaluate", func(b *testing.B) {
		for b.Loop() {
			if !q.Evaluate(b.Context()).Holds {
				b.Fatal("it does not hold")
			}
		}
	})
	b.Run("prove cheap", func(b *testing.B) {
		for b.Loop() {
			if !q.Cheap() {
				b.Fatal("not cheap")
			}
		}
	})
}
