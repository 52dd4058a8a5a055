package shell

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"
)

// TestRead lists each part of a script.
func TestRead(t *testing.T) {
	t.Parallel()
	s, err := Read(`# first
lib=lib/common.sh extra+=(a "$b") # second
export -n other
f() { # third
  jq -r '.a' "$1/x" <"${in:-/dev/null}" | while read -r line; do :; done
}
for g in one "two"; do test "$g"; done
case $x in *.sh|"$y") echo ~/"$(pwd)" ;; esac
[[ -f $file && $((n + 1)) -gt ${#a} ]]
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	add := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	for _, c := range s.Commands {
		line := fmt.Sprintf("%d command", c.Line)
		for _, a := range c.Assigns {
			line += fmt.Sprintf(" %s whole=%t array=%t", a.Name, a.Whole, a.Array)
		}
		for _, w := range c.Args {
			line += " " + describe(w)
		}
		for _, r := range c.Redirects {
			line += " " + r.Op + describe(r.Word)
		}
		add("%s", line)
	}
	for _, d := range s.Declarations {
		add("%d declaration %s n=%t x=%t", d.Line, d.Name, d.HasFlag('n'), d.HasFlag('x'))
	}
	for _, l := range s.Loops {
		add("loop %s over %d", l.Name, len(l.Items))
	}
	for _, f := range s.Functions {
		add("%d function %s comments=%t", f.Line, f.Name, bytes.Contains(f.Text(), []byte("third")))
	}
	for _, c := range s.Cases {
		add("%d case %d", c.Pattern.Line, c.Pattern.End-c.Pattern.Start)
	}
	for _, c := range s.Comments {
		add("%d comment %d", c.Line, c.End-c.Start)
	}
	for _, test := range s.Tests {
		add("test %s %s", test.Op, describe(test.Words[0]))
	}
	add("bash %s", s.BashOnly)
	want := []string{
		"2 command lib whole=true array=false extra whole=false array=true",
		`5 command jq -r '.a "[$1]"/x <"[$in:-/dev/null]`,
		"5 command read -r line",
		"5 command :",
		`7 command test "[$g]`,
		`8 command echo ~/"(pwd)`,
		"8 command pwd",
		"3 declaration export n=true x=false",
		"loop g over 2",
		"4 function f comments=false",
		"8 case 4",
		"8 case 4",
		"1 comment 7",
		"2 comment 8",
		"4 comment 7",
		"test -f [$file]",
		"test -gt ?",
		"bash [[ ... ]]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// describe shows the parts of a word: expansions in brackets, substitutions in
// parentheses, and the quote before each part that is in quotes.
func describe(w *Word) (text string) {
	for _, p := range w.Parts {
		if p.Quote != 0 {
			text += string(p.Quote)
		}
		switch p.Kind {
		case Literal:
			text += p.Text
		case Expansion:
			text += "[$" + p.Parameter.Name + p.Parameter.Op
			if p.Parameter.Word != nil {
				text += describe(p.Parameter.Word)
			}
			text += "]"
		case Substitution:
			text += "("
			if p.Command != nil {
				text += p.Command.Name()
			}
			text += ")"
		case Extended, Other:
			text += "?"
		}
	}
	return text
}

// TestWords states what the methods of a word return.
func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":       "plain plain ",
		`'quoted'`:    " quoted ",
		`"$a"`:        "  a",
		`$a`:          "  a",
		`${a:-b}`:     "  ",
		`${#a}`:       "  ",
		`${a[1]}`:     "  ",
		`"$a"/b.json`: " /b.json ",
		`a$(b)c`:      " c ",
		`$((a))`:      "  ",
	} {
		s, err := Read("x " + text)
		if err != nil {
			t.Fatal(err)
		}
		w := s.Commands[0].Args[1]
		if got := w.Bare() + " " + w.Tail() + " " + w.Variable(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// FuzzRead checks for any text that spans are inside it, that words know the words around them,
// and that the text of a function is that of a tree without comments.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"f() { # a\n  # b\n  if x; then # c\n y; else # d\n z # e\n fi # f\n}\n", "f() { a=( # x\n 1 # y\n ) ; case $1 in # z\n a) b ;; # u\n # v\n esac; }",
		"f() (\n # a\n for i in $(# b\n c); do # d\n e # f\n done # g\n)", "f() { while a # b\n do # c\n d <(e # f\n ) # g\n done; }", "a <<E\n$b `c \\`d\\``\nE\n", "f() { cat <<E; }\n$x # y\nE\n",
		"${a/b/c} ${!d} ${e[f]} @(g|h) $'i' $\"j\"", "f() { a && # b\n c | # d\n e; }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Read(text)
		if err != nil {
			return
		}
		for _, w := range s.Words {
			if w.Start < 0 || w.Start > w.End {
				t.Errorf("word %d to %d in %d bytes", w.Start, w.End, len(text))
			}
		}
		file, err := Parse(text)
		if err != nil {
			return
		}
		var plain [][]byte
		syntax.Walk(file, func(n syntax.Node) bool {
			if d, ok := n.(*syntax.FuncDecl); ok && d.Name != nil {
				plain = append(plain, (&Function{node: d}).Text())
			}
			return true
		})
		for i, d := range s.Functions {
			if !bytes.Equal(d.Text(), plain[i]) {
				t.Errorf("%q\nwithout comments %q", d.Text(), plain[i])
			}
		}
	})
}
