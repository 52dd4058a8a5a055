package conform

import (
	"fmt"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/shell"
)

// nested is the file in which calls of the client are recorded: one for a call by the hook, and
// "again" for one by the hook that such a session fires in its turn.
const nested = "{tmp}/nested"

// nestedClient stands in for the client. A session that runs hooks fires the same hook once
// more, with the environment that it was given; without an end that goes on and on.
func nestedClient(command string) string {
	return `case " $* " in *' --bare '*|*' --safe-mode '*|*' --setting-sources'*|*disableAllHooks*) exit 0;; esac
[ -n "$HOOKWATCH_NESTED" ] && { echo again >>'` + nested + `'; exit 0; }
echo once >>'` + nested + `'
HOOKWATCH_NESTED=1 sh -c ` + shell.Quote(command) + ` <'{tmp}/nested-input' >/dev/null 2>&1
exit 0
`
}

// nesting fires a hook that calls the client with one in its place, and asks whether the hook
// calls it again when that session fires it.
func (q *Inquiry) nesting() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	usual := typical(q.hook, q.tree)
	if len(usual) == 0 || q.hook.Args != nil || !calls(q.text, "claude") {
		return nil
	}
	p := q.probe(usual[0], func(r suites.Result) {
		if strings.Contains(string(r.Files[nested]), "again") {
			q.found("starts-client", fmt.Sprintf("it runs claude, whose session fires it again for %s: that has no end", q.hook.Event), suites.Warning)
		}
	})
	p.around(func(s *suites.Surroundings) {
		s.Programs = []suites.Program{{Name: "claude", Script: nestedClient(q.hook.Command)}}
	})
	step := &p.Case.Steps[0]
	step.Fixtures = append(step.Fixtures, suites.Fixture{Path: "{tmp}/nested-input", Content: string(step.PayloadRaw)})
	step.Expect.Files = []suites.FileExpectation{{Path: nested}}
	return []Probe{p}
}
