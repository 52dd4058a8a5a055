package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/printable"
)

// showDocument is what show prints as JSON.
type showDocument struct {
	Version int         `json:"version"`
	Suite   string      `json:"suite"`
	Builtin bool        `json:"builtin"`
	Cases   []shownCase `json:"cases"`

	text string // all of it as a suite file
}

// shownCase is one case of a Document.
type shownCase struct {
	ID   string         `json:"id"`
	Name string         `json:"name"`
	At   string         `json:"at"`   // file:line:column
	YAML string         `json:"yaml"` // a suite file of this case alone
	Sent []string       `json:"sent"` // by step, as a hook gets it; none where nothing is fired
	Last *suites.Record `json:"last"` // null when it has no verdict yet
}

// newShowDocument makes the document of some cases of a suite, each with what its steps send and
// what is on record of it.
func newShowDocument(s suites.Suite, sent func(c *suites.Case, step int) ([]byte, error), last func(suites.Key) *suites.Record) (*showDocument, error) {
	doc := &showDocument{Version: 1, Suite: s.Name, Builtin: s.Builtin, Cases: []shownCase{}}
	var err error
	if doc.text, err = suiteText(s); err != nil {
		return nil, err
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		shown := shownCase{ID: c.ID, Name: c.Name, At: c.At.String(), Sent: []string{}, Last: last(c.Key())}
		one := s
		one.Cases = s.Cases[i : i+1]
		if shown.YAML, err = suiteText(one); err != nil {
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

// suiteText is a suite as a file. What a terminal would not show as it is is escaped,
// or what is shown would not be what it says.
func suiteText(s suites.Suite) (string, error) {
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

// find finds what is to be shown, as a suite of these cases alone: a suite of the
// project, cases of one, or else of a built-in suite that is not switched on.
func find(own []suites.Suite, arg string) (suites.Suite, error) {
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

// casesOff are the cases of the built-in suites and families of these names that a project
// with its own suites does not have.
func casesOff(own, builtin []suites.Suite, names []string) (cases []suites.Case) {
	for _, s := range builtin {
		if asksFor(s.Name, names) && !slices.ContainsFunc(own, func(o suites.Suite) bool { return o.Name == s.Name && len(o.Cases) == len(s.Cases) }) {
			cases = append(cases, s.Cases...)
		}
	}
	return cases
}

// asksFor reports whether names have a suite, or its family.
func asksFor(suite string, names []string) bool {
	family, member := suites.InFamily(suite)
	return slices.Contains(names, suite) || member && slices.Contains(names, family)
}

// casesOf picks the cases that are meant, which must be of one suite.
func casesOf(all []suites.Suite, arg string) (picked suites.Suite, found bool, err error) {
	var several []*suites.Case
	for _, s := range all {
		cases := pickCases(s.Cases, arg, func(c suites.Case) (suites.Key, string) { return c.Key(), c.Name })
		for i := range cases {
			several = append(several, &cases[i])
		}
		if len(cases) > 0 {
			picked, picked.Cases, found = s, cases, true
		}
	}
	if found && len(several) > len(picked.Cases) {
		return picked, false, severalCases(arg, several)
	}
	return picked, found, nil
}

// printShow is a suite file, below comments that say where it comes from, what its case
// sends and what became of it.
func printShow(w io.Writer, doc *showDocument) {
	if len(doc.Cases) == 1 {
		caseText(w, doc.Suite, &doc.Cases[0])
	} else {
		writef(w, "# %s: %d cases, the first at %s\n", doc.Suite, len(doc.Cases), doc.Cases[0].At)
		for _, c := range doc.Cases {
			writef(w, "# %s  %s\n", output(fmt.Sprintf("%-8s", c.ID)), lastText(c.Last))
		}
	}
	for line := range strings.Lines(doc.text) {
		_, _ = w.Write([]byte(line)) // as it is: it is a file that can be used
	}
}

func caseText(w io.Writer, suite string, c *shownCase) {
	writef(w, "# %s/%s %s, at %s\n", suite, c.ID, c.Name, c.At)
	for i, sent := range c.Sent {
		label := "sends"
		if len(c.Sent) > 1 {
			label = fmt.Sprintf("step %d sends", i+1)
		}
		writef(w, "# %s  %s\n", label, whole(strings.TrimSuffix(sent, "\n")))
	}
	writef(w, "# last   %s\n", lastText(c.Last))
	if c.Last == nil {
		return
	}
	for _, stream := range []struct{ name, text string }{{"stdout", c.Last.ActualOutput}, {"stderr", c.Last.ActualStderr}} {
		for line := range strings.Lines(stream.text) {
			writef(w, "# %s %s\n", stream.name, output(strings.TrimRight(line, "\r\n")))
		}
	}
}

// lastText is a verdict with its outcome in a line.
func lastText(r *suites.Record) string {
	if r == nil {
		return "no verdict yet"
	}
	parts := []string{string(r.Status())}
	if r.ActualExit != nil {
		parts = append(parts, fmt.Sprintf("exit %d", *r.ActualExit))
	}
	if r.ActualDecision != "" {
		parts = append(parts, r.ActualDecision)
	}
	if r.Note != "" {
		parts = append(parts, r.Note)
	}
	return strings.Join(parts, ", ") + "  (" + r.Timestamp + ")"
}
