package conform

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// lookedUp is the directory in which a probe records the absent programs that a hook calls.
const lookedUp = "{tmp}/looked-up/"

// sought fires a hook whose text names programs that this machine does not have, with programs
// of these names that only record that they were called. One that was called is absent; a
// name in a message, or behind a condition that does not hold, is not.
func (q *Inquiry) sought() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	names := q.absentOf(frail)
	usual := typical(q.hook, q.tree)
	if len(names) == 0 || len(usual) == 0 || q.missing != "" {
		return nil
	}
	p := q.probe(usual[0], func(r suites.Result) {
		if called := calledOf(names, r); called != "" && q.missing == "" {
			q.missing = called
		}
	})
	p.standIns(names, 127)
	return []Probe{p}
}

// absentOf returns the programs that the hook calls, or looks for, and that this machine does not
// have.
func (q *Inquiry) absentOf(programs []string) (names []string) {
	for _, program := range programs {
		if calls(q.text, program) && q.tree.Installed != nil && !q.tree.Installed(program) && !slices.Contains(names, program) {
			names = append(names, program)
		}
	}
	return names
}

// standIns adds programs that record that they were called and end with a code.
func (p Probe) standIns(names []string, exit int) {
	step := &p.Case.Steps[0]
	step.Fixtures = append(step.Fixtures, suites.Fixture{Path: lookedUp + ".keep"})
	p.around(func(s *suites.Surroundings) {
		for _, name := range names {
			s.Programs = append(s.Programs, suites.Program{Name: name, Script: fmt.Sprintf(": >'%s%s'\nexit %d\n", lookedUp, name, exit)})
			step.Expect.Files = append(step.Expect.Files, suites.FileExpectation{Path: lookedUp + name})
		}
	})
}

// calledOf returns the first program that was called in a probe with stand-ins.
func calledOf(names []string, r suites.Result) string {
	for _, name := range names {
		if _, called := r.Files[lookedUp+name]; called {
			return name
		}
	}
	return ""
}

// missed matches what scripts themselves print of a program that they did not find.
var missed = pattern.Lazy(`(?i)\b([a-z][\w.+-]*)(?: is| was)?(?: command)? not (?:found|installed|available)`)

// lookups match the names of programs that a script looks for, or starts from Node.
var lookups = pattern.Lazy(`(?:\bcommand -v|\bwhich|\bhash|\btype -P|\bwhich\(|\bwhich["'],\s*\[|\b(?:spawn|execFile)(?:Sync)?\()\s*["']?([A-Za-z][\w.+-]*)`)

// equipped judges a hook that failed, or stopped what is harmless. If it looks for programs that
// this machine does not have, it is first fired with programs of these names: a hook that ends
// otherwise then failed only because they are absent.
func (q *Inquiry) equipped(f firing, r suites.Result) {
	programs := slices.Clone(frail)
	for _, m := range lookups().FindAllStringSubmatch(withoutComments(q.text), -1) {
		programs = append(programs, m[1])
	}
	names := q.absentOf(programs)
	for _, m := range missed().FindAllStringSubmatch(string(r.Stderr), -1) {
		if name := strings.ToLower(m[1]); q.tree.Installed != nil && !q.tree.Installed(name) && !slices.Contains(names, name) {
			names = append(names, name) // of a script that was not read, it may be
		}
	}
	if len(names) == 0 || r.Exit == 0 && !stopped(r) {
		q.ended(f, r)
		return
	}
	q.rounds = slices.Insert(q.rounds, 1, func() []Probe {
		q.rounds[0] = func() []Probe { return nil }
		p := q.probe(f, func(with suites.Result) {
			if with.NotStarted != "" || with.TimedOut || with.Exit == r.Exit && stopped(with) == stopped(r) {
				q.ended(f, r)
				return
			}
			name := calledOf(names, with)
			for _, n := range names {
				if name == "" && strings.Contains(strings.ToLower(string(r.Stderr)), n) {
					name = n
				}
			}
			if name == "" {
				name = names[0]
			}
			q.lacks(name + " is not on this machine")
		})
		p.standIns(names, 0)
		return []Probe{p}
	})
}
