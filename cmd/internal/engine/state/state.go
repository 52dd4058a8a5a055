// Package state is what is known of a project's cases: their verdicts on record, what
// each of them depends on as it is now, the tools it reaches, and what it was seen to
// execute. It tells what is stale, and runs nothing.
package state

import (
	"maps"
	"slices"

	"hookwatch/cmd/internal/engine/freshness"
	"hookwatch/cmd/internal/engine/verdicts"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/selection"
	"hookwatch/suites/toolbox"
)

// A State is to be used from one goroutine.
type State struct {
	Verdicts    *verdicts.Book
	Freshness   *freshness.Tracker
	Environment suites.Environment
	Selector    *selection.Selector
	Contents    *selection.Contents

	p        *project.Project
	store    *record.Store  // nil: nothing is recorded
	place    record.Place   // of the records, where there is no store
	reader   *record.Reader // of it; nil before it was asked
	tools    *toolbox.Toolbox
	look     *toolbox.Look
	sets     toolbox.Sets
	inputs   map[string][]suites.Input // by digest
	warnings []string                  // of what is wrong with what is on record
}

// New makes the state of a project of which nothing is known but where its records
// are. It needs tools before it is asked anything.
func New(p *project.Project, store *record.Store, place record.Place) *State {
	s := &State{
		Verdicts:  verdicts.NewBook(),
		Freshness: freshness.New(),
		store:     store,
		place:     place,
		sets:      make(toolbox.Sets),
		inputs:    make(map[string][]suites.Input),
	}
	s.Selector = selection.NewSelector(s.records)
	s.Use(p)
	return s
}

// Use has the state be of a project as it was read.
func (s *State) Use(p *project.Project) {
	s.p = p
	s.Freshness.Use(p)
	s.Contents = &selection.Contents{Reader: p.Reader, Abs: p.Config.Abs, Records: s.records}
	s.Selector.Use(p.Graph, s.Contents)
}

// Equip has tools looked for in a box.
func (s *State) Equip(box *toolbox.Toolbox) {
	s.tools = box
	s.LookAnew()
}

// LookAnew has tools be looked for anew.
func (s *State) LookAnew() { s.look = toolbox.NewLook(s.tools, s.sets) }

// Recall takes over what is on record, and gives its records with the project's IDs.
func (s *State) Recall(before *record.Snapshot) []suites.Record {
	s.Environment, s.warnings = before.Environment, before.Warnings
	s.sets.Recall(before.Environment, s.earlierTools)
	maps.Copy(s.inputs, before.Inputs)
	records, _ := record.Identify(before.Records, s.p.Every())
	s.Verdicts.Recall(records, s.p.Find)
	return records
}

// earlierTools are what tools there were, as far as it is on record.
func (s *State) earlierTools() []suites.Environment {
	if s.store == nil {
		return nil
	}
	earlier, _ := s.store.Tools() // what cannot be read explains nothing
	return earlier
}

// records are the store's, or what there is of the project's without one.
func (s *State) records() selection.Records {
	if s.store != nil {
		return s.store
	}
	if s.reader == nil {
		r, err := record.OpenReader(s.place)
		if err != nil {
			r = new(record.Reader) // without it every edit affects
		}
		s.reader = r
	}
	return s.reader
}

// Save writes evidence that is not on disk yet.
func (s *State) Save() {
	if s.store != nil {
		s.Selector.Save(s.store)
	}
}

// Forget gives up what no verdict refers to any more: inputs by their digests, and
// what tools there were. It is for the end of a run, when no case is under way.
func (s *State) Forget() {
	inputs, tools := s.Verdicts.Referred()
	maps.DeleteFunc(s.inputs, func(digest string, _ []suites.Input) bool { return !inputs[digest] })
	maps.DeleteFunc(s.sets, func(set string, _ map[string]string) bool {
		_, current := s.Environment.CaseTools[set]
		return !tools[set] && !current
	})
}

// ForgetGone gives up what is known of cases that are no more, but for their latest
// verdicts.
func (s *State) ForgetGone(gone func(suites.Key) bool) {
	s.Verdicts.ForgetGone(gone, len(s.p.Every()))
	s.Freshness.ForgetGone(gone)
}

// LookUpTools describes the tools that the project's cases reach, for the record.
func (s *State) LookUpTools() {
	for _, c := range s.p.Every() {
		s.toolsDigest(c)
	}
	s.Environment.CaseTools = s.look.Sets()
	names := s.look.Names()
	for set := range s.Verdicts.PresentTools() { // of cases too that did not run since their hook named others
		if _, known := s.Environment.CaseTools[set]; !known && s.sets[set] != nil {
			s.Environment.CaseTools[set] = s.sets.Names(set)
			names = append(names, s.Environment.CaseTools[set]...)
		}
	}
	slices.Sort(names)
	s.Environment.Tools = s.tools.Find(slices.Compact(names))
}

// toolsDigest stands for the tools that the case's hooks reach, and its gates.
func (s *State) toolsDigest(c *suites.Case) string {
	return s.look.Set(s.p.ToolKey(c), func() []string { return s.p.ToolNames(c) })
}

// Explaining lists the tools that both sets have, that concern the case, and that are
// others now.
func (s *State) Explaining(k suites.Key, before, now string) []string {
	return slices.DeleteFunc(s.sets.Changed(before, now), func(tool string) bool { return !s.p.Concerns(k, tool) })
}

// Digests say what a verdict of a case would be about now.
func (s *State) Digests(c *suites.Case) suites.Digests {
	return suites.Digests{Case: c.Digest, Inputs: s.Freshness.InputsDigest(c), Tools: s.toolsDigest(c)}
}

// DigestsOf are the Digests of a case with these inputs, which are remembered.
func (s *State) DigestsOf(c *suites.Case, inputs []suites.Input) suites.Digests {
	d := s.Digests(c)
	if _, known := s.inputs[d.Inputs]; !known {
		s.inputs[d.Inputs] = inputs
	}
	return d
}

// Inputs are those that a digest is of.
func (s *State) Inputs(digest string) []suites.Input { return s.inputs[digest] }
