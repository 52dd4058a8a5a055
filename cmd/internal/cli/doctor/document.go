// Package doctor puts what is found of a machine into a document and into text.
package doctor

import (
	"context"
	"runtime"

	"hookwatch/cmd/internal/engine"
	"hookwatch/cmd/internal/engine/equipment"
	"hookwatch/cmd/internal/engine/modes"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// Document is what doctor prints as JSON.
type Document struct {
	Version   int        `json:"version"`
	Hookwatch string     `json:"hookwatch"`
	OS        string     `json:"os"`
	Project   string     `json:"project"`
	Hooks     int        `json:"hooks"`
	Cases     int        `json:"cases"`
	Isolation Isolation  `json:"isolation"`
	Tools     []Tool     `json:"tools"`
	Compared  int        `json:"compared,omitempty"`    // cases, with --isolation
	Differ    []Verdicts `json:"differences,omitempty"` // with --isolation
}

// Isolation says which isolation holds, and why not a better one.
type Isolation struct {
	Mode   string            `json:"mode"`
	Why    string            `json:"why,omitempty"`
	Mend   string            `json:"mend,omitempty"`
	Bounds map[string]string `json:"bounds,omitempty"`
}

// Tool is a program that hooks call.
type Tool struct {
	suites.Tool
	Hooks    []string `json:"hooks"`
	Skips    []string `json:"skips,omitempty"` // cases that its absence skips
	Fails    []string `json:"fails,omitempty"` // cases that its absence fails
	Required bool     `json:"required,omitempty"`
	Install  string   `json:"install,omitempty"`
}

// Verdicts is a case whose verdict depends on how it is isolated.
type Verdicts struct {
	Suite    string   `json:"suite"`
	ID       string   `json:"id"`
	None     string   `json:"none"`
	Isolated string   `json:"isolated"`
	Because  []string `json:"because"`
}

// New makes the document of a diagnosis.
func New(version string, p *project.Project, d *equipment.Diagnosis) *Document {
	doc := &Document{
		Version: 1, Hookwatch: version, OS: runtime.GOOS + "/" + runtime.GOARCH,
		Project: p.Root(), Hooks: p.Hooks(), Cases: len(p.Every()),
		Isolation: Isolation{Mode: string(d.Isolation.Mode), Why: d.Isolation.Why, Mend: d.Isolation.Mend},
		Tools:     []Tool{},
	}
	for _, b := range d.Isolation.Bounds {
		if doc.Isolation.Bounds == nil {
			doc.Isolation.Bounds = make(map[string]string)
		}
		doc.Isolation.Bounds[b.What] = b.By
	}
	for _, t := range d.Tools {
		tool := Tool{Tool: t.Tool, Hooks: t.Hooks, Skips: keyTexts(t.Skips), Fails: keyTexts(t.Fails), Required: t.Required}
		if !t.Present() {
			tool.Install = install(t.Name)
		}
		doc.Tools = append(doc.Tools, tool)
	}
	return doc
}

// Compare adds what differs where every case runs in place and isolated.
func (doc *Document) Compare(ctx context.Context, o engine.Options) error {
	compared, differences, err := modes.Compare(ctx, o)
	if err != nil {
		return err
	}
	doc.Compared = compared
	for _, d := range differences {
		doc.Differ = append(doc.Differ, Verdicts{
			Suite: d.Case.Suite, ID: d.Case.ID,
			None: string(d.None.Status()), Isolated: string(d.Isolated.Status()), Because: d.Because,
		})
	}
	return nil
}

func keyTexts(keys []suites.Key) []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.String())
	}
	return out
}
