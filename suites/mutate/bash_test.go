package mutate

import (
	"strings"
	"testing"
)

func TestOperators(t *testing.T) {
	t.Parallel()
	const text = `#!/bin/bash
# a comment
x=1
f() {
  if [[ $1 == a && -n $x ]]; then
    echo one
  fi
  case $1 in a) return 1 ;; b) : ;; esac
  return 1
}
f a || exit 2
`
	s, err := NewSource("x.sh", []byte(text), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"delete":   "delete echo one",
		"negate":   "negate [[ $1 == a && -n $x ]]",
		"constant": "change a",
		"swap":     "&& to ||",
		"exit":     "make it return 2",
		"insert":   "append",
		"lines":    "append lines",
		"reorder":  "exchange",
		"global":   "change x=1",
		"rename":   "rename f",
		"comment":  "change # a comment",
		"blank":    "add blank lines",
		"indent":   "indent by 7",
		"print":    "print on stdout before echo one",
		"arm":      "drop the arm b) :",
	} {
		var made []string
		for _, c := range s.Changes(name) {
			if m, ok := s.Mutant(name, c); ok {
				made = append(made, m.What)
			}
		}
		if !strings.Contains(strings.Join(made, "\n"), want) {
			t.Errorf("%s made %q, none of them %q", name, made, want)
		}
	}
}
