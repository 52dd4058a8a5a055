package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites/process/testdata/processtest"
)

// strange is a project whose hook is registered, sources a file by a computed path and reads
// another through "..". It takes longer than the time-out of a millisecond on any machine.
var strange = map[string]string{
	".hookwatch.yaml": "suites: [own.yaml]\nverify: off\nnotify: {desktop: false}\n",
	"own.yaml": "suite: own\nevent: PreToolUse\ntool: Bash\ncases:\n" +
		"  - {id: A1, name: denied, registered: guard.sh, command: rm -rf /, expect: {exit: 2}}\n",
	".claude/settings.json": registers("Bash", "guard.sh"),
	".claude/hooks/guard.sh": "#!/usr/bin/env bash\nin=$(cat); sleep 0.1\nROOT=${BASH_SOURCE%/*}/../..\nname=git\nkind=tx\nsource \"${ROOT}/adapters/${name}.sh\"\n" +
		"word=$(cat \"$ROOT/data/words.${kind}t\")\ncase $in in *\"$word\"*) deny ;; esac\n",
	"adapters/git.sh": "deny() { echo denied >&2; exit 2; }\n",
	"data/words.txt":  "rm -rf\n",
	"src/main.py":     "print(1)\n",
}

// TestWatchElsewhere: whatever a case depends on, a save that breaks it is a regression,
// and gone once it is mended, without another save.
func TestWatchElsewhere(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "my project")
	writeFiles(t, root, strange)
	if err := os.Chmod(filepath.Join(root, ".claude/hooks/guard.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := watch(t, root)
	if first := w.runDone(); first[len(first)-1].Failed != 0 || first[len(first)-1].Passed != 1 {
		t.Fatalf("the first run: %+v", first[len(first)-1])
	}
	w.rested() // with its trace
	for _, fault := range processtest.Sample([]struct{ name, file, old, new string }{
		{"a sourced file", "adapters/git.sh", "exit 2", "exit 1"},
		{"a file that is read", "data/words.txt", "rm", "mr"},
		{"a matcher", ".claude/settings.json", "Bash", "Edit"},
		{"a time-out", ".claude/settings.json", `"type"`, `"timeout": 0.001, "type"`},
		{"an entry", ".claude/settings.json", "PreToolUse", "PostToolUse"},
		{"the switch", ".claude/settings.json", `{"hooks"`, `{"disableAllHooks": true, "hooks"`},
		{"the hook", ".claude/hooks/guard.sh", "deny ;;", ": ;;"},
	}, 2) {
		good := w.read(fault.file)
		w.write(fault.file, strings.Replace(good, fault.old, fault.new, 1))
		if e := w.transitions(); !named(e.Regressions, "A1") {
			t.Errorf("%s was reported as %+v", fault.name, e)
		}
		w.replace(fault.file, good)
		if e := w.transitions(); !named(e.Resolved, "A1") || len(e.Regressions) != 0 {
			t.Errorf("%s, mended, was reported as %+v", fault.name, e)
		}
	}
	w.quit()
}
