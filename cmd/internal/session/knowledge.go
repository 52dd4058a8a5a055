package session

import (
	"maps"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
	"hookwatch/suites/verdict"
)

// Knowledge is the state of a project's cases: their recorded verdicts, current inputs and tools,
// and their traces. It runs nothing. Use it from one goroutine.
type Knowledge struct {
	Verdicts    *verdictBook
	Tracker     *Tracker
	Environment suites.Environment
	Selector    *selector
	Contents    *contents

	project  *Project
	store    *record.Store  // if nil, nothing is recorded
	place    record.Place   // of the records, used without a store
	reader   *record.Reader // of the records; nil until first needed
	tools    *run.Toolbox
	look     *run.ToolLook
	sets     run.ToolSets
	inputs   map[string][]suites.Input // by digest
	warnings []string                  // problems with the records
}

// newKnowledge returns the knowledge of a project without any records; see load. Call setTools
// before any other method.
func newKnowledge(p *Project, store *record.Store, place record.Place) *Knowledge {
	s := &Knowledge{
		Verdicts: newBook(),
		Tracker:  &Tracker{written: newWritten(), finishedCases: make(finishedCases)},
		store:    store,
		place:    place,
		sets:     make(run.ToolSets),
		inputs:   make(map[string][]suites.Input),
	}
	s.Selector = newSelector(s.records)
	s.Use(p)
	return s
}

// Use replaces the project after it was loaded again.
func (s *Knowledge) Use(p *Project) {
	s.project = p
	s.Tracker.versions = versions{project: p}
	s.Contents = &contents{Reader: p.Reader, Abs: p.Config.Abs, Records: s.records}
	s.Selector.Use(p.Graph, s.Contents)
}

// setTools sets the toolbox in which tools are looked up.
func (s *Knowledge) setTools(box *run.Toolbox) {
	s.tools = box
	s.refreshTools()
}

// refreshTools looks up tools again.
func (s *Knowledge) refreshTools() {
	s.look = run.NewToolLook(s.tools, s.sets)
	s.Selector.LookAgain()
}

// load adopts a snapshot of the records, and returns its records with the project's IDs.
func (s *Knowledge) load(before *record.Snapshot) []suites.Record {
	s.Environment, s.warnings = before.Environment, before.Warnings
	s.sets.Recall(before.Environment, s.earlierTools)
	maps.Copy(s.inputs, before.Inputs)
	records, _ := record.Identify(before.Records, s.project.Every())
	s.Verdicts.Recall(records, s.project.Find)
	return records
}

// earlierTools returns the recorded tool versions of earlier runs.
func (s *Knowledge) earlierTools() []suites.Environment {
	if s.store == nil {
		return nil
	}
	earlier, _ := s.store.Tools() // unreadable versions explain nothing
	return earlier
}

// records returns the store, or without one a reader of the project's records.
func (s *Knowledge) records() storedContents {
	if s.store != nil {
		return s.store
	}
	if s.reader == nil {
		r, err := record.OpenReader(s.place)
		if err != nil {
			r = new(record.Reader) // without records every edit affects
		}
		s.reader = r
	}
	return s.reader
}

// Save writes evidence that is not on disk yet.
func (s *Knowledge) Save() {
	if s.store != nil {
		s.Selector.Save(s.store)
	}
}

// Forget discards inputs and tool sets to which no verdict refers. Call it at the end of a run,
// when no case is running.
func (s *Knowledge) Forget() {
	inputs, tools := s.Verdicts.References()
	maps.DeleteFunc(s.inputs, func(digest string, _ []suites.Input) bool { return !inputs[digest] })
	maps.DeleteFunc(s.sets, func(set string, _ map[string]string) bool {
		_, current := s.Environment.CaseTools[set]
		return !tools[set] && !current
	})
}

// ForgetGone discards the state of removed cases, except their latest verdicts.
func (s *Knowledge) ForgetGone(gone func(suites.Key) bool) {
	s.Verdicts.ForgetGone(gone, len(s.project.Every()))
	s.Tracker.ForgetGone(gone)
}

// LookUpTools records the tools that the project's cases use in the environment.
func (s *Knowledge) LookUpTools() {
	for _, c := range s.project.Every() {
		s.toolsDigest(c)
	}
	s.Environment.CaseTools = s.look.Sets()
	names := s.look.Names()
	for set := range s.Verdicts.PresentTools() { // including cases not run since their hook named other tools
		if _, known := s.Environment.CaseTools[set]; !known && s.sets[set] != nil {
			s.Environment.CaseTools[set] = slices.Sorted(maps.Keys(s.sets[set]))
			names = append(names, s.Environment.CaseTools[set]...)
		}
	}
	slices.Sort(names)
	s.Environment.Tools = s.tools.Find(slices.Compact(names))
}

// toolsDigest returns the digest of the tools that the case's hooks and gates use.
func (s *Knowledge) toolsDigest(c *suites.Case) string {
	return s.look.Set(s.project.ToolKey(c), func() []string { return s.project.ToolNames(c) })
}

// Explaining returns the tools that may explain a changed verdict of the case: those in both sets
// that concern it and have changed, and the programs that it was seen to use and that were replaced.
func (s *Knowledge) Explaining(k suites.Key, before, now string) []string {
	concerns := s.project.Concerning(s.Selector.UsedTools)
	tools := slices.DeleteFunc(s.sets.ChangedTools(before, now), func(tool string) bool { return !concerns(k, tool) })
	tools = append(tools, s.Selector.ReplacedTools(k)...)
	slices.Sort(tools)
	return slices.Compact(tools)
}

// Digests returns the current digests of a case, which a verdict now would record.
func (s *Knowledge) Digests(c *suites.Case) suites.Digests {
	return suites.Digests{Case: c.Digest, Inputs: s.Tracker.InputsDigest(c), Tools: s.toolsDigest(c)}
}

// DigestsOf returns the current digests of a case and remembers its inputs.
func (s *Knowledge) DigestsOf(c *suites.Case, inputs []suites.Input) suites.Digests {
	d := s.Digests(c)
	if _, known := s.inputs[d.Inputs]; !known {
		s.inputs[d.Inputs] = inputs
	}
	return d
}

// Inputs returns the inputs with a digest.
func (s *Knowledge) Inputs(digest string) []suites.Input { return s.inputs[digest] }

// Look returns the knowledge of a project as recorded. It takes no lock and writes nothing.
func Look(p *Project, caller []string, at record.Place) (*Knowledge, error) {
	r, err := record.OpenReader(at)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	before, err := r.Present()
	if err != nil {
		return nil, err
	}
	with, err := newEquipment(EquipmentOptions{Env: caller}, p, before.Environment.Tools)
	if err != nil {
		return nil, err
	}
	s := newKnowledge(p, nil, at)
	s.load(before)
	s.setTools(with.Tools)
	return s, nil
}

// A Selection is the effect of a change: the selected cases and the unaffected ones.
type Selection struct {
	Selected    []verdict.Selected
	NotAffected []suites.Selection // cases that depend on a changed file but are not affected
	Uncovered   []string           // changed places that no case executes
	Warnings    []string           // problems with the records

	differing map[suites.Key][]string // paths, by case; see selector
}

// About returns the part of a selection that concerns one file. It reports whether the content of
// the file differs from the content of some verdict.
func (s Selection) About(file string) (Selection, bool) {
	about := func(k suites.Key) bool {
		return slices.Contains(s.differing[k], file) || slices.Contains(s.differing[k], path.Dir(file)+"/") // its name in the directory
	}
	out := Selection{Warnings: s.Warnings}
	for _, n := range s.NotAffected {
		if about(n.Key) {
			out.NotAffected = append(out.NotAffected, n)
		}
	}
	for _, u := range s.Uncovered {
		if strings.HasPrefix(u, file+": ") {
			out.Uncovered = append(out.Uncovered, u)
		}
	}
	for _, sel := range s.Selected {
		if about(sel.Case.Key()) {
			out.Selected = append(out.Selected, sel)
		}
	}
	return out, len(out.Selected)+len(out.NotAffected) > 0
}

// StaleNow returns the cases that a run of changed cases would run now. It takes no lock and
// writes nothing.
func StaleNow(p *Project, caller []string, at record.Place) (Selection, error) {
	s, err := Look(p, caller, at)
	if err != nil {
		return Selection{}, err
	}
	selected := s.Stale(func(suites.Key) *suites.Digests { return nil })
	return Selection{selected, s.NotAffected(), s.UncoveredPlaces(), s.warnings, s.Selector.latest.differing}, nil
}
