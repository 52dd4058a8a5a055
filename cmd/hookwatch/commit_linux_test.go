package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// example returns the block of the topic editors in a language that contains a text.
func example(t *testing.T, language, with string) string {
	t.Helper()
	topic, err := os.ReadFile("../internal/cli/topics/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(topic, -1) {
		if strings.Contains(string(block[1]), with) {
			return string(block[1])
		}
	}
	t.Fatalf("no example in %s with %s", language, with)
	return ""
}

// preCommitConfig returns a configuration of pre-commit with the hooks that the repository offers, run by
// the program of the test: building it is what the language of the hooks does.
func preCommitConfig(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []map[string]any
	if err := yaml.Unmarshal(text, &hooks); err != nil || len(hooks) != 2 {
		t.Fatalf("%v: %v", hooks, err)
	}
	for _, h := range hooks {
		if !strings.Contains(example(t, "yml", "repos:"), fmt.Sprintf("{id: %s}", h["id"])) {
			t.Errorf("the topic does not name the hook %s", h["id"])
		}
		h["language"] = "system"
	}
	config, err := yaml.Marshal(map[string]any{"repos": []any{map[string]any{"repo": "local", "hooks": hooks[:1]}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(config)
}

// TestCommits checks that git's own hook, pre-commit and lefthook refuse a commit for what is in the
// index, and accept one whatever is in the work tree.
func TestCommits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool, file, content string
		install             []string
	}{
		{"git", ".git/hooks/pre-commit", example(t, "bash", "exec hookwatch"), []string{"git", "version"}},
		{"pre-commit", ".pre-commit-config.yaml", preCommitConfig(t), []string{"pre-commit", "install"}},
		{"lefthook", "lefthook.yml", example(t, "yml", "jobs:"), []string{"lefthook", "install"}},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tt.tool); err != nil {
				t.Skip("absent: " + tt.tool)
			}
			root := filepath.Join(t.TempDir(), "my project")
			writeFiles(t, root, guarded)
			program := program(t, root)
			bin := t.TempDir()
			writeFiles(t, bin, map[string]string{"hookwatch": "#!/bin/sh\n" + asProgram + "=1 exec '" + program.Path + "' \"$@\"\n"})
			if err := os.Chmod(filepath.Join(bin, "hookwatch"), 0o755); err != nil {
				t.Fatal(err)
			}
			run := func(command ...string) (string, error) {
				cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
				cmd.Dir = root
				for _, v := range program.Env {
					if !strings.HasPrefix(v, "PATH=") && !strings.HasPrefix(v, asProgram) {
						cmd.Env = append(cmd.Env, v)
					}
				}
				cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "PWD="+root,
					"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			must := func(command ...string) {
				t.Helper()
				if out, err := run(command...); err != nil {
					t.Fatalf("%q: %v\n%s", command, err, out)
				}
			}
			guard := func(exit string) {
				t.Helper()
				text := strings.Replace(guarded[".claude/hooks/guard.sh"], "exit 2", "exit "+exit, 1)
				if err := os.WriteFile(filepath.Join(root, ".claude/hooks/guard.sh"), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			must("git", "init", "-q")
			must("git", "commit", "-q", "--allow-empty", "-m", "zero") // lefthook needs one
			writeFiles(t, root, map[string]string{tt.file: tt.content})
			if tt.tool == "git" {
				must("chmod", "755", tt.file)
			}
			must(tt.install...)
			guard("1")
			must("git", "add", ".")
			guard("2")
			if out, err := run("git", "commit", "-q", "-m", "one"); err == nil || !strings.Contains(out, "FAIL G1") {
				t.Errorf("an index that is broken: %v\n%s", err, out)
			}
			must("git", "add", ".")
			guard("1")
			if out, err := run("git", "commit", "-q", "-m", "two"); err != nil {
				t.Errorf("a work tree that is broken: %v\n%s", err, out)
			}
			if out, err := run("git", "log", "--format=%s"); err != nil || out != "two\nzero\n" {
				t.Errorf("commits: %s %v", out, err)
			}
		})
	}
}
