//go:build linux

package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"hookwatch/watcher/testdata/editstest"
)

// A soaker makes edits that the generator of sequences does not: those that bring
// what was never there before, and those that change what the project is made of.
type soaker struct {
	disk  realDisk
	r     *rand.Rand
	g     *editstest.Generator
	nonce int
	lines map[string]string // what was added to a file
}

// A soakWay is one kind of edit.
type soakWay struct {
	name string
	edit func(s *soaker)
}

// soakKept is how many of the files that are new in an edit stay, before the next
// one replaces the oldest.
const soakKept = 3

const (
	soakSettings = ".claude/settings.json"
	soakDocument = "docs/spec.md"
	soakSentinel = "docs/sentinel.md"
)

var soakWays = []soakWay{
	{"comment", func(s *soaker) { f := s.hook(); s.put(f, s.text(f)+s.number("# comment %d\n")) }},
	{"syntax error", func(s *soaker) { f := s.hook(); s.put(f, s.text(f)+s.number("if then ( %d\n")) }},
	{"long output", func(s *soaker) { f := s.hook(); s.put(f, s.text(f)+s.number("printf '%%09d\\n' {1..9000} %d\n")) }},
	{"tool", func(s *soaker) { f := s.hook(); s.put(f, s.text(f)+s.number("if false; then tool-%d --version; fi\n")) }},
	{"name of a file", func(s *soaker) {
		f := s.hook()
		s.put(f, s.text(f)+s.number("[ ! -e a/lib-%[1]d.sh ] || . a/lib-%[1]d.sh\n"))
	}},
	{"function", func(s *soaker) { f := s.hook(); s.put(f, s.text(f)+s.number("f%[1]d() { echo %[1]d; }\nf%[1]d\n")) }},
	{"mode", func(s *soaker) {
		s.disk.Do(editstest.Op{Verb: editstest.Chmod, Path: s.hook(), Mode: []fs.FileMode{0o644, 0o755}[s.r.IntN(2)]})
	}},
	{"new hook", (*soaker).newHook},
	{"new suite", (*soaker).newSuite},
	{"new document", (*soaker).newDocument},
	{"new directory", (*soaker).newDirectory},
	{"new link", (*soaker).newLink},
	{"suite", (*soaker).suite},
	{"document", func(s *soaker) { s.put(soakDocument, s.document()) }},
	{"settings", (*soaker).settings},
	{"configuration", (*soaker).configuration},
}

func (s *soaker) next() int            { s.nonce++; return s.nonce }
func (s *soaker) path(p string) string { return s.disk.path(p) }

// number puts a number into a text that was in none before.
func (s *soaker) number(format string) string { return fmt.Sprintf(format, s.next()) }

func (s *soaker) hook() string {
	return fmt.Sprintf(".claude/hooks/h%d.sh", 1+s.r.IntN(len(editedHooks)))
}

// text is a content of a file of the edited project that was never there before.
func (s *soaker) text(file string) string { return editedText(file, s.next()) }

// put saves a file by renaming, in a directory that is made if need be.
func (s *soaker) put(file, text string) {
	dir := file[:max(strings.LastIndexByte(file, '/'), 0)]
	for _, o := range []editstest.Op{
		{Verb: editstest.Mkdir, Path: dir}, {Verb: editstest.Remove, Path: file + ".tmp"},
		{Verb: editstest.Append, Path: file + ".tmp", Text: text}, {Verb: editstest.Rename, Path: file + ".tmp", To: file},
	} {
		s.disk.Do(o)
	}
}

// renew makes a file under a name that was never there before, and removes the one
// made so long ago that enough others stay.
func (s *soaker) renew(format, text string) (file string, n int) {
	n = s.next()
	file = fmt.Sprintf(format, n)
	s.put(file, strings.ReplaceAll(text, "%d", fmt.Sprint(n)))
	s.lines[format] += file + "\n"
	if all := strings.Split(strings.TrimSpace(s.lines[format]), "\n"); len(all) > soakKept {
		s.disk.Do(editstest.Op{Verb: editstest.Remove, Path: all[0]})
		s.lines[format] = strings.Join(all[1:], "\n") + "\n"
	}
	return file, n
}

func (s *soaker) newHook() {
	s.renew(".claude/hooks/new-%d.sh", "#!/bin/bash\n. \"$CLAUDE_PROJECT_DIR/.claude/hooks/lib/a.sh\"\n"+
		". \"$CLAUDE_PROJECT_DIR/.claude/hooks/new-lib-%d.sh\"\necho new=%d $A\n")
	s.renew(".claude/hooks/new-lib-%d.sh", "N=%d\n")
}

// newSuite makes cases that were never there before, of a hook that may not be.
func (s *soaker) newSuite() {
	s.renew("suites/new-%d.yaml", "suite: new-%d\nevent: Stop\ncases:\n"+
		"  - {id: N%d, name: new, hook: .claude/hooks/h1.sh, expect: {exit: 0}}\n"+
		"  - {id: M%d, name: gone, hook: .claude/hooks/new-%d.sh, expect: {exit: 0}}\n")
}

func (s *soaker) newDocument() {
	s.renew("docs/new-%d.md", "# New %d\n\n- A0: it prints `a` [verify: .claude/hooks/lib/a.sh §part-%d]\n")
}

func (s *soaker) newDirectory() {
	s.renew(".claude/hooks/new-dir-%d", "") // a file first, in whose place there is a directory
	file, n := s.renew(".claude/hooks/new-%d.d/sub/x.sh", "X=%d\n")
	s.disk.Do(editstest.Op{Verb: editstest.Rename, Path: fmt.Sprintf(".claude/hooks/new-%d.d", n), To: fmt.Sprintf("shared/new-%d.d", n)})
	s.disk.Do(editstest.Op{Verb: editstest.Remove, Path: fmt.Sprintf("shared/new-%d.d", n-4*soakKept)})
	_ = file
}

func (s *soaker) newLink() {
	name := s.number(".claude/hooks/link-%d.sh")
	s.disk.Do(editstest.Op{Verb: editstest.Symlink, Path: name, Text: "one.sh"})
	s.put(".claude/hooks/lib/a.sh", fmt.Sprintf(". \"$CLAUDE_PROJECT_DIR/%s\"\nA=%d\n", name, s.next()))
	if all := s.lines["links"]; all != "" {
		s.disk.Do(editstest.Op{Verb: editstest.Remove, Path: all})
	}
	s.lines["links"] = name
}

// suite redefines cases, gives one an ID of its own, or breaks the file.
func (s *soaker) suite() {
	n := s.next()
	text := fmt.Sprintf("suite: own\nevent: Stop\ncases:\n"+
		"  - {id: O1, name: one_%[1]d, hook: .claude/hooks/h1.sh, expect: {exit: 0, stdout: {absent: ['%[1]d!']}}}\n"+
		"  - {id: P%[1]d, name: of_its_own, hook: .claude/hooks/h2.sh, expect: {exit: 0}}\n", n)
	if n%5 == 0 {
		text += fmt.Sprintf("  - {id: O1, nmae: twice_%d}\n", n)
	}
	s.put("suites/own.yaml", text)
}

func (s *soaker) document() string {
	n := s.next()
	return fmt.Sprintf("# Spec\n\n## Section %[1]d\n\n| ID | claim |\n| --- | --- |\n| A0 | a [verify: .claude/hooks/h1.sh §f%[1]d] |\n"+
		"| D1 | level [verify: .claude/hooks/config.json §level] |\n\nB0, B1: text %[1]d [verify: docs/spec.md §Section %[1]d]\n", n)
}

func (s *soaker) settings() {
	n := s.next()
	text := fmt.Sprintf(`{"hooks": {"Stop": [{"matcher": "m%d", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/h%d.sh %d"}]}]}}`, n, 1+n%5, n)
	if n%6 == 0 {
		text = text[:len(text)-1]
	}
	s.put(soakSettings, text)
}

// configuration saves another one, one with a mistake, or none.
func (s *soaker) configuration() {
	n := s.next()
	switch n % 8 {
	case 0:
		s.put(projectConfig, soakConfiguration+fmt.Sprintf("wacth: {ignore: [x%d]}\n", n))
	case 1:
		s.disk.Do(editstest.Op{Verb: editstest.Rename, Path: projectConfig, To: projectConfig + "~"})
		s.put(projectConfig, soakConfiguration)
	default:
		s.put(projectConfig, soakConfiguration+fmt.Sprintf("watch: {ignore: [\"x%d\"]}\nrun: {timeout: %dms, jobs: %d}\n", n, 20000+n, 1+n%3))
	}
}

const soakConfiguration = "suites: [suites/*.yaml]\nspecs: [docs/*.md]\nnotify: {desktop: false, settle: 20ms}\n"

// soakProject has fewer files come at once than the sequences of edits, each of
// which is followed by a rest: each burst of them costs a slow machine many a run.
func soakProject() editstest.Project {
	p := editedProject(0)
	p.Many = 200
	return p
}

// newSoak makes the edited project with what the soak edits besides, on both of its
// branches.
func newSoak(t testing.TB) string {
	t.Helper()
	root := newEdited(t)
	for i, branch := range []string{"two", "one"} {
		s := &soaker{nonce: i * 100}
		git(t, root, "checkout", "-q", branch)
		writeFiles(t, root, map[string]string{
			".gitignore":      "/.claude/tests\n/.claude/hooks/spare\n/.claude/hooks/sentinel.sh\n/docs/sentinel.md*\n",
			projectConfig:     soakConfiguration,
			soakDocument:      s.document(),
			soakSettings:      "{}\n",
			"suites/own.yaml": "suite: own\nevent: Stop\ncases:\n  - {id: O1, name: one, hook: .claude/hooks/h1.sh, expect: {exit: 0}}\n",
		})
		git(t, root, "add", ".")
		git(t, root, "commit", "-q", "-m", "soak")
	}
	return root
}

// restore resets the project to the content of the branch one.
func (s *soaker) restore() {
	t := s.disk.t
	git(t, s.disk.root, "checkout", "-q", "-f", "one")
	git(t, s.disk.root, "clean", "-fdq")
	entries, err := os.ReadDir(s.path(editedSpare))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "state.txt" {
			s.disk.Do(editstest.Op{Verb: editstest.Remove, Path: editedSpare + "/" + e.Name()})
		}
	}
	clear(s.lines)
}
