// Package why puts what a change selects, and what a case depends on, into documents
// and into text.
package why

import (
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
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
	Executes []session.Executed `json:"executes"`
	Limit    string             `json:"limit,omitempty"`
}
