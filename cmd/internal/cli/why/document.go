// Package why puts what a change selects, and what a case depends on, into documents
// and into text.
package why

import (
	"hookwatch/cmd/internal/engine/state"
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// Document is what why prints as JSON: what a change selects.
type Document struct {
	Version  int             `json:"version"`
	Total    int             `json:"total"` // cases in all
	Changed  []notify.Change `json:"changed"`
	Selected []Selected      `json:"selected"`
	// NotAffected are cases that depend on what changed and are not affected; places
	// of the change that no case executes are Uncovered.
	NotAffected []Selected `json:"not_affected"`
	Uncovered   []string   `json:"uncovered"`
}

// Selected is one case of a Document.
type Selected struct {
	ID      string   `json:"id"`
	Suite   string   `json:"suite"`
	Because []string `json:"because"`
}

// Case is what why prints of one case: what its verdict depends on.
type Case struct {
	Version int            `json:"version"`
	ID      string         `json:"id"`
	Suite   string         `json:"suite"`
	Inputs  []suites.Input `json:"inputs"`
	// Executes is what it was last seen to execute; Limit says why that exempts
	// it nothing all the same.
	Executes []state.Executed `json:"executes"`
	Limit    string           `json:"limit,omitempty"`
}

// New makes the document of a selection among so many cases.
func New(total int, changes []notify.Change, now state.Selection) Document {
	doc := Document{
		Version: 1, Total: total, Changed: changes,
		Selected: []Selected{}, NotAffected: []Selected{}, Uncovered: []string{},
	}
	if doc.Changed == nil {
		doc.Changed = []notify.Change{}
	}
	for _, s := range now.Selected {
		doc.Selected = append(doc.Selected, Selected{ID: s.Case.ID, Suite: s.Case.Suite, Because: s.Because})
	}
	for _, s := range now.NotAffected {
		doc.NotAffected = append(doc.NotAffected, Selected{ID: s.Key.ID, Suite: s.Key.Suite, Because: s.Because})
	}
	doc.Uncovered = append(doc.Uncovered, now.Uncovered...)
	return doc
}
