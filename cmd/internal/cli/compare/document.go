// Package compare puts what differs between two runs into a document.
package compare

import (
	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// Document is what compare prints as JSON. Counts names every kind; they
// add up to the cases that either run has.
type Document struct {
	Version     int                  `json:"version"`
	Before      Run                  `json:"before"`
	After       Run                  `json:"after"`
	Counts      map[verdict.Kind]int `json:"counts"`
	Deltas      []Delta              `json:"deltas"`
	Environment []Tool               `json:"environment"`
	Warnings    []string             `json:"warnings"`
}

// Run is one side of a Document.
type Run struct {
	RunID string `json:"run_id"`
	Cases int    `json:"cases"`
	suites.Tally
}

// Delta is a case that differs; a side that does not have it is null.
type Delta struct {
	ID     string       `json:"id"`
	Suite  string       `json:"suite"`
	Name   string       `json:"name"`
	Hook   string       `json:"hook"`
	Kind   verdict.Kind `json:"kind"`
	Before *Side        `json:"before"`
	After  *Side        `json:"after"`
	Tools  []string     `json:"tools"`  // that changed and that it reaches
	Inputs bool         `json:"inputs"` // whether what it depends on changed as well
}

// Side is what one run says of a case.
type Side struct {
	Status   suites.Status `json:"status"`
	Exit     *int          `json:"exit"`
	Decision string        `json:"decision"`
	Note     string        `json:"note"`
}

// Tool is a tool that changed between the runs, in words.
type Tool struct {
	Name string `json:"name"`
	What string `json:"what"`
}

// New makes the document of a comparison.
func New(c verdict.Comparison) Document {
	doc := Document{
		Version: 1, Counts: c.Counts, Warnings: append([]string{}, c.Warnings...), Deltas: []Delta{},
		Before:      Run{c.Prev.ID, c.Prev.Cases, c.Prev.Tally},
		After:       Run{c.Cur.ID, c.Cur.Cases, c.Cur.Tally},
		Environment: []Tool{},
	}
	for _, d := range c.Deltas {
		delta := Delta{
			ID: d.Key.ID, Suite: d.Key.Suite, Name: d.Name, Hook: d.Hook, Kind: d.Kind, Tools: []string{}, Inputs: d.Inputs,
			Before: side(d.Prev), After: side(d.Cur),
		}
		for _, t := range d.Tools {
			delta.Tools = append(delta.Tools, t.Name)
		}
		doc.Deltas = append(doc.Deltas, delta)
	}
	for _, t := range c.Environment {
		doc.Environment = append(doc.Environment, Tool{t.Name, t.String()})
	}
	return doc
}

func side(s *verdict.Side) *Side {
	if s == nil {
		return nil
	}
	return &Side{s.Status, s.Exit, s.Decision, s.Note}
}
