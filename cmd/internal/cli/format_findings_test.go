package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// sampleAnnotations have text that commands and documents must escape, and places of every
// precision.
func sampleAnnotations() []annotation {
	return []annotation{
		{rule: "crash", severity: suites.Error, at: suites.Position{File: "a dir/.claude/settings.json", Line: 3, Column: 7},
			title: "exit 1: 100 % <of> a, b", text: "one\n::error::two\x1b[2J", subject: []string{"Bash ls", "PreToolUse-1"}},
		{rule: "crash", severity: suites.Warning, at: suites.Position{File: "x.sh", Line: 2}, title: "exit 1", text: "one", subject: []string{"Bash rm", "PreToolUse-1"},
			registered: suites.Position{File: ".claude/settings.json", Line: 7, Column: 11}},
		{rule: "false-block", severity: suites.Info, title: "echo rm stopped by mistake", subject: []string{"PreToolUse-1"}},
	}
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(newSARIF(sampleAnnotations())); err != nil {
		t.Fatal(err)
	}
	golden(t, "findings.sarif", out.String())
}

// TestSARIFFingerprints checks that a finding keeps its fingerprint when lines and words of its
// message change, and that different findings have different ones.
func TestSARIFFingerprints(t *testing.T) {
	t.Parallel()
	print := func(a annotation) string {
		return newSARIF([]annotation{a}).Runs[0].Results[0].Fingerprints["finding/v1"]
	}
	one := sampleAnnotations()[0]
	moved := one
	moved.at.Line, moved.title, moved.text = 9, "other", "words"
	if print(one) != print(moved) {
		t.Error("a finding that moved has another fingerprint")
	}
	for name, change := range map[string]func(*annotation){
		"rule":    func(a *annotation) { a.rule = "flood" },
		"file":    func(a *annotation) { a.at.File = "y" },
		"subject": func(a *annotation) { a.subject = []string{"Bash ls"} },
	} {
		other := one
		if change(&other); print(one) == print(other) {
			t.Errorf("findings that differ in %s have one fingerprint", name)
		}
	}
}

func TestGitHub(t *testing.T) { //nolint:paralleltest // it sets variables
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(t.TempDir(), "summary.md"))
	t.Run("findings", func(t *testing.T) {
		var out bytes.Buffer
		w := startWorkflow(&out)
		writef(&out, "text\n")
		if err := w.end(sampleAnnotations(), "2 errors | <b>"); err != nil {
			t.Fatal(err)
		}
		golden(t, "github.txt", strings.ReplaceAll(out.String(), w.token, "TOKEN"))
	})
	t.Run("a run", func(t *testing.T) {
		var out bytes.Buffer
		v := &github{
			workflow: startWorkflow(&out),
			place:    func(at suites.Position) suites.Position { return at },
			describe: func(e session.CaseDone) string { return notify.Failure(e, notify.Options{}) },
		}
		handle(v, sampleSession())
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		golden(t, "github_run.txt", strings.ReplaceAll(out.String(), v.token, "TOKEN"))
	})
	golden(t, "github_summary.md", readText(t, os.Getenv("GITHUB_STEP_SUMMARY")))
}

// TestGitHubTokens checks that nothing that is printed between the tokens can end them, because
// one cannot be guessed.
func TestGitHubTokens(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if a, b := startWorkflow(&out), startWorkflow(&out); a.token == b.token || len(a.token) < 20 {
		t.Errorf("tokens %q and %q", a.token, b.token)
	}
}

func TestOnGitHub(t *testing.T) { //nolint:paralleltest // it sets a variable
	for value, want := range map[string]string{"true": "github", "": "human"} {
		t.Setenv("GITHUB_ACTIONS", value)
		root := newRoot(newApp(Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}))
		// Schemas are read by programs, and a session by a user.
		for command, want := range map[string]string{"check": want, "run": want, "schema": "human", "": "human"} {
			cmd, _, err := root.Find(strings.Fields(command))
			if err != nil {
				t.Fatal(err)
			}
			if f, err := chooseFormat(cmd, ""); err != nil || f.name != want {
				t.Errorf("GITHUB_ACTIONS=%s: %s has format %v, %v, want %s", value, command, f, err, want)
			}
		}
	}
}

// TestAnnotated checks that places are relative to the repository around the project.
func TestAnnotated(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{".claude/settings.json": "{}"})
	if err := os.MkdirAll(filepath.Join(filepath.Dir(root), ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := load(t, root)
	at := func(file string) suites.Position { return suites.Position{File: file, Line: 3, Column: 2} }
	for file, want := range map[string]suites.Position{
		".claude/settings.json": at("a project/.claude/settings.json"), "~/.claude/settings.json": {}, "/etc/x": {}, "../x": {}, "": {},
	} {
		if d := cmp.Diff(want, annotationPosition(p, at(file))); d != "" {
			t.Errorf("%s (-want +got):\n%s", file, d)
		}
	}
}

// TestLines checks the lines of findings, which have one place each and end nowhere but at their end.
func TestLines(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	var out strings.Builder
	for _, a := range sampleAnnotations() {
		out.WriteString(lines{dir: filepath.Join(top, "a dir"), top: top}.of(a))
	}
	golden(t, "findings_line.txt", out.String())
	if got := (lines{dir: top, top: top}).of(annotation{severity: suites.Error, at: suites.Position{File: "a\nb.sh:1:1: error: x [y]"}}); strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}
