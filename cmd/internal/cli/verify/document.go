// Package verify puts resolved markers, and what traces tell of them, into a document
// and into text.
package verify

import (
	"fmt"

	"hookwatch/cmd/internal/engine/state"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites/depend/cover"
)

// Document is what verify prints as JSON.
type Document struct {
	Version int      `json:"version"`
	Markers []Marker `json:"markers"`
	Keys    []Key    `json:"keys"`
	// What the cases were seen to execute, as far as that is known: functions
	// that a case's marker names and the case never enters, and functions that no
	// case enters.
	Unentered []Unentered `json:"unentered"`
	Uncovered []Uncovered `json:"uncovered"`
}

// Unentered is a function that a case names and never enters.
type Unentered struct {
	ID       string `json:"id"`
	Suite    string `json:"suite"`
	Source   string `json:"source"`
	Function string `json:"function"`
}

// Uncovered is a function that no case enters.
type Uncovered struct {
	Source   string `json:"source"`
	Function string `json:"function"`
	Line     int    `json:"line"`
}

// Marker is one reference of a marker: who makes it and what it means.
type Marker struct {
	Spec     string   `json:"spec"` // document, suite file, or builtin:SUITE
	Line     int      `json:"line"` // 0 where it is not known
	Source   string   `json:"source"`
	Section  string   `json:"section"` // "" for the whole source
	IDs      []string `json:"ids"`     // cases that the claim is about
	Claim    string   `json:"claim"`   // what is said of them
	Resolved bool     `json:"resolved"`
	At       string   `json:"at"`   // file:line; "" when it does not resolve
	Rule     string   `json:"rule"` // how it was resolved; "" when it was not
}

// New makes a document of markers and keys; Evidence adds to it.
func New(found []project.Verified, keys []Key) *Document {
	doc := &Document{
		Version: 1, Markers: make([]Marker, len(found)), Keys: keys,
		Unentered: []Unentered{}, Uncovered: []Uncovered{},
	}
	for i, v := range found {
		doc.Markers[i] = Marker{
			Spec: v.Spec, Line: v.Line, Source: v.Marker.Source, Section: v.Marker.Section,
			IDs: append([]string{}, v.IDs...), Claim: v.Claim, Resolved: v.Resolved, At: v.Marker.At, Rule: v.Rule,
		}
	}
	return doc
}

// Evidence adds what traces tell.
func (d *Document) Evidence(unentered []state.Unentered, files []cover.File) {
	for _, u := range unentered {
		d.Unentered = append(d.Unentered, Unentered{u.Key.ID, u.Key.Suite, u.Path, u.Function})
	}
	for _, f := range files {
		for _, fn := range f.Functions {
			if len(fn.Cases) == 0 {
				d.Uncovered = append(d.Uncovered, Uncovered{f.Path, fn.Name, fn.Line})
			}
		}
	}
}

// Odd says it for people, the cases of a function together.
func (d *Document) Odd() []string {
	var out []string
	ids := map[string][]string{}
	for _, u := range d.Unentered {
		place := u.Source + " §" + u.Function
		if ids[place] == nil {
			out = append(out, place)
		}
		ids[place] = append(ids[place], u.ID)
	}
	for i, place := range out {
		out[i] = fmt.Sprintf("%s: markers of %s name it, and their cases never enter it", place, notify.IDs(ids[place]))
	}
	for _, u := range d.Uncovered {
		out = append(out, fmt.Sprintf("%s:%d: no case enters %s", u.Source, u.Line, u.Function))
	}
	return out
}
