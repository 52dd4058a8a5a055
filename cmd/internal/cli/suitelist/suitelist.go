// Package suitelist puts the suites that there are into a document and into text.
package suitelist

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites"
)

// Document is what suites prints as JSON.
type Document struct {
	Version int     `json:"version"`
	Suites  []Suite `json:"suites"`
}

// Suite is one suite: the project's own, or a built-in one, switched on or not.
type Suite struct {
	Name    string   `json:"name"`
	Cases   int      `json:"cases"`
	Hooks   []string `json:"hooks"` // that its cases fire
	Builtin bool     `json:"builtin"`
	On      bool     `json:"on"`
	Applies bool     `json:"applies"` // whether the project has what it speaks of
	Here    int      `json:"here"`    // of its cases, in the project: of a suite that is off, controls of others
	Entry   string   `json:"entry"`   // of suites in .hookwatch.yaml, or the file
}

// New lists the suites of a project, and the built-in ones that it does not have.
// on tells which of these are switched on.
func New(loaded, builtin []suites.Suite, on func(name string) bool) Document {
	doc := Document{Version: 1, Suites: []Suite{}}
	for i := range builtin {
		s := &builtin[i]
		one := entry(s)
		one.Builtin, one.On = true, on(s.Name)
		if at := slices.IndexFunc(loaded, func(l suites.Suite) bool { return l.Builtin && l.Name == s.Name }); at >= 0 {
			one.Here = len(loaded[at].Cases)
		}
		one.Applies = one.Here > 0 || !one.On
		one.Entry = "builtin:" + s.Name
		doc.Suites = append(doc.Suites, one)
	}
	for i := range loaded {
		if s := &loaded[i]; !s.Builtin {
			one := entry(s)
			one.On, one.Applies, one.Here, one.Entry = true, true, one.Cases, s.At.File
			doc.Suites = append(doc.Suites, one)
		}
	}
	return doc
}

func entry(s *suites.Suite) Suite {
	one := Suite{Name: s.Name, Cases: len(s.Cases), Hooks: []string{}}
	add := func(hook string) {
		if hook != "" && !slices.Contains(one.Hooks, hook) {
			one.Hooks = append(one.Hooks, hook)
		}
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		add(cmp.Or(strings.TrimPrefix(c.Registered, "/"), c.Hook))
		for j := range c.Steps {
			add(strings.TrimPrefix(c.Steps[j].Registered, "/"))
		}
	}
	return one
}

// Text says it for people, and last how a suite is switched on.
func Text(out io.Writer, doc Document) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	off := ""
	for _, s := range doc.Suites {
		state := "on"
		switch {
		case !s.On:
			state = "off"
			if s.Here > 0 {
				state = fmt.Sprintf("off, %d as controls", s.Here)
			}
			if off == "" {
				off = s.Entry
				if family, ok := suites.InFamily(s.Name); ok {
					off = "builtin:" + family
				}
			}
		case !s.Applies:
			state = "on, not applicable here"
		}
		from := s.Entry
		if s.Builtin {
			from = "built in"
		}
		hooks := strings.Join(s.Hooks, ", ")
		if hooks == "" {
			hooks = "the machine and the project"
		}
		page.Rowf(w, "%s\t%s\t%s\t%s\t%s\n", s.Name, fmt.Sprintf("%d cases", s.Cases), state, from, hooks)
	}
	_ = w.Flush()
	if off != "" {
		page.Writef(out, "\nTo switch one on, add it to suites in .hookwatch.yaml, such as suites: [builtin, %s];\nbuiltin stands for %s, builtin:all for each.\n",
			off, strings.Join(suites.BuiltinDefault, ", "))
	}
}
