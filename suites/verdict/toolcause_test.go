package verdict

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hookwatch/suites"
)

func callOf(args string, exit int, stdout, stderr string) suites.ToolCall {
	words := strings.Fields(args)
	return suites.ToolCall{Tool: words[0], Version: "1.2", Args: words[1:], Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

// TestToolCause checks that a tool that rejects its configuration, one of another version, one
// with unreadable output and one that finds nothing are distinguished, with real output of these
// programs.
func TestToolCause(t *testing.T) {
	t.Parallel()
	biomeJSON := `{"summary":{"errors":1},"diagnostics":[{"category":"lint/a/b","location":{"start":{"line":2}}}]}`
	for _, tt := range []struct {
		name  string
		calls []suites.ToolCall
		want  string
	}{
		{"nothing was called", nil, ""},
		{"yamllint", []suites.ToolCall{callOf("yamllint -f parsable a.yaml", 255, "", `invalid config: unknown option "x" for rule "y"`)},
			`yamllint 1.2 rejects its configuration (exit 255): invalid config: unknown option "x" for rule "y"`},
		{"biome, a key", []suites.ToolCall{callOf("biome lint --reporter=json a.ts", 1, "",
			"/p/biome.json:1:13 deserialize ━━━━\n\n  × Found an unknown key `rulez`.\n  \n  > 1 │ {}\nconfiguration ━━\n\n  × Biome exited because the configuration resulted in errors.\n")},
			"biome 1.2 rejects its configuration (exit 1): Found an unknown key `rulez`."},
		{"markdownlint-cli2", []suites.ToolCall{callOf("markdownlint-cli2 a.md", 2, "markdownlint-cli2 v0\n", "Error: Unable to use configuration file '/p/.markdownlint.jsonc'; bad JSON\n")},
			"markdownlint-cli2 1.2 rejects its configuration (exit 2): Error: Unable to use configuration file '/p/.markdownlint.jsonc'; bad JSON"},
		{"ruff", []suites.ToolCall{callOf("ruff check --output-format=json a.py", 2, "", "ruff failed\n  Cause: Failed to parse /p/.ruff.toml\n  Cause: TOML parse error at line 1\n")},
			"ruff 1.2 rejects its configuration (exit 2): Cause: Failed to parse /p/.ruff.toml"},
		{"taplo goes on without", []suites.ToolCall{callOf("taplo check a.toml", 1, "", " WARN taplo:load_config: invalid configuration file error=x\nerror: invalid TOML\n  ┌─ a.toml:1:5\n")},
			"taplo 1.2 rejects its configuration (exit 1): WARN taplo:load_config: invalid configuration file error=x"},
		{"taplo found its configuration, and errors", []suites.ToolCall{callOf("taplo check a.toml", 1, "", " INFO taplo:load_config: found configuration file path=\"/p/taplo.toml\"\nerror: invalid TOML\n  ┌─ a.toml:1:5\n")}, ""},
		{"another version", []suites.ToolCall{callOf("biome lint --reporter=json a.ts", 1, "", "Error: no such flag: `--reporter`\n")},
			"biome 1.2 does not know what the hook asks of it (exit 1): Error: no such flag: `--reporter`"},
		{"another version, argparse", []suites.ToolCall{callOf("flake8 --x a.py", 2, "", "usage: flake8 [options]\nflake8: error: unrecognized arguments: --x\n")},
			"flake8 1.2 does not know what the hook asks of it (exit 2): flake8: error: unrecognized arguments: --x"},
		{"unread", []suites.ToolCall{callOf("biome lint --reporter=json a.ts", 1, biomeJSON, "The `json` reporters are experimental")},
			"biome 1.2 reports lint/a/b (exit 1), but the hook reads nothing out of that output"},
		{"unread, by number", []suites.ToolCall{callOf("shellcheck -f json a.sh", 1, `[{"line":2,"code":2086}]`, "")},
			`shellcheck 1.2 reports "code":2086 (exit 1), but the hook reads nothing out of that output`},
		{"no JSON", []suites.ToolCall{callOf("biome lint --reporter=json a.ts", 0, "\n***\nall your base\n", "")},
			`the output of biome 1.2 cannot be read (exit 0), it is no JSON: "all your base"`},
		{"no lines", []suites.ToolCall{callOf("yamllint -f parsable a.yaml", 0, "garbage\n", "")},
			`the output of yamllint 1.2 cannot be read (exit 0), it names no line: "garbage"`},
		{"fails", []suites.ToolCall{callOf("yamllint -f parsable a.yaml", 3, "", "Segmentation fault\n")}, `yamllint 1.2 fails (exit 3): "Segmentation fault"`},
		{"fails without output", []suites.ToolCall{callOf("yamllint -f parsable a.yaml", 3, "", "")}, "yamllint 1.2 fails (exit 3)"},
		{"silent", []suites.ToolCall{callOf("yamllint -f parsable a.yaml", 0, "", "")}, "yamllint 1.2 ran and reported nothing"},
		{"formats, then is silent", []suites.ToolCall{callOf("biome format --write a.ts", 0, "Formatted 1 file.\n", ""), callOf("biome lint a.ts", 0, "", "")},
			"biome 1.2 ran and reported nothing"},
		{"the strongest counts", []suites.ToolCall{callOf("biome lint a.ts", 0, "", ""), callOf("biome lint a.ts", 1, "", "invalid configuration"), callOf("biome lint a.ts", 0, "what", "")},
			"biome 1.2 rejects its configuration (exit 1): invalid configuration"},
		{"mends what it can", []suites.ToolCall{callOf("ruff check --fix a.py", 1, "a.py:2:1: F841 unused\nFound 2 errors (1 fixed, 1 remaining).\n", "")}, ""},
		{"mends what it can, as JSON", []suites.ToolCall{callOf("eslint --fix -f json a.js", 1, `[{"messages":[{"line":2}]}]`, "")}, ""},
		{"is to mend and fails", []suites.ToolCall{callOf("eslint --fix a.js", 2, "", "Oops: a.js:3 something went wrong\n")},
			`eslint 1.2 does not rewrite the file (exit 2): "Oops: a.js:3 something went wrong"`},
		{"repairs and names no lines", []suites.ToolCall{callOf("eslint --fix a.js", 1, "", "Oops\n")},
			`eslint 1.2 does not rewrite the file (exit 1): "Oops"`},
		{"cannot format", []suites.ToolCall{callOf("biome format --write a.ts", 1, "a.ts:1:3 parse\n", "")},
			`biome 1.2 does not rewrite the file (exit 1): "a.ts:1:3 parse"`},
		{"other findings", []suites.ToolCall{callOf("yamllint -f parsable a.yaml", 1, "a.yaml:1:1: [error] other (colons)\n", "")}, ""},
		{"findings that speak of a configuration", []suites.ToolCall{callOf("biome lint --reporter=json a.ts", 1, `{"diagnostics":[{"message":"invalid config","location":{"start":{"line":2}}}]}`, "")}, ""},
		{"a filter that works", []suites.ToolCall{callOf("jaq -c .a", 0, "[1,\"b\"]\n", "")}, ""},
		{"a filter that does not", []suites.ToolCall{callOf("jaq -c .a", 0, "all your base\n", ""), callOf("yamllint a.yaml", 255, "", "invalid config: x")},
			`jaq 1.2 does not work: .a of {"a":[1,"b"]} gives "all your base" (exit 0)`},
		{"a filter without output", []suites.ToolCall{callOf("jq -c .a", 2, "", "")}, `jq 1.2 does not work: .a of {"a":[1,"b"]} gives nothing (exit 2)`},
		{"a sum of none", []suites.ToolCall{callOf("markdownlint-cli2 a.md", 0, "Summary: 0 error(s)\n", "")}, ""},
	} {
		c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(2), Stderr: &suites.TextExpectation{
			Contains: []string{"[hook] "}, Matches: []string{`"code": ?"lint/a/b"`, `"SC2086"`, `\[hook\] [1-9]`}}}}}}
		o := suites.Outcome{Results: []suites.Result{{}}, Calls: tt.calls}
		if got := toolCause(c, Judge(c, o, time.Second).Mismatches, tt.calls); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// TestCauseOfMismatch checks that the behaviour of a tool is a cause only of a mismatch that it
// can explain.
func TestCauseOfMismatch(t *testing.T) {
	t.Parallel()
	blocked := suites.Expectation{Exit: exit(2), Stderr: &suites.TextExpectation{Contains: []string{"[hook]"}, Matches: []string{`"SC2086"`}}}
	clean := suites.Expectation{Exit: exit(0), Stdout: &suites.TextExpectation{Empty: true}, Stderr: &suites.TextExpectation{Absent: []string{"SC2086"}}}
	formatted := suites.Expectation{Exit: exit(0), Files: []suites.FileExpectation{{Path: "a.sh", Text: suites.TextExpectation{Contains: []string{"y"}}}}}
	seen := suites.Expectation{ModelSees: []string{"SC2086"}}
	finds, silent := callOf("shellcheck -f json a.sh", 1, `[{"line":2,"code":"SC2086"}]`, ""), callOf("shellcheck -f json a.sh", 0, "", "")
	broken := callOf("shellcheck -f json a.sh", 1, "", "bad config")
	fails, stuck := callOf("shellcheck -f json a.sh", 3, "", "Segmentation fault"), callOf("shfmt -w a.sh", 1, "", "a.sh:1:1: oh")
	const unread = `shellcheck 1.2 reports SC2086 (exit 1), but the hook reads nothing out of that output`
	for _, tt := range []struct {
		name   string
		e      suites.Expectation
		result suites.Result
		call   suites.ToolCall
		want   string
	}{
		{"reported, another exit", blocked, suites.Result{Exit: 1, Stderr: []byte(`[hook] [{"line":2,"code":"SC2086"}]`)}, finds, ""},
		{"reported, exit 0", blocked, suites.Result{Stderr: []byte(`[hook] [{"line":2,"code":"SC2086"}]`)}, finds, ""},
		{"reported in another way", blocked, suites.Result{Exit: 2, Stderr: []byte(`"SC2086"`)}, finds, ""},
		{"not reported", blocked, suites.Result{}, finds, unread},
		{"not reported, another exit", blocked, suites.Result{Exit: 2, Stderr: []byte("[hook]")}, finds, unread},
		{"not shown", seen, suites.Result{Exit: 2, Stderr: []byte("oh")}, finds, unread},
		{"nothing found", blocked, suites.Result{}, silent, "shellcheck 1.2 ran and reported nothing"},
		{"nothing to report, another exit", blocked, suites.Result{Exit: 2}, silent, "shellcheck 1.2 ran and reported nothing"},
		{"clean, silent", clean, suites.Result{Exit: 2, Stdout: []byte("debug\n"), Stderr: []byte("unbound variable")}, silent, ""},
		{"clean, fails", clean, suites.Result{Exit: 2, Stdout: []byte("debug\n")}, fails, ""},
		{"clean, does not rewrite", clean, suites.Result{Exit: 2}, stuck, ""},
		{"a file is not rewritten", formatted, suites.Result{Exit: 2, Files: map[string][]byte{"a.sh": []byte("x")}}, stuck, `shfmt 1.2 does not rewrite the file (exit 1): "a.sh:1:1: oh"`},
		{"a file is not rewritten, another tool", formatted, suites.Result{Exit: 2, Files: map[string][]byte{"a.sh": []byte("x")}}, silent, ""},
		{"clean, finds", clean, suites.Result{Exit: 2, Stderr: []byte("SC2086")}, finds, ""},
		{"clean, rejects its configuration", clean, suites.Result{Exit: 2}, broken, "shellcheck 1.2 rejects its configuration (exit 1): bad config"},
		{"by a signal", clean, suites.Result{Signal: "SIGSEGV"}, silent, ""},
		{"the shell's word", clean, suites.Result{Exit: 127, Stderr: []byte("h.sh: line 3: prntf: command not found\n")}, broken, "h.sh: line 3: prntf: command not found"},
		{"the shell's other word", blocked, suites.Result{Exit: 126, Stderr: []byte("h.sh: line 3: ./x: Permission denied\n")}, silent, "h.sh: line 3: ./x: Permission denied"},
		{"a word about another exit", blocked, suites.Result{Stderr: []byte("h.sh: line 3: prntf: command not found\n")}, silent, "shellcheck 1.2 ran and reported nothing"},
	} {
		c := &suites.Case{Layer: 1, Gates: []suites.Gate{{Tool: "shellcheck"}}, Steps: []suites.Step{{Expect: tt.e}}}
		v := Judge(c, suites.Outcome{Results: []suites.Result{tt.result}, Calls: []suites.ToolCall{tt.call}}, time.Second)
		if v.Status != suites.Fail || v.Cause != tt.want {
			t.Errorf("%s: %s\n got %q\nwant %q", tt.name, v.Note, v.Cause, tt.want)
		}
	}
}

// TestCauseBesideWarning checks that the behaviour of the tool has priority over the hook's
// warning, and that a warning about something else is no cause.
func TestCauseWithWarning(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Gates: []suites.Gate{{Tool: "jaq"}, {Tool: "curl"}, {Tool: "biome"}}, Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(2)}}}}
	for _, tt := range []struct {
		stderr string
		calls  []suites.ToolCall
		want   string
	}{
		{"[hook:warning] config.json biome_nursery='warn' but biome.json says 'off'\n", nil, ""},
		{"[hook:warning] biome gave no report\n", nil, "[hook:warning] biome gave no report"},
		{"[hook:warning] 'biome': no report\n", nil, "[hook:warning] 'biome': no report"},
		{"[hook:warning] jaq is slow\n", nil, ""},
		{"[hook:warning] biome gave no report\n", []suites.ToolCall{callOf("biome lint", 1, "", "bad config")}, "biome 1.2 rejects its configuration (exit 1): bad config"},
	} {
		v := Judge(c, suites.Outcome{Results: []suites.Result{{Stderr: []byte(tt.stderr)}}, Calls: tt.calls}, time.Second)
		if v.Cause != tt.want || !strings.HasSuffix(v.Note, tt.want) {
			t.Errorf("%q: %q, want %q (%s)", tt.stderr, v.Cause, tt.want, v.Note)
		}
	}
}

// TestSuspects checks that only a case that ran and failed has suspects.
func TestSuspects(t *testing.T) {
	t.Parallel()
	c := suites.Case{Layer: 1, Gates: []suites.Gate{{Tool: "jaq"}, {Tool: "curl"}, {Tool: "biome"}}, Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(2)}}}}
	for name, tt := range map[string]struct {
		o    suites.Outcome
		want int
	}{
		"fails":       {suites.Outcome{Results: []suites.Result{{}}}, 2},
		"passes":      {suites.Outcome{Results: []suites.Result{{Exit: 2}}}, 0},
		"timed out":   {suites.Outcome{Results: []suites.Result{{TimedOut: true}}}, 0},
		"not started": {suites.Outcome{Results: []suites.Result{{NotStarted: "hook missing"}}}, 0},
		"not run":     {suites.Outcome{NotRun: &suites.NotRun{Status: suites.Fail}}, 0},
		"cut short":   {suites.Outcome{}, 0},
	} {
		if got := Suspects(&c, tt.o); len(got) != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	live := c
	live.Layer = suites.Live
	if got := Suspects(&live, suites.Outcome{Results: []suites.Result{{}}}); len(got) > 0 {
		t.Errorf("layer 2: %v", got)
	}
}

// TestNoteOfEveryRun checks that equal runs have equal notes, independent of the path of the
// sandbox and its length.
func TestNoteOfEveryRun(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(2), Stdout: &suites.TextExpectation{Empty: true}, ModelSees: []string{"x"}}}}}
	note := func(dir string) string {
		text := dir + "/tmp/a.py of " + dir + "/project " + strings.Repeat("y", 1000)
		return Judge(c, suites.Outcome{Sandbox: dir, Results: []suites.Result{{Stdout: []byte(text), ModelSees: []string{text}}}}, time.Second).Note
	}
	if a, b := note("/tmp/h/ml-M1-1"), note("/tmp/h/ml-M1-1234567"); a != b || !strings.Contains(a, "{tmp}/a.py of {sandbox}/project") {
		t.Errorf("%s\n%s", a, b)
	}
}

// FuzzToolCause checks for any output of a tool that the cause is one short line.
func FuzzToolCause(f *testing.F) {
	f.Add("json", 1, "{", "invalid config\n")
	f.Add("--write", 0, "a:1", "x.json:1:1 deserialize × y\n")
	f.Fuzz(func(t *testing.T, arg string, code int, stdout, stderr string) {
		c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Stderr: &suites.TextExpectation{Matches: []string{`"SC2086"`}}}}}}
		calls := []suites.ToolCall{{Tool: "t", Args: []string{arg}, Exit: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}}
		got := Judge(c, suites.Outcome{Results: []suites.Result{{Exit: code}}, Calls: calls}, time.Second).Cause
		if strings.ContainsAny(got, "\n") || len(got) > 700 {
			t.Errorf("%d bytes: %q", len(got), got)
		}
		if utf8.ValidString(stdout+stderr) && !utf8.ValidString(got) {
			t.Errorf("not UTF-8: %q", got)
		}
	})
}
