//go:build unix

package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/run"
)

// TestSettingsEnv checks that a hook that is fired as registered gets the variables of the settings,
// BASH_ENV too, under those of the case, and that a trace works with the settings' own BASH_ENV.
func TestSettingsEnv(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write(".claude/settings.json", `{"env":{"GUARD":"on","OWN":"settings","BASH_ENV":"$CLAUDE_PROJECT_DIR/env.sh","PATH":"`+p.root+`/tools:/usr/bin:/bin","CLAUDE_PROJECT_DIR":"/none"},
		"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"bash \"$CLAUDE_PROJECT_DIR\"/hook.sh"}]}]}}`, 0o600)
	p.write("env.sh", "FROM_FILE=file\n", 0o600)
	p.write("tools/mine", "#!/bin/sh\necho mine\n", 0o755)
	p.write("hook.sh", "#!/bin/bash\nset -u\necho \"$GUARD $OWN $FROM_FILE $(mine)\" >&2\nexit 2\n", 0o755)
	c := bashCase(suites.Expectation{Exit: code(2)})
	c.Suite, c.ID, c.Chain, c.Env = "s", "A", true, map[string]string{"OWN": "case"}
	for name, fire := range map[string]func() (suites.Outcome, error){
		"fired":  func() (suites.Outcome, error) { return p.runner().Case(t.Context(), c) },
		"traced": func() (suites.Outcome, error) { return p.runner().TraceCase(t.Context(), c, trace.Start) },
	} {
		o, err := fire()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(o.Last().Stderr), "on case file mine\n"; got != want || o.Last().Exit != 2 {
			t.Errorf("%s: exit %d, %q, want %q", name, o.Last().Exit, got, want)
		}
		if name != "traced" {
			continue
		}
		logs := ""
		for _, log := range o.Trace {
			logs += string(log)
		}
		if !strings.Contains(logs, "set -u") {
			t.Errorf("the hook is not traced: %q", logs)
		}
	}
}

// TestBounds checks what bounds the time of a registered hook, whose client waits for ten minutes.
func TestBounds(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for name, tt := range map[string]struct {
		entry, own, run, backstop, limit time.Duration
		by                               string
	}{
		"the run's":              {600 * second, 0, 30 * second, 900 * second, 30 * second, "run.timeout; the client itself waits for 10m0s"},
		"the case's":             {600 * second, 60 * second, 30 * second, 0, 60 * second, "timeout of the case; the client itself waits for 10m0s"},
		"the entry's":            {5 * second, 0, 30 * second, 0, 5 * second, ""},
		"the entry's, in a case": {5 * second, 60 * second, 30 * second, 0, 5 * second, ""},
		"the backstop":           {600 * second, 60 * second, 30 * second, 10 * second, 10 * second, "run.backstop; the client itself waits for 10m0s"},
		"no other":               {600 * second, 0, 0, 0, 600 * second, ""},
	} {
		limit, by := run.Waits(run.Options{Timeout: tt.run, Backstop: tt.backstop}, &suites.Case{Timeout: tt.own}, tt.entry)
		if limit != tt.limit || by != tt.by {
			t.Errorf("%s: %s by %q, want %s by %q", name, limit, by, tt.limit, tt.by)
		}
	}
}

// TestPlanned checks what fire --explain shows: the launch with the origin of each variable, or why
// an entry does not run.
func TestPlanned(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("settings.json", `{"env":{"STRICT":"1"},"hooks":{"PreToolUse":[
		{"matcher":"Bash","hooks":[{"type":"command","command":"a"},{"type":"command","command":"a"},{"type":"http","url":"http://127.0.0.1/"},
			{"type":"command","command":"git","args":["${CLAUDE_PROJECT_DIR}/x"],"if":"Bash(git *)","timeout":5}]},
		{"matcher":"Edit","hooks":[{"type":"command","command":"edits"}]},{"matcher":"B.*","hooks":[{"type":"command","command":"a"}]}],
		"Stop":[{"hooks":[{"type":"command","command":"stops"}]}]}}`, 0o600)
	p.write("copy/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"copied"}]}]}}`, 0o600)
	copied := discover.Source{File: p.root + "/copy/settings.json", Scope: discover.InTemplate}
	registered, err := discover.Hooks(disk.Reader{}, p.root, []string{"settings.json"}, []discover.Source{copied})
	if err != nil {
		t.Fatal(err)
	}
	o := run.Options{Root: p.root, Env: []string{"PATH=/bin", "HOME=/home/me"}, Timeout: 30 * time.Second, InForce: func() []discover.Hook { return registered.Hooks }}
	c := &suites.Case{Chain: true, Steps: []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: "ls"}}}
	planned, err := o.Plan(c, registered, "/dir")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range planned {
		if one.NotRun != "" {
			got = append(got, one.NotRun)
			continue
		}
		env := ""
		for _, v := range one.Variables {
			if slices.Contains([]string{"STRICT", "HOME", "TMPDIR", "CLAUDECODE"}, v.Name) {
				env += " " + v.Name + " from " + v.From
			}
		}
		got = append(got, fmt.Sprint(one.Argv, one.Dir == p.root, one.Timeout, " ", one.Limit, env))
	}
	want := []string{
		"[/bin/sh -c a] true 30s run.timeout; the client itself waits for 10m0s CLAUDECODE from claude HOME from your environment STRICT from settings.json TMPDIR from hookwatch",
		"a hook of type http has no command: only the client runs it", "its \"if\": \"Bash(git *)\" does not let this call through",
		"its matcher \"Edit\" does not match \"Bash\"", "the client runs the same command once, as " + registered.Hooks[0].ID,
		"the client does not read copy/settings.json",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	c.Steps[0].Command = "git push"
	if planned, err = o.Plan(c, registered, "/dir"); err != nil || planned[2].NotRun != "" || fmt.Sprint(planned[2].Argv) != "[git "+p.root+"/x]" || planned[2].Timeout != 5*time.Second {
		t.Errorf("%+v, %v", planned, err)
	}
}
