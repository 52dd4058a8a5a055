package depend

import (
	"slices"
	"testing"
)

// TestCalled checks that only programs that a script starts or looks up count, and not every
// word with such a name.
func TestCalled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a.sh", "#!/bin/bash\ncase $1 in git|make) jq . ;; esac\ncommand -v ruff\n", []string{"bash", "jq", "ruff"}},
		{"a.py", "#!/usr/bin/env python3\ntimeout = 5\nblack = data.get('timeout')\nprint('git is', {'make': 1})\n", []string{"python3"}},
		{"a.py", "subprocess.run(['git', 'status'])\nshutil.which(\"jq\")\nos.system('shfmt -d .')\n", []string{"git", "jq", "shfmt"}},
		{"a.py", "cmd = ['ruff', 'check']\nwords = ['one', 'two']\n", []string{"ruff"}},
		{"a.mjs", "execSync(`git diff`); spawn('/usr/bin/node', []); const go = run", []string{"git", "node"}},
		{"a.js", "/x/.exec('git'); run('--json'); expect(call('make'))", nil},
		{"a.txt", "subprocess.run(['git'])", nil},
	} {
		if got := readScript(tt.name, []byte(tt.text)).Called(); !slices.Equal(got, tt.want) {
			t.Errorf("%s %q: %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
