package session

import (
	"maps"
	"slices"

	"hookwatch/cmd/internal/project"
	"hookwatch/cmd/internal/session/decide"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/selection"
	"hookwatch/suites/toolbox"
)

// Knowledge is the state of a project's cases: their verdicts on record, their present
// inputs and tools, and what they were seen to execute. It runs nothing. Use it from one
// goroutine.
type Knowledge struct {
	Verdicts    *decide.Book
	Freshness   *Tracker
	Environment suites.Environment
	Selector    *selection.Selector
	Contents    *selection.Contents

	project  *project.Project
	store    *record.Store  // nil: nothing is recorded
	place    record.Place   // of the records, where there is no store
	reader   *record.Reader // of it; nil before it was asked
	tools    *toolbox.Toolbox
	look     *toolbox.Look
	sets     toolbox.Sets
	inputs   map[string][]suites.Input // by digest
	warnings []string                  // of what is wrong with what is on record
}

// NewKnowledge makes the knowledge of a project of which only the place of the records
// is known. Call setTools before any other method.
func NewKnowledge(p *project.Project, store *record.Store, place record.Place) *Knowledge {
	s := &Knowledge{
		Verdicts:  decide.NewBook(),
		Freshness: NewTracker(),
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
func (s *Knowledge) Use(p *project.Project) {
	s.project = p
	s.Freshness.Use(p)
	s.Contents = &selection.Contents{Reader: p.Reader, Abs: p.Config.Abs, Records: s.records}
	s.Selector.Use(p.Graph, s.Contents)
}

// Equip has tools looked for in a box.
func (s *Knowledge) setTools(box *toolbox.Toolbox) {
	s.tools = box
	s.refreshTools()
}

// refreshTools looks up tools again.
func (s *Knowledge) refreshTools() { s.look = toolbox.NewLook(s.tools, s.sets) }

// load takes over a snapshot of the records, and returns its records with the project's IDs.
func (s *Knowledge) load(before *record.Snapshot) []suites.Record {
	s.Environment, s.warnings = before.Environment, before.Warnings
	s.sets.Recall(before.Environment, s.earlierTools)
	maps.Copy(s.inputs, before.Inputs)
	records, _ := record.Identify(before.Records, s.project.Every())
	s.Verdicts.Recall(records, s.project.Find)
	return records
}

// earlierTools are what tools there were, as far as it is on record.
func (s *Knowledge) earlierTools() []suites.Environment {
	if s.store == nil {
		return nil
	}
	earlier, _ := s.store.Tools() // what cannot be read explains nothing
	return earlier
}

// records are the store's, or what there is of the project's without one.
func (s *Knowledge) records() selection.Records {
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
func (s *Knowledge) Save() {
	if s.store != nil {
		s.Selector.Save(s.store)
	}
}

// Forget gives up what no verdict refers to any more: inputs by their digests, and
// what tools there were. It is for the end of a run, when no case is under way.
func (s *Knowledge) Forget() {
	inputs, tools := s.Verdicts.Referred()
	maps.DeleteFunc(s.inputs, func(digest string, _ []suites.Input) bool { return !inputs[digest] })
	maps.DeleteFunc(s.sets, func(set string, _ map[string]string) bool {
		_, current := s.Environment.CaseTools[set]
		return !tools[set] && !current
	})
}

// ForgetGone gives up what is known of cases that are no more, but for their latest
// verdicts.
func (s *Knowledge) ForgetGone(gone func(suites.Key) bool) {
	s.Verdicts.ForgetGone(gone, len(s.project.Every()))
	s.Freshness.ForgetGone(gone)
}

// LookUpTools describes the tools that the project's cases reach, for the record.
func (s *Knowledge) LookUpTools() {
	for _, c := range s.project.Every() {
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
func (s *Knowledge) toolsDigest(c *suites.Case) string {
	return s.look.Set(s.project.ToolKey(c), func() []string { return s.project.ToolNames(c) })
}

// Explaining lists the tools that both sets have, that concern the case, and that are
// others now.
func (s *Knowledge) Explaining(k suites.Key, before, now string) []string {
	return slices.DeleteFunc(s.sets.Changed(before, now), func(tool string) bool { return !s.project.Concerns(k, tool) })
}

// Digests say what a verdict of a case would be about now.
func (s *Knowledge) Digests(c *suites.Case) suites.Digests {
	return suites.Digests{Case: c.Digest, Inputs: s.Freshness.InputsDigest(c), Tools: s.toolsDigest(c)}
}

// DigestsOf are the Digests of a case with these inputs, which are remembered.
func (s *Knowledge) DigestsOf(c *suites.Case, inputs []suites.Input) suites.Digests {
	d := s.Digests(c)
	if _, known := s.inputs[d.Inputs]; !known {
		s.inputs[d.Inputs] = inputs
	}
	return d
}

// Inputs are those that a digest is of.
func (s *Knowledge) Inputs(digest string) []suites.Input { return s.inputs[digest] }
