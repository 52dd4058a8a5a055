package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// newKeyed makes a project in which two cases of three fail, and a fourth takes until
// it is cancelled if a file is there.
func newKeyed(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "keyed")
	writeFiles(t, root, map[string]string{
		".claude/hooks/guard.sh": "#!/bin/bash\nfor n in {1..14}; do echo \"line $n\" >&2; done\nnope\nexit 3\n",
		".claude/hooks/calm.sh":  "#!/bin/bash\n[[ -e slow.log ]] && sleep 600\nexit 0\n",
		"suites/own.yaml": "suite: own\nevent: Stop\ncases:\n" +
			"  - {id: A1, name: first, hook: .claude/hooks/guard.sh, expect: {exit: 0}}\n" +
			"  - {id: A2, name: second, hook: .claude/hooks/guard.sh, expect: {exit: 2}}\n" +
			"  - {id: B1, name: third, hook: .claude/hooks/calm.sh, expect: {exit: 0}}\n",
		".hookwatch.yaml": "verify: off\nsuites: [suites/*.yaml]\nnotify: {desktop: false, settle: 20ms}\nrun: {jobs: 1, trace: never}\n",
	})
	return root
}

// TestKeys presses the keys of a session on terminals of three widths.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{40, 80, 200} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			root := newKeyed(t)
			cmd := program(t, root, "--shuffle", "1", "--isolation", "none")
			cmd.Env = append(cmd.Env, "EDITOR=echo opened", "NO_COLOR=1", "LANG=C")
			p := commandOnTerminal(t, cmd, "", columns, usualRows)
			p.wait(restingLine, 1)
			for _, tt := range []struct{ keys, shows string }{
				{"?", "Ctrl-Z"},
				{"tFIR", "filter by name: FIR_"},
				{"\r", `only cases with "FIR"`},
				{"", "1 failed in"},
				{"x\x1b", "the filter is removed"},
				{"pgua", "filter by file: gua_"},
				{"\x1b", "FAIL 2   ?"}, // the counts are there again
				{"n", "failure 2 of 2"},
				{"\x1b[B", "failure 1 of 2"},
				{"N", "failure 2 of 2"},
				{"e", "opened +3 " + root + "/.claude/hooks/guard.sh"},
				{"E", "opened +5 " + root + "/suites/own.yaml"},
				{"v", "line 9"},
				{"o", "only failures are shown"},
				{"o", "all cases are shown again"},
				{"c", "\x1b[H\x1b[2J"},
				{"f", "2 failed in"},
			} {
				before := strings.Count(p.text(), tt.shows)
				if tt.keys == "" { // of the keys before
					before = 0
				}
				p.types(tt.keys)
				p.wait(tt.shows, before+1)
				if strings.HasPrefix(tt.shows, "opened") { // then the terminal is taken back
					p.until(tt.shows, func(shown string) bool {
						return strings.Contains(shown[strings.LastIndex(shown, tt.shows):], "FAIL 2")
					})
				}
			}
			p.resize(columns-1, usualRows)
			p.wait("\x1b[H\x1b[2J", 2)
			writeFiles(t, root, map[string]string{"slow.log": ""})
			p.wait("1 of 3 selected: B1", 1)
			p.types("\x1b")
			p.wait("cancelled", 1)
			p.types("q")
			p.end()
			for line := range strings.Lines(escapes.ReplaceAllString(p.text(), "")) {
				for part := range strings.SplitSeq(strings.TrimRight(line, "\r\n"), "\r") {
					if n := utf8.RuneCountInString(part); n > int(columns) && !strings.Contains(part, "opened") {
						t.Errorf("%d columns: %q", n, part)
					}
				}
			}
			if strings.ContainsFunc(p.text(), func(r rune) bool { return r > '~' }) {
				t.Errorf("with LANG=C: %q", p.text())
			}
		})
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// TestStopped: Ctrl-Z gives the shell back, and fg goes on with what was saved
// meanwhile; no case is taken to have hung.
func TestStopped(t *testing.T) {
	t.Parallel()
	root := newKeyed(t)
	cmd := program(t, root)
	self := cmd.Path
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	cmd.Path, cmd.Args = shell, []string{"bash", "--norc", "--noprofile", "-i"}
	cmd.Env = append(cmd.Env, "PS1=ready> ", "NO_COLOR=1")
	p := commandOnTerminal(t, cmd, "", 100, usualRows)
	p.wait("ready> ", 1)
	p.types("'" + self + "' --isolation none\n")
	p.wait(restingLine, 1)
	writeFiles(t, root, map[string]string{"slow.log": ""})
	p.wait("1 of 3 selected: B1", 1)
	p.types("\x1a")
	p.wait("ready> ", 2) // it listens again
	writeFiles(t, root, map[string]string{".claude/hooks/calm.sh": "#!/bin/bash\nexit 4\n"})
	p.types("echo we are $((40 + 2))\n")
	p.wait("we are 42", 1)
	p.wait("ready> ", 3)
	p.types("fg\n")
	p.wait("exit 4, want 0", 1)
	p.wait(restingLine, 2)
	p.types("q")
	p.wait("ready> ", 4)
	p.types("exit\n")
	p.end()
}
