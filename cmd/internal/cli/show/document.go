// Package show puts cases, with all that their defaults fill in, into a document
// and into text.
package show

import (
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/printable"
)

// Document is what show prints as JSON.
type Document struct {
	Version int    `json:"version"`
	Suite   string `json:"suite"`
	Builtin bool   `json:"builtin"`
	Cases   []Case `json:"cases"`

	text string // all of it as a suite file
}

// Case is one case of a Document.
type Case struct {
	ID   string         `json:"id"`
	Name string         `json:"name"`
	At   string         `json:"at"`   // file:line:column
	YAML string         `json:"yaml"` // a suite file of this case alone
	Sent []string       `json:"sent"` // by step, as a hook gets it; none where nothing is fired
	Last *suites.Record `json:"last"` // null when it has no verdict yet
}

// New makes the document of some cases of a suite, each with what its steps send and
// what is on record of it.
func New(s suites.Suite, sent func(c *suites.Case, step int) ([]byte, error), last func(suites.Key) *suites.Record) (*Document, error) {
	doc := &Document{Version: 1, Suite: s.Name, Builtin: s.Builtin, Cases: []Case{}}
	var err error
	if doc.text, err = written(s); err != nil {
		return nil, err
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		shown := Case{ID: c.ID, Name: c.Name, At: c.At.String(), Sent: []string{}, Last: last(c.Key())}
		one := s
		one.Cases = s.Cases[i : i+1]
		if shown.YAML, err = written(one); err != nil {
			return nil, err
		}
		for step := range c.Steps {
			if c.Check != nil {
				break
			}
			payload, err := sent(c, step)
			if err != nil {
				return nil, err
			}
			shown.Sent = append(shown.Sent, string(payload))
		}
		doc.Cases = append(doc.Cases, shown)
	}
	return doc, nil
}

// written is a suite as a file. What a terminal would not show as it is is escaped,
// or what is shown would not be what it says.
func written(s suites.Suite) (string, error) {
	text, err := catalog.Write(s, false)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if !printable.Is(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "")) {
			text, err = catalog.Write(s, true)
			break
		}
	}
	return string(text), err
}
