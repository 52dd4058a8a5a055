package conform

import (
	"hookwatch/suites"
)

// lookedUp is the directory in which a probe records the absent programs that a hook calls.
const lookedUp = "{tmp}/looked-up/"

// sought fires a hook whose text names programs that this machine does not have, with programs
// of these names that only record that they were called. One that was called is absent; a
// name in a message, or behind a condition that does not hold, is not.
func (q *Inquiry) sought() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	var names []string
	for _, program := range frail {
		if calls(q.text, program) && q.tree.Installed != nil && !q.tree.Installed(program) {
			names = append(names, program)
		}
	}
	usual := typical(q.hook, q.tree)
	if len(names) == 0 || len(usual) == 0 || q.missing != "" {
		return nil
	}
	p := q.probe(usual[0], func(r suites.Result) {
		for _, name := range names {
			if _, called := r.Files[lookedUp+name]; called && q.missing == "" {
				q.missing = name
			}
		}
	})
	step := &p.Case.Steps[0]
	step.Fixtures = append(step.Fixtures, suites.Fixture{Path: lookedUp + ".keep"})
	p.around(func(s *suites.Surroundings) {
		for _, name := range names {
			s.Programs = append(s.Programs, suites.Program{Name: name, Script: ": >'" + lookedUp + name + "'\nexit 127\n"})
			step.Expect.Files = append(step.Expect.Files, suites.FileExpectation{Path: lookedUp + name})
		}
	})
	return []Probe{p}
}
