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
		sent  []string
	}{
		"export -f f g":                {sent: []string{"f", "g"}},
		"declare -f my-f":              {names: []string{"my-f"}},
		"declare -fx f":                {names: []string{"f"}},
		"declare -F f >/dev/null && f": {names: []string{"f"}},
		"command export -f f":          {sent: []string{"f"}},
		"builtin declare -f":           {all: true},
		"declare -f":                   {all: true},
		"typeset -F":                   {all: true},
		`declare -f "$f"`:              {all: true},
		`export -f f "$f"`:             {all: true, sent: []string{"f"}},
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
		s, err := Parse("h.sh", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		all, names, sent := false, []string(nil), []string(nil)
		for _, st := range s.Statements {
			all = all || st.Facts.Shows
			names, sent = append(names, st.Facts.Shown...), append(sent, st.Facts.Exported...)
		}
		if all != want.all || !slices.Equal(names, want.names) || !slices.Equal(sent, want.sent) {
			t.Errorf("%s: all %v, names %q, exported %q; want %+v", src, all, names, sent, want)
		}
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		"cat ./x.sh":                             {"x.sh"},
		"cat $D/{l,n}.sh":                        {"*.sh"},
		"cat $D/x{1..3}.sh":                      {"x*.sh"},
		`echo '{"a":1,"b":"c.sh"}' >&2`:          nil,
		`printf %s ./x.sh`:                       nil,
		`printf %s "$D/x.sh" | xargs cat`:        {"x.sh"},
		`f=$(echo "$D/x.sh")`:                    {"x.sh"},
		`python3 -c 'import glob; glob.glob(p)'`: {"*", "glob.glob"},
		"while read -r l; do :; done <x.sh":      {"x.sh"},
	} {
		s, err := Parse("h.sh", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Statements[0].Facts.Names; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

func TestInterprets(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"python3 -c x":                   true,
		"python3.12 x.py":                true,
		"timeout 5 perl5.36 x":           true,
		"gtimeout 5 perl5.36 x":          true,
		"chronic perl5.36 x":             true,
		"uv run python x.py":             true,
		"npx tsx x.ts":                   true,
		"npm run check":                  true,
		"make check":                     true,
		`"$(dirname "$0")/../bin/check"`: true,
		"uv run ruff check x":            false,
		"npx --no-install biome lint x":  false,
		`"$jq" -r .a x.json`:             false,
		"jq -r .a x.json":                false,
	} {
		s, err := Parse("h.sh", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Statements[0].Facts.Interprets; got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
}

// Statements that may keep the trap from running, or from writing, end the trace.
func TestEnds(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"set -r":                           true,
		"set -er":                          true,
		"set -o restricted":                true,
		`set +o "$o"`:                      true,
		"set +T":                           true,
		"set -euo pipefail":                false,
		`set -- "$@" -r`:                   false,
		"shopt -uo functrace":              true,
		"shopt -u extdebug":                true,
		`shopt -s "$o"`:                    true,
		"shopt -s extglob nullglob":        false,
		"enable -n printf":                 true,
		"ulimit -n 3":                      true,
		"ulimit -Sf 0":                     true,
		"ulimit -c 0":                      false,
		"alias builtin=:":                  true,
		"alias {=:":                        true,
		`alias "$a"`:                       true,
		"alias ll='ls -l'":                 false,
		`"$t" - DEB"UG"`:                   true,
		`"$s" +T`:                          true,
		`"$s" -r file`:                     false,
		"trap 'rm -f x' EXIT":              false,
		"trap - DEBUG":                     true,
		"command -p set +T":                true,
		`a=(set +T)`:                       true,
		`a=(set -e)`:                       false,
		"while read -r x; do :; done <set": false,
	} {
		s, err := Parse("h.sh", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Statements[0].Facts.Ends != ""; got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"env | sort":        true,
		"printenv":          true,
		"jq -n env":         true,
		"jq -n '$ENV.HOME'": true,
		`awk 'BEGIN { for (k in ENVIRON) print k }'`: true,
		`python3 -c "import os; print(os.environ)"`:  true,
		"cat /proc/self/environ":                     true,
		`echo "$HOME"`:                               false,
		"sh -c 'f x'":                                true,
		"make check":                                 true,
		"timeout 5 python3 x.py":                     true,
		"parallel f ::: a b":                         true,
		`awk '{ system("f " $1) }'`:                  true,
		"ls":                                         false,
	} {
		s, err := Parse("h.sh", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Statements[0].Facts.Environment; got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
}

// Files that a statement may read; "*" is any file.
func TestNames(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		"cat *":                       {"*"},
		"cat ./x.sh":                  {"x.sh"},
		`[[ " ${!a[*]} " == *one* ]]`: nil,
		`f "${a[*]}" "${a[@]}"`:       nil,
		`f "${a[*]}" *.sh`:            {"*.sh"},
		`echo "${a[$(cat y.txt)]}"`:   {"y.txt"},
		`cat "${a[*]%.sh}"`:           nil,
	} {
		s, err := Parse("h.sh", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, st := range s.Statements {
			names = append(names, st.Facts.Names...)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %q, want %q", src, names, want)
		}
	}
}
