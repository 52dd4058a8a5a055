package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTexts checks the texts that a comparison accepts.
func TestTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op      Op
		pattern string
		want    []string
	}{
		{Equal, "exactly", []string{"exactly"}},
		{Glob, "*rm -rf*", []string{"rm -rf", "x rm -rf x"}},
		{Glob, `*.\*`, []string{".*", "x .*"}},
		{Glob, "a?[bc]", []string{"axb"}},
		{Regexp, `^(git|hg) push\b`, []string{"git push", "hg push"}},
		{Extended, `^x{3}[[:space:]]+-f`, []string{"xxx -f"}},
		{Regexp, `[/\\]\.ssh[/\\]id_(rsa|dsa)$`, []string{"/.ssh/id_rsa", "/.ssh/id_dsa"}},
		{Regexp, `^rm (?!-i\b(x))[a-z]+(?<!safe)$`, []string{"rm foo"}}, {Regexp, `x(?!`, []string{"x"}},
		{Basic, `git\|hg`, []string{"git", "hg"}},
		{Basic, `a|b`, []string{"a|b"}},
		{Basic, `x\{2\}(y)+`, []string{"xx(y)+"}},
		{Regexp, `systemctl\s+(\w+)\s+(\S+)`, []string{"systemctl foo bar"}}, {Regexp, `push\s+.*-f`, []string{"push -f"}},
		{Regexp, `aa|bb|cc$`, []string{"cc", "aa", "bb"}}, {Regexp, `x(?:aa|^bb|cc)`, []string{"xbb", "xaa", "xcc"}}, {Regexp, `^aa|^bb|cc`, []string{"aa", "bb", "cc"}},
		{Regexp, `(unclosed`, []string{"(unclosed"}}, {Regexp, `git\s+\Kpush`, []string{"git push"}},
	} {
		if diff := cmp.Diff(tt.want, Comparison{Op: tt.op, Pattern: tt.pattern}.Texts(textsOf)); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.op, tt.pattern, diff)
		}
	}
}

// TestMixesAnchors checks which patterns have few alternatives with an anchor, whose text comes first.
func TestMixesAnchors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op      Op
		pattern string
		want    bool
	}{
		{Regexp, "aa|bb|cc$", true}, {Extended, "x(aa|^bb|cc)", true}, {Regexp, "^aa|^bb|cc", false}, {Regexp, "aa|bb|cc", false}, {Regexp, "^aa$", false}, {Contains, "aa|bb|cc$", false}, {Regexp, "(", false},
	} {
		if got := (Comparison{Op: tt.op, Pattern: tt.pattern}).mixesAnchors(); got != tt.want {
			t.Errorf("%s %s: %t", tt.op, tt.pattern, got)
		}
	}
}

// TestAccepts checks which values a comparison accepts.
func TestAccepts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op             Op
		pattern, value string
		want           bool
	}{
		{Equal, "a", "a", true}, {Equal, "a", "ab", false},
		{Prefix, "git ", "git push", true}, {Suffix, ".env", "x/.env", true}, {Contains, "rm", "farm", true}, {Contains, "rm", "fa", false},
		{Glob, "*/vault/*", "/a/b/vault/c", true}, {Glob, "*.env", "x.envy", false}, {Glob, `\*.env`, "x.env", false}, {Glob, `\*.env`, "*.env", true}, {Glob, "[!a]b", "cb", true},
		{Regexp, `\brm\b`, "a rm b", true}, {Basic, `a\+`, "aa", true}, {Basic, `a+`, "aa", false}, {Regexp, `(?=x)`, "x", false}, // no syntax of Go
	} {
		if got := (Comparison{Op: tt.op, Pattern: tt.pattern}).Accepts(tt.value); got != tt.want {
			t.Errorf("%s %q accepts %q: %v", tt.op, tt.pattern, tt.value, got)
		}
	}
}

// TestForeign checks which patterns are of another syntax than that of their comparison.
func TestForeign(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op      Op
		pattern string
		want    bool
	}{
		{Glob, `\*.env`, true}, {Glob, `rm -rf \*`, true}, {Glob, `*rm -rf \**`, false}, {Glob, "*git push --force*", false}, {Glob, ".*secret", true}, {Glob, ".env.*", false},
		{Regexp, "\x08rm\x08", true}, {Regexp, `\brm\b`, false}, {Regexp, "AKIA[A-Z]{{16}}", true}, {Regexp, "AKIA[A-Z]{16}", false}, {Regexp, `\{\{user\}\}`, false},
		{Regexp, `\d+`, false}, {Extended, `\d+`, true}, {Extended, `[0-9]+`, false},
		{Basic, "rm|dd", true}, {Basic, `rm\|dd`, false}, {Basic, "a || b", false}, {Basic, "rm .+", true}, {Basic, "c++", false},
		{Glob, `*/secrets/*`, false}, {Glob, `\*/secrets/\*`, true}, {Glob, `git commit.\*--no.\*`, true}, {Glob, `\*`, false}, {Glob, `/\*`, false}, {Glob, `~/\*`, false},
		{Glob, "docker-compose.*.yml", false}, {Glob, "*/.*/*", false}, {Extended, `\^\[\[:space:]]\*sudo`, true}, {Extended, `^sudo\.`, false},
		{Extended, `\(\^\|\[\[:space:]]\)migrate`, true}, {Extended, `\^\(foo\|bar\)\$`, true}, {Extended, `x\(foo\|bar\)`, true}, {Extended, `\(x\).*\|`, false}, {Extended, `curl.*\|.*sh`, false}, {Regexp, `mkfs\\.`, true}, {Regexp, `C:\\`, false},
		{Basic, `curl.*| *sh`, false}, {Prefix, "/*", false}, {Suffix, "*/", false}, {Prefix, "*.", false}, {Suffix, "/*", false}, {Suffix, "*.min.js", true},
		{Prefix, "^sudo", true}, {Contains, "/dist/*", true}, {Contains, "**/dist/**", true}, {Contains, "/*", false},
		{Contains, "rm -rf .*", false}, {Contains, `C:\src`, false}, {Contains, "AKIA[0-9A-Z]{16}", true}, {Contains, "a[0]", false},
		{Contains, "Generated:[[:space:]]*(Claude|Copilot)", true}, {Contains, `\s/$`, true}, {Contains, "(cd x || y)", false}, {Contains, "f(a, b)", false}, {Contains, `\server\x`, false},
		{Extended, `curl.*\\|[[:space:]]*sh`, true}, {Extended, `(main|master)\\b`, true}, {Regexp, `[a-z]:\\windows\b`, false}, {Regexp, `(?:[^"\\]|\\.)*`, false}, {Regexp, `x\\.env`, true}, {Regexp, `(\\|/)x`, false},
		{Regexp, `[;&]^env`, true}, {Regexp, `(?m)[;&]^env`, false}, {Regexp, `^a|b$`, false}, {Regexp, `(?:[\s;|&]^)(?:env)`, true}, {Basic, `a^`, false}, {Regexp, `(^|x)a`, false}, {Regexp, `\s*^a`, false}, {Regexp, `[^a]b`, false}, {Regexp, `\^a\^`, false}, {Regexp, `(?:^|\s)^a`, false},
		{Regexp, `^(?:\brm\s)`, true}, {Regexp, `\brm\s`, false}, {Regexp, `^(?:rm\b)`, false},
		{Contains, `rm.*-rf`, true}, {Contains, `rm\s`, true}, {Contains, "a.b", false}, {Equal, "*.env", true}, {Suffix, ".env", false}, {Equal, "*", false},
	} {
		if got := (Comparison{Op: tt.op, Pattern: tt.pattern}).Foreign(); (got != "") != tt.want {
			t.Errorf("%s %q: %q", tt.op, tt.pattern, got)
		}
	}
}

// TestMisreadValues checks which comparisons no input passes because of what they are given.
func TestMisreadValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op                   Op
		in                   Field
		sent, value, pattern string
		want                 bool
	}{
		{Regexp, inCommand, "zqCmd --zqOption", "zqcmd --zqoption", `\bDROP\s+(TABLE|DATABASE)\b`, true},
		{Regexp, inCommand, "zqCmd --zqOption", "zqcmd --zqoption", `(?i)\bDROP\b`, false},
		{Regexp, inCommand, "zqCmd --zqOption", "zqCmd --zqOption", `\bDROP\b`, false},
		{Regexp, inCommand, "zqCmd", "zqcmd", `\bgit\s+branch\s+-D\b`, true}, {Regexp, inCommand, "zqCmd", "zqcmd", `(?:-D|--delete)\b`, false}, {Regexp, inCommand, "zqCmd", "zqcmd", `a -D|b`, false}, {Regexp, inCommand, "zqCmd", "zqcmd", `a -D|a -X`, true}, {Regexp, inCommand, "zqCmd", "zqcmd", `[A-Z]{3}`, true}, {Regexp, inCommand, "zqCmd", "zqcmd", `[A-Za-z]|\S|X?`, false}, {Regexp, inCommand, "zqCmd", "zqcmd", `[A-Z]{0,3}x`, false}, {Extended, inCommand, "zqCmd", "zqcmd", `(aa|BB)`, false}, {Extended, inCommand, "zqCmd", "zqcmd", `(AA|BB)+`, true}, {Extended, inCommand, "zqCmd", "zqcmd", `x(aa|BB)`, false},
		{Contains, inCommand, "zqCmd", "zqcmd", "DROP", true}, {Contains, inFile, "zqDir/a", "zqdir/a", "Pipfile.lock", true}, {Contains, inFile, "zqDir/a", "/p/zqdir/a", "Pipfile.lock", true}, {Contains, inFile, "zqDir/a", "/p/zqDir/a", "Pipfile.lock", false}, {Contains, inFile, "zqdir/a", "/p/zqdir/a", "Pipfile.lock", false}, {Contains, inFile, "zqDir/a", "zqDir/a", "Pipfile.lock", false}, {Glob, inFile, "zqDir/a", "zqdir/a", "*Pipfile", false}, {Contains, inCommand, "zqCmd", "zqcmd", "drop", false},
		{Equal, inFile, "src/a.py", ".py", "sql", true}, {Equal, inFile, "src/a.py", ".py", ".sql", false}, {Equal, inFile, "src/a.py", ".py", "README", false},
		{Equal, inFile, "src/a.py", "src", "secrets/", true}, {Equal, inFile, "src/a.py", "src", "secrets", false},
		{Regexp, inCommand, "echo hello", "echo hello", "/AKIA[0-9]{16}/", true}, {Regexp, inFile, "/a/b", "/a/b", `/migrations/\d+/`, false},
		{Regexp, "tool_name", "Edit", "Edit", "^(edit|write)$", true}, {Regexp, "tool_name", "Edit", "Edit", "(?i)^(edit|write)$", false}, {Regexp, "tool_name", "Bash", "Bash", "^(edit|write)$", false},
		{Equal, inCommand, "ls -l", "ls -l", "--force", true}, {Equal, inCommand, "ls -l", "-l", "--force", false}, {Equal, "prompt", "ls", "ls", "--force", false},
		{Equal, "tool_name", "Bash", "Bash", "bash", true}, {Equal, "tool_name", "Bash", "Bash", "Edit", false}, {Equal, inCommand, "Bash", "Bash", "bash", false},
	} {
		if got, _ := (Comparison{Op: tt.op, Value: tt.value, Pattern: tt.pattern}).Misread(tt.in, tt.sent); (got != "") != tt.want {
			t.Errorf("%s of %q with %q: %q", tt.op, tt.value, tt.pattern, got)
		}
	}
}

// TestSame checks which names are those of a script.
func TestSame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, script string
		want         bool
	}{
		{"/p/.claude/hooks/a.sh", ".claude/hooks/a.sh", true}, {"./.claude/hooks/a.sh", ".claude/hooks/a.sh", true}, {"a.sh", ".claude/hooks/a.sh", true},
		{"/q/hooks/a.sh", "../q/hooks/a.sh", true}, {"/p/lib/a.sh", ".claude/hooks/a.sh", false}, {"/p/xa.sh", "a.sh", false}, {"", "a.sh", false},
	} {
		if got := Same(tt.file, tt.script); got != tt.want {
			t.Errorf("%q and %q: %v", tt.file, tt.script, got)
		}
	}
}

// TestSearchOrder checks that new comparisons come before deeper ones, and that an input beyond one of them
// keeps what passed it.
func TestSearchOrder(t *testing.T) {
	t.Parallel()
	fields := map[Field]string{inCommand: "echo hello", inFile: "src/example.py"}
	first := &Record{Comparisons: []Comparison{
		{Line: 1, Op: Prefix, Value: "echo hello", Pattern: "wumpus"},
		{Line: 2, Op: Suffix, Value: "example.py", Pattern: ".lock"},
		{Line: 3, Op: Equal, Value: "unrelated", Pattern: "nothing"},
	}}
	var s Search
	if compared, _ := s.Take(Input{}, fields, first); !compared {
		t.Error("the hook compared its input")
	}
	next := s.Next(2, false)
	if diff := cmp.Diff([]Input{{0, inCommand, "wumpus"}, {0, inFile, "src/.lock"}}, next); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	beyond := &Record{Comparisons: append([]Comparison{{Line: 1, Op: Prefix, Value: "wumpus", Pattern: "wumpus"}, {Line: 1, Op: Contains, Value: "wumpus", Pattern: "--arrow"}}, first.Comparisons[1:]...)}
	if _, further := s.Take(next[0], map[Field]string{inCommand: "wumpus", inFile: "src/example.py"}, beyond); !further {
		t.Error("it came further")
	}
	if got := s.Next(1, true)[0]; got != (Input{1, inCommand, "wumpus --arrow"}) {
		t.Errorf("next is %+v", got)
	}
	if compared, _ := new(Search).Take(Input{}, fields, &Record{Comparisons: first.Comparisons[2:]}); compared {
		t.Error("nothing of the input was compared")
	}
}

// TestSearchPassed checks that inputs for what another one passed come after those for the rest of a list.
func TestSearchPassed(t *testing.T) {
	t.Parallel()
	fields := map[Field]string{inCommand: "echo hello"}
	list := func(value string) *Record {
		r := &Record{}
		for _, p := range []string{"first", "second", "third", "fourth", "last"} {
			r.Comparisons = append(r.Comparisons, Comparison{Line: 1, Op: Contains, Value: value, Pattern: p})
		}
		return r
	}
	var s Search
	s.Take(Input{}, fields, list("echo hello"))
	next := s.Next(1, false)[0]
	s.Take(next, map[Field]string{inCommand: next.Text}, list(next.Text))
	var texts []string
	for _, in := range s.Next(99, false) {
		texts = append(texts, in.Text)
	}
	if last, again := slices.Index(texts, "last"), slices.Index(texts, "first x"); next.Text != "first" || last < 0 || last > again {
		t.Errorf("after %q: %q", next.Text, texts)
	}
}

// TestSearchTurns checks that the tools take turns.
func TestSearchTurns(t *testing.T) {
	t.Parallel()
	var s Search
	var all []Comparison
	for i := range 30 {
		all = append(all, Comparison{File: "guard.py", Line: 1 + i, Op: Contains, Value: "echo hello", Pattern: fmt.Sprintf("word%d", i)})
	}
	s.Take(Input{}, map[Field]string{inCommand: "echo hello", toolName: "Bash"}, &Record{Comparisons: all})
	s.Take(Input{}, map[Field]string{inFile: "zq.txt", toolName: "Write"}, &Record{Comparisons: []Comparison{{File: "guard.py", Line: 40, Op: Suffix, Value: "zq.txt", Pattern: ".env"}}})
	fields := map[Field]int{}
	for range 3 {
		for _, in := range s.Next(4, false) {
			fields[in.Field]++
		}
	}
	if fields[inFile] == 0 {
		t.Errorf("inputs by field: %v", fields)
	}
}

// TestSearchAnchored checks that few alternatives with an anchor come before usual texts, which others accept.
func TestSearchAnchored(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{"rm|dd|clean -d$": "clean -d", "rm|dd|clean -d": "rm -rf /"} {
		s := Search{Usual: map[Field][]string{inCommand: {"rm -rf /"}}}
		s.Take(Input{}, map[Field]string{inCommand: "echo hello"}, &Record{Comparisons: []Comparison{{File: "guard.mjs", Line: 1, Op: Regexp, Value: "echo hello", Pattern: pattern}}})
		if next := s.Next(1, false); len(next) != 1 || next[0].Text != want {
			t.Errorf("%s: %+v, want %q", pattern, next, want)
		}
	}
}

// TestSearchFields checks that a comparison which one field passed is one to pass for another field.
func TestSearchFields(t *testing.T) {
	t.Parallel()
	var s Search
	c := Comparison{File: "guard.py", Line: 1, Op: Contains, Value: "git push", Pattern: "git push"}
	s.Take(Input{}, map[Field]string{inCommand: "git push", inFile: "a.go"}, &Record{Comparisons: []Comparison{c}})
	rank := func(f Field) int { return s.now(candidate{Input: Input{Field: f}, goal: s.goalOf(c)}) }
	if rank(inCommand) != 16 || rank(inFile) != 0 {
		t.Errorf("ranks %d and %d", rank(inCommand), rank(inFile))
	}
	c.Value = "a.go"
	if _, further := s.Take(Input{}, map[Field]string{inFile: "a.go"}, &Record{Comparisons: []Comparison{c}}); further {
		t.Error("what does not pass is further")
	}
	c.Value = "git push"
	if _, further := s.Take(Input{}, map[Field]string{inFile: "git push"}, &Record{Comparisons: []Comparison{c}}); !further {
		t.Error("what another field passes is not further")
	}
}

// TestSearchAwaited checks that a comparison comes first for which something waits.
func TestSearchAwaited(t *testing.T) {
	t.Parallel()
	for _, awaited := range []bool{false, true} {
		var s Search
		var all []Comparison
		for _, p := range []string{"first", "second", "third"} {
			all = append(all, Comparison{File: "/p/guard.py", Line: 10 * (1 + len(all)), Op: Contains, Value: "echo hello", Pattern: p})
		}
		s.Take(Input{}, map[Field]string{inCommand: "echo hello"}, &Record{Comparisons: all})
		want := "first"
		if s.Awaited = []Lines{{"guard.py", 31, 33}, {"other.py", 10, 40}}; s.Waits() {
			t.Errorf("%+v waits for a comparison", s.Awaited)
		}
		if awaited {
			s.Awaited, want = []Lines{{"guard.py", 28, 31}}, "third"
		}
		if s.Waits() != awaited {
			t.Errorf("%+v: waits %v", s.Awaited, s.Waits())
		}
		if next := s.Next(1, false); len(next) != 1 || next[0].Text != want {
			t.Errorf("%+v, want %s", next, want)
		}
	}
}

// TestSearchNeedless checks that what an input passed is not tried again if what is left depends on something else, but
// that it is if that is not known, if it depends on it, and if the search is for parts of the code.
func TestSearchNeedless(t *testing.T) {
	t.Parallel()
	first := Comparison{File: "guard.sh", Line: 1, Op: Contains, Value: "git push", Pattern: "git push"}
	second := Comparison{File: "guard.sh", Line: 9, Op: Contains, Value: "git push", Pattern: "--force"}
	third := Comparison{File: "guard.sh", Line: 3, Op: Contains, Value: "git push", Pattern: "zorble"} // which none passed
	for _, tt := range []struct {
		name    string
		awaited []Lines
		aims    Aims
		again   bool // inputs for the first one are tried
	}{
		{"the other is awaited", []Lines{{"guard.sh", 9, 9}}, nil, false},
		{"both are awaited", []Lines{{"guard.sh", 1, 9}}, nil, true},
		{"no comparison is awaited", []Lines{{"guard.sh", 5, 5}}, nil, true},
		{"nothing is awaited", nil, nil, true},
		{"parts of the code are", []Lines{{"guard.sh", 9, 9}}, Aims{"guard.sh": {true}}, true},
	} {
		s := Search{Aims: tt.aims, Awaited: tt.awaited}
		failed := first
		failed.Value = "echo hello"
		s.Take(Input{}, map[Field]string{inCommand: "echo hello"}, &Record{Comparisons: []Comparison{failed}})
		s.Take(Input{0, inCommand, "git push"}, map[Field]string{inCommand: "git push"}, &Record{Comparisons: []Comparison{first, second, third}})
		again, other, unpassed := false, false, false
		for _, in := range s.Next(99, false) {
			again = again || !strings.Contains(in.Text, "--force") && !strings.Contains(in.Text, "zorble")
			unpassed = unpassed || strings.Contains(in.Text, "zorble")
			other = other || strings.Contains(in.Text, "--force")
		}
		if again != tt.again || !other || !unpassed {
			t.Errorf("%s: again %v, the other %v, what none passed %v", tt.name, again, other, unpassed)
		}
	}
}

// TestVariantsOutside checks that a part of a file is replaced, and nothing is put beside it.
func TestVariantsOutside(t *testing.T) {
	t.Parallel()
	got := variants("{project}/.claude/tests", "zq_file\n", "zq_file", "pass", within, false)
	if diff := cmp.Diff([]string{"pass\n"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSearchWhole checks that texts which cannot pass are not tried: a value that is compared as a whole is replaced,
// also in the text that it is a part of.
func TestSearchWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op    Op
		value string
		want  []string
	}{
		{Equal, "git echo", []string{"log"}},
		{Prefix, "git echo", []string{"log", "log git echo"}},
		{Glob, "echo", []string{"git log"}},
		{Contains, "echo", []string{"git echo log"}}, // next to what an earlier comparison looked for
	} {
		var s Search
		s.Take(Input{}, map[Field]string{inCommand: "git x"}, &Record{})
		s.Take(Input{0, inCommand, "git echo"}, map[Field]string{inCommand: "git echo"}, &Record{Comparisons: []Comparison{{Line: 1, Op: tt.op, Value: tt.value, Pattern: "log"}}})
		var got []string
		for _, in := range s.Next(len(tt.want), false) {
			got = append(got, in.Text)
		}
		if tt.value == "git echo" { // no others are left
			for _, in := range s.Next(9, false) {
				got = append(got, in.Text)
			}
			slices.Sort(got)
			slices.Sort(tt.want)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.op, diff)
		}
	}
}

// TestSearchBeyond checks that what an earlier glob looked for stays in the text that passes the next one.
func TestSearchBeyond(t *testing.T) {
	t.Parallel()
	var s Search
	s.Take(Input{}, map[Field]string{inCommand: "echo hello"}, &Record{})
	s.Take(Input{0, inCommand, "zorble"}, map[Field]string{inCommand: "zorble"}, &Record{Comparisons: []Comparison{{Line: 1, Op: Glob, Value: "zorble", Pattern: "*--wipe*"}}})
	if got := s.Next(1, false); len(got) != 1 || got[0].Text != "zorble --wipe" {
		t.Errorf("%+v", got)
	}
}

// TestSearchOwn checks that a text which is compared comes before those that may be.
func TestSearchOwn(t *testing.T) {
	t.Parallel()
	c := Comparison{Line: 3, Op: Contains, Pattern: "wumpus"}
	var s Search
	s.Take(Input{}, map[Field]string{inFile: "README.md", "tool_input.old_string": "one"}, &Record{Comparisons: []Comparison{c}})
	c.Value = "one"
	s.Take(Input{}, map[Field]string{inFile: "README.md", "tool_input.content": "one"}, &Record{Comparisons: []Comparison{c}})
	if got := s.Next(1, false); len(got) != 1 || got[0] != (Input{1, "tool_input.content", "wumpus"}) {
		t.Errorf("%+v", got)
	}
}

// FuzzRead reads logs of any content.
func FuzzRead(f *testing.F) {
	f.Add("\x1e\x1fa.sh\x1f3\x1f[[ x == \\*y ]]\n\x1e\x1fa.sh\x1f4\x1fgrep -E 'a|b'\n", "C\x1ff\x1f1\x1f==\x1fa\x1fb\x00L\x1ff\x1f1\x1f2\x00", `{"file":"a","line":1,"op":"regexp","value":"x","pattern":"y"}`)
	f.Add("\x1e\x1fa.sh\x1f3\x1fcase \"$x\" in\n\x1e\x1f\x1f1\x1fx=$'a\\nb'\n", "K\x1f\x1f\x1f", `{"result":[{"url":"file:///a","functions":[{"ranges":[{"startOffset":0}]}]}]}`)
	f.Fuzz(func(t *testing.T, bash, python, node string) {
		r := Read(map[string][]byte{"bash/log": []byte(bash), "python/log": []byte(python), "node/log": []byte(node), "node/coverage/a": []byte(node)}, "/s")
		r.Resolve("a.sh", []byte(bash))
		r.Resolve("a.js", []byte(node))
		var s Search
		s.Take(Input{}, map[Field]string{inCommand: "x", inFile: "y"}, r)
		for _, in := range s.Next(100, false) {
			if in.Text == "" {
				t.Errorf("an empty input of %q", in.Field)
			}
		}
		for _, c := range r.Comparisons {
			_ = c.Foreign()
			_, _ = c.Misread(inCommand, "echo hello")
		}
	})
}

// FuzzDecisions reads scripts of any content.
func FuzzDecisions(f *testing.F) {
	for _, h := range guards {
		f.Add(h.name, h.text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		c := CourseOf(name, []byte(text))
		if c == nil {
			return
		}
		for _, d := range c.Decisions() {
			if d.Line < 1 {
				t.Errorf("%s", d)
			}
		}
	})
}

// TestProgram checks what the programs of jq, sed and awk compare: not the names of types, and not what replaces a
// match.
func TestProgram(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words []string
		want  []string
	}{
		{[]string{"jq", `.tool_input | type == "object" and .command == "x"`}, []string{"== x"}},
		{[]string{"jq", `.command | test("^git\\s")`}, []string{`regexp ^git\s`}},
		{[]string{"sed", `s/(--force)( )/\1-with-lease\3)/g; /^#/d`}, []string{`basic (--force)( )`, "basic ^#"}},
		{[]string{"sed", "-E", `s/a|b//`}, []string{"extended a|b"}},
		{[]string{"awk", `/DROP TABLE/ {exit 1}`}, []string{"extended DROP TABLE"}},
	} {
		var got []string
		program(tt.words[0], tt.words, tt.words[len(tt.words)-1], func(op Op, p string) { got = append(got, string(op)+" "+p) })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.words, diff)
		}
	}
}

// TestSeparateConnected checks the inputs that tell the comparisons of a line apart which only one version has: a line
// may differ in how it connects them.
func TestSeparateConnected(t *testing.T) {
	t.Parallel()
	search := func(line int) *Search {
		s := &Search{Aims: Aims{"guard.py": {false, line == 2, false}}}
		var all []Comparison
		for _, op := range []Op{Contains, Prefix} {
			all = append(all, Comparison{File: "guard.py", Line: 2, Op: op, Value: "zqfile.zq", Pattern: ".env"})
		}
		s.Take(Input{}, map[Field]string{inFile: "zqDir/zqFile.zq"}, &Record{Comparisons: all})
		return s
	}
	var got []string
	for _, in := range search(2).Separate(search(2), 99) {
		got = append(got, in.Text)
	}
	if want := []string{"zqDir/.env", "zqDir/x.env"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	words := &Search{Aims: Aims{"guard.js": {true}}}
	var all []Comparison
	for _, word := range []string{"dist", "build"} {
		all = append(all, Comparison{File: "guard.js", Line: 1, Op: Equal, Value: "zqTarget", Pattern: word})
	}
	words.Take(Input{}, map[Field]string{inCommand: "rm zqTarget"}, &Record{Comparisons: all})
	got = nil
	for _, in := range words.Separate(words, 99) {
		got = append(got, in.Text)
	}
	if !slices.Contains(got, "rm dist") || !slices.Contains(got, "rm dist x") {
		t.Errorf("%q lack one word of a list alone, and beside another", got)
	}
	made := &Search{Aims: Aims{"guard.js": {true}}} // the name of a folder that is the root
	for i := range all {
		all[i].Value = ""
	}
	made.Take(Input{}, map[Field]string{inCommand: "rm /"}, &Record{Comparisons: all})
	if all := made.Separate(made, 99); len(all) == 0 || all[0].Text != "rm / build" {
		t.Errorf("%+v, want a word beside what was there", all)
	}
	if got := search(1).Separate(search(2), 99); got != nil {
		t.Errorf("%+v of a line that both have", got)
	}
}

// TestSeparate checks the inputs that one of two versions of a comparison accepts: usual ones first, of each pattern
// one before another, none if the patterns are the same, and none that both accept.
func TestSeparate(t *testing.T) {
	t.Parallel()
	search := func(patterns ...string) *Search {
		s := &Search{Usual: map[Field][]string{inCommand: {"git reset --hard HEAD~1", "rm -rf /"}}}
		var all []Comparison
		for i, p := range patterns {
			all = append(all, Comparison{File: "guard.sh", Line: i + 1, Op: Regexp, Value: "echo hello", Pattern: p})
		}
		s.Take(Input{}, map[Field]string{inCommand: "echo hello"}, &Record{Comparisons: all})
		return s
	}
	for _, tt := range []struct {
		before, after []string
		want          []string
	}{
		{[]string{"git reset --hard"}, []string{"^git reset --hard"}, []string{"sudo git reset --hard", "x && git reset --hard"}},
		{[]string{"rm -rf /"}, []string{"rm -rf /", "git reset"}, []string{"git reset --hard HEAD~1", "git reset"}},
		{[]string{`push\s+.*-f`}, []string{`push\s+(.*\s)?-f`}, []string{"push x-f"}},
		{[]string{`^\s*rm\s+(/|~)`}, []string{`^\s*rm\s+(/\s*$|~)`}, []string{"rm /x"}},
		{[]string{"mkfs", "dd "}, []string{"mkfs", "dd ", "shutdown", "halt"}, []string{"halt", "shutdown"}},
		{[]string{`\sgit push`}, []string{`^git push`}, []string{"sudo git push"}},
		{[]string{"mkfs"}, []string{"mkfs"}, nil},
	} {
		a, b := search(tt.before...), search(tt.after...)
		var got []string
		for _, in := range slices.Concat(a.Separate(b, 99), b.Separate(a, 99)) {
			got = append(got, in.Text)
			if strings.Contains(in.Text, "  ") {
				t.Errorf("%q and %q: %q has two spaces", tt.before, tt.after, in.Text)
			}
			if accepted(goalsOf(tt.before), in.Text) == accepted(goalsOf(tt.after), in.Text) {
				t.Errorf("%q and %q treat %q alike", tt.before, tt.after, in.Text)
			}
		}
		for _, want := range tt.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q and %q: %q lacks %q", tt.before, tt.after, got, want)
			}
		}
		if len(tt.want) == 0 && len(got) > 0 {
			t.Errorf("%q and %q: %q", tt.before, tt.after, got)
		}
	}
}

// TestSightings checks that of a goal those sightings are kept whose value is a part of the input.
func TestSightings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		seen []relation
		want []int
	}{
		{[]relation{unknown, within, unknown, unknown}, []int{0, 1, 2}},
		{[]relation{unknown, within, unknown, unknown, equal, equal, within}, []int{4, 1, 5}},
	} {
		var g goal
		for i, how := range tt.seen {
			g.see(sighting{from: i, how: how})
		}
		var kept []int
		for _, s := range g.seen {
			kept = append(kept, s.from)
		}
		if !slices.Equal(kept, tt.want) {
			t.Errorf("kept %v, want %v", kept, tt.want)
		}
	}
}

// TestAims checks which comparison a search passes first: one at a line that it is for, then others of that file,
// then those of other files.
func TestAims(t *testing.T) {
	t.Parallel()
	record := &Record{Comparisons: []Comparison{
		{File: "lib.sh", Line: 1, Op: Equal, Value: "echo hello", Pattern: "lib"},
		{File: "guard.sh", Line: 2, Op: Equal, Value: "echo hello", Pattern: "far"},
		{File: "guard.sh", Line: 9, Op: Equal, Value: "echo hello", Pattern: "before"},
		{File: "guard.sh", Line: 12, Op: Equal, Value: "echo hello", Pattern: "aim"},
	}}
	for _, tt := range []struct {
		aims Aims
		want []string
	}{
		{nil, []string{"lib", "far", "before", "aim"}},
		{Aims{}, []string{"lib", "far", "before", "aim"}},
		{Aims{"guard.sh": append(make([]bool, 11), true)}, []string{"before", "aim", "far", "lib"}},
	} {
		s := &Search{Aims: tt.aims}
		s.Take(Input{}, map[Field]string{inCommand: "echo hello"}, record)
		var got []string
		for _, in := range s.Next(99, false) {
			if !strings.Contains(in.Text, " ") {
				got = append(got, in.Text)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.aims, diff)
		}
	}
}

func goalsOf(patterns []string) (all []Comparison) {
	for _, p := range patterns {
		all = append(all, Comparison{Op: Regexp, Pattern: p})
	}
	return all
}

// TestArrived checks that a search has arrived if a statement ran in each part of the lines that it is for.
func TestArrived(t *testing.T) {
	t.Parallel()
	lines := func(aims string) (all []bool) { // a character for each line
		for _, c := range aims {
			all = append(all, c == 'x')
		}
		return all
	}
	for _, tt := range []struct {
		aims Aims
		ran  []int
		want bool
	}{
		{nil, []int{1}, false},
		{Aims{}, []int{1}, false},
		{Aims{"guard.sh": lines("..xx.")}, []int{1, 2, 5}, false},
		{Aims{"guard.sh": lines("..xx.")}, []int{4}, true},
		{Aims{"guard.sh": lines("x.xx.")}, []int{3}, false},
		{Aims{"guard.sh": lines("x.xx.")}, []int{1, 3}, true},
		{Aims{"guard.sh": lines("..x")}, []int{3}, true},
		{Aims{"guard.sh": lines("x"), "lib.sh": lines("x")}, []int{1}, false},
	} {
		s := &Search{Aims: tt.aims, ran: map[place]bool{}}
		for _, line := range tt.ran {
			s.ran[place{file: "guard.sh", line: line}] = true
		}
		if got := s.Arrived(); got != tt.want {
			t.Errorf("%v after %v: %t", tt.aims, tt.ran, got)
		}
	}
}

// TestHits checks how many lines of those that a search is for a firing ran.
func TestHits(t *testing.T) {
	t.Parallel()
	s := &Search{Aims: Aims{"guard.sh": {false, true, true}}}
	r := &Record{}
	for _, line := range []int{1, 2, 2, 3, 4} {
		r.shell = append(r.shell, command{file: "guard.sh", line: line, text: "x"}, command{file: "lib.sh", line: line, text: "x"})
	}
	if got := s.Aims.Hits(r); got != 2 {
		t.Errorf("%d lines, want 2", got)
	}
	node := &Record{covered: []covered{{file: "guard.sh", spans: []span{{From: 2, To: 90, Count: 1}}}}}
	if s.Take(Input{}, nil, node); s.Aims.Hits(node) != 0 || s.Arrived() {
		t.Error("an offset in a file of Node counts as a line")
	}
	node.Comparisons = []Comparison{{File: "guard.sh", Line: 3, Op: Equal, Value: "x", Pattern: "y"}}
	if s.Take(Input{}, nil, node); s.Aims.Hits(node) != 1 || !s.Arrived() {
		t.Error("a comparison of Node does not count")
	}
}

// TestBeyond checks what one search came to and another did not.
func TestBeyond(t *testing.T) {
	t.Parallel()
	taken := func(r *Record) *Search {
		s := &Search{}
		s.Take(Input{}, map[Field]string{inCommand: "ls"}, r)
		return s
	}
	at := func(lines ...int) (all []Comparison) {
		for _, line := range lines {
			all = append(all, Comparison{File: "guard.mjs", Line: line, Op: Equal, Value: "ls", Pattern: "x"})
		}
		return all
	}
	span := func(from int) *Record {
		return &Record{covered: []covered{{file: "guard.mjs", spans: []span{{From: from, To: from + 9, Count: 1}}}}}
	}
	for name, tt := range map[string]struct {
		more, less *Record
		want       string
	}{
		"a command":           {&Record{shell: []command{{file: "g.sh", line: 3, text: "jq -r ."}}}, &Record{}, "jq"},
		"a comparison":        {&Record{Comparisons: at(3, 7)}, &Record{Comparisons: at(3)}, "line 7"},
		"the same":            {&Record{Comparisons: at(3)}, &Record{Comparisons: at(3)}, ""},
		"less":                {&Record{Comparisons: at(3)}, &Record{Comparisons: at(3, 7)}, ""},
		"only what V8 counts": {span(10), span(20), ""},
	} {
		if got := taken(tt.more).Beyond(taken(tt.less)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestOrigins checks from which fields a compared value may be.
func TestOrigins(t *testing.T) {
	fields := map[Field]string{
		"tool_name": "Bash", "tool_input.command": "echo hello", "tool_input.description": "One",
		"tool_response.stdout": "hello", "tool_response.text": "echo hello", "$MODE": "hello",
	}
	command := FieldRead{Field: "tool_input.command"}
	all := []Field{"$MODE", "tool_input.command", "tool_response.stdout", "tool_response.text"}
	for _, test := range []struct {
		value string
		reads []FieldRead
		want  []Field
	}{
		{"echo hello", nil, []Field{"tool_input.command", "tool_response.text"}}, // not the text that is a part of it
		{"echo hello", []FieldRead{command}, []Field{"tool_input.command"}},
		{"echo hello;", []FieldRead{command}, []Field{"tool_input.command"}},
		{"hello", nil, all},
		{"hello", []FieldRead{command}, []Field{"$MODE", "tool_input.command"}},
		{"hello", []FieldRead{{Field: "tool_response"}}, []Field{"$MODE", "tool_response.stdout", "tool_response.text"}},
		{"hello", []FieldRead{{Field: "tool_name"}, {Field: "tool_input.file_path"}}, all}, // how the others are read is not seen
		{"", []FieldRead{command}, []Field{"tool_input.command", "tool_name"}},
		{"", nil, []Field{"tool_input.command", "tool_input.description", "tool_name", "tool_response.stdout", "tool_response.text"}},
		{"none", nil, nil}, // "One" is in it by chance
		{"no one", nil, []Field{"tool_input.description"}},
		{"Bash", []FieldRead{command}, []Field{"tool_name"}},
		{`{"hook_event_name": "PreToolUse", "tool_input": {"command": "echo hello"}}`, []FieldRead{{Field: "tool_input.description"}}, all},
	} {
		r := Record{Reads: test.reads}
		var got []Field
		for _, o := range r.origins(test.value, fields) {
			got = append(got, o.field)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q with %v read: %v, want %v", test.value, test.reads, got, test.want)
		}
	}
}

// TestNotTwice checks that a text which is there already is not added once more, unless that passes the comparison.
func TestNotTwice(t *testing.T) {
	texts := func(pattern string) (all []string) {
		var s Search
		c := Comparison{File: "guard.sh", Line: 2, Op: Extended, Pattern: pattern} // of what grep reads
		s.Take(Input{}, map[Field]string{"tool_name": "Bash", "tool_input.command": "x make test"}, &Record{Comparisons: []Comparison{c}})
		for _, in := range s.Next(100, false) {
			all = append(all, in.Text)
		}
		return all
	}
	if got := texts("^make test$"); slices.ContainsFunc(got, func(text string) bool { return strings.Count(text, "make test") > 1 }) || !slices.Contains(got, "make test") {
		t.Errorf("tried %q", got)
	}
	if got := texts("^make test"); !slices.Contains(got, "make test x make test") {
		t.Errorf("tried %q, and not what passes after another text", got)
	}
}

// TestTriedAgain checks that a text which was tried is tried again from a firing with another state, and only there.
func TestTriedAgain(t *testing.T) {
	t.Parallel()
	var s Search
	take := func(in Input, compared bool) (texts []string) {
		fields := map[Field]string{"tool_name": "Edit", "tool_input.file_path": "README.md", "{branch}": "main"}
		if in.Text != "" {
			fields[in.Field] = in.Text
		}
		r := new(Record)
		if compared {
			r.Comparisons = []Comparison{{File: "guard.py", Line: 3, Op: Equal, Value: fields["tool_input.file_path"], Pattern: ".env"}}
		}
		s.Take(in, fields, r)
		for _, in := range s.Next(1, false) {
			texts = append(texts, in.Text)
		}
		return texts
	}
	if got := take(Input{}, true); !slices.Equal(got, []string{".env"}) {
		t.Errorf("first %q", got)
	}
	take(Input{0, "tool_input.file_path", ".env"}, false)
	if got := take(Input{0, "tool_input.file_path", "x"}, true); slices.Contains(got, ".env") {
		t.Errorf("in the same state %q", got)
	}
	if got := take(Input{0, "{branch}", "feature/x"}, true); !slices.Contains(got, ".env") {
		t.Errorf("in another state %q", got)
	}
}
