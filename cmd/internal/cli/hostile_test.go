package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
)

// Hostile text: sequences that set the title, the clipboard, colours and links, move the cursor
// and reorder or hide text, and a forged line.
const (
	evilWord = "\x1b[31m\x1b]0;t\a\u009b2J\u202e\u2066\u200b\U000e0041\u2028\u3164\ufe0f\b\x7f"
	evilText = evilWord + "\x1b]8;;x\x1b\\\x1b]52;c;eA==\a\x1bP1\x1b\\\x1b[?1049he\u0301\u0301\u0301\u0301\u0301\u0301\u0301\nFORGED 500\r\nFORGED\vFORGED\fFORGED"
	evilLine = evilWord + "\tFORGED"       // for values of one line
	evilRaw  = evilText + "\x9b31m\xff\n"  // for values that need not be UTF-8
	evilName = "n" + evilWord + "\nFORGED" // for file names
)

// quoted returns text quoted for YAML and JSON.
func quoted(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// hostileProject has hostile text in every place that a clone controls.
func hostileProject(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "p"+evilName)
	q := func(text string) string { return quoted(t, text) }
	script := "#!/bin/bash\nf" + "oo() { echo; }\neviltool >/dev/null\nprintf '%s' " + "'" + evilRaw + "'\nprintf '%s' '" + evilRaw + "' >&2\ntouch 'new" + evilName + "'\nexit ${WANT:-1}\n"
	write := map[string]string{
		".hookwatch.yaml":                    "suites: [builtin, " + q("s*.yaml") + "]\nspecs: [docs/*.md]\nverify: warn\nnotify: {desktop: false}\n",
		".claude/hooks/" + evilName:          script,
		".claude/hooks/config.json":          "{" + q(evilText) + ": 1}",
		".claude/hooks/x" + evilWord + ".py": "#!/usr/bin/env python3\n",
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": ` + q("Bash|"+evilLine) + `, "hooks": [{"type": "command", "command": ` +
			q("printf '%s' '"+evilText+"'; exit 2 # "+evilText) + `}, {"type": "command", "command": ` + q(`"$CLAUDE_PROJECT_DIR"/.claude/hooks/`+evilName) + `}]}], ` + q(evilLine) + `: []}}`,
		"s" + evilWord + ".yaml": "suite: evil\nevent: Stop\nhook: " + q(".claude/hooks/x"+evilWord+".sh") + "\ncases:\n" +
			"  - {id: A1, name: " + q("p"+evilWord) + ", category: " + q(evilWord) + ", summary: " + q(evilText) + ", expect: {exit: 1}, verify: [" + q(evilText+" §"+evilText) + "]}\n" +
			"  - {id: A2, name: " + q(strings.Repeat("n", 10_000)) + ", expect: {exit: 0, stdout: {contains: [" + q(evilText) + "]}}, verify: [" + q("docs/d.md §"+evilWord) + "]}\n" +
			"  - {id: A3, name: gated, gates: [" + q("tool"+evilWord) + "], expect: {exit: 0}, verify: [\"docs/d.md\"]}\n" +
			"  - {id: A4, name: two, tool: " + q(evilLine) + ", event: PreToolUse, file_path: " + q("{tmp}/"+evilWord) + ", env: {WANT: \"0\"}, expect: {exit: 0}, control: A2, verify: [\"docs/d.md\"]}\n",
		".claude/hooks/x" + evilWord + ".sh": script,
		"docs/d.md":                          "# " + evilWord + "\n\nA1 and ZZ9: [verify: .claude/hooks/x" + evilWord + ".sh §foo" + evilWord + "]\n\n## " + evilLine + "\n[verify: " + evilWord + " §x]\n",
	}
	for name, content := range write {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "b\u202e\u200b"}, {"add", "-A"}, {"-c", "user.name=" + "n\u202e", "-c", "user.email=e", "commit", "-qm", evilText}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args[0], err, out)
		}
	}
	return root
}

// addHostileTool adds a tool with a hostile version and path to PATH, behind all others.
func addHostileTool(dir string) error {
	bin := filepath.Join(dir, "bin"+evilName)
	return errors.Join(os.MkdirAll(bin, 0o755), os.WriteFile(filepath.Join(bin, "eviltool"), []byte("#!/bin/sh\nprintf '%s' '"+evilRaw+"1.2.3'\n"), 0o755),
		os.Setenv("PATH", os.Getenv("PATH")+string(filepath.ListSeparator)+bin))
}

// obeyed returns a part of an output that a terminal would interpret or hide, or a line forged by
// hostile text, or "".
func obeyed(out string) string {
	for i, r := range out {
		bad := !unicode.IsPrint(r) || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) || r == '\ufe0f'
		if r != '\n' && bad || r == utf8.RuneError && !strings.HasPrefix(out[i:], "\ufffd") {
			return fmt.Sprintf("%U in %q", r, out[max(0, i-60):min(len(out), i+10)])
		}
	}
	if strings.Contains(out, strings.Repeat("\u0301", 5)) {
		return "a pile of marks"
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "FORGED") {
			return fmt.Sprintf("the line %q", line)
		}
		if utf8.RuneCountInString(line) > 4500 {
			return fmt.Sprintf("a line of %d", len(line))
		}
	}
	return ""
}

// refused are arguments with which no command does its work: hostile words and flags, and --help.
var refused = [][]string{{evilText}, {"--", evilText, evilText}, {"--help"}, {"--" + evilText}, {"-" + evilWord}, {"--jobs", evilText}, {"--format", evilText},
	{"--suite", evilText}, {"--filter", evilText}, {"--timeout", evilText}, {"--isolation", evilText}}

// arguments returns the arguments with which each command is called besides those that are refused.
func arguments(cmd *cobra.Command) [][]string {
	more := map[string][][]string{
		"":         {{"--once"}, {"--once", "-v"}, {"--once", "--changed"}, {"--once", "--audit"}, {"--once", "--filter", "A"}, {evilText, evilText}},
		"run":      {{"A1", "A2"}, {"-v", "A4"}, {"A1-A9"}},
		"list":     {{"-v"}, {"--suites"}, {"--suites", "-v"}},
		"check":    {{"--live"}, {"--live", "-v"}},
		"why":      {{"A1"}, {"evil/A2"}, {"A3"}, {".claude/hooks/x" + evilWord + ".sh"}, {"docs/d.md#" + evilWord}},
		"verify":   {{"docs/d.md"}},
		"fire":     {{"PreToolUse", "Bash"}, {"PreToolUse", evilText}, {"Stop", "--hook", ".claude/hooks/x" + evilWord + ".sh"}, {"Stop", "--payload", evilText}, {"Stop", "--payload", "@" + evilText}},
		"history":  {{"A1"}, {"A2", "A4"}, {"-v"}},
		"compare":  {{"latest"}, {evilText, "latest"}},
		"query":    {{"."}, {".[]"}, {"--rolling", ".[].note"}, {"--run", evilText, "."}, {quoteForQuery}},
		"coverage": {{"--lcov", "/nonexistent/" + evilText}},
		"schema":   {{"suite"}, {"config"}},
		"trust":    {{"--yes"}, {"--list"}, {"--forget"}},
	}
	if cmd.HasParent() {
		return append([][]string{{}, {"-v"}}, more[cmd.Name()]...)
	}
	return more[""] // without arguments or errors it would watch
}

const quoteForQuery = `"\u001b[31m\u009b\u202e", error("\u001b]0;x\u0007\nFORGED")`

// TestHostileProject runs every command with a hostile project, once in every format (by default each
// call in one of them), and checks that none writes control sequences or forged lines.
func TestHostileProject(t *testing.T) {
	t.Parallel()
	root := hostileProject(t)
	prepareRecords(t, root)
	top := newRoot(newApp(Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}))
	top.InitDefaultHelpCmd()
	top.InitDefaultCompletionCmd()
	shown := 0
	for _, cmd := range append([]*cobra.Command{top}, top.Commands()...) {
		if slices.Contains(topicNames(), cmd.Name()) {
			continue // no text from elsewhere
		}
		for i, args := range slices.Concat(refused, arguments(cmd)) {
			formats := []string{"human", "json", "jsonl"}
			switch {
			case !processtest.Exhaustive():
				formats = formatNames()[(i+len(cmd.Name()))%len(formatNames()):][:1]
			case slices.Contains(args, "--audit") || cmd.Name() == "completion":
				formats = formats[:1]
			case i < len(refused): // the others print errors as human does
				formats = formats[i%3:][:1]
			case i == len(refused):
				formats = formatNames()
			case slices.Contains(args, "-v") && cmd.HasParent(): // it is for people; the first call had every format
				formats = []string{"human", formatNames()[i%len(formatNames())]}
			case i > len(refused):
				formats = append(formats, formatNames()[i%len(formatNames())])
			}
			for _, format := range formats {
				line := append([]string{"--format", format}, args...)
				if cmd.HasParent() {
					line = append([]string{cmd.Name()}, line...)
				}
				shown += driveHostile(t, root, line, format)
			}
		}
	}
	least := 400
	if processtest.Exhaustive() {
		least = 1000
	}
	if shown < least {
		t.Errorf("hostile text was shown in %d places; the project no longer is hostile", shown)
	}
}

// prepareRecords makes two full runs that differ, and adds a record of another tool with hostile
// names.
func prepareRecords(t *testing.T, root string) {
	t.Helper()
	for i := range 2 {
		code, out, errs := call(t, root, "", "--once")
		if code == 2 {
			t.Fatalf("run %d: %s%s", i, out, errs)
		}
		edited := filepath.Join(root, ".claude/hooks/x"+evilWord+".sh")
		if err := os.WriteFile(edited, []byte("#!/bin/bash\nprintf '%s' 'other "+evilRaw+"'; exit 3\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := call(t, root, "", "query", "--rolling", ".[0]")
	var r map[string]any
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%d: %v: %s%s", code, err, out, errs)
	}
	for _, key := range []string{"id", "suite", "test_name", "hook", "note", "agent", "run_id", "actual_decision", "isolation"} {
		r[key] = evilText
	}
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(root, ".claude/tests/hooks/results/rolling/evil-agent.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%s\n", line); err != nil {
		t.Fatal(err)
	}
}

// driveHostile runs one command line and counts the hostile texts it showed.
func driveHostile(t *testing.T, root string, line []string, format string) int {
	t.Helper()
	_, out, errs := call(t, root, "", line...)
	for name, text := range map[string]string{"stdout": out, "stderr": errs} {
		if name == "stdout" && (line[0] == "completion" || line[0] == "help") {
			text = strings.ReplaceAll(text, "\t", "")
		}
		people := format == "human" && line[0] != "query"
		if what := obeyed(text); what != "" && (people || !strings.HasPrefix(what, "a line of")) {
			t.Errorf("%q: %s has %s", line, name, what)
		}
	}
	for l := range strings.Lines(out) {
		if format == "jsonl" && line[0] != "schema" && l[0] == '{' && !json.Valid([]byte(l)) {
			t.Errorf("%q: no JSON: %s", line, l)
		}
	}
	return strings.Count(out+errs, "FORGED")
}

// TestHostileConfiguration checks that problems of hostile files are printed safely.
func TestHostileConfiguration(t *testing.T) {
	t.Parallel()
	q := func(text string) string { return quoted(t, text) }
	for _, files := range []map[string]string{
		{".hookwatch.yaml": q(evilText) + ": 1\nrun: {isolation: " + q(evilText) + ", " + q(evilText) + ": 2}\nsuites: [" + q(evilText) + "]\n"},
		{".hookwatch.yaml": "results: {dir: " + q("../"+evilText) + "}\n"},
		{".hookwatch.yaml": "\tx: " + evilRaw},
		{".hookwatch.yaml": "suites: [s.yaml]\n", "s.yaml": q(evilText) + ": 1\nsuite: " + q(evilText) + "\ncases: [{id: " + q(evilText) + ", name: " + q(evilText) + ", " + q(evilText) + ": 1}]\n"},
		{".hookwatch.yaml": "suites: [s.yaml]\n", "s.yaml": "{" + evilRaw},
		{".hookwatch.yaml": "suites: [s.yaml]\n", "s.yaml": "suite: s\ncases: [{id: A, name: a, event: Stop, hook: h, expect: {jq: " + q(evilText) + ", stdout: {matches: " + q("["+evilText) + "}}}]\n"},
		{".claude/settings.json": `{"hooks": {"Stop": ` + q(evilText) + "}}"},
		{".claude/settings.json": "{" + evilRaw},
	} {
		root := newProject(t, files)
		for _, line := range [][]string{{"list"}, {"--once"}, {"doctor"}, {"verify"}, {"--once", "--format", "json"}, {"--filter", "x"}} {
			_, settings := files[".claude/settings.json"]
			code, out, errs := call(t, root, "", line...)
			if code == 0 && !(settings && line[0] == "list") && !slices.Contains(line, "doctor") && !slices.Contains(line, "verify") {
				t.Errorf("%v: %q is no mistake", files, line)
			}
			for _, text := range []string{out, errs} {
				if what := obeyed(text); what != "" {
					t.Errorf("%q %q: %s", files, line, what)
				}
			}
		}
	}
}

// TestHostileTrust checks that the values for which consent is requested are shown completely,
// without control sequences.
func TestHostileTrust(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	long := strings.Repeat("d", 4000)
	root := newProject(t, map[string]string{".hookwatch.yaml": "results: {dir: " + quoted(t, "../"+evilText) + "}\n" +
		"live: {client: " + quoted(t, "/"+long) + "}\nrun: {isolation: none}\n"})
	for _, line := range [][]string{{"trust"}, {"trust", "--format", "json"}, {"trust", "--yes"}, {"trust", "--list"}, {"list"}, {"doctor"}, {"trust", "--forget"}} {
		_, out, errs := call(t, root, "", line...)
		for _, text := range []string{out, errs} {
			if what := obeyed(text); what != "" && !strings.HasPrefix(what, "a line of") {
				t.Errorf("%q: %s", line, what)
			}
		}
		if line[0] == "trust" && len(line) == 1 && (!strings.Contains(out, long) || !strings.Contains(out, "FORGED 500")) {
			t.Errorf("the accepted settings are not shown in full:\n%s%s", out, errs)
		}
	}
}

// stopAt ends a session once the output contains a text.
type stopAt struct {
	mu   sync.Mutex
	out  bytes.Buffer
	text string
	stop func()
}

func (s *stopAt) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.Write(p)
	if bytes.Contains(s.out.Bytes(), []byte(s.text)) {
		s.stop()
	}
	return len(p), nil
}

// TestHostileWatch checks the same for a watching session.
func TestHostileWatch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out := &stopAt{text: "failed", stop: cancel}
	var errs bytes.Buffer
	root := newRoot(newApp(Streams{In: strings.NewReader(""), Out: out, Err: &errs}))
	root.SetArgs([]string{"-C", hostileProject(t)})
	if err := root.ExecuteContext(ctx); !errors.Is(err, errInterrupted) {
		t.Errorf("%v\n%s", err, errs.String())
	}
	text := out.out.String()
	if !strings.Contains(text, out.text) || !strings.Contains(text, "FORGED") {
		t.Errorf("nothing hostile was shown:\n%s", text)
	}
	if what := obeyed(text + errs.String()); what != "" {
		t.Error(what)
	}
}

// TestCrash checks that the value of a crash is made printable.
func TestCrash(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	a := newApp(Streams{Err: &errs})
	exitCode(&crashError{Crash: suites.Problem{What: evilText}, Stack: []byte("stack\n\tof " + evilWord + "\n")}, a.Err)
	if what := obeyed(strings.ReplaceAll(errs.String(), "\t", "")); what != "" || !strings.Contains(errs.String(), "internal error") {
		t.Errorf("%s: %q", what, errs.String())
	}
}
