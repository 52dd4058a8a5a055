package trace_test

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
	"hookwatch/suites/process/testdata/processtest"
)

// compares is a guard whose run compares the variables of its first lines, and finds nothing but a pip.
const compares = `#!/bin/bash
command='pip install x' empty=
tools='^(npm|yarn)( |$)'
check() {
  [[ "$1" == git* ]] && echo git
  [[ $1 =~ $tools ]] || echo none
  [[ $1 == zip* ]] || {
    echo "no zip"
  }
  [[ $empty ]] && echo never
  [[ $(touch a) == b && $1 == nothing ]]
  [[ $1 == nothing && $(touch c) == b ]]
  case "$1" in
    $(touch b) | p*) ;;
  esac
  if [[ -n $empty && $1 == *x ]]; then
    echo never
  elif [[ "${MODE:-strict}" == lax ]]; then
    echo lax
  fi
  case "$1" in
    npm*|yarn*) echo node ;;
    pip*) echo python ;;
    cargo*) if true; then echo rust; fi ;;
  esac
  for word in $1; do
    [[ $word == install ]] && echo "$word"
  done
  case $(echo "$1") in
    npm*) echo other ;;
  esac
}
check "$command"
`

// TestComparedValues applies edits of comparisons to a script, and decides with the trace of a run on real bash. The
// outcome of a case that is called unaffected must be the same.
func TestComparedValues(t *testing.T) {
	t.Parallel()
	x := run(t, map[string]string{hook: compares})
	for name, tt := range map[string]struct {
		replace  []string
		affected bool
	}{
		"another pattern, neither matches":         {[]string{"== git*", "== hg*"}, false},
		"another pattern, which matches":           {[]string{"== git*", "== pip*"}, true},
		"an anchor of a regular expression":        {[]string{"=~ $tools", "=~ ${tools}x"}, false},
		"a regular expression that matches":        {[]string{"=~ $tools", "=~ ^pip"}, true},
		"a text in place of a variable":            {[]string{"=~ $tools", "=~ npm|yarn"}, false},
		"a negation":                               {[]string{"[[ -n $empty", "[[ ! -n $empty"}, true},
		"the part that decides nothing":            {[]string{"&& $1 == *x", "&& $1 == *y"}, false},
		"and in place of or":                       {[]string{"-n $empty && $1", "-n $empty || $1"}, true},
		"a default value":                          {[]string{":-strict}\" == lax", ":-strict}\" == loose"}, false},
		"the default that is compared":             {[]string{":-strict}\" == lax", ":-lax}\" == lax"}, true},
		"an arm before that which matches":         {[]string{"npm*|yarn*)", "npm*|yarn*|pnpm*)"}, false},
		"an arm before, which matches now":         {[]string{"npm*|yarn*)", "npm*|p*)"}, true},
		"the arm that matches, which still does":   {[]string{"pip*)", "pip\\ *)"}, false},
		"the arm that matches, with another body":  {[]string{"pip*) echo python", "pip\\ *) echo Python"}, true},
		"the arm that matches, which does not":     {[]string{"pip*)", "pipx*)"}, true},
		"an arm before, with another body":         {[]string{"npm*|yarn*) echo node", "npm*|pnpm*) echo Node"}, false},
		"an arm behind":                            {[]string{"cargo*)", "rust*)"}, false},
		"one evaluation of several":                {[]string{"$word == install", "$word == x"}, true},
		"the answers of all evaluations":           {[]string{"$word == install", "$word == inst*"}, false},
		"another variable, of which nothing known": {[]string{"== git*", "== $HOME*"}, true},
		"a word that is no variable's":             {[]string{"npm*) echo other", "yarn*) echo other"}, true},
		"a class of characters":                    {[]string{"== git*", "== [![:alpha:]]*"}, false},
		"what POSIX leaves open":                   {[]string{"=~ $tools", `=~ \bnpm`}, true},
		"a file that may not exist":                {[]string{"[[ -n $empty", "[[ -e $empty"}, true},
		"an arithmetic comparison":                 {[]string{"== git*", "-eq 1"}, true},
		"a comparison and what depends on it":      {[]string{"== zip*", "== zap*", "no zip", "no zap"}, true},
		"a word alone, which bash reports as -n":   {[]string{"[[ $empty ]]", "[[ $1 ]]"}, true},
		"effects before what decides":              {[]string{"[[ $(touch a) == b && $1 == nothing ]]", "[[ $(echo A >&2) == b && $1 == nothing ]]"}, true},
		"effects of a pattern before another":      {[]string{"$(touch b) | p*)", "$(echo B >&2) | p*)"}, true},
		"effects that never come":                  {[]string{"[[ $1 == nothing && $(touch c) == b ]]", "[[ $1 == nothing && $(echo C >&2) == b ]]"}, false},
		"an arm before, with a block for a body":   {[]string{"npm*|yarn*) echo node", "npm*|pnpm*) if true; then echo Node; fi"}, false},
		"an arm behind, with a plain body":         {[]string{"cargo*) if true; then echo rust; fi", "rust*) echo Rust"}, false},
		"two edits, one of which matters":          {[]string{"== git*", "== hg*", "$word == install", "$word == x"}, true},
		"two edits, none of which matters":         {[]string{"== git*", "== hg*", "$word == install", "$word == i*l"}, false},
		"a comparison like that of another":        {[]string{`"$1" == git*`, `$1 =~ $tools`, "|| echo none", "&& echo git"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := strings.NewReplacer(tt.replace...).Replace(compares)
			for i := 0; i < len(tt.replace); i += 2 {
				if !strings.Contains(compares, tt.replace[i]) {
					t.Fatalf("the script has no %q", tt.replace[i])
				}
			}
			e := trace.Compare(hook, []byte(compares), []byte(after))
			affected, because := trace.Affected(e, x.Trace)
			if affected != tt.affected {
				t.Errorf("affected %v: %s", affected, because)
			}
			if strings.Contains(because, "answers as before") && !trace.Reached(e, x.Trace) {
				t.Errorf("it is not reached: %s", because)
			}
			now := run(t, map[string]string{hook: after})
			if d := cmp.Diff(x.result, now.result, cmpopts.IgnoreFields(outcome{}, "Files")); d != "" && !affected {
				t.Errorf("it is called unaffected (%s), and the outcome differs:\n%s", because, d)
			}
			if affected {
				return
			}
			// The trace that is carried is as good as that of a new run.
			for _, next := range [][]string{{"echo none", "echo NONE"}, {"echo python", "echo PYTHON"}, {"echo rust", "echo RUST"}, {"$word == i", "$word == I"}, {"hg*", "svn*"}, {"hg*", "p*"}} {
				third := strings.Replace(after, next[0], next[1], 1)
				e := trace.Compare(hook, []byte(after), []byte(third))
				carried, why := trace.Affected(e, x.Carry(trace.Compare(hook, []byte(compares), []byte(after))))
				if fresh, _ := trace.Affected(e, now.Trace); carried != fresh {
					t.Errorf("%q: affected %v by the carried trace (%s), %v by a new one", next, carried, why, fresh)
				}
			}
		})
	}
}

// TestComparedOtherwise checks that no values count where more than they decides, or where the text of a comparison shows.
func TestComparedOtherwise(t *testing.T) {
	t.Parallel()
	const edited = "x=abc\n[[ $x == ABD ]] && echo upper\ntrue\n"
	for name, tt := range map[string]struct {
		source   string
		affected bool
	}{
		"as usual":                         {edited, false},
		"without case":                     {"shopt -s nocasematch\n" + edited, true},
		"each command is shown":            {"set -x\n" + edited, true},
		"a trap shows the command":         {"trap 'echo \"$BASH_COMMAND\"' ERR\n" + edited, true},
		"a function is printed":            {"f() {\n" + edited + "}\nf\ndeclare -f f\n", true},
		"what matched is used":             {strings.NewReplacer("true", `echo "${BASH_REMATCH[0]-}"`, "==", "=~").Replace(edited), true},
		"what another one matched is used": {strings.Replace(edited, "true", `[[ y =~ y ]]; echo "${BASH_REMATCH[0]-}"`, 1), false},
		"a value that is long":             {strings.Replace(edited, "x=abc", "x=$(printf %500d 1)", 1), true},
		"a value in another alphabet":      {strings.Replace(edited, "abc", "äbc", 1), true},
		"a variable of many values":        {"for x in {1..40}; do\n[[ $x == ABD ]] && echo upper\ndone\ntrue\n", true},
		"a few values":                     {"for x in {1..4}; do\n[[ $x == ABD ]] && echo upper\ndone\ntrue\n", false},
		"code of which nothing is known":   {"code='[[ $x == a ]]'\neval \"$code\"\n" + edited, true},
		"a variable that bash itself sets": {strings.ReplaceAll(edited, "$x", "$SECONDS"), true},
		"a variable that is not set":       {strings.ReplaceAll(edited, "$x", "$nothing"), true},
		"in a function of a script":        {"f() {\n" + edited + "}\nf\n", false},
		"in a function of a child":         {"f() {\n" + edited + "}\nexport -f f\nf\nbash -c 'x=ABE; f'\n", true},
		"in a function that a trap calls":  {"f() {\n" + edited + "}\ntrap f EXIT\nf\n", true},
		"what another statement has":       {"x=one\n[[ $x == ABD ]]\nx=two\n[[ $x == ABE ]]\necho $?\n", true},
		"values of many bytes":             {"for x in {1..15}; do\nprintf -v x %390d $x\n[[ $x == a ]]\n[[ $x == b ]]\n[[ $x == ABD ]]\ndone\ntrue\n", true},
		"values of fewer bytes":            {"for x in {1..15}; do\nprintf -v x %90d $x\n[[ $x == a ]]\n[[ $x == b ]]\n[[ $x == ABD ]]\ndone\ntrue\n", false},
		"in a subshell":                    {"(\n" + edited + ")\n", false},
		"a name of a variable":             {"declare -n x=y\n" + strings.Replace(edited, "x=", "y=", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := "#!/bin/bash\n" + tt.source
			x := run(t, map[string]string{hook: source})
			checkAffected(t, x, source, strings.Replace(source, "ABD", "ABE", 1), tt.affected)
		})
	}
}

// checkAffected decides on an edit with the trace of a run.
func checkAffected(t *testing.T, x *traced, before, after string, want bool) {
	t.Helper()
	if affected, because := trace.Affected(trace.Compare(hook, []byte(before), []byte(after)), x.Trace); affected != want {
		t.Errorf("affected %v: %s", affected, because)
	}
}

// TestAnswersOfBash evaluates conditions for texts, and compares the answers with those of bash. One that is not known is no
// error, but few are.
func TestAnswersOfBash(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is absent")
	}
	conditions := []string{
		"$v == a*", `$v == "a*"`, `$v == a\*`, "$v == [a-c]b", "$v == [!a]*", "$v == [^a]*", "$v == ?", "$v == *[[:space:]]*", "$v == []a]*", `$v == [\]]`, "$v == $w", `$v == "$w"`, "$v == *$w*", "$v == a'*'b",
		"$v != *b*", "$v = abc", "$v =~ ^a", "$v =~ b$", "$v =~ a|b", "$v =~ (^|[[:space:]])rm($|[[:space:]])", "$v =~ a{2}", "$v =~ a{1,2}b", "$v =~ a{,2}", "$v =~ [^a-z]", "$v =~ []a]", `$v =~ [\]]`, "$v =~ [[:digit:]]+",
		`$v =~ \.`, `$v =~ a\.b`, `$v =~ a\ b`, "$v =~ 'a.b'", `$v =~ "$w"`, "$v =~ $w", "$v =~ ^$w$", "$v =~ .", "$v =~ a.b", "$v =~ ^$", "$v =~ ()", `$v =~ \<a`, `$v =~ \bb`, `$v =~ \w+`, "$v =~ a*", "$v =~ a+b?", "$v =~ a**", "$v =~ *a", "$v =~ a$b", "$v =~ a^b",
		"-n $v", "-z $v", "! -n $v", "-n $v && $v == a*", "-z $v || $v == *b", "( $v == a || $v == b ) && -n $w", "$v == ~", "$v == {a,b}", "$v == +(a)", "$v == @(a|b)", "$v == $w$w", "${v:-x} == x", "${v-x} == x", "${w:-a*} == a*", "$v == ${w:-a*}", "-n ${v}", "$v == \\\\*", "$v == *'\n'*",
		"$v < b", "$v -eq 1", "$v == a && $w == a", "! ( $v == a )", `$v =~ [a-z]+\([^)]*\)`, "$v =~ [.]", "$v =~ [*]", "$v =~ x{a", "$v =~ a[[.a.]]", "$v =~ a{1", `"$v" =~ ^[A-Za-z_][A-Za-z0-9_]*=`, "$v == -*", "$v == *=*", `$v == *\"*`, `$v =~ \"`, "$v == *\\$*", `$v =~ \$`,
	}
	texts := []string{"", "a", "b", "abc", "ab", "aab", "a*", "a b", "rm -rf /", "x rm", "a.b", "]", "\\", "A", "a\nb", "*", "1", "a|b", "{a", "x=1", "f(x)", "-x", `"`, "$", "a$b", "^"}
	random := rand.New(rand.NewPCG(1, 2))
	const alphabet = `aab*?[]^!-\.+(){}|$ 12,:x"'`
	for range 1000 {
		made := make([]byte, 1+random.IntN(8))
		for i := range made {
			made[i] = alphabet[random.IntN(len(alphabet))]
		}
		op := []string{"==", "=~"}[random.IntN(2)]
		conditions = append(conditions, "$v "+op+" "+strings.ReplaceAll(string(made), "$(", "("))
	}
	type question struct{ condition, v, w string }
	var all []question
	var input strings.Builder
	for _, c := range conditions {
		for _, v := range texts {
			for _, w := range []string{"a", "a*", ".", ""} {
				if w != "a" && !strings.Contains(c, "w") {
					continue
				}
				all = append(all, question{c, v, w})
				input.WriteString(c + "\x00" + v + "\x00" + w + "\x00")
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-c", `while IFS= read -r -d '' c && IFS= read -r -d '' v && IFS= read -r -d '' w; do eval "[[ $c ]]" 2>/dev/null; echo $?; done`)
	cmd.Stdin = strings.NewReader(input.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	statuses := strings.Fields(string(out))
	if len(statuses) != len(all) {
		t.Fatalf("%d answers of bash to %d questions", len(statuses), len(all))
	}
	known := 0
	for i, q := range all {
		got := answerTo(q.condition, q.v, q.w)
		if got == script.Unknown {
			continue
		}
		known++
		if want := map[string]script.Answer{"0": script.Yes, "1": script.No}[statuses[i]]; got != want {
			t.Errorf("[[ %s ]] with v=%q w=%q: bash ends with %s, the answer is %v", q.condition, q.v, q.w, statuses[i], got)
		}
	}
	if t.Logf("%d of %d answers are known", known, len(all)); known < len(all)/4 {
		t.Errorf("only %d of %d answers are known", known, len(all))
	}
}

// comparesMuch is a guard that compares in many ways; its last line uses what a regular expression matched.
const comparesMuch = `#!/bin/bash
command='COMMAND' mode=
readonly DENY='^(git[[:space:]]+push|npm|yarn)([[:space:]]|$)' SAFE="--dry-run"
lower() { printf '%s' "$1" | tr A-Z a-z; }
judge() {
  local word rest=$1 n=0
  [[ -n "$1" && "$1" != '#'* ]] || return 0
  while [[ $rest == *' '* ]]; do
    word=${rest%% *} rest=${rest#* }
    n=$((n + 1))
    case "$word" in
      -f | --force) echo "forced at $n"; return 2 ;;
      --*=*) echo "option ${word%%=*}" ;;
      -*) [[ $word =~ ^-[a-z]*f ]] && echo "short f" ;;
      '' | .) ;;
      *.sh | *.py) echo script ;;
    esac
    [[ $word == sudo || $word == env ]] && continue
    if [[ $n -gt 20 ]]; then break; fi
  done
  if [[ $1 =~ $DENY && $1 != *"$SAFE"* ]]; then
    echo denied
    return 2
  elif [[ $1 == rm\ * ]] && [[ ! $1 =~ (-r|-f)[[:space:]] ]]; then
    echo "rm without options"
  elif [[ "${MODE:-strict}" == lax && -z $mode ]]; then
    echo lax
  else
    echo other
  fi
  [[ $(lower "$1") == *drop* ]] && echo sql
  case "$1" in
    pip*) echo pip ;;
    *install*) echo install ;;
    [!a-z]*) echo odd ;;
    *) echo rest ;;
  esac
  [[ $1 == *'>'* ]] || [[ ${#1} -gt 10 ]] || echo short
}
judge "$command"
status=$?
[[ $status == 0 ]] || exit "$status"
` + lastLine + `exit 0
`

const lastLine = "[[ $command =~ (a)(b)? ]] && echo \"${#BASH_REMATCH[@]}\"\n"

// TestComparedMutants breaks the guard in each place, for several commands: the outcome of a case that is called unaffected
// must be the same.
func TestComparedMutants(t *testing.T) {
	t.Parallel()
	byValues := 0
	unused := strings.Replace(comparesMuch, lastLine, "", 1)
	for _, command := range processtest.Sample(strings.Split(`git push --force origin|rm -rf /|ls -l x.sh|npm install --save=x left-pad|sudo pip install x|# a comment|rm x y|DROP TABLE users|A b > c|yarn --dry-run x|env git push . -xf z|`, "|"), 12) {
		for _, guard := range processtest.Sample([]string{unused, comparesMuch, strings.Replace(searches, "pip install x", "COMMAND", 1)}, 2) {
			source := strings.Replace(guard, "COMMAND", command, 1)
			x := run(t, map[string]string{hook: source})
			s, err := mutate.NewSource(hook, []byte(source), 7)
			if err != nil {
				t.Fatal(err)
			}
			for _, operator := range []string{"constant", "negate", "swap", "delete", "arm"} {
				for _, change := range s.Changes(operator) {
					m, ok := s.Mutant(operator, change)
					if !ok {
						continue
					}
					affected, because := trace.Affected(trace.Compare(hook, []byte(source), m.Content), x.Trace)
					if affected || !strings.Contains(because, "answers as before") && !processtest.Exhaustive() {
						continue
					}
					if strings.Contains(because, "answers as before") {
						byValues++
					}
					now := fire(t, filepath.Join(t.TempDir(), "project"), map[string]string{hook: string(m.Content)}, nil, []string{"bash", hook})
					if d := cmp.Diff(x.result, now, cmpopts.IgnoreFields(outcome{}, "Files")); d != "" {
						t.Errorf("%q: %s is called unaffected (%s), and the outcome differs:\n%s", command, m, because, d)
					}
				}
			}
		}
	}
	if byValues == 0 {
		t.Error("no edit is unaffected by its values")
	}
}

// TestUnknownAnswers checks that comparisons have no answer whose meaning depends on the locale or on more than variables.
func TestUnknownAnswers(t *testing.T) {
	t.Parallel()
	for condition, v := range map[string]string{
		"$v == [a-z]": "A", "$v =~ ^[A-Z]+$": "a", "$v == ä": "a", "$v == a": "ä", "$v == ~/x": "a", "$v == $(echo a)": "a", "$v == $u": "a", "$v == $RANDOM": "a", "-e $v": "a", "$v == ${w/a/b}": "a",
		"$v == ${#w}": "a", "$v == ${!w}": "v", "$v -eq 1": "1", "$v < b": "a", `$v =~ \bx`: "x", "$v == @(a|b)": "a", "$v == \"${w[0]}\"": "a", "$v == $'a'": "a",
	} {
		if got := answerTo(condition, v, "a"); got != script.Unknown {
			t.Errorf("[[ %s ]] with %q: %v", condition, v, got)
		}
	}
}

// answerTo returns the answer of a condition with two variables; Unknown if it cannot be parsed.
func answerTo(condition, v, w string) script.Answer {
	parsed, err := trace.Parse(hook, []byte("#!/bin/bash\n[[ "+condition+" ]]\n"))
	if err != nil {
		return script.Unknown
	}
	for _, st := range parsed.Statements {
		if len(st.Comparisons) == 1 {
			return st.Comparisons[0].Answer(map[string]*string{"v": &v, "w": &w})
		}
	}
	return script.Unknown
}

// FuzzAnswer evaluates conditions and their negations.
func FuzzAnswer(f *testing.F) {
	f.Add("$v == a*", "abc", "")
	f.Add("$v =~ (^|[[:space:]])$w", "x rm", "rm")
	f.Add(`-n ${v:-"$w"} && ! $w != [!a-z]`, "", "x")
	f.Add("$v == ]] || ( $v = \\* )", "*", "")
	f.Fuzz(func(t *testing.T, condition, v, w string) {
		is, not := answerTo(condition, v, w), answerTo("! ( "+condition+" )", v, w)
		if opposite := map[script.Answer]script.Answer{script.Yes: script.No, script.No: script.Yes}; not != script.Unknown && is != script.Unknown && not != opposite[is] {
			t.Errorf("[[ %s ]] with v=%q w=%q: %v, and its negation %v", condition, v, w, is, not)
		}
	})
}
