package cli

import (
	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// compareDocument is what compare prints as JSON. Counts names every kind; they
// add up to the cases that either run has.
type compareDocument struct {
	Version     int                  `json:"version"`
	Before      comparedRun          `json:"before"`
	After       comparedRun          `json:"after"`
	Counts      map[verdict.Kind]int `json:"counts"`
	Deltas      []delta              `json:"deltas"`
	Environment []comparedTool       `json:"environment"`
	Warnings    []string             `json:"warnings"`
}

// comparedRun is one side of a Document.
type comparedRun struct {
	RunID string `json:"run_id"`
	Cases int    `json:"cases"`
	suites.Tally
}

// delta is a case that differs; a side that does not have it is null.
type delta struct {
	ID     string        `json:"id"`
	Suite  string        `json:"suite"`
	Name   string        `json:"name"`
	Hook   string        `json:"hook"`
	Kind   verdict.Kind  `json:"kind"`
	Before *comparedSide `json:"before"`
	After  *comparedSide `json:"after"`
	Tools  []string      `json:"tools"`  // that changed and that it reaches
	Inputs bool          `json:"inputs"` // whether what it depends on changed as well
}

// comparedSide is what one run says of a case.
type comparedSide struct {
	Status   suites.Status `json:"status"`
	Exit     *int          `json:"exit"`
	Decision string        `json:"decision"`
	Note     string        `json:"note"`
}

// comparedTool is a tool that changed between the runs, in words.
type comparedTool struct {
	Name string `json:"name"`
	What string `json:"what"`
}

// newCompareDocument makes the document of a comparison.
func newCompareDocument(c verdict.Comparison) compareDocument {
	doc := compareDocument{
		Version: 1, Counts: c.Counts, Warnings: append([]string{}, c.Warnings...), Deltas: []delta{},
		Before:      comparedRun{c.Prev.ID, c.Prev.Cases, c.Prev.Tally},
		After:       comparedRun{c.Cur.ID, c.Cur.Cases, c.Cur.Tally},
		Environment: []comparedTool{},
	}
	for _, d := range c.Deltas {
		delta := delta{
			ID: d.Key.ID, Suite: d.Key.Suite, Name: d.Name, Hook: d.Hook, Kind: d.Kind, Tools: []string{}, Inputs: d.Inputs,
			Before: side(d.Prev), After: side(d.Cur),
		}
		for _, t := range d.Tools {
			delta.Tools = append(delta.Tools, t.Name)
		}
		doc.Deltas = append(doc.Deltas, delta)
	}
	for _, t := range c.Environment {
		doc.Environment = append(doc.Environment, comparedTool{t.Name, t.String()})
	}
	return doc
}

func side(s *verdict.Side) *comparedSide {
	if s == nil {
		return nil
	}
	return &comparedSide{s.Status, s.Exit, s.Decision, s.Note}
}
