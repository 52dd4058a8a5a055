package depend

import (
	"strings"
	"testing"
)

func FuzzScript(f *testing.F) {
	for _, s := range []string{"#!/usr/bin/env bash\nsource \"$(dirname \"$0\")/lib.sh\"\njq . \"$CLAUDE_PROJECT_DIR/config.json\" # note.md\n", "\x01 '\x01'", "for f in *.sh; do . $f; done", "a=(1 ${b[@]}) eval \"$a\"", "x <<E\n$y.sh\nE\n", "timeout ${x} ..", "command", "((a)) <(b) ${c/d/e} @(f|g)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []string{"a.sh", "a.py"} {
			s := readScript(p, []byte(text))
			for _, n := range s.Names {
				if n == "" || strings.ContainsAny(n, " \n\"'$") {
					t.Errorf("name %q of %q", n, text)
				}
			}
		}
	})
}
