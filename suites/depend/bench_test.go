package depend

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hookwatch/suites"
)

// large creates a project of 1,000 hooks in ten groups that share a library, and 10,000 cases
// with markers.
func large(b *testing.B) (Project, []suites.Case) {
	b.Helper()
	root := b.TempDir()
	fs := map[string]string{".claude/settings.json": "{}", ".claude/hooks/config.json": `{"a": 1}`}
	var doc, claims strings.Builder
	for i := range 100 {
		fmt.Fprintf(&doc, "## R%d: rule\n\nText of rule %d.\n\n", i, i)
		fmt.Fprintf(&claims, "P%d–P%d verify [verify: docs/ref.md §R%d].\n", i*100, i*100+99, i)
	}
	fs["docs/ref.md"], fs["docs/specs/spec.md"] = doc.String(), claims.String()
	for i := range 10 {
		fs[fmt.Sprintf(".claude/hooks/lib/l%d.sh", i)] = log
	}
	cases := make([]suites.Case, 0, 10_000)
	for i := range 1000 {
		name := fmt.Sprintf("hook%d.sh", i)
		body := strings.Repeat("if [[ \"$cmd\" =~ ^pip ]]; then\n  jq -r .x <<<\"$input\" | grep -c y\n  exit 2\nfi\n", 10)
		fs[".claude/hooks/"+name] = fmt.Sprintf("#!/bin/bash\n. \"$(dirname \"$0\")/lib/l%d.sh\"\njq . \"$CLAUDE_PROJECT_DIR/.claude/hooks/config.json\"\n%s", i%10, body)
		for j := range 10 {
			c := hookCase(fmt.Sprintf("P%d", i*10+j), name)
			c.Verify = []string{fmt.Sprintf("docs/ref.md §R%d", i%100)}
			cases = append(cases, c)
		}
	}
	write(b, root, fs)
	return projectAt(root), cases
}

func BenchmarkBuild10k(b *testing.B) {
	p, cases := large(b)
	all := make([]*suites.Case, len(cases))
	for i := range cases {
		all[i] = &cases[i]
	}
	for b.Loop() {
		g := New(p)
		g.Prepare(all)
		for i := range cases {
			g.Digest(&cases[i])
		}
	}
}

// BenchmarkHeld10k measures the memory of a graph of 10,000 cases.
func BenchmarkHeld10k(b *testing.B) {
	p, cases := large(b)
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		g := New(p)
		for i := range cases {
			g.Digest(&cases[i])
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(g)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
}

// BenchmarkSelect10k saves one file and finds the cases whose inputs differ.
func BenchmarkSelect10k(b *testing.B) {
	for _, bench := range []struct {
		name, path string
		affected   int
		content    func(i int) string
	}{
		{"hook", ".claude/hooks/hook7.sh", 10, func(i int) string { return fmt.Sprintf("#!/bin/bash\nexit %d\n", i) }},
		{"library", ".claude/hooks/lib/l3.sh", 1000, func(i int) string { return fmt.Sprintf("log() { echo %d; }\n", i) }},
		{"document", "docs/ref.md", 200, nil},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p, cases := large(b)
			g := New(p)
			known := make([]string, len(cases))
			for i := range cases {
				known[i] = g.Digest(&cases[i])
			}
			ref, err := g.files.read("docs/ref.md")
			if err != nil {
				b.Fatal(err)
			}
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				content := strings.Replace(string(ref), "rule 5.", fmt.Sprintf("rule 5, %d.", n), 1)
				if bench.content != nil {
					content = bench.content(n)
				}
				write(b, p.Root, map[string]string{bench.path: content})
				b.StartTimer()
				g.Refresh([]string{filepath.Join(p.Root, bench.path)})
				affected := 0
				for i := range cases {
					if d := g.Digest(&cases[i]); d != known[i] {
						known[i] = d
						affected++
					}
				}
				if affected != bench.affected {
					b.Fatalf("%d cases are affected, want %d", affected, bench.affected)
				}
			}
		})
	}
}
