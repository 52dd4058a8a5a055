package trace_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/process/testdata/processtest"
)

// searches is a guard whose run searches a command in the ways that guards do.
const searches = `#!/bin/bash
set -o pipefail
command='pip install x' lines=$'one\ntwo' options=-q
has() {
  grep -qE "$1" <<<"$command"
}
echo "$command" | grep -q 'git push' && echo git
if echo "$command" | grep -qE '(^|[;&|]\s*)(npm|yarn)\b'; then
  echo node
elif printf '%s' "$command" | grep -qiE 'PIP +install' 2>/dev/null; then
  echo python
fi
grep -F -q -e 'drop table' <<<"$command" && echo sql
if ! grep -E '^cargo' <<<"$command" >/dev/null 2>&1; then
  echo "no rust"
fi
printf '%s\n' "$lines" | grep -qx two && echo two
printf '%s\n' "$lines" | grep -qv one || echo only
echo "$command" | grep 'pip' || echo none
echo "$command" | grep -c 'make'
echo "$command" | grep $options 'docker' && echo docker
echo "$command" | tr a-z A-Z | grep -q 'SUDO' && echo sudo
echo "$command" | grep -q "$(printf wget)" && echo wget
has 'curl' || echo "no curl"
exit 0
`

// TestSearchValues applies edits of searches to a script, and decides with the trace of a run on real bash. The outcome of
// a case that is called unaffected must be the same.
func TestSearchValues(t *testing.T) {
	t.Parallel()
	x := run(t, map[string]string{hook: searches})
	for name, tt := range map[string]struct {
		old, new string
		affected bool
	}{
		"another text, neither found":     {"'git push'", "'git commit'", false},
		"another text, which is found":    {"'git push'", "'install'", true},
		"with an option":                  {"-q 'git push'", "-qi 'git PUSH'", false},
		"an anchor":                       {`(npm|yarn)\b`, `(npm|yarn)$`, false},
		"an alternative":                  {`(npm|yarn)\b`, `(npm|yarn|pnpm)\b`, false},
		"an alternative that is found":    {`(npm|yarn)\b`, `(npm|yarn|pip)\b`, true},
		"still found":                     {"'PIP +install'", "'pip'", false},
		"found no more":                   {"'PIP +install'", "'pip  +install'", true},
		"without an option":               {"-qiE 'PIP", "-qE 'PIP", true},
		"a fixed text":                    {"'drop table'", "'truncate table'", false},
		"a fixed text that is found":      {"'drop table'", "'pip '", true},
		"a here-string":                   {"'^cargo'", "'^(cargo|rustup)'", false},
		"a here-string that is found":     {"'^cargo'", "'^pip'", true},
		"a whole line":                    {"-qx two", "-qx 'tw.'", false},
		"a part of a line":                {"-qx two", "-qx tw", true},
		"no such line":                    {"-qv one", "-qv 'o'", true},
		"still such a line":               {"-qv one", "-qv on", false},
		"it prints what it finds":         {"grep 'pip'", "grep 'pi'", true},
		"it counts":                       {"-c 'make'", "-c 'cmake'", true},
		"words that are split":            {"'docker'", "'podman'", true},
		"another filter":                  {"'SUDO'", "'DOAS'", true},
		"a substitution":                  {"printf wget", "printf curl", true},
		"from now on of a file":           {"'git push'", "'git push' /etc/passwd", true},
		"from now on with its output":     {"-q 'git push'", "'git push'", true},
		"what is searched":                {"echo \"$command\" | grep -q 'git push'", "echo \"$lines\" | grep -q 'git push'", true},
		"an argument of a function":       {"has 'curl'", "has 'wget'", true},
		"a syntax that means more in GNU": {"'git push'", `'git\|hg'`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Count(searches, tt.old) != 1 {
				t.Fatalf("the script does not have %q once", tt.old)
			}
			after := strings.Replace(searches, tt.old, tt.new, 1)
			affected, because := trace.Affected(trace.Compare(hook, []byte(searches), []byte(after)), x.Trace)
			if affected != tt.affected {
				t.Errorf("affected %v: %s", affected, because)
			}
			now := run(t, map[string]string{hook: after})
			if d := cmp.Diff(x.result, now.result, cmpopts.IgnoreFields(outcome{}, "Files")); d != "" && !affected {
				t.Errorf("it is called unaffected (%s), and the outcome differs:\n%s", because, d)
			}
		})
	}
}

// TestSearchOtherwise checks that no values count where the words of a search show, or where grep or echo may be others.
func TestSearchOtherwise(t *testing.T) {
	t.Parallel()
	const edited = "x=abc\necho \"$x\" | grep -q ABD && echo upper\ntrue\n"
	for name, tt := range map[string]struct {
		source   string
		affected bool
	}{
		"as usual":                       {edited, false},
		"each command is shown":          {"set -x\n" + strings.Replace(edited, `echo "$x" | grep -q ABD`, `grep -q ABD <<<"$x"`, 1), true},
		"a function in its place":        {"grep() { command grep -i \"$@\"; }\n" + edited, true},
		"a function in place of echo":    {"echo() { command echo \"$@\"; }\n" + edited, true},
		"another program":                {"PATH=$PWD:$PATH\n" + edited, true},
		"a variable named alike":         {"FILE_PATH=a\n" + edited, false},
		"an alias":                       {"shopt -s expand_aliases\nalias grep='grep -i'\n" + edited, true},
		"its last word":                  {strings.Replace(edited, "true", `echo "$_"`, 1), true},
		"echo with escapes":              {"shopt -s xpg_echo\n" + edited, true},
		"what is written elsewhere":      {strings.Replace(edited, "| grep", ">/dev/null | grep", 1), true},
		"a text that is an option":       {strings.Replace(edited, "x=abc", "x=-n", 1), true},
		"a text in another alphabet":     {strings.Replace(edited, "abc", "äbc", 1), true},
		"of the same text several times": {"for i in {1..40}; do\n" + edited + "done\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := "#!/bin/bash\n" + tt.source
			x := run(t, map[string]string{hook: source})
			checkAffected(t, x, source, strings.Replace(source, "ABD", "ABE", 1), tt.affected)
		})
	}
}

// TestSearchesOfGrep evaluates searches of texts, and compares the answers with those of grep. One that is not known is no
// error, but few are.
func TestSearchesOfGrep(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "grep"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is absent", program)
		}
	}
	words := []string{
		"-q a", "-qF 'a*'", "-qE 'a|b'", "-q 'a|b'", "-qi A", "-qiE '^RM'", "-qx ab", "-qxE 'a|ab'", "-qv a", "-qvE 'a|b'", "-q -e a -e b", "-q -- -x", "-qF -e -x", "-qE '(^|[[:space:]])rm($|[[:space:]])'", `-qE '\brm\b'`, `-qE 'rm\s+-'`, `-q '\w'`, `-qE '\W'`,
		`-qE '[\s]'`, `-qE '[a\w]'`, `-q 'a\.b'`, `-qE 'a\.b'`, "-qE 'a{2}'", "-q 'a{2}'", "-q ''", "-qE ''", "-qF ''", "-qE '^$'", "-q '*'", "-q '^*'", "-q 'a**'", "-qE '()'", "-qE 'a+?'", `-qE '\<a'`, `-qP 'a'`, "-qw a", `-q "\\."`, `-q "a\"b"`, `-qE "x\$"`, "-qE 'a$b'", "-qE 'a^b'", "--ignore-case -q a", "--fixed-strings -q 'a.b'", "-qie A", "-eq", "-qFE a", "-q",
		"-q $'a'", "-qE [ab]", "-q a b", "-qE '(a'", "-qE '[a'", "-q 'a\nb'", "-qE '[[.a.]]'", "-qE '[:space:]'", "-qE '[a[:space:]]'", "-qE 'x[[:space:]]*[[:digit:]]'", `-qE 'a\/b'`, `-q 'a\-b'`, "-qE '[]a]'", "-qiE '[a-z]'",
	}
	chance := rand.New(rand.NewPCG(3, 4))
	const alphabet = `aabsw*?[]^!-\.+(){}|$ 12,:x"`
	var random []string
	for range 2000 {
		made := make([]byte, 1+chance.IntN(8))
		for i := range made {
			made[i] = alphabet[chance.IntN(len(alphabet))]
		}
		random = append(random, []string{"-q", "-qE", "-qF", "-qiE", "-qx", "-qvE"}[chance.IntN(6)]+" -e '"+string(made)+"'")
	}
	words = append(words, processtest.Sample(random, 50)...)
	lines := []string{"", "a", "b", "abc", "ab", "aab", "a*", "a b", "rm -rf /", "x rm", "a.b", "]", `\`, "A", "*", "1", "a|b", "{a", "x=1", `"`, "$", "a$b", "^", "axb", "a{2}", "s", "w"}
	inputs := []string{`echo "$v" |`, `printf '%s' "$v" |`, `printf "%s\n" "$v" |`, ""}
	texts := []string{"a\nb", "b\n", "\n", "a", ""}
	// One grep finds all lines; each text of several lines has its own.
	var asked strings.Builder
	for i, w := range words {
		asked.WriteString("grep " + strings.Replace(w, "q", "n", 1) + ` <<<"$v"; echo "status $?"` + "\x00" + strings.Join(lines, "\n") + "\x00")
		asked.WriteString(searchOf(inputs[i%4], w) + `; echo "status $?"` + "\x00" + texts[i%5] + "\x00")
	}
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-c", `while IFS= read -r -d '' c && IFS= read -r -d '' v; do eval "$c" 2>/dev/null; done`)
	cmd.Stdin = strings.NewReader(asked.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	known, count := 0, 0
	check := func(command, v string, want script.Answer) {
		count++
		switch got := answerOfSearch(command, v); got {
		case script.Unknown:
			return
		case want:
		default:
			t.Errorf("%s with v=%q: the answer is %v, of grep %v", command, v, got, want)
		}
		known++
	}
	answers := strings.Split(string(out), "status ")
	if len(answers) != 1+2*len(words) {
		t.Fatalf("%d answers of grep to %d searches", len(answers)-1, 2*len(words))
	}
	found := answers[0]
	for i, w := range words {
		status, next, _ := strings.Cut(answers[1+2*i], "\n")
		for j, line := range lines {
			want := script.No
			if strings.Contains("\n"+found, fmt.Sprintf("\n%d:", j+1)) {
				want = script.Yes
			}
			if status == "2" {
				want = script.Unknown
			}
			check(searchOf(inputs[2], w), line, want)
		}
		own, rest, _ := strings.Cut(answers[2+2*i], "\n")
		check(searchOf(inputs[i%4], w), texts[i%5], map[string]script.Answer{"0": script.Yes, "1": script.No}[own])
		found = rest
		if next != "" {
			t.Fatalf("%s printed %q", w, next)
		}
	}
	if t.Logf("%d of %d answers are known", known, count); known < count/4 {
		t.Errorf("only %d of %d answers are known", known, count)
	}
}

// TestUnknownSearches checks that searches have no answer which end with an error, or print a message in some version of
// grep, even without a line to search.
func TestUnknownSearches(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"-qE '[a'", "-qE '(a'", `-q 'a\/b'`, "-q '[:space:]'", "-q --ignore-case=true a", "-q --no-such-option a", "-q", "-qE -e", "-q 'a\nb'", "-q $v", "-q a b"} {
		for _, v := range []string{"", "a/b"} {
			if got := answerOfSearch(`printf '%s' "$v" | grep `+words, v); got != script.Unknown {
				t.Errorf("grep %s with %q: %v", words, v, got)
			}
		}
	}
	if got := answerOfSearch(`printf '%s' "$v" | rg -q a`, "a"); got != script.Unknown {
		t.Errorf("another program: %v", got)
	}
	if got := answerOfSearch(`printf '%s' "$v" | grep -q ''`, ""); got != script.No {
		t.Errorf("no line is found: %v", got)
	}
}

// searchOf returns the command of a search by what writes its input; "" is a here-string.
func searchOf(input, words string) string {
	if input == "" {
		return "grep " + words + ` <<<"$v"`
	}
	return input + " grep " + words
}

// answerOfSearch returns the answer of a search of a variable; Unknown if it is none.
func answerOfSearch(command, v string) script.Answer {
	parsed, err := trace.Parse(hook, []byte("#!/bin/bash\n"+command+"\n"))
	if err != nil {
		return script.Unknown
	}
	for _, st := range parsed.Statements {
		if len(st.Comparisons) == 1 {
			return st.Comparisons[0].Answer(map[string]*string{"v": &v})
		}
	}
	return script.Unknown
}
