package shell

import (
	"errors"
	"strings"
	"testing"
)

// TestDeep parses text that would overflow the stack of the parser, or of functions that walk
// its tree.
func TestDeep(t *testing.T) {
	t.Parallel()
	for _, opening := range []string{
		"(", "$(", "$((", "$((1+(", "`", "{ ", "${a:-", "if ", "while ", "until ", "for a in b; do ", "case a in b) ", "! ", "a() ", "time ", "coproc ",
		"\"$(", "\"${a:-", "<(", "[[ ( ", "[[ ! ", "a|", "a&&", "a||", "((-", "((a?", "((a=", "((a+", "((a,", "a=(", "${a[", "${a[$(", "@(", "cat <<A\n$(",
		"if a; then b; el", "let a=(", "[[ a && ", "$'", "eval a; (", "f() { ", "select a in b; do ", "if a; then ", "a=$(",
	} {
		for _, n := range []int{100, 100_000} {
			_, err := Parse(strings.Repeat(opening, n) + "\n")
			if err == nil && n > 1000 && strings.ContainsAny(opening, "({") {
				t.Errorf("%q %d times is taken for good", opening, n)
			}
		}
	}
	for closing, text := range map[string]string{
		"closed":  strings.Repeat("(", 50_000) + "a" + strings.Repeat(")", 50_000),
		"chained": strings.Repeat("a&&", 200_000) + "a",
		"summed":  "echo $((" + strings.Repeat("a+", 200_000) + "a))",
		"negated": "[[ " + strings.Repeat("! ", 200_000) + "a ]]",
	} {
		if _, err := Parse(text + "\n"); !errors.Is(err, ErrDeep) {
			t.Errorf("%s: error %v", closing, err)
		}
	}
}

// TestPlain checks that ordinary text is parsed, however long it is.
func TestPlain(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nested": strings.Repeat("if a; then\n", 60) + "b\n" + strings.Repeat("fi\n", 60),
		"long":   strings.Repeat("if a && b; then c=$(d \"$(e)\"); fi\n", 20_000),
		"piped":  strings.Repeat("a | b | c && d || e\n", 20_000),
	} {
		file, err := Parse(text)
		if err != nil || len(file.Stmts) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
