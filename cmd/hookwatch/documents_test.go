package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/reference"
)

var (
	shellFences = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	// saidExit matches the comment at the end of a line whose command must fail.
	saidExit = regexp.MustCompile(`\s#.*\bexit (\d+)\b`)
	// How long a command of .ci/run may take and how much it prints does not matter here.
	timeBound = regexp.MustCompile(` (-timeout \S+|-v)`)
)

// commandsIn are the lines of a document's sh blocks, in order.
func commandsIn(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, block := range shellFences.FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// A shell runs commands like a prompt: each one in the directory that the previous one left.
type shell struct {
	t   *testing.T
	dir string
	env []string
}

// newShell begins in dir, with hookwatch in PATH.
func newShell(t *testing.T, dir string) *shell {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	like := program(t, dir)
	bin := t.TempDir()
	if err := os.Symlink(like.Path, filepath.Join(bin, "hookwatch")); err != nil {
		t.Skip(err)
	}
	return &shell{t, dir, append(like.Env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))}
}

func (s *shell) command(line string) *exec.Cmd {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), ceiling)
	s.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.WaitDelay = time.Second // for what the command started and left with its output
	cmd.Dir, cmd.Env = s.dir, s.env
	return cmd
}

// run runs a line and expects the exit code in its comment, or success without one.
func (s *shell) run(line string) {
	s.t.Helper()
	want := 0
	if said := saidExit.FindStringSubmatch(line); said != nil {
		want, _ = strconv.Atoi(said[1])
	}
	left := filepath.Join(s.t.TempDir(), "left")
	cmd := s.command("trap 'pwd -P >\"" + left + "\"' EXIT\n" + line)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("%s: %v", line, err)
	}
	if code := cmd.ProcessState.ExitCode(); code != want {
		s.t.Errorf("%s: exit %d, want %d\n%s", line, code, want, out)
	}
	dir, err := os.ReadFile(left)
	if err != nil {
		s.t.Fatal(err)
	}
	s.dir = strings.TrimSuffix(string(dir), "\n")
}

// watchAndQuit runs a command that watches until it begins its first run, ends it as Ctrl-C
// does, and expects that it ends well. The run itself is what other tests wait for.
func (s *shell) watchAndQuit(line string) {
	s.t.Helper()
	cmd := s.command("exec " + line)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	began := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if !began && strings.Contains(lines.Text(), "running ") {
			began = true
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				s.t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 || !began {
		s.t.Errorf("%s: %v; it began to run cases: %v", line, err, began)
	}
}

// checkedByCI returns the commands of .ci/run and .ci/demo as a user would type them: without a
// time limit and without a temporary directory.
func checkedByCI(t *testing.T) string {
	t.Helper()
	text := ""
	for _, script := range []string{"../../.ci/run", "../../.ci/demo"} {
		part, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		text += string(part)
	}
	return strings.ReplaceAll(timeBound.ReplaceAllString(text, ""), `"$work/hookwatch"`, "hookwatch")
}

// TestReadmeCommands runs the commands of the README in order. Go's own
// commands are not run: go test ./... is what runs this test, and a run of
// all cases and building take minutes. .ci/run runs these, the last by .ci/demo, so that
// it is enough that they are there to the letter.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	held := checkedByCI(t)
	lines := commandsIn(t, "../../README.md")
	for _, want := range []string{"go run ./cmd/hookwatch --once", "go test ./..."} {
		if !slices.Contains(lines, want) {
			t.Errorf("the README does not have the command %s", want)
		}
	}
	copied := filepath.Join(t.TempDir(), "hookwatch")
	if err := os.Mkdir(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	sh := newShell(t, copied)
	for _, line := range lines {
		switch {
		case strings.Contains(line, "go "):
			if !regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(line) + `( [|>]|$)`).MatchString(held) {
				t.Errorf("neither .ci/run nor .ci/demo runs %s", line)
			}
		case line == "hookwatch":
			sh.watchAndQuit(line)
		default:
			sh.run(line)
		}
	}
}

// TestTopicCommands runs the commands of each topic, in order, in a fresh copy of
// the reference project.
func TestTopicCommands(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../internal/cli/topics/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no topics", err)
	}
	for _, file := range processtest.Sample(files, 6) {
		topic := strings.TrimSuffix(filepath.Base(file), ".md")
		t.Run(topic, func(t *testing.T) {
			t.Parallel()
			lines := commandsIn(t, file)
			if len(lines) == 0 {
				return
			}
			root := filepath.Join(t.TempDir(), "my project")
			if topic == "hooks" { // for projects without suites
				writeFiles(t, root, unsuited)
			} else if _, err := reference.First.Extract(root); err != nil {
				t.Fatal(err)
			}
			sh := newShell(t, root)
			for _, line := range lines {
				sh.run(line)
			}
		})
	}
}

// TestWorkflow runs the steps of the workflow in the topic on records: four parts of a full run on
// machines of their own, and their merge, which has the verdicts of a full run on one machine.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../internal/cli/topics/records.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```yaml\n(jobs:.*?)^```$").FindSubmatch(text)
	if block == nil {
		t.Fatal("the topic has no workflow")
	}
	type job struct {
		Strategy struct {
			Matrix struct{ Part []int }
		}
		Steps []struct{ Run string }
	}
	var workflow struct{ Jobs struct{ Shard, Merge job } }
	if err := yaml.Unmarshal(block[1], &workflow); err != nil {
		t.Fatal(err)
	}
	machine := func() *shell {
		root := filepath.Join(t.TempDir(), "project")
		suite := "suite: s\nevent: PreToolUse\ntool: Bash\nhook: .claude/hooks/guard.sh\ncases:\n"
		for i := range 9 {
			suite += fmt.Sprintf("  - {id: A%d, name: n, command: 'rm %d', expect: {effect: denied}}\n", i, i)
		}
		writeFiles(t, root, map[string]string{
			".claude/hooks/guard.sh":            "#!/bin/bash\ngrep -q rm && { echo no >&2; exit 2; }\nexit 0\n",
			".claude/tests/hooks/suites/s.yaml": suite,
		})
		return newShell(t, root)
	}
	work := func(sh *shell, of job) {
		for _, step := range of.Steps {
			if step.Run != "" {
				sh.run(step.Run)
			}
		}
	}
	verdicts := func(file string) map[string]suites.Status {
		var doc struct {
			Cases []struct {
				ID     string
				Status suites.Status
			}
		}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[string]suites.Status)
		for _, c := range doc.Cases {
			all[c.ID] = c.Status
		}
		return all
	}
	merging := machine()
	parts := workflow.Jobs.Shard.Strategy.Matrix.Part
	of := 0
	for _, part := range parts {
		sh := machine()
		sh.env = append(sh.env, fmt.Sprintf("PART=%d", part))
		work(sh, workflow.Jobs.Shard)
		name := fmt.Sprintf("%d.json", part)
		of += len(verdicts(filepath.Join(sh.dir, name)))
		if err := os.Rename(filepath.Join(sh.dir, name), filepath.Join(merging.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	work(merging, workflow.Jobs.Merge)
	merging.run("hookwatch merge --format json [1-4].json >merged.json")
	whole := machine()
	whole.run("hookwatch --once --format json >whole.json")
	want, got := verdicts(filepath.Join(whole.dir, "whole.json")), verdicts(filepath.Join(merging.dir, "merged.json"))
	if d := cmp.Diff(want, got); d != "" || len(parts) != 4 || of != len(want) || of == 0 {
		t.Errorf("%d cases in %d parts, %d in a full run (-whole +merged):\n%s", of, len(parts), len(want), d)
	}
}
