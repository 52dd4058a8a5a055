package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/reference"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var onlyEdits = flag.String("edits", "", "do only the edits whose names match this regular expression")

// An edit is a shell command that changes a watched project.
type edit struct {
	name, does string
	// verdicts restricts the comparison to the last verdicts, because timing decides whether
	// changes of several files are reported together.
	verdicts bool
}

// TestScreens applies typical edits to a project (by default), or two, one at a time, and compares the output of a
// watching session with reviewed screens, which name the file, the line, the input and the cause.
// After each edit the project is restored, and nothing may fail.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "python3", "node"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	type project struct {
		name  string
		lay   func(t *testing.T, root string)
		only  string // these cases
		edits []edit
	}
	for _, p := range processtest.Sample([]project{
		{"second", laySecond, "*", secondEdits},
		{"starter", layStarter, "[PA]0[1-3]", starterEdits},
	}, 2) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), p.name)
			if err := os.MkdirAll(root, 0o755); err != nil {
				t.Fatal(err)
			}
			p.lay(t, root)
			s := newScreens(t, root, p.only)
			only := regexp.MustCompile(*onlyEdits)
			var got strings.Builder
			fmt.Fprintf(&got, "=== the session begins\n%s\n", s.first())
			for _, e := range processtest.Sample(p.edits, 3) {
				if only.MatchString(e.name) {
					fmt.Fprintf(&got, "=== %s\n$ %s\n%s\n", e.name, strings.TrimSpace(e.does), s.do(e))
				}
			}
			s.types("q")
			s.end()
			s.compare(p.name, got.String())
		})
	}
}

// compared returns the part of an edit's screen that is compared.
func (e edit) compared(shown string) string {
	if !e.verdicts {
		return shown
	}
	_, last, _ := strings.Cut(shown[strings.LastIndex(shown, "HH:MM:SS"):], "\n")
	for strings.HasPrefix(last, strings.Repeat(" ", len("HH:MM:SS  "))) {
		_, last, _ = strings.Cut(last, "\n")
	}
	return last
}

// layStarter is the starter project with the hook and the suite for package
// managers, and one more hook.
func layStarter(t *testing.T, root string) {
	t.Helper()
	if _, err := reference.Linters.Extract(root); err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "screens", "starter.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"multi_linter.sh", "stop_config_guardian.sh", "approve_configs.sh"} {
		if err := os.Remove(filepath.Join(root, ".claude/hooks", script)); err != nil {
			t.Fatal(err)
		}
	}
	lay(t, root, archive)
}

func laySecond(t *testing.T, root string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "screens", "second.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	lay(t, root, archive)
}

func lay(t *testing.T, root string, archive *txtar.Archive) {
	t.Helper()
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	writeFiles(t, root, files)
	inShell(t, root, `chmod +x .claude/hooks/*.sh
		git init -q -b main && git config user.email a@b && git config user.name n && git config commit.gpgsign false
		git add -A && git commit -qm first`)
}

func inShell(t *testing.T, root, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-e", "-u", "-c", script)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// screens are a session on a terminal and its output for each edit.
type screens struct {
	*pty
	root string
	seen int // bytes of what was shown already
	// long are the edits whose run took so long that failures of one cause were shown one by one. Only their last
	// lines are compared.
	long map[string]bool
}

// restingLine is the beginning of the live line once nothing is left to do.
const restingLine = "watching  "

func newScreens(t *testing.T, root, only string) *screens {
	t.Helper()
	args := []string{"--shuffle", "1", "--jobs", "1", "--isolation", "none", "--trace", "never", "--no-color", "--filter", only}
	return &screens{pty: onTerminal(t, root, "", args...), root: root, long: map[string]bool{}}
}

// first waits for the end of the first run.
func (s *screens) first() string {
	s.wait(restingLine, 1)
	return s.shown()
}

// do does an edit as one save, puts the project back, and gives what was shown of
// the edit.
func (s *screens) do(e edit) string {
	s.t.Helper()
	from := s.seen
	s.save(e.does)
	shown := s.shown()
	if tookLong.MatchString(s.text()[from:]) {
		s.t.Logf("%s: the run took three seconds or more, so only its last line is compared", e.name)
		s.long[e.name] = true
	}
	s.save("git checkout -q -f main && git clean -qfd && git reset -q --hard")
	after := s.shown()
	if lines := strings.Split(strings.TrimSpace(after), "\n"); strings.Contains(lines[len(lines)-1], "FAIL") || !strings.Contains(after, "PASS") && strings.Contains(shown, "FAIL") {
		s.t.Errorf("%s: once it is undone:\n%s", e.name, after)
	}
	return e.compared(shown)
}

// tookLong matches the end of a run in which failures were shown before it ended.
var tookLong = regexp.MustCompile(`\bin (?:[3-9]|\d\d+)\.\d s|\bin \d+ m(?:in)? `)

// save lets the session stand still while files are edited, so that it sees all
// that is done as one save, and waits until it rests again.
func (s *screens) save(script string) {
	s.t.Helper()
	rests := strings.Count(s.text(), restingLine)
	if err := s.signal(syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	inShell(s.t, s.root, script)
	if err := s.signal(syscall.SIGCONT); err != nil {
		s.t.Fatal(err)
	}
	s.wait(restingLine, rests+1)
}

// liveLine is the content of the last line.
var liveLine = regexp.MustCompile(`[^\n]*\r\x1b\[K`)

// shown returns the output since its last call, as it remains on the screen.
func (s *screens) shown() string {
	all := s.text()
	text := all[s.seen:]
	s.seen = len(all)
	text = redrawn(liveLine.ReplaceAllString(text, ""))
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[:i+1] // what follows is the live line
	} else {
		text = ""
	}
	return s.same(strings.ReplaceAll(text, "\r", ""))
}

// rewritten matches the number of rows above that are redrawn.
var rewritten = regexp.MustCompile(`\x1b\[(\d+)A\x1b\[J`)

// redrawn returns text without the rows that were redrawn.
func redrawn(text string) string {
	for {
		at := rewritten.FindStringSubmatchIndex(text)
		if at == nil {
			return text
		}
		rows, _ := strconv.Atoi(text[at[2]:at[3]])
		above := strings.SplitAfter(text[:at[0]], "\n")
		text = strings.Join(above[:max(0, len(above)-1-rows)], "") + text[at[1]:]
	}
}

// varying are the parts of a screen that are others each time.
var varying = []struct {
	is   *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`), "HH:MM:SS"},
	{regexp.MustCompile(`\bat \d\d:\d\d\b`), "at HH:MM"},
	{regexp.MustCompile(`\bin \d+(\.\d+)? m?s\b`), "in T"},
	{regexp.MustCompile(`(?m)( in T.*?) {2,}(PASS \d.*)$`), "$1  $2"}, // set right
	{regexp.MustCompile(`Node\.js v[\d.]+`), "Node.js vN"},
	{regexp.MustCompile(`(?m)^ +kept: \S*\n(?: {11}\S+\n)?`), ""}, // wherever the path is broken
	{regexp.MustCompile(`(?m)^ +at .*node:internal.*\n`), ""},
	{regexp.MustCompile(`(?m)^ +[~^]+\n`), ""},
	{regexp.MustCompile(`\.\.\. \d+ lines left out \.\.\.`), "... N lines left out ..."},
}

func (s *screens) same(text string) string {
	text = strings.ReplaceAll(text, s.root, "/project")
	for _, v := range varying {
		text = v.is.ReplaceAllString(text, v.text)
	}
	return text
}

// Of a sample only its own screens are compared.
func (s *screens) compare(name, got string) {
	s.t.Helper()
	file := filepath.Join("testdata", "screens", name+".txt")
	if *update && *onlyEdits == "" {
		if !processtest.Exhaustive() {
			s.t.Fatal("-update needs HOOKWATCH_TEST_ALL=1")
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	if *onlyEdits != "" {
		s.t.Logf("\n%s", got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if !processtest.Exhaustive() {
		want = onlyShown(want, got)
	}
	if d := cmp.Diff(s.comparable(string(want)), s.comparable(got)); d != "" {
		s.t.Errorf("%s differs (-want +got); go test -update rewrites it:\n%s", file, d)
	}
}

// comparable returns screens without what depends on how long a run took.
func (s *screens) comparable(text string) string {
	all := strings.Split(text, "=== ")
	for i, screen := range all {
		if name, shown, _ := strings.Cut(screen, "\n"); s.long[name] {
			shown = strings.TrimRight(shown, "\n")
			all[i] = name + "\n" + shown[strings.LastIndexByte(shown, '\n')+1:] + "\n\n"
		}
	}
	return strings.Join(all, "=== ")
}

// onlyShown returns the screens of a golden file that were shown.
func onlyShown(want []byte, got string) []byte {
	var some []byte
	shown := false
	for line := range bytes.Lines(want) {
		if bytes.HasPrefix(line, []byte("=== ")) {
			shown = strings.Contains("\n"+got, "\n"+string(line))
		}
		if shown {
			some = append(some, line...)
		}
	}
	return some
}
