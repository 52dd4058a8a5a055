package trace

import (
	"slices"
	"testing"
)

func TestShown(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]struct {
		all   bool
		names []string
	}{
		"export -f f g":                {names: []string{"f", "g"}},
		"declare -f my-f":              {names: []string{"my-f"}},
		"declare -fx f":                {names: []string{"f"}},
		"declare -F f >/dev/null && f": {names: []string{"f"}},
		"command export -f f":          {names: []string{"f"}},
		"builtin declare -f":           {all: true},
		"declare -f":                   {all: true},
		"typeset -F":                   {all: true},
		`declare -f "$f"`:              {all: true},
		`export -f f "$f"`:             {all: true, names: []string{"f"}},
		`x=$(declare -f f)`:            {names: []string{"f"}},
		"type f":                       {all: true},
		"command -v f >/dev/null":      {},
		"command":                      {},
		"command -V f":                 {all: true},
		"compgen -A function":          {all: true},
		"set":                          {all: true},
		"set -a":                       {all: true},
		"set -ea":                      {all: true},
		"set -o allexport":             {all: true},
		"set -eu":                      {},
		"set -- -a":                    {},
		"export f":                     {},
		"declare -i f=1":               {},
		"local f=-f":                   {},
	} {
		s, err := Parse([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		all, names := false, []string(nil)
		for _, st := range s.Statements {
			all = all || st.Facts.Shows
			names = append(names, st.Facts.Shown...)
		}
		if all != want.all || !slices.Equal(names, want.names) {
			t.Errorf("%s: all %v, names %q; want %v, %q", src, all, names, want.all, want.names)
		}
	}
}
