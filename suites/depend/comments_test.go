package depend

import (
	"strings"
	"testing"
)

// TestComments checks that names in comments make no dependency.
func TestComments(t *testing.T) {
	t.Parallel()
	const comment = "# see docs/note.md\n"
	for _, tt := range []struct {
		name, script string
		depends      bool
	}{
		{"comment", comment + "true\n", false},
		{"comment behind code", "true # docs/note.md\n", false},
		{"message", "echo \"read docs/note.md\" >&2\n", true},
		{"code", "cat docs/note.md\n", true},
		{"code in a message", "echo \"$(cat docs/note.md)\" >&2\n", true},
		{"text on stdout", "echo 'docs/note.md'\n", true},
		{"here-document", "cat <<E\n# docs/note.md\nE\n", true},
		{"no comment", "echo '# docs/note.md'\n", true},
		{"both", comment + "cat docs/note.md\n", true},
		{"said to be sourced", "# shellcheck source=docs/note.md\n. \"$1\"\n", true},
		{"it cannot be parsed", comment + "if\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, map[string]string{".claude/hooks/h.sh": "#!/bin/bash\n" + tt.script, "docs/note.md": "x\n"})
			c := hookCase("A1", "h.sh")
			got := strings.Contains(existing(New(projectAt(root)), &c), "docs/note.md")
			if got != tt.depends {
				t.Errorf("depends on docs/note.md: %v, want %v", got, tt.depends)
			}
		})
	}
}
