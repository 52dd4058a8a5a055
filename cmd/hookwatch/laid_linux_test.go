package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/suites/process/testdata/processtest"
)

// A hostileFile blocks its reader or exhausts its memory.
type hostileFile struct {
	make  func(path string) error
	files map[string]string // place -> part of the message about it; "" if there is none
}

// hostileFiles returns hostile files by name. They are not a variable because this program starts
// itself often, and would create their texts each time.
func hostileFiles() map[string]hostileFile {
	return map[string]hostileFile{
		"a named pipe": {func(path string) error { return syscall.Mkfifo(path, 0o644) }, map[string]string{
			"suites/k.yaml": "is a named pipe", "suites/s.yaml": "is a named pipe", ".claude/settings.json": "is a named pipe",
			".claude/hooks/k.sh": "", ".claude/hooks/config.json": "", "docs/k.md": "docs/k.md", ".git": "", "lib.sh": "", ".npmrc": "",
		}},
		"a link to /dev/zero": {func(path string) error { return os.Symlink("/dev/zero", path) }, map[string]string{
			"suites/k.yaml": "leads out of the project", ".claude/settings.json": ".claude/settings.json", ".claude/hooks/k.sh": "",
			".claude/hooks/config.json": "", "docs/k.md": "leads out of the project", ".git": "", "lib.sh": "",
		}},
		"a link to a pipe": {func(path string) error {
			pipe := path + ".pipe"
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				return err
			}
			return os.Symlink(pipe, path)
		}, map[string]string{"suites/k.yaml": "is a named pipe", ".claude/settings.json": "is a named pipe", ".claude/hooks/k.sh": "", "docs/k.md": "docs/k.md", ".git": ""}},
		"a terabyte": {func(path string) error {
			if err := os.WriteFile(path, []byte("#!/bin/bash\n"), 0o755); err != nil {
				return err
			}
			return os.Truncate(path, 1<<40)
		}, map[string]string{
			"suites/k.yaml": "too large", ".claude/settings.json": "too large", ".claude/hooks/k.sh": "is larger than 1 MB", ".claude/hooks/config.json": "",
			"docs/k.md": "too large", "lib.sh": "", ".git": "",
		}},
		"a hundred megabytes": {func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("#!/bin/bash\n: (\n", 100<<20/16)), 0o755)
		}, map[string]string{
			"suites/k.yaml": "too large", ".claude/settings.json": "too large", ".claude/hooks/k.sh": "is larger than 1 MB", "docs/k.md": "too large",
		}},
		"a suite of aliases":   text("suite: k\na: &a [x,x,x,x,x,x,x,x,x]\n"+doubled(12)+"cases: *m\n", map[string]string{"suites/k.yaml": "aliases make the file too large"}),
		"a suite of itself":    text("suite: k\ncases: &c [*c]\n", map[string]string{"suites/k.yaml": "alias of itself"}),
		"a suite of merges":    text("a: &a {"+numbered("k%: 1,", 20_000)+"}\nsuite: k\ncases:\n"+numbered("  - {<<: *a, id: K%, name: k}\n", 300), map[string]string{"suites/k.yaml": "aliases make the file too large"}),
		"a suite that nests":   text("suite: k\ncases: "+strings.Repeat("[", 1_000_000), map[string]string{"suites/k.yaml": "not valid YAML"}),
		"a suite of slips":     text("suite: k\ncases:\n"+strings.Repeat("  - {idd: 1}\n", 100_000), map[string]string{"suites/k.yaml": "unknown key idd"}),
		"settings that nest":   text(strings.Repeat("[", 900_000), map[string]string{".claude/settings.json": "settings.json"}),
		"settings that nest 2": text(strings.Repeat(`{"hooks":`, 100_000), map[string]string{".claude/settings.json": "settings.json"}),
		"a command that nests": text(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "`+strings.Repeat("$(", 300_000)+`"}]}]}}`, map[string]string{".claude/settings.json": ""}),
		"a script that nests":  text(strings.Repeat("(", 1_000_000), map[string]string{".claude/hooks/k.sh": "", "lib.sh": ""}),
		"a document of quotes": text(strings.Repeat(">", 1_000_000), map[string]string{"docs/k.md": "nests too deep"}),
		"a document of links":  text(strings.Repeat("[a](", 250_000), map[string]string{"docs/k.md": "nests too deep"}),
		"many markers":         text("A1 "+strings.Repeat("x [verify: lib.sh §b].\n\n", 40_000), map[string]string{"docs/k.md": "too many markers"}),
	}
}

type laidFile = struct {
	make  func(path string) error
	files map[string]string
}

func text(content string, files map[string]string) laidFile {
	return laidFile{func(path string) error { return os.WriteFile(path, []byte(content), 0o755) }, files}
}

// doubled defines each alias as nine of the previous one.
func doubled(n int) string {
	var b strings.Builder
	for i := range n {
		name, before := string(rune('b'+i)), "*"+string(rune('a'+i))
		b.WriteString(name + ": &" + name + " [" + strings.TrimSuffix(strings.Repeat(before+",", 9), ",") + "]\n")
	}
	return b.String()
}

func numbered(form string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(form, "%", strings.Repeat("i", i%7)+string(rune('a'+i%26))+strings.Repeat("o", i/182)))
	}
	return b.String()
}

// TestLaid checks that every command ends, uses bounded memory and reports the obstacle, whatever
// replaces a file of the project.
func TestLaid(t *testing.T) {
	t.Parallel()
	all := hostileFiles()
	for i, name := range processtest.Sample(slices.Sorted(maps.Keys(all)), 4) {
		l := all[name]
		for _, at := range processtest.Sample(slices.Sorted(maps.Keys(l.files)), i%3+1) {
			said := l.files[at]
			t.Run(name+" as "+at, func(t *testing.T) {
				t.Parallel()
				root, uses := t.TempDir(), ". ./lib.sh"
				if at == ".npmrc" { // npm takes long to start
					uses = "npm --version"
				}
				files := map[string]string{
					".hookwatch.yaml":    "suites: ['suites/*.yaml']\nspecs: ['docs/*.md']\nnotify: {desktop: false}\nresults: {dir: results}\nsandbox: {keep: 0}\nrun: {timeout: 2s}\n",
					"suites/s.yaml":      "suite: s\nhook: .claude/hooks/h.sh\ncases: [{id: A1, name: a, event: Stop, expect: {exit: 0}}]\n",
					".claude/hooks/h.sh": "#!/bin/bash\n[ -p lib.sh ] || [ -s \"${0%/*}/config.json\" ]\n" + uses + " </dev/null\nexit 0\n",
					"docs/a.md":          "A1 stops [verify: .claude/hooks/h.sh].\n",
				}
				delete(files, at)
				writeFiles(t, root, files)
				path := filepath.Join(root, at)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), l.make(path)); err != nil {
					t.Fatal(err)
				}
				commands := [][]string{{"list"}, {"--once"}}
				if strings.HasPrefix(at, "docs/") || strings.HasSuffix(at, ".sh") {
					commands = append(commands, []string{"verify"})
				}
				for _, args := range commands {
					out := bounded(t, root, args...)
					if notice := args[0] == "--once" || !strings.Contains(at, "settings"); notice && !strings.Contains(out, said) || strings.Contains(out, "goroutine") {
						t.Errorf("hookwatch %s prints %.600q, want %q", args, out, said)
					}
				}
			})
		}
	}
}

// waited is how long a command is waited for. Machines have other things to do.
const waited = 5 * time.Minute

// bounded runs a command that has to end by itself, and within half a gigabyte.
func bounded(t *testing.T, root string, args ...string) string {
	t.Helper()
	return string(measured(t, program(t, root, args...), waited, 512<<20))
}

// TestWalkedMachine: no pattern of the configuration leads through the machine.
func TestWalkedMachine(t *testing.T) {
	t.Parallel()
	for config, said := range map[string]string{
		"specs: ['/**/*.md']":      "",
		"specs: ['../**/*.md']":    "",
		"suites: ['/**/*.yaml']":   "",
		"hooks: [/]":               "",
		"hooks: [/proc]":           "",
		"settings: [/dev/zero]":    "",
		"settings: [/proc/kmsg]":   "",
		"suites: [/dev/zero]":      "",
		"specs: ['up/**/*.md']":    "",
		"specs: ['loop/**/*.md']":  "more than",
		"suites: ['loop/**/*.md']": "more than",
	} {
		t.Run(config, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			writeFiles(t, root, map[string]string{
				".hookwatch.yaml": config + "\nnotify: {desktop: false}\n", ".claude/hooks/h.sh": "#!/bin/bash\n",
			})
			links := map[string]string{"up": "/usr"}
			for i := range 12 { // each leads to all the others
				for j := range 12 {
					writeFiles(t, root, map[string]string{fmt.Sprintf("loop/d%d/x.md", i): ""})
					links[fmt.Sprintf("loop/d%d/l%d", i, j)] = fmt.Sprintf("../d%d", j)
				}
			}
			for name, target := range links {
				if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
					t.Fatal(err)
				}
			}
			if out := bounded(t, root, "list"); !strings.Contains(out, said) {
				t.Errorf("it prints %.300q, want %q", out, said)
			}
		})
	}
}
