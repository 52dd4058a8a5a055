package client

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		matcher string
		want    []string
	}{
		{"", nil}, {"*", nil}, {"B.*", nil}, {"Bash", []string{"Bash"}},
		{"Write|Edit", []string{"Edit", "Write"}}, {" Edit, Write |Edit", []string{"Edit", "Write"}}, {"|", []string{}},
	} {
		if got := MatcherNames(test.matcher); !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("Names(%q) = %#v, want %#v", test.matcher, got, test.want)
		}
	}
}

// TestJSRegexp compares with JavaScript's answers for the same patterns.
func TestJSRegexp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, value string
		want           bool
	}{
		{"a|b|", "z", true}, {"^(?:a|b)$", "b", true}, {"^(?:a|b)$", "ab", false},
		{"^a{2}$", "aa", true}, {"^a{2,}$", "a", false}, {"^a{1,2}$", "aaa", false}, {"^a{,2}$", "a{,2}", true}, {"^{$", "{", true},
		{"^a+?b*$", "aab", true}, {"^[a-c]+$", "abc", true}, {"^[^a-c]$", "b", false}, {"[]", "a", false}, {"^[^]$", "\n", true},
		{`^[\d-x]+$`, "3-x", true}, {`^[a\]]+$`, "a]", true}, {`^\w+\s\d$`, "ab 3", true}, {`\bEdit\b`, "Multi Edit", true},
		{`\bEdit\b`, "MultiEdit", false}, {`\BEdit`, "MultiEdit", true}, {".", "\n", false}, {"^.$", "é", true},
		{`^(a)\1$`, "aa", true}, {`^(?<x>a)\k<x>$`, "aa", true}, {`^\k$`, "k", true}, {`^\1$`, "\x01", true}, {`^(z)?\1a$`, "a", true},
		{"^(?=Ba)Bash", "Bash", true}, {"Bash(?!Output)", "BashOutput", false}, {"(?<=Multi)Edit", "MultiEdit", true},
		{"(?<!Multi)Edit", "MultiEdit", false}, {`^\x41\u0042\cA\t$`, "AB\x01\t", true}, {`^\A\z$`, "Az", true},
		{`^\p$`, "p", true}, {"^(?:a*)*$", "b", false}, {"^(?:(a)|b)*$", "ab", true}, {"^[[:alpha:]]$", "a]", true}, {`^[\b]$`, "\b", true},
		{"^(a*)*$", "aaa", true}, {`^(?:(a)|(b)\1)+$`, "ab", true},
		{"(?i:bash)", "Bash", true}, {"(?-i:bash)", "Bash", false}, {`\(?i`, "(i", true}, {"[(?i)]", "?", true}, {"(a+)+$(b)*X", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	} {
		pattern, err := compileJS(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		if got, err := matchesJS(pattern, test.value); got != test.want || err != nil && !strings.HasPrefix(test.pattern, "(a+)+") {
			t.Errorf("/%s/.test(%q) = %t, %v", test.pattern, test.value, got, err)
		}
	}
	for _, invalid := range []string{
		"[", "(", ")", "*", "a**", "+", "?", "{1}", "a{2,1}", "[b-a]", `\`, `[\`, "(?i)a", "a(?s)", "(?>a)", "(?#c)", `[\]](?i)`, `\\(?i)`, "(?P<x>a)", "(?<x>a)(?<x>b)", "(?<=a)*", "^*", `(?<x>a)\k<y>`, "(?<1>a)", "[a-",
	} {
		if _, err := compileJS(invalid); err == nil {
			t.Errorf("%s: compiled, want an error", invalid)
		}
		if _, err := compileJS(invalid + "$"); err == nil && !strings.HasSuffix(invalid, `\`) {
			t.Errorf("%s$: compiled, want an error", invalid)
		}
	}
}

// TestCostly checks that a pattern that takes exponential time, to compile or to match, is soon
// reported, as neither a match nor a mismatch.
func TestCostly(t *testing.T) {
	for pattern, want := range map[string]string{
		"((((((.*)*)*)*)*)*)*$x":                                    errTooSlow.why,
		strings.Repeat("(a|b", 50) + strings.Repeat(")", 50):        "the groups of the pattern are nested more than 8 deep",
		strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000): "the pattern has 200000 bytes, at most 1000 are evaluated",
		`[((((((((((((]Bash|\(\(\(\(\(\(\(\(\(\(`:                   "",
	} {
		for range 100 { // minutes, if it were evaluated each time
			matched, err := EvaluateMatcher(pattern, MatcherSeparators, "NotebookEdit")
			if matched || want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
				t.Fatalf("%.40s: %v, %v, want %q", pattern, matched, err, want)
			}
		}
	}
}

// FuzzEvaluate checks that every pattern gets an answer soon.
func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"Bash", "((.*)*)*x", "(a|b(a|b(a|b(a|b(a|b(a|b(a|b(a|b))))))))", strings.Repeat("(a|b)?", 100), strings.Repeat("(?:a{1000}){1000}", 20), `(?=(a+)+\1)`} {
		f.Add(seed, "NotebookEdit")
	}
	f.Fuzz(func(t *testing.T, pattern, value string) {
		if len(value) > 1000 {
			return
		}
		compiledMatchers.Lock()
		clear(compiledMatchers.tooSlow)
		compiledMatchers.Unlock()
		_, _ = EvaluateMatcher(pattern, MatcherSeparators, value)
	})
}

func FuzzMatches(f *testing.F) {
	for _, seed := range []string{"Bash", "B.*", "[", "(a*)*b", `(\1|[^]){2,3}?`, "(?<=a|(?!b))", `\u12`, "a,b|c"} {
		f.Add(seed, "Bash")
	}
	f.Fuzz(func(t *testing.T, matcher, value string) {
		matched, err := EvaluateMatcher(matcher, MatcherSeparators, value)
		if matched && err != nil {
			t.Errorf("matcher %q matched %q, and failed: %v", matcher, value, err)
		}
		for _, name := range MatcherNames(matcher) {
			if matched, _ := EvaluateMatcher(matcher, MatcherSeparators, name); !matched {
				t.Errorf("list %q does not match its own %q", matcher, name)
			}
		}
	})
}
