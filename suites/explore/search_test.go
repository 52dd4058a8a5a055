package explore

import (
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
		{Regexp, `^rm (?!-i\b(x))[a-z]+(?<!safe)$`, []string{"rm x"}}, {Regexp, `x(?!`, []string{"x"}},
		{Basic, `git\|hg`, []string{"git", "hg"}},
		{Basic, `a|b`, []string{"a|b"}},
		{Basic, `x\{2\}(y)+`, []string{"xx(y)+"}},
		{Regexp, `(unclosed`, []string{"(unclosed"}},
	} {
		if diff := cmp.Diff(tt.want, Comparison{Op: tt.op, Pattern: tt.pattern}.Texts(textsOf)); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.op, tt.pattern, diff)
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

// TestMisread checks which patterns are of another syntax than that of their comparison.
func TestMisread(t *testing.T) {
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
		{Basic, `curl.*| *sh`, false}, {Prefix, "/*", false}, {Suffix, "*/", false}, {Prefix, "*.", false}, {Suffix, "/*", false}, {Suffix, "*.min.js", true},
		{Prefix, "^sudo", true}, {Contains, "/dist/*", true}, {Contains, "**/dist/**", true}, {Contains, "/*", false},
		{Contains, "rm -rf .*", false}, {Contains, `C:\src`, false}, {Contains, "AKIA[0-9A-Z]{16}", true}, {Contains, "a[0]", false},
		{Contains, `rm.*-rf`, true}, {Contains, `rm\s`, true}, {Contains, "a.b", false}, {Equal, "*.env", true}, {Suffix, ".env", false}, {Equal, "*", false},
	} {
		if got := (Comparison{Op: tt.op, Pattern: tt.pattern}).Misread("", ""); (got != "") != tt.want {
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
		{Contains, inCommand, "zqCmd", "zqcmd", "DROP", true}, {Contains, inCommand, "zqCmd", "zqcmd", "drop", false},
		{Equal, inFile, "src/a.py", ".py", "sql", true}, {Equal, inFile, "src/a.py", ".py", ".sql", false}, {Equal, inFile, "src/a.py", ".py", "README", false},
		{Equal, inFile, "src/a.py", "src", "secrets/", true}, {Equal, inFile, "src/a.py", "src", "secrets", false},
		{Regexp, inCommand, "echo hello", "echo hello", "/AKIA[0-9]{16}/", true}, {Regexp, inFile, "/a/b", "/a/b", `/migrations/\d+/`, false},
		{Equal, "tool_name", "Bash", "Bash", "bash", true}, {Equal, "tool_name", "Bash", "Bash", "Edit", false}, {Equal, inCommand, "Bash", "Bash", "bash", false},
	} {
		if got := (Comparison{Op: tt.op, Value: tt.value, Pattern: tt.pattern}).Misread(tt.in, tt.sent); (got != "") != tt.want {
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

// FuzzRead reads logs of any content.
func FuzzRead(f *testing.F) {
	f.Add("\x1e\x1fa.sh\x1f3\x1f[[ x == \\*y ]]\n\x1e\x1fa.sh\x1f4\x1fgrep -E 'a|b'\n", "C\x1ff\x1f1\x1f==\x1fa\x1fb\x00L\x1ff\x1f1\x1f2\x00", `{"file":"a","line":1,"op":"regexp","value":"x","pattern":"y"}`)
	f.Add("\x1e\x1fa.sh\x1f3\x1fcase \"$x\" in\n\x1e\x1f\x1f1\x1fx=$'a\\nb'\n", "K\x1f\x1f\x1f", `{"result":[{"url":"file:///a","functions":[{"ranges":[{"startOffset":0}]}]}]}`)
	f.Fuzz(func(t *testing.T, bash, python, node string) {
		r := Read(map[string][]byte{"bash/log": []byte(bash), "python/log": []byte(python), "node/log": []byte(node), "node/coverage/a": []byte(node)})
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
			_ = c.Misread(inCommand, "echo hello")
		}
	})
}

// FuzzDecisions reads scripts of any content.
func FuzzDecisions(f *testing.F) {
	for _, h := range guards {
		f.Add(h.name, h.text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		for _, d := range Decisions(name, []byte(text)) {
			if d.Line < 1 {
				t.Errorf("%s", d)
			}
		}
	})
}
