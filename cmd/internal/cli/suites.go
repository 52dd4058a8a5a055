package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

func listSuites(a *app, g globals) error {
	p, err := g.loadHooks()
	if err != nil {
		return err
	}
	builtin, err := catalog.Builtin()
	if err != nil {
		return err
	}
	on := p.Config.BuiltinSuites()
	doc := newSuitesDocument(p.Suites, builtin, func(name string) bool { return slices.Contains(on, name) })
	return a.print(doc, jsonLines(doc.Suites, ranIn{}), func(w io.Writer) { printSuites(w, doc, a.verbose) })
}

// suitesDocument is the JSON document of list --suites.
type suitesDocument struct {
	Version int     `json:"version"`
	Suites  []suite `json:"suites"`
}

// suite is one suite: the project's own, or a built-in one, enabled or not.
type suite struct {
	Name    string   `json:"name"`
	Cases   int      `json:"cases"`
	Hooks   []string `json:"hooks"` // that its cases fire
	Builtin bool     `json:"builtin"`
	On      bool     `json:"on"`
	Applies bool     `json:"applies"` // whether the project has the subject of the suite
	Here    int      `json:"here"`    // its cases in the project: if it is off, controls of others
	Entry   string   `json:"entry"`   // value for suites in .hookwatch.yaml, or the file
}

// newSuitesDocument lists the suites of a project and the other built-in ones. on reports whether
// a built-in suite is enabled.
func newSuitesDocument(loaded, builtin []suites.Suite, on func(name string) bool) suitesDocument {
	doc := suitesDocument{Version: 1, Suites: []suite{}}
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

func entry(s *suites.Suite) suite {
	one := suite{Name: s.Name, Cases: len(s.Cases), Hooks: []string{}}
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

// printSuites prints the document as text, and last how a suite is enabled. Unless whole is set,
// equivalent suites of one family share a line.
func printSuites(out io.Writer, doc suitesDocument, whole bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	off := ""
	for _, l := range suiteRows(doc, whole) {
		if off == "" && !l.On {
			off = "builtin:" + l.Name
		}
		from := l.Entry
		if l.Builtin {
			from = "built in"
		}
		rowf(w, "%s\t%s\t%s\t%s\t%s\n", l.Name, l.size(), l.state(), from, l.fires(whole))
	}
	_ = w.Flush()
	if off != "" {
		writef(out, "\nTo switch one on, add it to suites in .hookwatch.yaml, such as suites: [builtin, %s];\nbuiltin stands for %s, builtin:all for each.\n",
			off, strings.Join(suites.BuiltinDefault, ", "))
	}
}

// A row is a line about a suite, or about suites of a family.
type row struct {
	suite
	suites int
}

// suiteRows returns the rows of all suites.
func suiteRows(doc suitesDocument, whole bool) (all []row) {
	for _, s := range doc.Suites {
		family, ok := suites.InFamily(s.Name)
		if !ok || !s.Builtin || whole {
			all = append(all, row{s, 1})
			continue
		}
		of := row{s, 1}
		of.Name = family
		at := slices.IndexFunc(all, func(r row) bool { return r.Name == family && r.state() == of.state() })
		if at < 0 {
			all = append(all, of)
			continue
		}
		r := &all[at]
		r.suites, r.Cases, r.Hooks = r.suites+1, r.Cases+s.Cases, slices.Concat(r.Hooks, s.Hooks)
	}
	return all
}

func (r row) size() string {
	cases := session.Count(r.Cases, "case")
	if r.suites > 1 {
		cases += fmt.Sprintf(" in %d suites", r.suites)
	}
	return cases
}

func (r row) state() string {
	switch {
	case !r.On && r.Here > 0:
		return fmt.Sprintf("off, %d as controls", r.Here)
	case !r.On:
		return "off"
	case !r.Applies:
		return "on, not applicable here"
	}
	return "on"
}

func (r row) fires(whole bool) string {
	var names []string
	for _, h := range r.Hooks {
		if !slices.Contains(names, h) {
			names = append(names, h)
		}
	}
	if len(names) == 0 {
		return "the machine and the project"
	}
	return some(names, whole)
}
