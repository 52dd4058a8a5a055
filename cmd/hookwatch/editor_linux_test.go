package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// guarded is a project whose guard stops one command.
var guarded = map[string]string{
	".hookwatch.yaml":        "notify: {desktop: false, settle: 50ms}\n",
	".claude/settings.json":  registers("Bash", "guard.sh"),
	".claude/hooks/guard.sh": "#!/usr/bin/env bash\ncase $(cat) in\n*'rm -rf'*) echo 'not rm -rf' >&2; exit 2 ;;\nesac\n",
	".claude/tests/hooks/suites/guard.yaml": "suite: guard\nregistered: guard.sh\nevent: PreToolUse\ntool: Bash\ncases:\n" +
		"  - {id: G1, name: denied, command: rm -rf /, expect: {exit: 2, effect: denied}}\n",
}

// TestEditor checks that the task and the problem matcher that init writes show, after each save in a
// session on a terminal, the failures and findings of that moment and no others.
func TestEditor(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("absent: node")
	}
	root := filepath.Join(t.TempDir(), "my project")
	writeFiles(t, root, guarded)
	guard := filepath.Join(root, ".claude/hooks/guard.sh")
	if err := os.Chmod(guard, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := program(t, root, "init", "--editor", "vscode").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tasks := filepath.Join(root, ".vscode/tasks.json")
	text, err := os.ReadFile(tasks)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Tasks []struct{ Args []string }
	}
	if err := json.Unmarshal(text, &doc); err != nil || len(doc.Tasks) != 1 {
		t.Fatalf("%v\n%s", err, text)
	}
	p := onTerminal(t, root, "", doc.Tasks[0].Args...)
	shows := func(what string, want ...string) {
		t.Helper()
		last := ""
		p.until(what, func(shown string) bool {
			if at := strings.LastIndex(shown, "hookwatch: end"); at < 0 || shown[:at] == last {
				return false
			} else {
				last = shown[:at]
			}
			cmd := exec.Command(node, "testdata/editor/collector.mjs", tasks)
			cmd.Stdin = strings.NewReader(shown)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var problems map[string][]struct{ Code, Severity string }
			if err := json.Unmarshal(out, &problems); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var got []string
			for file, list := range problems {
				for _, one := range list {
					got = append(got, file+" "+one.Severity+" "+one.Code)
				}
			}
			slices.Sort(got)
			return slices.Equal(got, want)
		})
	}
	shows("a project in which nothing is wrong")
	save := func(file, old, new string) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const hook = ".claude/hooks/guard.sh "
	save(guard, "exit 2", "exit 1")
	shows("a failure and a finding in the saved file", hook+"error exit-code-not-2", hook+"error guard/G1")
	save(guard, "exit 1", "exit 2")
	shows("neither, after they were mended")
	config := filepath.Join(root, ".hookwatch.yaml")
	save(config, "notify", "notfy")
	shows("an error of the configuration", ".hookwatch.yaml error configuration")
	save(config, "notfy", "notify")
	shows("none, after it was mended")
	p.types("q")
	p.end()
}
