package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// actionFile is the composite action for pull requests.
const actionFile = "../../.github/actions/hookwatch/action.yml"

// An action is a composite action of GitHub Actions.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Runs              struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	Name, Shell, Run, Uses string
	Env, With              map[string]string
}

func readAction(t *testing.T) (a action) {
	t.Helper()
	text, err := os.ReadFile(actionFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Load(text, &a, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	return a
}

var (
	expressions = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)
	pinned      = regexp.MustCompile(`^actions/(setup-go|cache/restore|cache/save)@[0-9a-f]{40}$`)
)

// TestActionForm checks that other actions are pinned by their commits, that no text of a pull request
// becomes a part of a shell's text, and that each input is described and used.
func TestActionForm(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	text, _ := os.ReadFile(actionFile)
	if a.Runs.Using != "composite" || a.Description == "" {
		t.Errorf("%+v", a)
	}
	for _, s := range a.Runs.Steps {
		switch {
		case s.Uses != "" && !pinned.MatchString(s.Uses):
			t.Errorf("%s: %s is not pinned, or unknown", s.Name, s.Uses)
		case s.Uses == "" && s.Shell != "bash":
			t.Errorf("%s: shell %q", s.Name, s.Shell)
		case strings.Contains(s.Run, "${{"):
			t.Errorf("%s: an expression in the text of the shell", s.Name)
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || !strings.Contains(string(text), "${{ inputs."+name) {
			t.Errorf("the input %s is not described, or not used", name)
		}
	}
}

// A runner carries out the steps of an action as a runner of GitHub Actions does. The steps that use other
// actions install and cache files, which are there: the runner's directory is kept.
type runner struct {
	t         *testing.T
	action    action
	workspace string
	temp      string
	values    map[string]string // of expressions
	env       []string
	path      []string
	ran       int
}

// run carries out all steps for an event. It returns the log, the summary of the job, and the step that failed.
func (r *runner) run(event string) (log, summary, failed string) {
	r.t.Helper()
	files := map[string]string{}
	for _, name := range []string{"GITHUB_STEP_SUMMARY", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_ENV"} {
		f, err := os.CreateTemp(r.temp, name)
		if err != nil {
			r.t.Fatal(err)
		}
		files[name] = f.Name()
		_ = f.Close()
	}
	read := func(name string) string {
		text, err := os.ReadFile(files[name])
		if err != nil {
			r.t.Fatal(err)
		}
		return string(text)
	}
	here, err := filepath.Abs(filepath.Dir(actionFile))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range r.action.Runs.Steps {
		if s.Run == "" {
			continue
		}
		env := append(slices.Clone(r.env), "GITHUB_ACTIONS=true", "GITHUB_EVENT_NAME="+event, "GITHUB_ACTION_PATH="+here, "RUNNER_TEMP="+r.temp)
		for name, file := range files {
			env = append(env, name+"="+file)
		}
		for name, text := range s.Env {
			env = append(env, name+"="+expressions.ReplaceAllStringFunc(text, func(of string) string {
				value, known := r.values[expressions.FindStringSubmatch(of)[1]]
				if !known {
					r.t.Fatalf("%s: the runner does not know %s", s.Name, of)
				}
				return value
			}))
		}
		dirs := strings.Fields(read("GITHUB_PATH"))
		cmd := exec.CommandContext(r.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		cmd.Dir, cmd.Env = r.workspace, append(env, "PATH="+strings.Join(append(dirs, os.Getenv("PATH")), ":"))
		out, err := cmd.CombinedOutput()
		log += "== " + s.Name + "\n" + string(out)
		r.ran++
		if err != nil {
			return log, read("GITHUB_STEP_SUMMARY"), s.Name
		}
	}
	return log, read("GITHUB_STEP_SUMMARY"), ""
}

// TestAction carries out the action without GitHub: for a push, which records all cases, then for a pull
// request in a shallow clone that breaks a hook.
func TestAction(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "go", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is absent")
		}
	}
	top := t.TempDir()
	origin, workspace, temp := filepath.Join(top, "origin"), filepath.Join(top, "work space"), filepath.Join(top, "temp")
	if err := os.MkdirAll(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	git := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, content string) {
		t.Helper()
		file := filepath.Join(origin, "sub project", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const guard = "#!/bin/bash\nif jq -r .tool_input.command | grep -q 'git push --force'; then\n  echo 'no force' >&2\n  exit 2\nfi\n"
	write(".hookwatch.yaml", "suites: [suite.yaml]\nverify: off\n")
	write(".claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}]}]}}`)
	write(".claude/hooks/guard.sh", guard)
	write("suite.yaml", "suite: guard\nregistered: guard.sh\nevent: PreToolUse\ntool: Bash\ncases:\n"+
		"  - {id: G1, name: force_denied, command: git push --force, expect: {effect: denied}}\n"+
		"  - {id: G2, name: push_proceeds, command: git push, expect: {effect: proceeds}, control: G1}\n")
	git(top, "init", "-q", "-b", "main", "origin")
	git(origin, "config", "uploadpack.allowReachableSHA1InWant", "true")
	git(origin, "add", ".")
	git(origin, "commit", "-q", "-m", "a guard")
	base := git(origin, "rev-parse", "HEAD")

	r := &runner{t: t, action: readAction(t), workspace: workspace, temp: temp, values: map[string]string{
		"runner.temp": temp, "inputs.directory": "sub project", "inputs.strict": "false", "inputs.budget": "1m",
		"inputs.base || github.event.pull_request.base.sha": "",
	}}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS"} { // the build needs what this test was built with
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if value := strings.TrimSpace(string(out)); err == nil && value != "" {
			r.env = append(r.env, name+"="+value)
		}
	}
	r.env = append(r.env, "HOME="+filepath.Join(top, "home"), "TMPDIR="+temp, "GOTOOLCHAIN=local", "GOPROXY=off")

	git(top, "clone", "-q", "--depth=1", "file://"+origin, workspace)
	log, summary, failed := r.run("push")
	if failed != "" || !strings.Contains(log, "PASS 2") || strings.Contains(summary, "G1") {
		t.Fatalf("push: %q failed\n%s\n%s", failed, log, summary)
	}
	if want := len(r.action.Runs.Steps) - 3; r.ran != want { // those that use other actions
		t.Errorf("%d steps were carried out, want %d", r.ran, want)
	}

	git(origin, "checkout", "-q", "-b", "break")
	write(".claude/hooks/guard.sh", strings.Replace(guard, "exit 2", "exit 1", 1))
	git(origin, "commit", "-q", "-a", "-m", "break it")
	if err := os.RemoveAll(workspace); err != nil {
		t.Fatal(err)
	}
	git(top, "clone", "-q", "--depth=1", "--branch=break", "file://"+origin, workspace)
	r.values["inputs.base || github.event.pull_request.base.sha"] = base
	log, summary, failed = r.run("pull_request")
	t.Logf("the summary of the pull request:\n%s", summary)
	for _, want := range []string{"sub project/.claude/hooks/guard.sh:4", "FAIL G1 force_denied", "newly allowed: git push --force"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
	for _, want := range []string{
		"\n::error file=sub project/.claude/hooks/guard.sh,line=4,", "FAIL G1 force_denied", "regression",
		"NEWLY ALLOWED", "\n::warning file=sub project/.claude/hooks/guard.sh,line=1,", "check: exit code 1", "cases: exit code 1",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	if failed != "Result" {
		t.Errorf("%q failed\n%s", failed, log)
	}
}
