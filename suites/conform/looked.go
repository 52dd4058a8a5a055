package conform

import (
	"cmp"
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
// this machine does not have, it is first fired with a program of each name, and with all of them:
// a hook that ends otherwise then failed only because they are absent.
func (q *Inquiry) equipped(f firing, r suites.Result) {
	names := q.absentFor(r)
	if len(names) == 0 || r.Exit == 0 && !stopped(r) {
		q.ended(f, r)
		return
	}
	q.rounds = slices.Insert(q.rounds, 1, func() (probes []Probe) {
		q.rounds[0] = func() []Probe { return nil }
		absent := ""
		for _, name := range names {
			p := q.probe(f, func(with suites.Result) {
				if absent == "" && endsOtherwise(r, with) {
					absent = name
				}
			})
			p.standIns([]string{name}, 0)
			probes = append(probes, p)
		}
		p := q.probe(f, func(with suites.Result) {
			if absent == "" && endsOtherwise(r, with) {
				absent = cmp.Or(calledOf(names, with), names[0])
			}
			if absent != "" {
				q.lacks(absent + " is not on this machine")
			} else {
				q.ended(f, r)
			}
		})
		p.standIns(names, 0)
		return append(probes, p)
	})
}

// absentFor returns the programs that a hook may have looked for in vain when it ended so: those
// that its messages name, then those of its text.
func (q *Inquiry) absentFor(r suites.Result) (names []string) {
	const most = 5
	if q.tree.Installed == nil {
		return nil
	}
	for _, m := range missed().FindAllStringSubmatch(string(r.Stderr), -1) {
		if name := strings.ToLower(m[1]); !q.tree.Installed(name) && !slices.Contains(names, name) {
			names = append(names, name) // it may be of a script that was not read
		}
	}
	programs := slices.Clone(frail)
	for _, m := range lookups().FindAllStringSubmatch(withoutComments(q.text), -1) {
		programs = append(programs, m[1])
	}
	for _, name := range q.absentOf(programs) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names[:min(len(names), most)]
}

// endsOtherwise reports whether a hook ended in another way once a program was there: with
// another exit code, or without the words that were its last before.
func endsOtherwise(r, with suites.Result) bool {
	if with.NotStarted != "" || with.TimedOut {
		return false
	}
	words := strings.TrimSpace(string(r.Stderr))
	last := withoutDigits(words[strings.LastIndexByte(words, '\n')+1:])
	return with.Exit != r.Exit || stopped(with) != stopped(r) || !strings.Contains(withoutDigits(string(with.Stderr)), last)
}

// withoutDigits drops what differs between runs: times, numbers of processes and of sandboxes.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, sandboxes().ReplaceAllString(text, ""))
}
