//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/watcher/testdata/editstest"
)

// editedHooks are the hooks of the edited project. Each prints what its files
// say, so that the output of a case identifies the content it ran on.
var editedHooks = map[string]string{
	".claude/hooks/h1.sh": `. "$CLAUDE_PROJECT_DIR/.claude/hooks/lib/a.sh"
echo "h1=%d a=$A"`,
	".claude/hooks/h2.sh": `. "$CLAUDE_PROJECT_DIR/.claude/hooks/lib/b.sh"
echo "h2=%d b=$B c=$C"`,
	".claude/hooks/h3.sh": `config=$(<"$CLAUDE_PROJECT_DIR/.claude/hooks/config.json")
echo "h3=%d config=$config"`,
	".claude/hooks/h4.sh": `. "$CLAUDE_PROJECT_DIR/.claude/hooks/cur.sh"
. "$CLAUDE_PROJECT_DIR/.claude/hooks/current/t.sh"
echo "h4=%d v=$V t=$T"`,
	".claude/hooks/h5.sh": `. "$CLAUDE_PROJECT_DIR/shared/s.sh"
echo "h5=%d s=$S $(bash "$CLAUDE_PROJECT_DIR/.claude/hooks/run/child.sh")"
echo "$RANDOM" >"$CLAUDE_PROJECT_DIR/.claude/hooks/spare/state.txt"`,
}

// editedTexts are the other files, with a placeholder for the part that differs.
var editedTexts = map[string]string{
	".claude/hooks/lib/a.sh":      "A=%d\n",
	".claude/hooks/lib/b.sh":      ". \"$CLAUDE_PROJECT_DIR/.claude/hooks/lib/deep/c.sh\"\nB=%d\n",
	".claude/hooks/lib/deep/c.sh": "C=%d\n",
	".claude/hooks/config.json":   "{\"level\": %d}\n",
	".claude/hooks/one.sh":        "V=1.%d\n",
	".claude/hooks/two.sh":        "V=2.%d\n",
	".claude/hooks/x/t.sh":        "T=x.%d\n",
	".claude/hooks/y/t.sh":        "T=y.%d\n",
	".claude/hooks/run/child.sh":  "echo child=%d\n",
	"shared/s.sh":                 "S=%d\n",
}

// editedText is the content of a file of the edited project: n is in it, and
// makes some case pass or fail.
func editedText(file string, n int) string {
	if body, ok := editedHooks[file]; ok {
		return fmt.Sprintf("#!/bin/bash\ncat >/dev/null\n"+body+"\n", n)
	}
	if body, ok := editedTexts[file]; ok {
		return fmt.Sprintf(body, n)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "suite: two\nevent: Stop\ncases:\n")
	for i, hook := range []string{"h4", "h5"} {
		fmt.Fprintf(&s, "  - {id: T%d, name: two_%s, hook: .claude/hooks/%s.sh, expect: {exit: 0, stdout: {contains: [\"%s=\", \"%d\"]}}}\n", i, hook, hook, hook, n%10)
	}
	return s.String()
}

const (
	editedSuite    = "suites/two.yaml"
	editedSentinel = ".claude/hooks/sentinel.sh"
	editedSpare    = ".claude/hooks/spare"
)

var editedLinks = map[string][]string{
	".claude/hooks/cur.sh":  {"one.sh", "two.sh"},
	".claude/hooks/current": {"x", "y"},
}

func editedProject(flood int) editstest.Project {
	p := editstest.Project{
		Text: editedText, Dirs: []string{".claude/hooks", ".claude/hooks/lib", "shared"}, Links: editedLinks,
		Branches: []string{"one", "two"}, Spare: editedSpare, Flood: flood, Many: 1500,
	}
	for _, files := range []map[string]string{editedHooks, editedTexts} {
		for f := range files {
			p.Files = append(p.Files, f)
		}
	}
	p.Files = append(p.Files, editedSuite)
	slices.Sort(p.Files) // of maps: the same seed is to make the same edits
	return p
}

// newEdited makes the edited project, with two branches.
func newEdited(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	p := editedProject(0)
	files := map[string]string{
		".hookwatch.yaml":          "suites: [suites/*.yaml]\nverify: off\nnotify: {desktop: false, settle: 20ms}\n",
		".gitignore":               "/.claude/tests\n/.claude/hooks/spare\n/.claude/hooks/sentinel.sh\n",
		"suites/one.yaml":          editedCases(),
		editedSentinel:             "0",
		editedSpare + "/state.txt": "0",
	}
	for _, f := range p.Files {
		files[f] = editedText(f, 1)
	}
	writeFiles(t, root, files)
	for l, targets := range editedLinks {
		if err := os.Symlink(targets[0], filepath.Join(root, l)); err != nil {
			t.Fatal(err)
		}
	}
	// Files that a running hook writes are data.
	if err := os.Chmod(filepath.Join(root, editedSpare, "state.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, root, "init", "-q", "-b", "one")
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "one")
	git(t, root, "checkout", "-q", "-b", "two")
	for i, f := range p.Files {
		if i%3 > 0 {
			writeFiles(t, root, map[string]string{f: editedText(f, 2)})
		}
	}
	for l, targets := range editedLinks {
		path := filepath.Join(root, l)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(targets[1], path); err != nil {
			t.Fatal(err)
		}
	}
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "two")
	return root
}

// git has git do something in root.
func git(t testing.TB, root string, args ...string) {
	t.Helper()
	if out, err := gitIn(root, args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func gitIn(root string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e")
	return cmd
}

// editedCases are cases of the first three hooks: each kind of content passes
// some and fails others.
func editedCases() string {
	var s strings.Builder
	s.WriteString("suite: one\nevent: Stop\ncases:\n")
	for _, c := range [][3]string{
		{"A", "h1", "a="}, {"B", "h2", "b="}, {"C", "h2", "c="}, {"D", "h3", `level": `}, {"E", "h1", "h1="},
	} {
		for i, digits := range []string{"[0-4]", "[5-9]"} {
			fmt.Fprintf(&s, "  - {id: %[1]s%[2]d, name: one_%[1]s%[2]d, hook: .claude/hooks/%[3]s.sh, expect: {exit: 0, stdout: {matches: ['%[4]s[^ ]*%[5]s\\b']}}}\n",
				c[0], i, c[1], c[2], digits)
		}
	}
	return s.String()
}
