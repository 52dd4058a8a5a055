//go:build unix

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/cmd/internal/session"
	"hookwatch/config"
)

// BenchmarkLoad10k loads a project of 10,000 cases and 1,000 hooks, ready for selection.
// This is the larger part of a start, whose budget is 300 ms.
func BenchmarkLoad10k(b *testing.B) {
	root := b.TempDir()
	write := func(name, content string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	write(config.FileName, "suites: [suites/*.yaml]\nverify: off\n")
	for s := range 10 {
		var suite strings.Builder
		fmt.Fprintf(&suite, "suite: s%d\nevent: PreToolUse\ntool: Bash\ncases:\n", s)
		for h := range 100 {
			name := fmt.Sprintf(".claude/hooks/h%03d.sh", s*100+h)
			write(name, "#!/bin/bash\ncat >/dev/null\nexit 0\n")
			for c := range 10 {
				fmt.Fprintf(&suite, "  - {id: C%05d, name: case_%d, hook: %s, command: \"echo %d\", expect: {exit: 0}}\n",
					s*1000+h*10+c, c, name, c)
			}
		}
		write(fmt.Sprintf("suites/s%d.yaml", s), suite.String())
	}
	for b.Loop() {
		cfg, err := config.Load(config.LoadOptions{Dir: root})
		if err != nil {
			b.Fatal(err)
		}
		p, problems := session.Load(cfg, session.Filter{}, nil)
		if len(problems) > 0 || len(p.Cases) != 10000 {
			b.Fatal(problems)
		}
	}
}
