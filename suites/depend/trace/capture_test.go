package trace_test

import (
	"strings"
	"testing"
)

// Comments in each script mark the lines whose statements must be reached. All scripts also run
// without tracing, which must have no visible effect.
var scripts = map[string]string{
	"branches": `
set -euo pipefail
if [[ a == b ]]; then # yes
  echo no # no
elif (( 1 == 1 )); then # yes
  echo elif # yes
else
  echo else # no
fi
case x in # yes
  y) echo y ;; # no
  x) echo x ;; # yes
esac
false || echo other # yes
`,
	"loops over nothing": `
for x in; do # no
  echo "$x" # no
done
while false; do # yes
  echo loop # no
done
for ((i = 0; i < 1; i++)); do # yes
  echo "$i" # yes
done
`,
	"own descriptors": `
exec 3>three 9>lock 10>ten {fd}>any # yes
echo three >&3 # yes
echo nine >&9 # yes
echo ten >&10 # yes
echo any >&$fd # yes
for n in 3 4 5 6 7 8 9 10 11 12 255; do eval "exec $n>&-"; done # yes
cat lock ten # yes
`,
	"shell options": `
set -x # yes
echo traced by itself # yes
set +x # yes
echo quiet # yes
set -C # yes
echo "$-" | tr -d T # yes
IFS=x # yes
echo done # yes
`,
	"status and underscore": `
f() { return 3; }
f one two || echo "$? $_" # yes
true a b # yes
echo "$_" # yes
false | true | false # yes
echo "${PIPESTATUS[*]}" # yes
[[ abc =~ (b) ]] # yes
echo "${BASH_REMATCH[1]} $?" # yes
: last; echo "$_" # yes
`,
	"several lines": `
x=$(
  echo one
  echo two
) # yes
a=(
  one
  two
) # yes
if [[ $x == no &&
  ${a[0]} == one ]]; then # yes
  echo both # no
fi
y="a
b" # yes
echo one \
  two # yes
`,
	"offsets of a substitution": `
f() {
  local v
  v=$(
    echo a
    echo b
    echo c
    echo d
  ) # yes
  [[ -z $v ]] || return 0 # yes
  echo 1 # no
  echo 2 # no
}
f # yes
`,
	"process substitution": `
f() {
  while read -r line; do # yes
    echo "got $line" # yes
  done < <(
    echo a
    echo b
  )
  [[ -n ${none:-} ]] && echo none # yes
  return 0 # yes
}
f # yes
`,
	"here-documents": `
f() {
  cat <<X # yes
a $(echo inside)
b
X
}
f # yes
cat <<'Y' | grep q || true # yes
q
Y
echo after # yes
`,
	"traps": `
cleanup() {
  rm -f tmp # yes
  if [[ -e tmp ]]; then # yes
    echo still there # no
  fi
}
one() { rm -f other; echo ended; } # yes
trap cleanup EXIT # yes
trap 'one; cleanup' EXIT # yes
trap 'echo failed' ERR # yes
: > tmp # yes
false # yes
exit 4 # yes
`,
	"a trap after the same command": `
cleanup() {
  echo first # yes
  echo bye # yes
}
trap cleanup EXIT # yes
echo bye # yes
`,
	"unset variable": `
set -u
f() {
  echo "$nothing" # yes
  echo not reached # no
}
f # yes
echo not reached # no
`,
	"required variable": `
f() {
  : "${nothing:?is missing}" # yes
  echo not reached # no
}
f # yes
`,
	"bad arithmetic": `
x=abc+
f() {
  y=$((x)) # yes
  echo "$y" # no
}
f # yes
`,
	"only redirections": `
> empty # yes
{ echo group; } > grouped # yes
{ : >>/nowhere/x; } 2>/dev/null || echo refused # yes
if [[ -s empty ]]; then > more; fi # yes
`,
	"subshells and pipes": `
( echo sub ) # yes
echo a | while read -r l; do # yes
  echo "$l" # yes
done
echo b | { # yes
  cat # yes
}
! true # yes
time_it() { :; }
`,
	"functions": `
main() {
  helper # yes
}
helper() (
  echo sub # yes
)
unused() {
  echo unused # no
}
source() { builtin source "$@"; } # no
main # yes
`,
	"eval": `
f() {
  eval 'echo one
echo two' # yes
}
f # yes
code='echo three'
eval "$code" # yes
echo four # yes
`,
	"shared lines": `
f() {
  if [[ ${1:-} == a ]]; then return 0; fi; [[ -z ${1:-} ]] && exit 7 # yes
}
f a # yes
f
echo no # no
`,
	"aliases": `
shopt -s expand_aliases # yes
alias say='echo said' # yes
f() {
  say one; say two # yes
  say three # yes
  [[ -n ${none:-} ]] && echo said three # yes
  return 0 # yes
}
f # yes
`,
	"children": `
bash -c 'echo child; exit 0' # yes
export -f nothing 2>/dev/null || true # yes
g() { echo exported; } # yes
export -f g # yes
bash -c g # yes
`,
	"reads its input": `
read -r line # yes
echo "$line" # yes
cat # yes
`,
}

func TestTraceOfRealBash(t *testing.T) {
	t.Parallel()
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := run(t, map[string]string{hook: "#!/bin/bash" + script})
			x.met()
			if x.Incomplete != "" {
				t.Errorf("trace is not complete: %s", x.Incomplete)
			}
			if !x.Files[hook].Main {
				t.Error("bash did not say that it started")
			}
		})
	}
}

func TestTraceSeesOtherFiles(t *testing.T) {
	t.Parallel()
	x := run(t, map[string]string{
		hook: `#!/bin/bash
. ./lib/one.sh
cd lib
source two.sh
one
bash ./three.sh
`,
		"lib/one.sh":   "one() { echo one; }\n",
		"lib/two.sh":   "echo two\n",
		"lib/three.sh": "echo three\n",
		"lib/four.sh":  "echo four\n",
	})
	for _, file := range []string{"lib/one.sh", "lib/two.sh", "lib/three.sh"} {
		if met := x.Files[file]; met == nil || met.Statements.Len() == 0 {
			t.Errorf("%s was not met", file)
		}
	}
	if x.Files["lib/four.sh"] != nil {
		t.Error("lib/four.sh is in the trace, but was not run")
	}
	if x.Files["lib/two.sh"].Main || !x.Files["lib/three.sh"].Main {
		t.Error("only three.sh was started by a bash of its own")
	}
	if x.Incomplete != "" {
		t.Errorf("trace is not complete: %s", x.Incomplete)
	}
}

// A script that only defines functions leaves no event if none is called. That only bash opened it
// shows that it was sourced, unless bash may have read it in another way.
func TestTraceOfDefinitions(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]bool{
		". ./sourced.sh":                          true,
		"d=$PWD; . \"$d/sourced.sh\"; echo on":    true,
		"n=sou; . \"./${n}rced.sh\"":              true,
		". ./sourced.sh; read -r x <list; cat":    true,
		"if false; then . ./sourced.sh; fi":       true, // then nothing opens it
		"f=$(ls | tail -1); mapfile -t x <\"$f\"": false,
		"read -r x <sourced.sh":                   false,
		"for f in s*.sh; do read -r x <$f; done":  false,
		"x=$(<\"$(ls | tail -1)\")":               false,
		"read -r x <list; eval \"$x\"":            false,
		"read -r x <list; bash -c \"$x\"":         false,
		". ./sourced.sh; bash ./odd.sh":           false,
	} {
		x := run(t, map[string]string{hook: "#!/bin/bash\n" + script + "\n", "sourced.sh": "f() { echo f; }\n", "list": "read -r y <sourced.sh\n", "odd.sh": "echo odd\ncase x in\n"})
		if met := x.Files["sourced.sh"]; (met != nil) != want {
			t.Errorf("%s: sourced: %v, want %v", script, met != nil, want)
		}
	}
	x := run(t, map[string]string{hook: "#!/bin/bash\n. ./sourced.sh\n", "sourced.sh": "f() { echo f; }\nfor i in; do f; done\n"})
	if x.Files["sourced.sh"] != nil {
		t.Error("a script with statements counts as one that only defines functions")
	}
}

func TestWhatATraceCannotSee(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ script, opaque, incomplete string }{
		"dash":             {script: "dash ./other.sh", opaque: "dash"},
		"bash as sh":       {script: "sh ./other.sh", opaque: "sh"},
		"a harmless sh":    {script: "sh -c 'echo hello'"},
		"behind a wrapper": {script: "timeout 5 sh ./other.sh", opaque: "sh"},
		"posix":            {script: "bash --posix ./other.sh", opaque: "--posix"},
		"privileged":       {script: "bash -p ./other.sh", opaque: "-p"},
		"clear":            {script: "env -i PATH=/usr/bin:/bin bash ./other.sh", opaque: "clears"},
		"clear by exec":    {script: "exec -c /bin/bash ./other.sh", opaque: "clears"},
		"unset":            {script: "unset BASH_ENV; bash ./other.sh", opaque: "BASH_ENV"},
		"set":              {script: "BASH_ENV= bash ./other.sh", opaque: "BASH_ENV"},
		"not reached":      {script: "false && dash ./other.sh\nif false; then\n  dash ./other.sh\nfi", opaque: "dash"},
		"not met":          {script: "if false; then\n  dash ./other.sh\nfi"},
		"own DEBUG trap":   {script: "trap : DEBUG\necho on", incomplete: "DEBUG"},
		"by eval":          {script: "x='trap : DEBUG'; eval \"$x\"", incomplete: "DEBUG"},
		"RETURN trap":      {script: "f() { :; }\ntrap : RETURN\ncommand :", incomplete: "RETURN"},
		"LINENO":           {script: "LINENO=7\necho on", incomplete: "LINENO"},
		"functrace off":    {script: "set +T\necho on", incomplete: "functrace"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := run(t, map[string]string{hook: "#!/bin/bash\n" + tt.script + "\n", "other.sh": "echo other\n"})
			if !mentions(x.Opaque, tt.opaque) {
				t.Errorf("opaque: %q, want %q", x.Opaque, tt.opaque)
			}
			if !mentions(x.Incomplete, tt.incomplete) {
				t.Errorf("incomplete: %q, want %q", x.Incomplete, tt.incomplete)
			}
		})
	}
}

func mentions(got, want string) bool {
	return (got == "") == (want == "") && strings.Contains(got, want)
}

// A script that is not run by a traced bash has no trace.
func TestUntracedHook(t *testing.T) {
	t.Parallel()
	x := run(t, map[string]string{hook: "#!/bin/bash\nunset BASH_ENV\nexec bash ./other.sh\n", "other.sh": "echo other\n"})
	if x.Opaque == "" || x.Files["other.sh"] != nil {
		t.Errorf("opaque %q, other.sh %v: want a reason and no trace", x.Opaque, x.Files["other.sh"])
	}
}

func TestTraceHoldsNoValue(t *testing.T) {
	t.Parallel()
	x := run(t, map[string]string{hook: "#!/bin/bash\nread -r TOKEN <<<'s3cret'\necho \"$TOKEN\" >/dev/null\nexport TOKEN\nbash -c 'test -n \"$TOKEN\"'\ngrep -q x /dev/null\n"})
	log, err := readAll(x.dir + "/../trace's/bash/log")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log, "s3cret"); n != 1 { // once in the text of the script
		t.Errorf("the log holds the value %d times, want once, as the script's text", n)
	}
}

// Functions that a case prints or exports are found in the statements it reached.
func TestFunctionsThatACaseShows(t *testing.T) {
	t.Parallel()
	const library = "f() { :; }\ng() { :; }\nexport -f f\n"
	for script, want := range map[string]string{
		"true":                      "",
		"declare -f g":              "g",
		"if false; then set; fi":    "",
		"declare -F":                "f g",
		"env >/dev/null":            "f",
		"export -f g; printenv g x": "f g",
		"true=true; $true":          "f",
	} {
		x := run(t, map[string]string{hook: "#!/bin/bash\n. lib.sh\n" + script + "\n", "lib.sh": library})
		var got []string
		for _, name := range []string{"f", "g"} {
			if x.ShowsFunction(name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

// Redirections of a loop apply to all statements in it.
func TestRedirectedLoop(t *testing.T) {
	t.Parallel()
	x := run(t, map[string]string{hook: "#!/bin/bash\nwhile read -r line; do\n  echo \"$line\"\ndone <list.sh\n", "list.sh": "one\n"})
	if _, uses := x.Uses("list.sh"); !uses {
		t.Errorf("names %q", x.Names)
	}
}
