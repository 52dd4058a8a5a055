package trace_test

import (
	"strings"
	"testing"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

// Comments in each script mark the arms whose patterns must count as compared, and those that must
// not.
var cases = map[string]string{
	"first of three": `
case a in
  a) echo a ;; # yes
  b) echo b ;; # no
  *) echo c ;; # no
esac
`,
	"second of three": `
case b in
  a) echo a ;; # yes
  b) # yes
    echo b ;;
  *) echo c ;; # no
esac
`,
	"none matches": `
case x in
  a) echo a ;; # yes
  b) echo b ;; # yes
esac
echo after
`,
	"the end of the script": `
case x in
  a) echo a ;; # yes
  b) echo b ;; # yes
esac
`,
	"empty arm": `
case a in
  a) ;; # yes
  b) echo b ;; # yes
esac
`,
	"loop": `
for i in a b a; do
  case $i in
    a) echo a ;; # yes
    b) echo b ;; # yes
    c) echo c ;; # no
  esac
done
`,
	"loop in which once none matches": `
for i in a z a; do
  case $i in
    a) echo a ;; # yes
    b) echo b ;; # yes
    c) echo c ;; # yes
  esac
done
`,
	"function": `
f() {
  case $1 in
    a) echo a; return ;; # yes
    b) return 1 ;; # yes
    *) return 2 ;; # no
  esac
}
f a
f b || true
`,
	"recursion": `
f() {
  case ${1:-} in
    a) shift; f "$@" && echo back ;; # yes
    b) echo b ;; # yes
    c) echo c ;; # yes
  esac
}
f a x
`,
	"recursion first": `
f() {
  local x=$1; shift
  case $x in
    a) f "$@" ;; # yes
    b) echo b ;; # yes
    c) echo c ;; # no
  esac
}
f a b
`,
	"recursion twice on a line": `
f() {
  case ${1:-} in
    a) shift; f "$@" && f "$@" ;; # yes
    b) f z && f z ;; # yes
    c) echo c ;; # yes
  esac
}
f b
`,
	"recursion between equal commands": `
n=0
f() {
  n=$((n + 1))
  case $n in
    1) f && f ;; # yes
    3) echo c ;; # yes
    4) echo d ;; # yes
  esac
}
f
`,
	"code on the line of a case": `
case a in
  a) eval 'echo other'; echo a ;; # yes
  b) echo b ;; # no
esac
eval 'echo first'; case a in a) echo a ;; b) echo b ;; esac # yes
`,
	"repeated condition": `
n=0
f() {
  n=$((n + 1))
  case $n in
    1) while f; do for i in; do :; done; done ;; # yes
    3) return 1 ;; # yes
    4) echo d ;; # yes
  esac
}
f
`,
	"falls through": `
case a in
  a) echo a ;& # none
  b) echo b ;; # none
  c) echo c ;; # none
esac
`,
	"last terminator": `
case a in
  a) echo a ;; # yes
  b) echo b ;& # no
esac
`,
	"subshell": `
(case a in
  a) echo a ;; # yes
  b) echo b ;; # no
esac)
( case z in
  a) echo a ;; # yes
  b) echo b ;; # yes
esac )
`,
	"pipeline": `
case a in
  a) echo a ;; # yes
  b) echo b ;; # no
esac | cat
`,
	"body in another process": `
case a in
  a) ( echo a ) ;; # yes
  b) echo b ;; # yes
esac
`,
	"nested": `
case a in
  a) case x in # yes
       x) echo x ;; # yes
       y) echo y ;; # no
     esac ;;
  b) echo b ;; # no
esac
`,
	"condition": `
case a in
  a) if [[ -n a ]]; then echo a; fi ;; # yes
  b) { echo b; } ;; # no
esac
case b in
  a) if [[ -n a ]]; then echo a; fi ;; # yes
  b) { echo b; } ;; # yes
  c) echo c ;; # no
esac
`,
	"list": `
case a in
  a) true && echo a ;; # yes
  b) echo b ;; # no
esac || case z in
  c) echo c ;; # no
esac
`,
	"equal arms": `
case b in
  a) echo same ;; # yes
  b) echo same ;; # yes
  c) echo same ;; # no
esac
case b in a) echo one ;; b) echo one ;; c) echo two ;; esac # yes
`,
	"substitutions": `
case $(echo b) in
  "$(echo a)") echo first ;; # yes
  $(echo b)) echo second ;; # yes
  $(echo c)) echo third ;; # no
esac
`,
	"assignment and redirection": `
case a in
  a) x=$(echo a) ;; # yes
  b) echo b ;; # no
esac
case a in
  a) > empty ;; # yes
  b) echo b ;; # no
esac
`,
	"trap in a function": `
cleanup() {
  case $1 in
    a) echo a ;; # yes
    b) echo b ;; # yes
  esac
}
trap 'cleanup b' EXIT
cleanup a
`,
	"trap at top level": `
trap 'case b in a) : ;; esac' EXIT
case a in
  a) echo a ;; # yes
  b) echo b ;; # no
esac
`,
	"unset variable": `
set -u
case a in
  "$nothing") echo a ;; # yes
  b) echo b ;; # yes
esac
`,
	"background": `
case a in
  a) echo a ;; # yes
  b) echo b ;; # no
esac &
wait
`,
	"alias": `
shopt -s expand_aliases
alias say=echo
case a in
  a) say a ;; # yes
  b) say b ;; # yes
esac
`,
}

func TestComparedArms(t *testing.T) {
	t.Parallel()
	for name, script := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := run(t, map[string]string{hook: "#!/bin/bash" + script})
			if x.Incomplete != "" {
				t.Fatalf("trace is not complete: %s", x.Incomplete)
			}
			got := map[int]string{}
			for _, st := range x.script.Statements {
				switch {
				case !st.Arm:
				case x.Files[hook].Statements.Has(st.Key):
					got[st.Start] = "yes"
				case got[st.Start] == "":
					got[st.Start] = "no"
				}
			}
			for i, line := range strings.Split(x.source, "\n") {
				_, want, marked := strings.Cut(line, "# ")
				if !marked {
					continue
				}
				if want == "none" {
					want = ""
				}
				if got[i+1] != want {
					t.Errorf("line %d compared: %q, want %q: %s", i+1, got[i+1], want, line)
				}
			}
		})
	}
}

// Processes of two steps of a case may have the same number, and those of an old bash have none.
func TestEventsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	const src = "case x in\n  a) (echo a) ;;\n  b) echo b ;;\n  c) echo c ;;\nesac\n"
	parsed, err := trace.Parse(hook, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	record := func(process, rest string) string {
		return "E\x1f" + process + "\x1f" + rest + "\x00"
	}
	const started, began, body = "B\x1f/p\x1fhook.sh\x00", "1\x1f\x1fhook.sh\x1f/p\x1fcase x in ", "3\x1f\x1fhook.sh\x1f/p\x1fecho b"
	for name, tt := range map[string]struct {
		log  string
		want int // arms that were compared
	}{
		"same process":           {started + record("7", began) + record("7", body), 2},
		"another process":        {started + record("7", began) + record("8", body), 3},
		"another between":        {started + record("7", began) + record("8", began) + record("7", body) + record("8", body), 2},
		"one of two":             {started + record("7", began) + record("8", began) + record("7", body), 3},
		"one of two, in turn":    {started + record("7", began) + record("7", body) + record("7", began), 3},
		"another step":           {started + record("7", began) + started + record("7", body), 3},
		"without their numbers":  {started + record("", began) + record("", body), 3},
		"a text that none has":   {started + record("7", strings.Replace(began, "case x in ", "other", 1)), 3},
		"another working folder": {started + record("7", began) + record("7", strings.Replace(body, "/p", "/q", 1)), 3},
	} {
		got := trace.Decode(map[string][]byte{"bash/log": []byte(tt.log)}, trace.Run{
			Resolve: func(name, _ string) string { return name },
			Script:  func(string, trace.Language) (*script.Script, error) { return parsed, nil },
			Hooks:   []string{hook},
		})
		n := 0
		for _, st := range parsed.Statements {
			if st.Arm && got.Files[hook].Statements.Has(st.Key) {
				n++
			}
		}
		if n != tt.want {
			t.Errorf("%s: %d arms, want %d", name, n, tt.want)
		}
	}
}
