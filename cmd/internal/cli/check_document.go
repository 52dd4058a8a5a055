package cli

import (
	"time"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/conform"
)

// checkDocument is what check prints as JSON.
type checkDocument struct {
	Version  int               `json:"version"`
	Project  string            `json:"project"`
	Hooks    []checkedHook     `json:"hooks"`
	Findings []conform.Finding `json:"findings"`
	Errors   int               `json:"errors"`
	Warnings int               `json:"warnings"`
	Firings  int               `json:"firings"`
	Millis   int64             `json:"duration_ms"`
	Foreign  []string          `json:"foreign,omitempty"`

	ranIn // empty when no hook was fired
}

// Line is a finding as a line of its own.
func (d checkDocument) Line(i int) any {
	return struct {
		conform.Finding
		ranIn
	}{d.Findings[i], d.ranIn}
}

// checkedHook is what one registered hook did.
type checkedHook struct {
	ID      string `json:"id"`
	Event   string `json:"event"`
	At      string `json:"at"`
	Effect  string `json:"effect,omitempty"` // of a typical call
	Denies  string `json:"denies,omitempty"` // an input that it stopped
	NotRun  string `json:"not_run,omitempty"`
	Absent  string `json:"absent,omitempty"` // without which it was not judged
	Firings int    `json:"firings"`
}

// newCheckDocument makes a document of what a check found.
func newCheckDocument(p *project.Project, res checkResult, took time.Duration) checkDocument {
	doc := checkDocument{
		Version: 1, Project: p.Name(), Hooks: []checkedHook{}, Findings: res.Findings, Errors: res.Count(suites.Error), Warnings: res.Count(suites.Warning),
		Firings: res.Firings, Millis: took.Milliseconds(), Foreign: p.Foreign,
		ranIn: res.ranIn,
	}
	for _, r := range res.Reports {
		if r.Hook.ID == "" {
			continue // nothing was fired
		}
		doc.Hooks = append(doc.Hooks, checkedHook{
			ID: r.Hook.ID, Event: r.Hook.Event, At: r.Hook.Source.String(), Effect: string(r.Effect), Denies: r.Denies,
			NotRun: r.Hook.NotRun(), Absent: r.Absent, Firings: r.Firings,
		})
	}
	if doc.Findings == nil {
		doc.Findings = []conform.Finding{}
	}
	return doc
}
