package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites"
)

// twoSuites share some IDs.
func twoSuites(t *testing.T) string {
	t.Helper()
	suite := func(name string, cases ...string) string {
		text := "suite: " + name + "\nhook: hooks/h.sh\nevent: Stop\ncases:\n"
		for _, c := range cases {
			id, title, _ := strings.Cut(c, ":")
			text += fmt.Sprintf("  - {id: %s, name: %s, expect: {exit: 0}}\n", id, title)
		}
		return text
	}
	return newProject(t, map[string]string{
		".hookwatch.yaml": "suites: [pm.yaml, more.yaml]\nhooks: [hooks]\nverify: off\nresults: {dir: results}\nnotify: {desktop: false}\n",
		"hooks/h.sh":      "#!/bin/sh\n",
		"pm.yaml":         suite("pm", "P01:pip_blocked", "P02:npm_blocked", "P03:yarn_blocked", "P10:ten", "Q01:other", "P2-x:dashed"),
		"more.yaml":       suite("more", "P01:again", "M1:one", "M9:nine", "M10:ten", "M11:eleven", "M12:twelve"),
	})
}

func TestPick(t *testing.T) {
	t.Parallel()
	p := load(t, twoSuites(t))
	for _, tt := range []struct{ ids, want, unknown string }{
		{"P02", "pm/P02", ""},
		{"p02", "pm/P02", ""},
		{"P01", "more/P01 pm/P01", ""},
		{"pm/P01", "pm/P01", ""},
		{"more/P01", "more/P01", ""},
		{"npm_blocked", "pm/P02", ""},
		{"pm/npm_blocked", "pm/P02", ""},
		{"P01-P03", "more/P01 pm/P01 pm/P02 pm/P03", ""},
		{"M9-M11", "more/M9 more/M10 more/M11", ""},
		{"M1-M11", "more/M1 more/M9 more/M10 more/M11", ""},
		{"m10–12", "more/M10 more/M11 more/M12", ""},
		{"P2-P3", "pm/P02 pm/P03", ""},
		{"M11-M9", "", "M11-M9"},
		{"M1-P02", "", "M1-P02"},
		{"pm/P02-P10", "pm/P02 pm/P03 pm/P10", ""},
		{"P10-P10", "pm/P10", ""},
		{"P2-x", "pm/P2-x", ""},
		{"Q01 P02", "pm/Q01 pm/P02", ""},
		{"P99", "", "P99"},
		{"none/P01", "", "none/P01"},
		{"P03-P01", "", "P03-P01"},
		{"blocked", "", "blocked"},
		{"P02 P98 nope/P02 X1-X3", "", "P98, nope/P02, X1-X3"},
	} {
		picked, err := pick(p, strings.Fields(tt.ids))
		var got []string
		for _, c := range picked {
			got = append(got, c.Key().String())
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s picks %v, want %s", tt.ids, got, tt.want)
		}
		want := ""
		if tt.unknown != "" {
			want = "no case " + tt.unknown + " (hookwatch list shows all)"
		}
		if (err != nil || want != "") && fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", tt.ids, err, want)
		}
	}
}

// TestRerun checks that the command that the user copies selects the right case.
func TestRerun(t *testing.T) {
	t.Parallel()
	p := load(t, twoSuites(t))
	for _, tt := range []struct {
		dir, path string
		key       suites.Key
		want      []string
	}{
		{"", "", suites.Key{Suite: "pm", ID: "P02"}, []string{"hookwatch", "run", "P02"}},
		{"", "", suites.Key{Suite: "pm", ID: "P01"}, []string{"hookwatch", "run", "pm/P01"}},
		{"a dir", "", suites.Key{Suite: "more", ID: "M1"}, []string{"hookwatch", "-C", "a dir", "run", "M1"}},
		{"", "it's/$HOME/`x`.yaml", suites.Key{Suite: "pm", ID: "P02"}, []string{"hookwatch", "--config", "it's/$HOME/`x`.yaml", "run", "P02"}},
		{`a"b\c`, "x;y|z&<>()*?.yaml", suites.Key{Suite: "pm", ID: "P02"},
			[]string{"hookwatch", "-C", `a"b\c`, "--config", "x;y|z&<>()*?.yaml", "run", "P02"}},
		{"../plain-dir_1.2", "", suites.Key{Suite: "pm", ID: "Q01"}, []string{"hookwatch", "-C", "../plain-dir_1.2", "run", "Q01"}},
	} {
		line := program{Dir: tt.dir, Path: tt.path}.About(p, "run")(tt.key)
		if got := words(t, line); strings.Join(got, "\x00") != strings.Join(tt.want, "\x00") {
			t.Errorf("%s arrives as %q, want %q", line, got, tt.want)
		}
	}
}

// words returns the words of a line as a shell splits it.
func words(t *testing.T, line string) []string {
	t.Helper()
	cmd := exec.Command("bash", "-c", `printf '%s\0' `+line)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestHooksFor checks that there is one entry per registration, whether or not its script exists,
// with an unambiguous name, and that unregistered scripts are used only if no hook is registered.
func TestHooksFor(t *testing.T) {
	t.Parallel()
	const sh = "#!/bin/sh\n"
	command := func(script string) string {
		return `{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/` + script + `"}`
	}
	registered := `{"hooks": {
		"PreToolUse": [{"matcher": "Bash", "hooks": [` + command("guard.sh") + `, ` + command("gone.sh") + `]},
			{"matcher": "Edit|Write", "hooks": [` + command("guard.sh") + `]}],
		"Stop": [{"hooks": [` + command("stop.sh") + `, ` + command("guard.sh") + `]}]}}`
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"registered", map[string]string{
			".claude/settings.json": registered, ".claude/hooks/guard.sh": sh, ".claude/hooks/stop.sh": sh, ".claude/hooks/loose.sh": sh,
		}, []string{
			"PreToolUse Bash .claude/hooks/guard.sh by its ID", "PreToolUse Bash .claude/hooks/gone.sh by .claude/hooks/gone.sh",
			"PreToolUse Edit .claude/hooks/guard.sh by its ID",
			"Stop  .claude/hooks/stop.sh by .claude/hooks/stop.sh", "Stop  .claude/hooks/guard.sh by .claude/hooks/guard.sh",
		}},
		{"loose", map[string]string{".claude/hooks/loose.sh": sh, ".claude/hooks/lib/log.sh": sh},
			[]string{"PreToolUse Bash .claude/hooks/loose.sh by "}},
		{"none", map[string]string{".claude/readme": ""}, nil},
	} {
		root := newProject(t, tt.files)
		p, err := globals{}.in(filepath.Join(root, ".claude")).loadHooks()
		if err != nil {
			t.Fatal(err)
		}
		hooks, _ := firstHooks(p)
		var got []string
		for _, h := range hooks {
			if strings.Contains(h.Registered, h.Event) {
				h.Registered = "its ID"
			}
			got = append(got, fmt.Sprintf("%s %s %s by %s", h.Event, h.Passing, h.Script, h.Registered))
		}
		if p.Root() != root {
			t.Errorf("%s: %s", tt.name, p.Root())
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	bad := newProject(t, map[string]string{".hookwatch.yaml": "hoks: []\n"})
	if _, err := (globals{}).in(bad).loadHooks(); err == nil || !strings.Contains(err.Error(), "hoks") || errors.Is(err, context.Canceled) {
		t.Errorf("a bad configuration: %v", err)
	}
}
