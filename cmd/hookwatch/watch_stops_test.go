package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites/process/testdata/processtest"
)

// unsuited is a project without configuration and suites: a guard that says no by its
// exit code, from a file that it sources, and one that does so by JSON.
var unsuited = map[string]string{
	".claude/settings.json": `{"hooks": {"PreToolUse": [
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}]},
  {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/files.sh"}]}
]}}` + "\n",
	".claude/hooks/guard.sh": "#!/usr/bin/env bash\ncommand=$(jq -r .tool_input.command)\nname=rules\nsource \"${BASH_SOURCE%/*}/../lib/$name.sh\"\n" +
		"[[ $command == *zorble* && $command == *--wipe* ]] && { echo zorble >&2; exit 2; }\n" +
		"if is_bad \"$command\"; then echo \"denied: $command\" >&2; exit 2; fi\nexit 0\n",
	".claude/lib/rules.sh": "is_bad() { case $1 in *'rm -rf'*|*'git push --force'*) return 0 ;; esac; return 1; }\n",
	".claude/hooks/files.sh": "#!/usr/bin/env bash\nfile=$(jq -r .tool_input.file_path)\ncase $file in *.env|*/.git/*)\n" +
		"  jq -n '{hookSpecificOutput: {hookEventName: \"PreToolUse\", permissionDecision: \"deny\", permissionDecisionReason: \"secret\"}}' ;;\nesac\n",
	"README.md": "# Example\n",
}

// TestWatchStops: in a project without a suite, a guard that stopped an input and lets
// it through after a save is a regression, whatever its exit code, and gone once it is
// mended.
func TestWatchStops(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "my project")
	writeFiles(t, root, unsuited)
	for _, script := range []string{"guard.sh", "files.sh"} {
		if err := os.Chmod(filepath.Join(root, ".claude/hooks", script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w := watch(t, root)
	seen := w.until("the start", func(e event) bool { return e.Event == "started" })
	if got := seen[len(seen)-1].Watched; got != len(unsuited) {
		t.Errorf("%d files watched, want all %d of the project", got, len(unsuited))
	}
	w.rested()
	for _, fault := range processtest.Sample([]struct{ name, file, old, new, of string }{
		{"a rule that nobody would guess", ".claude/hooks/guard.sh", "*--wipe*", "*--wiped*", "stops-guard.sh"},
		{"another exit code", ".claude/hooks/guard.sh", "denied: $command\" >&2; exit 2", "denied: $command\" >&2; exit 1", "stops-guard.sh"},
		{"a misspelt field", ".claude/hooks/files.sh", "permissionDecision:", "permissionDecison:", "stops-files.sh"},
		{"a matcher that no longer matches", ".claude/settings.json", `"Bash"`, `"bash"`, "stops-guard.sh"},
		{"an absent program", ".claude/hooks/guard.sh", "jq -r", "jqq -r", "stops-guard.sh"},
		{"a broken sourced file", ".claude/lib/rules.sh", "esac;", "", "stops-guard.sh"},
		{"an entry that is gone", ".claude/settings.json", `.claude/hooks/files.sh`, `.claude/hooks/guard.sh`, "stops-files.sh"},
		{"hooks that are switched off", ".claude/settings.json", `{"hooks"`, `{"disableAllHooks": true, "hooks"`, "stops-files.sh"},
	}, 8) {
		good := w.read(fault.file)
		saved := time.Now()
		w.write(fault.file, strings.Replace(good, fault.old, fault.new, 1))
		w.until(fault.name, func(e event) bool {
			return e.Event == "case" && strings.HasPrefix(e.Record.ID, fault.of) && !e.Record.Pass && e.Transition == "regression"
		})
		t.Logf("%s: on the screen %s after the save", fault.name, time.Since(saved).Round(time.Millisecond))
		w.until(fault.name+", announced", func(e event) bool { return e.Event == "transitions" && len(e.Regressions) > 0 })
		w.replace(fault.file, good)
		w.until(fault.name+", mended", func(e event) bool { return e.Event == "run_done" && e.State != nil && e.State.Failed == 0 })
		w.until(fault.name+", announced as mended", func(e event) bool { return e.Event == "transitions" && len(e.Resolved) > 0 })
	}
	w.quit()
}

// TestWatchUnexercised: of a guard that stops none of the inputs there are for it, the
// watcher says that nothing exercises it, at the start and after a save of it.
func TestWatchUnexercised(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "my project")
	writeFiles(t, root, unsuited)
	const guard = ".claude/hooks/guard.sh"
	in := func(year string) string {
		return "#!/usr/bin/env bash\nif [[ $(date +%Y) == " + year + " ]]; then echo denied >&2; exit 2; fi\nexit 0\n"
	}
	writeFiles(t, root, map[string]string{guard: in("1999")})
	for _, script := range []string{guard, ".claude/hooks/files.sh"} {
		if err := os.Chmod(filepath.Join(root, script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const said = ".claude/settings.json:2:33: no case and no input exercises this hook"
	w := watch(t, root)
	w.warned(said)
	w.rested()
	w.write(guard, "#!/usr/bin/env bash\nrm -rf x 2>/dev/null; no-such-program || exit 127 # exit 2\n")
	for _, e := range w.rested() {
		if e.Event == "warning" && strings.Contains(e.Text, said) {
			t.Errorf("of a hook that does not work: %s", e.Text)
		}
	}
	w.write(guard, in("1998"))
	w.warned(said)
	w.quit()
}

// TestWatchCompared edits what a hook compares with, several times after its cases were traced: only the cases run for whose
// values the answer is another one, although all of them come to the comparison.
func TestWatchCompared(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "my project")
	const guard = ".claude/hooks/guard.sh"
	with := func(pattern, expression string) string {
		return "#!/usr/bin/env bash\nread -r line\nline=${line#*'\"command\":\"'}\nline=${line%%'\"'*}\n" +
			"case \"$line\" in\n  " + pattern + ") echo no >&2; exit 2 ;;\nesac\nif [[ \"$line\" =~ " + expression + " ]]; then echo never >&2; exit 2; fi\nexit 0\n"
	}
	writeFiles(t, root, map[string]string{
		".hookwatch.yaml":       "suites: [suite.yaml]\nhooks: [.claude/hooks]\nverify: off\nnotify: {desktop: false}\n",
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}]}]}}`,
		guard:                   with("rm*", "^mkfs"),
		"suite.yaml": `suite: s
hook: .claude/hooks/guard.sh
cases:
  - {id: A1, name: removes, event: PreToolUse, tool: Bash, command: rm x, expect: {exit: 2}}
  - {id: A2, name: lists, event: PreToolUse, tool: Bash, command: ls x, expect: {exit: 0}}
  - {id: A3, name: writes, event: PreToolUse, tool: Bash, command: dd x, expect: {exit: 0}}
`,
	})
	if err := os.Chmod(filepath.Join(root, guard), 0o755); err != nil {
		t.Fatal(err)
	}
	w := watch(t, root)
	if first := w.rested(); !slices.ContainsFunc(first, func(e event) bool { return e.Event == "run_done" && e.Passed == 3 }) {
		t.Fatalf("the first run: %+v", first)
	}
	for _, save := range []struct {
		pattern, expression string
		run                 []string
	}{
		{"rm*", "^(mkfs|shred)", nil},
		{"rm*", "^(mkfs|shred|dd )", []string{"A3"}},
		{"rm\\ *", "^(mkfs|shred|dd )", nil},
		{"rm\\ *|ls\\ *", "^(mkfs|shred|dd )", []string{"A2"}},
		{"rmdir\\ *|ls\\ *", "^(mkfs|shred|dd )", []string{"A1"}},
	} {
		w.write(guard, with(save.pattern, save.expression))
		var ran []string
		for _, e := range w.rested() {
			if e.Event == "case" && !slices.Contains(ran, e.Record.ID) {
				ran = append(ran, e.Record.ID)
			}
		}
		if !slices.Equal(ran, save.run) {
			t.Errorf("%s and %s: ran %v, want %v", save.pattern, save.expression, ran, save.run)
		}
	}
	w.quit()
}
