// Package list puts cases with their markers into a document and into text.
package list

import (
	"cmp"
	"io"
	"strings"
	"text/tabwriter"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// Document is what list prints as JSON.
type Document struct {
	Version int    `json:"version"`
	Cases   []Case `json:"cases"`
}

// Case is one case of a Document.
type Case struct {
	ID     string           `json:"id"`
	Name   string           `json:"name"`
	Suite  string           `json:"suite"`
	Hook   string           `json:"hook"`
	Event  string           `json:"event"`
	Layer  suites.Layer     `json:"layer"`
	Verify []project.Marker `json:"verify"`

	Summary string `json:"-"`
}

// New makes the document of a project's cases, and of others that it does not run.
func New(p *project.Project, others []suites.Case) Document {
	doc := Document{Version: 1, Cases: []Case{}}
	add := func(c *suites.Case) {
		doc.Cases = append(doc.Cases, Case{
			ID: c.ID, Name: c.Name, Suite: c.Suite, Hook: cmp.Or(c.Hook, strings.TrimPrefix(c.Registered, "/")), Event: c.Steps[0].Event,
			Layer: c.Layer, Verify: p.Markers(c), Summary: c.Summary,
		})
	}
	for _, c := range p.Cases {
		add(c)
	}
	for i := range others {
		add(&others[i])
	}
	return doc
}

// Text says it for people, with the markers where verbose.
func Text(out io.Writer, doc Document, verbose bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for _, c := range doc.Cases {
		hook := c.Hook
		switch {
		case hook == "" && c.Event == "":
			hook = "checks " + c.Summary
		case hook == "":
			hook = "all hooks of " + c.Event
		}
		page.Rowf(w, "%s\t%s\t%s\t%s\n", c.Suite, c.ID, c.Name, hook)
		if !verbose {
			continue
		}
		for _, m := range c.Verify {
			at := m.At
			if at == "" {
				at = "unresolved: " + m.Why
			}
			page.Rowf(w, "\t\t  %s\t%s\n", m.Ref(), at)
		}
	}
}
