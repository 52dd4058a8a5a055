package catalog

import (
	"bytes"
	"fmt"
	"testing"

	"hookwatch/suites"
)

// many returns a suite file of n cases, each with a pattern, two markers and a control.
func many(n int) []byte {
	var b bytes.Buffer
	b.WriteString("suite: big\nhook: .claude/hooks/x.sh\nevent: PreToolUse\ntool: Bash\nenv: {HOOK_LOG: '1'}\ncases:\n")
	for i := range n {
		fmt.Fprintf(&b, `  - id: B%05d
    name: case_%d
    category: block
    command: pip install requests-%d
    expect: {exit: %d, decision: block, stdout: {contains: ["[hook:block]"], matches: ['\[hook:block\] pip\b']}}
    verify: [".claude/hooks/x.sh §main enforcement", "docs/specs/adr.md §D3"]
`, i, i, i, 2*max(0, 1-i)) // the first is the control of all others
		if i > 0 {
			b.WriteString("    control: B00000\n")
		}
	}
	return b.Bytes()
}

// BenchmarkLoad10k reads and checks one file of 10,000 cases.
func BenchmarkLoad10k(b *testing.B) {
	data := many(10_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s, problems := Load("big.yaml", data)
		problems = append(problems, Check([]suites.Suite{s})...)
		if len(problems) > 0 || len(s.Cases) != 10_000 {
			b.Fatal(len(s.Cases), problems)
		}
	}
}

// BenchmarkBuiltin reads the built-in suites as the program does at its start.
func BenchmarkBuiltin(b *testing.B) {
	for b.Loop() {
		for _, name := range builtinNames() {
			data, err := builtin.ReadFile("builtin/" + name + ".yaml")
			if err != nil {
				b.Fatal(err)
			}
			Load(name, data)
		}
	}
}
