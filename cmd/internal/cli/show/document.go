// Package show puts cases, with all that their defaults fill in, into a document
// and into text.
package show

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/cmd/internal/cli/ids"
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

// Find finds what is to be shown, as a suite of these cases alone: a suite of the
// project, cases of one, or else of a built-in suite that is not switched on.
func Find(own []suites.Suite, arg string) (suites.Suite, error) {
	builtin, err := catalog.Builtin()
	if err != nil {
		return suites.Suite{}, err
	}
	for _, all := range [][]suites.Suite{own, builtin} {
		for _, s := range all {
			if s.Name == arg {
				return s, nil
			}
		}
		s, found, err := casesOf(all, arg)
		if found || err != nil {
			return s, err
		}
	}
	if _, family := suites.BuiltinFamilies[arg]; family {
		return suites.Suite{}, fmt.Errorf("%s is a family of suites: show one of them, such as %s (hookwatch suites -v lists them)", arg, suites.BuiltinFamily(arg)[0])
	}
	return suites.Suite{}, fmt.Errorf("no case and no suite %s (hookwatch list shows the cases, hookwatch suites the suites)", arg)
}

// Off are the cases of the built-in suites and families of these names that a project
// with its own suites does not have.
func Off(own, builtin []suites.Suite, names []string) (cases []suites.Case) {
	for _, s := range builtin {
		if Asked(s.Name, names) && !slices.ContainsFunc(own, func(o suites.Suite) bool { return o.Name == s.Name && len(o.Cases) == len(s.Cases) }) {
			cases = append(cases, s.Cases...)
		}
	}
	return cases
}

// Asked reports whether names have a suite, or its family.
func Asked(suite string, names []string) bool {
	family, member := suites.InFamily(suite)
	return slices.Contains(names, suite) || member && slices.Contains(names, family)
}

// casesOf picks the cases that are meant, which must be of one suite.
func casesOf(all []suites.Suite, arg string) (picked suites.Suite, found bool, err error) {
	var several []*suites.Case
	for _, s := range all {
		cases := ids.Pick(s.Cases, arg, func(c suites.Case) (suites.Key, string) { return c.Key(), c.Name })
		for i := range cases {
			several = append(several, &cases[i])
		}
		if len(cases) > 0 {
			picked, picked.Cases, found = s, cases, true
		}
	}
	if found && len(several) > len(picked.Cases) {
		return picked, false, ids.Several(arg, several)
	}
	return picked, found, nil
}
