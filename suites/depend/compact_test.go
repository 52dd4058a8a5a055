package depend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCompact checks that a compacted script equals the one that was read.
func TestCompact(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"h.sh": "#!/bin/bash\nf() { jq . \"$1\"; }\nsource lib/a.sh\n[ -f state ] && cat state\nf \"$DIR/conf.json\"\n",
		"h.py": "import subprocess\nsubprocess.run(['git', 'status'])\nopen('a.json')\n",
		"h.js": "",
	} {
		s := readScript(name, []byte(text))
		if diff := cmp.Diff(s, s.compact()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if (*Script)(nil).compact() != nil {
		t.Error("nil became a script")
	}
}
