package selection

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
)

// A Selector decides whether a change affects cases. It is not safe for concurrent use.
type Selector struct {
	graph    *depend.Graph
	contents *Contents
	memory   memory
	observed observations
	latest   latest
}

// latest contains the results of the latest selection.
type latest struct {
	reader     *depend.Decider
	unaffected map[suites.Key]string       // the reasons
	differing  map[suites.Key][]string     // paths whose content differs from the content of the verdict
	before     map[suites.Key]*trace.Trace // traces before the selection
}

// NewSelector returns a selector without a project; see Use.
func NewSelector(records func() Records) *Selector {
	return &Selector{
		memory:   memory{records, make(map[suites.Key]*Evidence), make(map[suites.Key]bool)},
		observed: observations{records: records},
	}
}

// Use sets the project for later selections.
func (s *Selector) Use(g *depend.Graph, c *Contents) {
	s.graph, s.contents = g, c
	c.graph = g
	s.observe()
}

// Begin begins a selection, whose results are valid for the current files.
func (s *Selector) Begin() {
	s.latest = latest{depend.NewDecider(s.contents.of), make(map[suites.Key]string), make(map[suites.Key][]string), make(map[suites.Key]*trace.Trace)}
}

// A Verdict is the recorded verdict of a case.
type Verdict struct {
	Digests suites.Digests
	Skipped bool // independent of its inputs
	// LacksTool reports whether it was skipped because a tool was absent that still is. Only an
	// edit of other files than scripts can install it.
	LacksTool bool
	Inputs    []suites.Input // the inputs of its digest, if Known
	Known     bool
}

// NeverRuns is the reason for a case that is not affected because it would be skipped anyway.
const NeverRuns = "it is skipped whatever its inputs"

// Unaffected reports whether the verdict of a case is still valid although its inputs differ
// now. If it is not, because contains the changed inputs and why they matter. The function
// without removes files that hooks write themselves.
func (s *Selector) Unaffected(c *suites.Case, v Verdict, without func([]suites.Input) []suites.Input) (stands bool, because []string, changed []suites.Input) {
	key := c.Key()
	if v.Skipped {
		s.latest.unaffected[key] = NeverRuns
		return true, nil, nil
	}
	e := s.Evidence(key, v.Digests)
	if e != nil {
		v.Inputs, v.Known = e.Inputs, true
	}
	if !v.Known {
		return false, []string{"its inputs changed"}, nil
	}
	now := without(s.graph.Inputs(c))
	differences := depend.Changed(without(v.Inputs), now)
	for i, d := range differences {
		if d.Kind == depend.Dropped && !s.graph.There(d.Path) {
			differences[i].Kind = depend.Vanished
		}
		for _, in := range s.files(d, now) {
			changed = append(changed, in)
			s.latest.differing[key] = append(s.latest.differing[key], in.Path)
		}
	}
	if len(differences) == 0 {
		s.latest.unaffected[key] = "nothing that it depends on changed since"
		return true, nil, nil
	}
	if v.LacksTool && !slices.ContainsFunc(differences, func(d depend.Difference) bool { return !s.graph.Runs(c, d.Path) }) {
		s.latest.unaffected[key] = NeverRuns
		return true, nil, nil
	}
	a := s.decide(c, e, differences, now)
	if !a.Unaffected {
		return false, []string{a.Because}, changed
	}
	s.latest.unaffected[key] = a.Because
	s.carry(key, v.Digests, e, a.Trace, now)
	return true, nil, nil
}

// files returns the inputs of a difference: the input itself, or the files that it represents.
func (s *Selector) files(d depend.Difference, now []suites.Input) []suites.Input {
	if d.Path != depend.Elsewhere {
		return []suites.Input{d.Input}
	}
	var all []suites.Input
	files, _ := s.latest.reader.Elsewhere(d, now)
	for _, f := range files {
		all = append(all, suites.Input{Path: f, Because: d.Because})
	}
	return all
}

func (s *Selector) decide(c *suites.Case, e *Evidence, differences []depend.Difference, now []suites.Input) depend.Answer {
	q := depend.Question{Changed: differences, Inputs: now, Scripts: s.graph.Scripts(c)}
	if e != nil {
		if e.Wide != "" {
			return depend.Answer{Because: e.Wide}
		}
		q.Trace = e.Trace
		s.latest.before[c.Key()] = e.Trace
	}
	return s.latest.reader.Decide(q)
}

// carry records that the verdict of a case is valid for its current inputs.
func (s *Selector) carry(k suites.Key, past suites.Digests, e *Evidence, t *trace.Trace, now []suites.Input) {
	next := &Evidence{}
	if e != nil {
		*next = *e
	}
	next.Trace, next.Digests, next.Now, next.Inputs = t, past, depend.InputsDigest(now), now
	s.memory.put(k, next)
	s.observed.hold(k, past.Inputs, next.Now)
}

// NotAffected returns the cases that the latest selection left out although their inputs
// changed, with the reasons.
func (s *Selector) NotAffected() map[suites.Key]string { return s.latest.unaffected }

// Differing returns, by case, the paths whose content differed from the content of the case's
// verdict in the latest selection.
func (s *Selector) Differing() map[suites.Key][]string { return s.latest.differing }

// Uncovered returns the places of the latest change that no case executes. Callers leave out
// skipped cases, because they execute nothing on this machine.
func (s *Selector) Uncovered(cases []*suites.Case) []string {
	traces := func(script string) []*trace.Trace {
		var out []*trace.Trace
		for _, c := range cases {
			if s.graph.Runs(c, script) {
				out = append(out, s.latest.before[c.Key()])
			}
		}
		return out
	}
	var out []string
	for _, u := range s.latest.reader.Uncovered(traces) {
		out = append(out, u.String())
	}
	return out
}

// Evidence returns the stored evidence of a case for a verdict with these digests, nil if there
// is none.
func (s *Selector) Evidence(k suites.Key, d suites.Digests) *Evidence {
	if e := s.memory.of(k); e.Digests == d {
		return e
	}
	return nil
}

// Traced stores the trace of a case, with the inputs of its verdict. If all paths that the case
// used were observed, these are its inputs from now on; without removes files that hooks write
// themselves.
func (s *Selector) Traced(c *suites.Case, d suites.Digests, inputs []suites.Input, t *trace.Trace, without func([]suites.Input) []suites.Input) {
	k := c.Key()
	e := &Evidence{Trace: t}
	e.Digests, e.Now, e.Inputs = d, d.Inputs, inputs
	if kept := s.memory.of(k); kept.Digests.Case == d.Case {
		e.Wide = kept.Wide
	}
	if t.Observed != nil && e.Wide == "" {
		s.graph.Observe(k, t.Observed.Paths)
		e.Inputs = without(s.graph.Inputs(c))
		e.Now = depend.InputsDigest(e.Inputs)
		s.observed.put(k, observation{of: d.Inputs, now: e.Now, paths: t.Observed.Paths})
	}
	s.memory.put(k, e)
}

// Widen makes every later edit affect a case, for a reason.
func (s *Selector) Widen(k suites.Key, d suites.Digests, inputs []suites.Input, why string) {
	e := &Evidence{}
	e.Digests, e.Now, e.Inputs, e.Wide = d, d.Inputs, inputs, why
	s.memory.put(k, e)
	s.Unobserve(k)
}

// Unsaved returns the number of cases whose evidence Save has not written.
func (s *Selector) Unsaved() int { return len(s.memory.unsaved) }

// Save writes evidence that is not on disk yet, and the contents of its inputs.
func (s *Selector) Save(to Keeper) {
	s.observed.save(to)
	s.memory.save(to, s.contents)
}

// Release drops the evidence of a case from memory if it is on disk.
func (s *Selector) Release(k suites.Key) {
	if !s.memory.unsaved[k] {
		delete(s.memory.evidence, k)
	}
}

// Forget drops all evidence that is on disk from memory.
func (s *Selector) Forget() { s.memory.forget() }

// Rest drops everything from memory that can be read again.
func (s *Selector) Rest() {
	s.memory.forget()
	s.latest.reader = nil
	clear(s.latest.before)
}
