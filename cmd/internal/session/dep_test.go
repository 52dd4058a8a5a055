//go:build unix

package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/verdict"
)

// layout is a project of the kind that the suite dep is about.
func layout() map[string]string {
	entry := func(matcher, hook string) string {
		return `{"matcher": "` + matcher + `", "hooks": [{"type": "command", "command": ".claude/hooks/` + hook + `"}]}`
	}
	files := map[string]string{
		".claude/settings.json": `{"hooks": {"PreToolUse": [` + entry("Edit|Write", "protect_linter_configs.sh") + `, ` +
			entry("Bash", "enforce_package_managers.sh") + `], "PostToolUse": [` + entry("Write|Edit|NotebookEdit", "multi_linter.sh") +
			`], "Stop": [` + entry("", "stop_config_guardian.sh") + `]}}`,
		".claude/hooks/config.json":        `{"package_managers": {"python": "uv", "javascript": false}, "subprocess": {"settings_file": null}}`,
		".claude/subprocess-settings.json": `{"disableAllHooks": true}`,
		".hookwatch.yaml":                  "suites: [builtin]\nresults: {dir: results}\nnotify: {desktop: false}\n",
	}
	for _, hook := range []string{"multi_linter", "enforce_package_managers", "protect_linter_configs", "stop_config_guardian"} {
		files[".claude/hooks/"+hook+".sh"] = "#!/bin/bash\n"
	}
	return files
}

// machine returns a session's environment with only these programs.
func (s *scene) machine(programs map[string]string) func(*Options) {
	bin := filepath.Join(s.T.TempDir(), "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		s.T.Fatal(err)
	}
	for name, script := range programs {
		if err := processtest.WriteProgram(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n")); err != nil {
			s.T.Fatal(err)
		}
	}
	return func(o *Options) { o.Env = []string{"PATH=" + bin, "HOME=" + s.temp} }
}

// byStatus returns the IDs by status, in order.
func byStatus(view *spy, suite string) map[suites.Status]string {
	out := map[suites.Status]string{}
	for _, status := range suites.Statuses {
		var list []string
		for _, d := range view.done() {
			if d.Record.Suite == suite && d.Verdict.Status == status {
				list = append(list, strings.TrimPrefix(d.Record.ID, "DEP"))
			}
		}
		if len(list) > 0 {
			out[status] = strings.Join(slices.Sorted(slices.Values(list)), " ")
		}
	}
	return out
}

// TestDepWithoutTools checks that on a machine without tools six checks fail and nine are
// skipped, and that all other cases are aborted.
func TestDepWithoutTools(t *testing.T) {
	t.Parallel()
	s := newScene(t, layout())
	view := &spy{}
	session := s.open(s.Load(Filter{}), view, s.machine(nil))
	others := len(session.project.Every()) - 29
	sum := s.all(session)
	equal(t, "dep", map[suites.Status]string{
		suites.Fail: "01 02 03 04 11 22", suites.Skip: "05 06 07 08 09 10 12 13 24",
		suites.Pass: "14 15 16 17 18 19 20 21 23 25 26 27 28 29",
	}, byStatus(view, "dep"))
	if sum.Aborted != "DEP01 jaq absent, DEP02 ruff absent, DEP03 uv absent, DEP04 claude absent" ||
		sum.Tally != (suites.Tally{Passed: 14, Failed: 6, Skipped: 9, Aborted: others}) {
		t.Errorf("%+v", sum)
	}
	// Each suite of the same inventory is aborted as a whole.
	records, err := s.reader().Read()
	if err != nil {
		t.Fatal(err)
	}
	for f, of := range records.ByAgent() {
		if tally := verdict.Tally(of); f.Agent != "dep-agent" && tally != (suites.Tally{Aborted: len(of)}) {
			t.Errorf("%s: %+v", f.Agent, tally)
		}
	}
	adr, err := verdict.ADRAggregate(records.Records)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the ADR's aggregation", []any{14, 6 + others, 9}, []any{adr["passed"], adr["failed"], adr["skipped"]})
	if note := s.present()["DEP17"].Note; note != "it runs on NotebookEdit as well" {
		t.Errorf("DEP17: %q", note)
	}
	results, err := os.ReadFile(s.Path("results/RESULTS.md"))
	for _, line := range []string{
		fmt.Sprintf("| hookwatch | %d | 14 | 6 | 9 | 0 | %d |", 29+others, others),
		fmt.Sprintf("| the ADR's aggregation | %d | 14 | %d | 9 | ", 29+others, 6+others),
		"| dep-agent | `infrastructure` | 29 | 14 | 6 | 9 | 0 | 0 |",
		"| pm-agent | `enforce_package_managers.sh` | 32 | 0 | 0 | 0 | 0 | 32 |",
	} {
		if !strings.Contains(string(results), line) {
			t.Errorf("%v: no line %q in\n%.2500s", err, line, results)
		}
	}
}

// TestDepWithTools checks that all cases pass if every tool is in its place, and that a hadolint
// that is too old fails one case.
func TestDepWithTools(t *testing.T) {
	t.Parallel()
	s := newScene(t, layout())
	s.Write("node_modules/.bin/biome", "#!/bin/sh\n")
	s.Write(".claude/hooks/config.json", `{"package_managers": {"python": "uv", "javascript": "bun"}, "subprocess": {"settings_file": "~/own.json"}}`)
	s.Write(".claude/subprocess-settings.json", `{}`)
	programs := map[string]string{"hadolint": "echo 'Haskell Dockerfile Linter 2.12.0'", "gtimeout": "", "uv": `[ "$1" = run ] && echo "some 1.0"`}
	for _, name := range strings.Fields("jaq ruff shfmt shellcheck yamllint taplo semgrep markdownlint-cli2 oxlint") {
		programs[name] = "exit 9" // must not be run
	}
	machine := s.machine(programs)
	for path, content := range map[string]string{".local/bin/claude": "", "own.json": `{"disableAllHooks": true}`} {
		path = filepath.Join(s.temp, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	view := &spy{}
	sum := s.all(s.open(s.Load(Filter{Suites: []string{"dep"}}), view, machine))
	if sum.Tally != (suites.Tally{Passed: 29}) || sum.Aborted != "" {
		t.Errorf("%+v: %v", sum, byStatus(view, "dep"))
	}
	present := s.present()
	for id, want := range map[string]string{
		"DEP04": s.temp + "/.local/bin/claude", "DEP09": "2.12.0", "DEP11": s.Path("node_modules/.bin/biome"),
		"DEP14": "~/own.json: disableAllHooks is true (.claude/hooks/config.json names it as subprocess.settings_file)",
		"DEP24": "uv run bandit: some 1.0",
	} {
		if got := present[id].ActualOutput; got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}

	programs["hadolint"] = "echo 'Haskell Dockerfile Linter 2.10.0-no-git'"
	view = &spy{}
	s.all(s.open(s.Load(Filter{Suites: []string{"dep"}}), view, s.machine(programs)))
	if r := s.present()["DEP09"]; r.Pass || r.Note != "hadolint 2.10.0 < 2.12.0" {
		t.Errorf("DEP09 with an old one: %+v", r)
	}
	if got := byStatus(view, "dep")[suites.Fail]; got != "09" {
		t.Errorf("failed: %s", got)
	}
}
