package session

import (
	"cmp"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/verdict"
)

// A selector decides whether a change affects cases. It is not safe for concurrent use.
type selector struct {
	graph    *depend.Graph
	contents *contents
	memory   evidenceMemory
	observed observations
	latest   latestSelection
}

// latestSelection contains the results of the latest selection.
type latestSelection struct {
	reader     *depend.Decider
	unaffected map[suites.Key]string       // the reasons
	differing  map[suites.Key][]string     // paths whose content differs from the content of the verdict
	before     map[suites.Key]*trace.Trace // traces before the selection
}

// newSelector returns a selector without a project; see Use.
func newSelector(records func() storedContents) *selector {
	return &selector{
		memory:   evidenceMemory{records, make(map[suites.Key]*caseEvidence), make(map[suites.Key]bool), make(map[suites.Key]compared)},
		observed: observations{records: records, used: make(map[string][]suites.Tool), replaced: make(map[*suites.Tool][]string)},
	}
}

// Use sets the project for later selections.
func (s *selector) Use(g *depend.Graph, c *contents) {
	s.graph, s.contents = g, c
	c.graph = g
	for k, one := range s.observed.all() {
		s.graph.Observe(k, one.paths, one.lapsed || one.earlier)
	}
}

// Begin begins a selection, whose results are valid for the current files.
func (s *selector) Begin() {
	s.latest = latestSelection{depend.NewDecider(s.contents.of), make(map[suites.Key]string), make(map[suites.Key][]string), make(map[suites.Key]*trace.Trace)}
}

// A recordedVerdict is the recorded verdict of a case.
type recordedVerdict struct {
	Digests suites.Digests
	Skipped bool // independent of its inputs
	// LacksTool reports whether it was skipped because a tool was absent that still is. Only an
	// edit of other files than scripts can install it.
	LacksTool bool
	Inputs    []suites.Input // the inputs of its digest, if Known
	Known     bool
}

// neverRuns is the reason for a case that is not affected because it would be skipped anyway.
const neverRuns = "it is skipped whatever its inputs"

// CheckUnaffected returns whether the verdict of a case is still valid although its inputs differ
// now. The function without removes files that hooks write themselves.
func (s *selector) CheckUnaffected(c *suites.Case, v recordedVerdict, without func([]suites.Input) []suites.Input) verdict.InputChange {
	key := c.Key()
	unaffected := func(why string) verdict.InputChange {
		s.latest.unaffected[key] = why
		return verdict.InputChange{Unaffected: true}
	}
	if v.Skipped {
		return unaffected(neverRuns)
	}
	e := s.Evidence(key, v.Digests)
	if e != nil {
		v.Inputs, v.Known = e.Inputs, true
	}
	if !v.Known {
		return verdict.InputChange{Because: []string{"its inputs changed"}}
	}
	now := without(s.graph.Inputs(c))
	differences := depend.Changed(without(v.Inputs), now)
	var changed []suites.Input
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
		return unaffected("nothing that it depends on changed since")
	}
	if v.LacksTool && !slices.ContainsFunc(differences, func(d depend.Difference) bool { return !s.graph.Runs(c, d.Path) }) {
		return unaffected(neverRuns)
	}
	a := s.decide(c, e, differences, now)
	if !a.Unaffected {
		return verdict.InputChange{Because: []string{a.Because}, Changed: changed}
	}
	s.carry(key, v.Digests, e, a.Trace, now)
	return unaffected(a.Because)
}

// files returns the inputs of a difference: the input itself, or the files that it represents.
func (s *selector) files(d depend.Difference, now []suites.Input) []suites.Input {
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

func (s *selector) decide(c *suites.Case, e *caseEvidence, differences []depend.Difference, now []suites.Input) depend.Answer {
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
func (s *selector) carry(k suites.Key, past suites.Digests, e *caseEvidence, t *trace.Trace, now []suites.Input) {
	next := &caseEvidence{}
	if e != nil {
		*next = *e
	}
	next.Trace, next.Digests, next.Now, next.Inputs = t, past, depend.InputsDigest(now), now
	s.memory.put(k, next)
	s.observed.hold(k, past.Inputs, next.Now)
}

// NotAffected returns the cases that the latest selection left out although their inputs
// changed, with the reasons.
func (s *selector) NotAffected() map[suites.Key]string { return s.latest.unaffected }

// UncoveredPlaces returns the places of the latest change that no case executes. Callers leave out
// skipped cases, because they execute nothing on this machine.
func (s *selector) UncoveredPlaces(cases []*suites.Case) []string {
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
func (s *selector) Evidence(k suites.Key, d suites.Digests) *caseEvidence {
	if e := s.memory.of(k); e.Digests == d {
		return e
	}
	return nil
}

// PutTrace stores the trace of a case, with the inputs of its verdict. If all paths that the case
// used were observed, these are its inputs from now on; without removes files that hooks write
// themselves.
func (s *selector) PutTrace(c *suites.Case, d suites.Digests, inputs []suites.Input, t *trace.Trace, without func([]suites.Input) []suites.Input) {
	k := c.Key()
	path := func(s suites.Step) bool { return s.Env["PATH"] != "" }
	if len(c.WantedEnv().Programs) > 0 || slices.ContainsFunc(c.Steps, path) {
		t.Recall(nil) // its grep may be another program
	}
	e := &caseEvidence{Trace: t}
	e.Digests, e.Now, e.Inputs = d, d.Inputs, inputs
	if kept := s.memory.of(k); kept.Digests.Case == d.Case {
		e.Wide = kept.Wide
	}
	if t.Observed != nil && e.Wide == "" {
		s.graph.Observe(k, t.Observed.Paths, false)
		e.Inputs = without(s.graph.Inputs(c))
		e.Now = depend.InputsDigest(e.Inputs)
		s.observed.put(k, observation{of: d.Inputs, now: e.Now, paths: t.Observed.Paths, used: s.observed.share(t.Observed.Programs)})
	}
	s.memory.put(k, e)
}

// Widen makes every later edit affect a case, for a reason.
func (s *selector) Widen(k suites.Key, d suites.Digests, inputs []suites.Input, why string) {
	e := &caseEvidence{}
	e.Digests, e.Now, e.Inputs, e.Wide = d, d.Inputs, inputs, why
	s.memory.put(k, e)
	s.Unobserve(k)
}

// UnsavedCount returns the number of cases whose evidence Save has not written.
func (s *selector) UnsavedCount() int { return len(s.memory.unsaved) }

// Save writes evidence that is not on disk yet, and the contents of its inputs.
func (s *selector) Save(to contentKeeper) {
	s.observed.save(to)
	s.memory.save(to, s.contents)
}

// Release drops the evidence of a case from memory if it is on disk.
func (s *selector) Release(k suites.Key) {
	s.memory.forget(k)
}

// Forget drops all evidence that is on disk from memory.
func (s *selector) Forget() { s.memory.forgetAll() }

// Rest drops everything from memory that can be read again.
func (s *selector) Rest() {
	s.memory.forgetAll()
	s.latest.reader = nil
	clear(s.latest.before)
}

// Stale returns the cases whose latest verdict, on record or under way, is not about the current
// content, with their controls. underway returns the digests of a case in progress, or nil.
func (s *Knowledge) Stale(underway func(suites.Key) *suites.Digests) []verdict.Selected {
	s.refreshTools()
	s.Selector.Begin()
	var selected []verdict.Selected
	for _, c := range s.project.Cases {
		if sel, stale := verdict.Stale(s.candidate(c, underway(c.Key()))); stale {
			selected = append(selected, sel)
		}
	}
	selected = verdict.WithControls(verdict.WithDependents(selected, s.project.Cases), s.project.Every())
	for _, sel := range selected { // for another reason than its inputs
		delete(s.Selector.NotAffected(), sel.Case.Key())
	}
	return selected
}

// candidate returns a case with its verdict, on record or under way, and the current content.
func (s *Knowledge) candidate(c *suites.Case, underway *suites.Digests) verdict.Candidate {
	k := c.Key()
	of := verdict.Candidate{Case: c, Past: pastDigests(underway, s.Verdicts.Present(k), s.Tracker.IsRetracted(k)), Now: s.Digests(c)}
	of.Past.Digests.Inputs = s.Selector.AppliedDigest(k, of.Past.Digests.Inputs)
	if len(s.Selector.ReplacedTools(k)) > 0 {
		of.Past.Digests.Tools = "" // unknown, because hooks may name these programs in ways that no text shows
	}
	was := of.Past.Digests
	of.OtherTool = was.Tools != of.Now.Tools && s.sets.MayDiffer(was.Tools, of.Now.Tools)
	if of.Past.Known && was.Inputs != of.Now.Inputs {
		of.Inputs = s.inputChange(c, was)
	}
	return of
}

// inputChange returns the effect of changed inputs on the verdict of a case; see selector.
func (s *Knowledge) inputChange(c *suites.Case, past suites.Digests) verdict.InputChange {
	last := s.Verdicts.Present(c.Key())
	if last != nil && past.Inputs == s.Selector.AppliedDigest(c.Key(), last.Digests.Inputs) {
		past = last.Digests
	}
	v := recordedVerdict{Digests: past}
	if last != nil {
		v.Skipped = last.Layer == suites.Live && last.Status == suites.Skip && !s.tools.FindOne(s.project.Client()).Present()
		v.LacksTool = last.Status == suites.Skip && s.lacksTool(c)
	}
	v.Inputs, v.Known = s.inputs[past.Inputs]
	return s.Selector.CheckUnaffected(c, v, s.Tracker.Exclude)
}

// lacksTool reports whether a tool without which a case is skipped is absent.
func (s *Knowledge) lacksTool(c *suites.Case) bool {
	return slices.ContainsFunc(c.Gates, func(g suites.Gate) bool {
		return g.Policy == suites.GateSkip && len(g.Places) == 0 && !s.tools.FindOne(g.Tool).Present()
	})
}

// LeftOut returns the reason why the latest selection left a case out.
func (s *Knowledge) LeftOut(k suites.Key) string {
	return cmp.Or(s.Selector.NotAffected()[k], "nothing that it depends on changed")
}

// NotAffected returns the cases that the latest change did not affect, with reasons.
func (s *Knowledge) NotAffected() []suites.Selection {
	why := s.Selector.NotAffected()
	if len(why) == 0 {
		return nil
	}
	var out []suites.Selection
	for _, c := range s.project.Every() {
		if because, ok := why[c.Key()]; ok {
			out = append(out, suites.Selection{Key: c.Key(), Because: []string{because}})
		}
	}
	return out
}

// UncoveredPlaces returns the places of the latest change that no case executes.
func (s *Knowledge) UncoveredPlaces() []string {
	var running []*suites.Case
	for _, c := range s.project.Every() {
		if v := s.Verdicts.Present(c.Key()); v == nil || v.Status != suites.Skip { // a skipped case lacks a tool that it needs
			running = append(running, c)
		}
	}
	return s.Selector.UncoveredPlaces(running)
}

// Traceable returns the verdict of a case if it is current and has no trace yet, and nil
// otherwise.
func (s *Knowledge) Traceable(c *suites.Case) *keptVerdict {
	last := s.Verdicts.Present(c.Key())
	if !last.Traceable(c) {
		return nil
	}
	e := s.Selector.Evidence(c.Key(), last.Digests)
	s.Selector.Release(c.Key()) // because ten thousand of them would fill memory
	if e == nil && !s.Selector.observed.all()[c.Key()].earlier {
		s.Selector.Unobserve(c.Key())
	}
	if !s.Current(c, last) {
		return nil
	}
	if e != nil && e.Trace != nil && e.Now == s.Selector.AppliedDigest(c.Key(), last.Digests.Inputs) {
		return nil
	}
	return last
}

// Current reports whether a verdict is for the current content.
func (s *Knowledge) Current(c *suites.Case, last *keptVerdict) bool {
	d := last.Digests
	d.Inputs = s.Selector.AppliedDigest(c.Key(), d.Inputs)
	return d == s.Digests(c)
}
