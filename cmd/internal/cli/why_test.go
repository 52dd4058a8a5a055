package cli

import (
	"strings"
	"testing"
)

// TestWhyPath checks the cases that a change selects, and the reason if a file is not part of the
// project.
func TestWhyPath(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{
		".hookwatch.yaml":        "suites: [suite.yaml]\nhooks: [.claude/hooks]\nspecs: [docs/*.md]\nverify: off\nresults: {dir: results}\nnotify: {desktop: false}\n",
		"docs/spec.md":           "# Spec\n\n## D1: bad\n\n### Why\n\nA1 is bad [verify: §D1].\n\n## D2\n\nAll else.\n",
		"docs/idle.md":           "# Idle\n",
		"README.md":              "# Read\n",
		"odd#name.txt":           "x\n",
		".claude/hooks/guard.sh": "#!/bin/bash\ncheck() { cat; }\ncheck\n",
		"suite.yaml": `suite: s
hook: .claude/hooks/guard.sh
event: PreToolUse
tool: Bash
cases:
  - {id: A1, name: bad, command: bad, expect: {exit: 0}}
  - {id: A2, name: good, command: fine, expect: {exit: 0}, verify: ["docs/spec.md §D2"]}
`,
	})
	for _, tt := range []struct{ arg, want, err string }{
		{"docs/spec.md", "A1 A2", ""},
		{"docs/spec.md#D1", "A1", ""},
		{"docs/spec.md#D1: bad", "A1", ""},
		{"docs/spec.md#Why", "A1", ""}, // in D1
		{"docs/spec.md#Spec", "A1 A2", ""},
		{"docs/spec.md#D2", "A2", ""},
		{"docs/spec.md#D3", "", `docs/spec.md has no section "D3"; nearest: "D2", "D1: bad"`},
		{".claude/hooks/guard.sh#check", "A1 A2", ""},
		{".claude/hooks/guard.sh#chek", "", `has no section "chek"; nearest: "check"`},
		{"suite.yaml", "A1 A2", ""},
		{"docs/idle.md", "", ""},
		{".hookwatch.yaml", "", ""},
		{"README.md", "", ""}, // the hook names all files that it reads
		{"odd#name.txt", "", ""},
		{"/etc/hostname", "", "/etc/hostname is outside of the project, and no case depends on it"},
		{"docs", "", "docs is a directory"},
		{"docs/spce.md", "", `docs/spce.md: neither a case's ID nor a file of the project; nearest: "docs/spec.md"`},
		{"A3", "", `A3: neither a case's ID nor a file of the project; nearest: "A2", "A1"`},
		{"A1-A2", "", "A1-A2 means 2 cases: s/A1, s/A2 (write one of them)"},
	} {
		code, out, stderr := call(t, root, "", "why", tt.arg)
		if tt.err != "" {
			if code != 2 || out != "" || !strings.Contains(stderr, tt.err) {
				t.Errorf("%s: exit %d, %s%s, want %s", tt.arg, code, out, stderr, tt.err)
			}
			continue
		}
		var got []string
		for _, line := range strings.Split(out, "\n") {
			if rest, ok := strings.CutPrefix(line, "  s/"); ok {
				got = append(got, strings.Fields(rest)[0])
			}
		}
		if code != 0 || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: exit %d, %s%s, want %s", tt.arg, code, out, stderr, tt.want)
		}
	}
}
