//go:build !windows

package main

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// clones are links in a project that the user cloned, from names in it to the user's own files.
// Named is the path that hookwatch must report as being in its way.
var clones = map[string]struct {
	links map[string]string
	named string
	said  string   // in other words than those of a link in the way of records
	args  []string // of hookwatch; none: --once
}{
	"rolling log":         {links: map[string]string{"results/rolling/a-agent.jsonl": "bashrc"}, named: "rolling/a-agent.jsonl"},
	"log of tools":        {links: map[string]string{"results/rolling/tools.log": "bashrc"}, named: "rolling/tools.log"},
	"a new rolling log":   {links: map[string]string{"results/rolling/a-agent.jsonl": "absent"}, named: "rolling/a-agent.jsonl"},
	"lock":                {links: map[string]string{"results/.lock": "authorized_keys"}, named: ".lock"},
	"lock that is absent": {links: map[string]string{"results/.lock": "absent"}, named: ".lock"},
	"archive":             {links: map[string]string{"results/archive": "precious"}, named: "archive"},
	"results":             {links: map[string]string{"results": "precious"}, said: "asks for results.dir: results;"}, // they go to the state folder
	"rolling":             {links: map[string]string{"results/rolling": "precious"}, named: "rolling"},
	"traces":              {links: map[string]string{"results/traces": "precious"}, named: "traces"},
	"contents":            {links: map[string]string{"results/contents": "precious"}, named: "contents"},
	"report":              {links: map[string]string{"results/RESULTS.md": "bashrc"}, named: "RESULTS.md"},
	"run in progress":     {links: map[string]string{"results/running.json": "bashrc"}, named: "running.json"},
	"inputs":              {links: map[string]string{"results/inputs.json": "bashrc"}, named: "inputs.json"},
	"rules of git":        {links: map[string]string{"results/.gitignore": "bashrc"}, named: ".gitignore"},
	"init: suites":        {links: map[string]string{".claude/tests": "precious"}, named: ".claude/tests", args: []string{"init"}},
	"init: configuration": {links: map[string]string{".hookwatch.yaml": "absent"}, said: ".hookwatch.yaml: cannot be read", args: []string{"init"}},
	"init --starter":      {links: map[string]string{"docs": "precious"}, named: "docs", args: []string{"init", "--starter", "linters"}},
	"coverage":            {links: map[string]string{"results/traces": "precious"}, named: "traces", args: []string{"coverage"}},
	"history":             {links: map[string]string{"results/archive": "precious"}, named: "archive", args: []string{"history"}},
	"history of a file":   {links: map[string]string{"results/rolling/a-agent.jsonl": "bashrc"}, named: "rolling/a-agent.jsonl", args: []string{"history"}},
	"query":               {links: map[string]string{"results/a-agent-20260101T000000Z.jsonl": "bashrc"}, named: "a-agent-20260101T000000Z.jsonl", args: []string{"query", "length"}},
	"why":                 {links: map[string]string{"results": "precious"}, said: "asks for results.dir: results;", args: []string{"why"}},
}

// TestClonesWithLinks checks that commands in a fresh clone read, write and delete nothing through
// its links, report the link that is in the way, and still show the verdicts.
func TestClonesWithLinks(t *testing.T) {
	t.Parallel()
	for name, c := range clones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, outside := cloned(t, c.links, len(c.args) > 0 && c.args[0] == "init")
			before := contents(t, outside)
			once := len(c.args) == 0
			if once {
				c.args = []string{"--once"}
			}
			stdout, stderr, code := runFor(t, program(t, root, c.args...))
			if after := contents(t, outside); !maps.Equal(before, after) {
				t.Errorf("the user's files are\n%q, were\n%q", after, before)
			}
			if !strings.Contains(stdout+stderr, cmp.Or(c.said, c.named+" is a symbolic link to ")) {
				t.Errorf("the obstacle is not named:\n%s%s", stdout, stderr)
			}
			want := 3
			if c.said != "" {
				want = 0
			}
			if once && (code != want || !strings.Contains(stdout, "PASS 1")) {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

// TestClonesWithPipes checks that no command waits for a writer of a pipe.
func TestClonesWithPipes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".lock", "running.json", "rolling/a-agent.jsonl", "rolling/tools.log", "inputs.json", "a-agent-20260101T000000Z.jsonl"} {
		for _, args := range [][]string{{"--once"}, {"history"}, {"why"}} {
			t.Run(name+" "+args[0], func(t *testing.T) {
				t.Parallel()
				root, _ := cloned(t, nil, false)
				path := filepath.Join(root, "results", name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), syscall.Mkfifo(path, 0o644)); err != nil {
					t.Fatal(err)
				}
				stdout, stderr, code := runFor(t, program(t, root, args...))
				if args[0] == "--once" && (code != 3 || !strings.Contains(stdout, "PASS 1") || !strings.Contains(stderr, name+" is a named pipe")) {
					t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
				}
			})
		}
	}
}

// cloned creates a project with links into a directory of the user. A bare one has no configuration
// and no suite yet.
func cloned(t *testing.T, links map[string]string, bare bool) (root, outside string) {
	t.Helper()
	top := t.TempDir()
	root, outside = filepath.Join(top, "clone"), filepath.Join(top, "user")
	files := map[string]string{
		"user/bashrc": "alias ll='ls -l'\n", "user/authorized_keys": "ssh-ed25519 AAAA\n", "user/precious/20200101T000000Z/thesis": "1\n",
		"user/precious/20200102T000000Z/thesis": "2\n", "user/precious/.pending-20200101T000000Z/thesis": "3\n",
		"clone/.claude/hooks/a.sh": "#!/bin/bash\nexit 0\n",
	}
	if !bare {
		files["clone/.hookwatch.yaml"] = "suites: [suite.yaml]\nresults: {dir: results, keep_runs: 1}\n"
		files["clone/suite.yaml"] = "suite: a\nhook: .claude/hooks/a.sh\nevent: Stop\ncases:\n" +
			"  - {id: A1, name: \"$(touch owned)\", category: c, expect: {exit: 0}, verify: [\".claude/hooks/a.sh\"]}\n"
	}
	for name, text := range files {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range links {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(filepath.Join(outside, target), path)); err != nil {
			t.Fatal(err)
		}
	}
	return root, outside
}

// runFor runs a command that has to end by itself.
func runFor(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(ceiling, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() < 0 {
		t.Errorf("it did not end by itself: %v", cmd.ProcessState)
	}
	return out.String(), diagnostics.String(), cmd.ProcessState.ExitCode()
}

// contents gives the text of every file below a directory, and of every other
// entry its kind.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all[path] = d.Type().String()
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			all[path] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
