package run

import (
	"cmp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/process"
)

// A Planned is an entry that registers a hook for an event, and what its client would start for a
// call: the values are those of a firing, except that Dir and paths of the case's own directory are
// placeholders.
type Planned struct {
	Hook   discover.Hook
	NotRun string // why nothing is started, "" if it is
	discover.Launch
	Limit     string // what ends it earlier than its client would, "" if nothing does
	Variables []discover.Variable
}

// Plan returns the entries of an event in the order of the files, for the first step of a case
// that fires all of them. It creates and runs nothing.
func (o Options) Plan(c *suites.Case, all discover.Registered, dir string) ([]Planned, error) {
	s, st := o.plan(c, dir), &c.Steps[0]
	stdin, err := s.stdin(st)
	if err != nil {
		return nil, err
	}
	value := cmp.Or(st.MatchedAs, client.MatchedValue(st.Event, st.Tool, stdin))
	var planned []Planned
	for _, e := range all.Entries(st.Event, value) {
		p := Planned{Hook: e.Hook, NotRun: cmp.Or(e.WhyNotRun(), e.Hook.WhyNotRun(), e.WhyNotStarted(st.MatchedAs, stdin))}
		if p.NotRun == "" {
			if err := s.explain(&p, st, stdin); err != nil {
				return nil, err
			}
		}
		planned = append(planned, p)
	}
	return planned, nil
}

// explain sets what is started, and where each variable comes from.
func (s *caseRun) explain(p *Planned, st *suites.Step, stdin []byte) error {
	command, err := s.registeredCommand(p.Hook, st, stdin)
	if err != nil {
		return err
	}
	p.Launch, _ = s.adaptHook(p.Hook).Launch(s.call(st, stdin))
	p.Argv, p.Dir, p.Stdin, p.Timeout = command.Argv, command.Dir, command.Stdin, command.Timeout
	_, p.Limit = s.waits(p.Hook.Timeout)
	slices.Sort(command.Env)
	for _, kv := range command.Env {
		name, value, _ := strings.Cut(kv, "=")
		v := discover.Variable{Name: name, Value: value, From: "hookwatch"}
		is := func(o discover.Variable) bool { return o.Name == name && o.Value == value }
		switch i := slices.IndexFunc(p.Env, is); {
		case i >= 0:
			v.From = p.Env[i].From
		case process.Getenv(s.o.Env, name) == value:
			v.From = "your environment"
		}
		p.Variables = append(p.Variables, v)
	}
	return nil
}
