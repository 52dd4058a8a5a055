//go:build unix

package session

import (
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

const linted = `suite: s
hook: h.sh
event: Stop
cases:
  - {id: SH, name: sh, gates: [jaq, shellcheck], expect: {exit: 0}}
  - {id: YA, name: ya, gates: [jaq, yamllint], expect: {exit: 0}}
`

// TestUnexplained checks that a case that breaks while the linter of another language disappears
// is a regression, both in the session and in the comparison.
func TestUnexplained(t *testing.T) {
	t.Parallel()
	p := newScene(t, map[string]string{"suites/s.yaml": linted, "h.sh": "#!/bin/bash\n"}).Load(Filter{})
	tools := []suites.Tool{{Name: "shellcheck", Path: "/s", Digest: "1"}, {Name: "yamllint", Path: "/y", Digest: "1"}}
	gone := []suites.Tool{tools[0], {Name: "yamllint"}}
	was, is := suites.ToolsDigest(tools), suites.ToolsDigest(gone)
	e := knowing(p)
	e.knows(was, tools)
	e.knows(is, gone)
	names := map[string][]string{was: {"shellcheck", "yamllint"}, is: {"shellcheck", "yamllint"}}
	before := verdict.Run{Env: suites.Environment{Tools: tools, CaseTools: names}}
	after := verdict.Run{Env: suites.Environment{Tools: gone, CaseTools: names}, Concerns: p.Concerning(unobserved)}
	for _, id := range []string{"SH", "YA"} {
		record := func(pass bool, tools string) suites.Record {
			return suites.Record{Suite: "s", ID: id, Pass: pass, Digests: suites.Digests{Case: "c", Inputs: "i", Tools: tools}}
		}
		before.Records = append(before.Records, record(true, was))
		after.Records = append(after.Records, record(false, is))
	}
	c := verdict.Compare(before, after)
	for i, want := range []verdict.Kind{verdict.Regression, verdict.Explained} {
		if c.Deltas[i].Kind != want || (len(c.Deltas[i].Tools) > 0) != (want == verdict.Explained) {
			t.Errorf("compared: %s is %s by %v, want %s", c.Deltas[i].Key, c.Deltas[i].Kind, c.Deltas[i].Tools, want)
		}
		kept := keptVerdictOf(&before.Records[i])
		if got := e.transition(&kept, true, after.Records[i]); string(got) != string(want) {
			t.Errorf("%s is a %s, want %s", c.Deltas[i].Key, got, want)
		}
	}
}
