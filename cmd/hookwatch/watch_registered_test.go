package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withSuite is a project with a suite of its own: one case of the guard's script.
var withSuite = map[string]string{
	".hookwatch.yaml": "suites: [own.yaml]\nverify: off\nnotify: {desktop: false}\n",
	"own.yaml": "suite: own\nagent: own-agent\nhook: .claude/hooks/guard.sh\nevent: PreToolUse\ntool: Bash\ncases:\n" +
		"  - {id: A1, name: denied, category: block, command: rm -rf /, expect: {exit: 2}}\n",
	".claude/settings.json":  registers("Bash", "guard.sh"),
	".claude/hooks/guard.sh": "#!/bin/bash\ncase $(cat) in *'rm -rf'*) echo 'rm -rf is not allowed' >&2; exit 2 ;; esac\nexit 0\n",
}

// registers makes settings with one hook.
func registers(matcher, script string) string {
	return `{"hooks": {"PreToolUse": [{"matcher": "` + matcher + `", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/` + script + `"}]}]}}` + "\n"
}

// TestWatchRegistrations checks that a save which breaks or repairs the registration of a hook is
// reported as a regression or resolution, next to those of suites.
func TestWatchRegistrations(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "my project")
	writeFiles(t, root, withSuite)
	if err := os.Chmod(filepath.Join(root, ".claude/hooks/guard.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := watch(t, root)
	if first := w.runDone(); first[len(first)-1].Failed != 0 || first[len(first)-1].Passed != 1 {
		t.Fatalf("the first run: %+v", first[len(first)-1])
	}
	const settings = ".claude/settings.json"
	good := w.read(settings)
	for _, fault := range []struct{ name, settings, reported string }{
		{"a matcher that matches nothing", registers("bash", "guard.sh"), "PreToolUse-guard.sh"},
		{"a script that is not there", registers("Bash", "gone.sh"), "PreToolUse-gone.sh lost-guard.sh"},
		{"an entry that drops the file", strings.Replace(good, `"type"`, `"timeout": "5", "type"`, 1), "PreToolUse-guard.sh"},
		{"an event that there is not", strings.Replace(good, "PreToolUse", "PreToolUSe", 1), "lost-guard.sh settings-settings.json"},
		{"a trailing comma", strings.Replace(good, `]}]}}`, `]}],}}`, 1), "settings-settings.json"},
		{"a matcher that matches nothing, again", registers("bash", "guard.sh"), "PreToolUse-guard.sh"},
	} {
		w.write(settings, fault.settings)
		e := w.transitions()
		var broken []string
		for _, r := range e.Regressions {
			broken = append(broken, r.ID[:strings.LastIndexByte(r.ID, '-')])
		}
		if slices.Sort(broken); strings.Join(broken, " ") != fault.reported || len(e.Resolved) != 0 {
			t.Errorf("%s was reported as %+v, want %s", fault.name, e, fault.reported)
		}
		w.replace(settings, good)
		if again := w.transitions(); len(again.Resolved) != len(e.Regressions) || len(again.Regressions) != 0 {
			t.Errorf("%s, repaired, was reported as %+v", fault.name, again)
		}
	}
	w.quit()
}

// TestWatchFromNothing checks that watching starts in a directory without hooks, and runs the first
// hook once it is there.
func TestWatchFromNothing(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "my project")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	w := watch(t, root)
	w.warned("waiting for the first")
	w.rested()
	writeFiles(t, root, map[string]string{".claude/settings.json": withSuite[".claude/settings.json"], ".claude/hooks/guard.sh": withSuite[".claude/hooks/guard.sh"]})
	if err := os.Chmod(filepath.Join(root, ".claude/hooks/guard.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.until("a pass of the hook", func(e event) bool {
		return e.Event == "case" && strings.HasPrefix(e.Record.ID, "PreToolUse-guard.sh") && e.Record.Pass
	})
	w.quit()
}
