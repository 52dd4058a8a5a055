package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/printable"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
)

type showOptions struct {
	payload bool
	step    int // with payload: from 1
}

func newShowCmd(a *app, g *globals) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show ID|SUITE",
		Short: "Show a case or a suite with all its defaults filled in",
		Long: `Show a case, some of a suite (P01-P09) or a whole suite as a file that can be used as a
suite, with nothing left to a default; and of a case where it stands, what it
sends and its last verdict and outcome. Built-in suites are shown whether or not they
are switched on.

With --payload only what the hook gets on stdin, byte for byte. {tmp} stands for a
directory that exists only while the case runs.`,
		Example: `  hookwatch show pm/P01
  hookwatch show protect > .claude/tests/hooks/suites/mine.yaml
  hookwatch show --payload pm/P01 | bash .claude/hooks/enforce_package_managers.sh
  hookwatch show --payload pm/P01 | hookwatch fire PreToolUse Bash --payload -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("show needs one ID or suite, such as hookwatch show P01; hookwatch list shows them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("step") && !o.payload {
				return errors.New("--step goes with --payload")
			}
			return runShow(a, *g, o, args[0])
		},
	}
	cmd.Flags().BoolVar(&o.payload, "payload", false, "only what the hook gets on stdin")
	cmd.Flags().IntVar(&o.step, "step", 1, "with --payload: of this step, `N` from 1")
	return cmd
}

func runShow(a *app, g globals, o showOptions, name string) error {
	p, err := g.loadHooks()
	if err != nil {
		return err
	}
	s, err := find(p.Suites, name)
	if err != nil {
		return err
	}
	if o.payload {
		payload, note, err := shownPayload(p, s, o.step)
		if err != nil {
			return err
		}
		if note != "" {
			a.warn([]string{note})
		}
		_, err = a.raw.Out.Write(payload)
		return err
	}
	records, err := lastRecords(g, p)
	if err != nil {
		return err
	}
	last := func(k suites.Key) *suites.Record {
		at := slices.IndexFunc(records, func(r suites.Record) bool { return r.Key() == k })
		if at < 0 {
			return nil
		}
		return &records[at]
	}
	doc, err := newShowDocument(s, func(c *suites.Case, step int) ([]byte, error) { return stepPayload(p, c, step) }, last)
	if err != nil {
		return err
	}
	return a.print(doc, jsonLines(doc.Cases, ranIn{}), func(w io.Writer) { printShow(w, doc) })
}

// lastRecords returns the records of the present state, or none if nothing has run yet.
func lastRecords(g globals, p *session.Project) ([]suites.Record, error) {
	r, err := record.OpenReader(g.recordsPlace(p.Config))
	if err != nil {
		return nil, nil //nolint:nilerr // a project without records has no verdicts
	}
	defer r.Close()
	now, err := r.Present()
	if err != nil {
		return nil, err
	}
	g.warn(now.Warnings)
	return now.Records, nil
}

// showDocument is the JSON document of show.
type showDocument struct {
	Version int         `json:"version"`
	Suite   string      `json:"suite"`
	Builtin bool        `json:"builtin"`
	Cases   []shownCase `json:"cases"`

	text string // all cases as a suite file
}

// shownCase is one case of a showDocument.
type shownCase struct {
	ID   string         `json:"id"`
	Name string         `json:"name"`
	At   string         `json:"at"`   // file:line:column
	YAML string         `json:"yaml"` // a suite file with only this case
	Sent []string       `json:"sent"` // payload by step, as a hook receives it; empty if nothing is fired
	Last *suites.Record `json:"last"` // null if it has no verdict yet
}

// newShowDocument returns the document of some cases of a suite, each with the payloads of its
// steps and its last record.
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

// suiteText returns a suite as a file. Characters that a terminal would not show are escaped,
// because otherwise the displayed text would differ from the file.
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

// find returns the cases to show as a suite: a suite of the project, cases of one, or else of a
// built-in suite that is not enabled.
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
		return suites.Suite{}, fmt.Errorf("%s is a family of suites: show one of them, such as %s (hookwatch list --suites -v lists them)", arg, suites.BuiltinFamily(arg)[0])
	}
	return suites.Suite{}, fmt.Errorf("no case and no suite %s (hookwatch list shows the cases, hookwatch list --suites the suites)", arg)
}

// casesOff returns the cases of the named built-in suites and families that are not among the
// project's own suites.
func casesOff(own, builtin []suites.Suite, names []string) (cases []suites.Case) {
	for _, s := range builtin {
		if asksFor(s.Name, names) && !slices.ContainsFunc(own, func(o suites.Suite) bool { return o.Name == s.Name && len(o.Cases) == len(s.Cases) }) {
			cases = append(cases, s.Cases...)
		}
	}
	return cases
}

// asksFor reports whether names contain a suite or its family.
func asksFor(suite string, names []string) bool {
	family, member := suites.InFamily(suite)
	return slices.Contains(names, suite) || member && slices.Contains(names, family)
}

// casesOf returns the matching cases, which must belong to one suite.
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

// printShow prints a suite file, after comments with the origin, payloads and last result of its
// case.
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
		_, _ = w.Write([]byte(line)) // unchanged, because it is a usable file
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

// lastText describes a verdict and its outcome in one line.
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

// stepPayload returns the payload of a step, as if it ran in the directory for temporary files.
func stepPayload(p *session.Project, c *suites.Case, step int) ([]byte, error) {
	o := run.Options{Root: p.Root(), Env: run.Environment(os.Environ(), p.Config.Run.PassEnv)}
	return o.Payload(c, step, filepath.Join(os.TempDir(), "hookwatch", c.Suite+"-"+c.ID))
}

// shownPayload returns the payload of a step, counted from 1, of the only case in s, and a note
// if it depends on files.
func shownPayload(p *session.Project, s suites.Suite, step int) (payload []byte, note string, err error) {
	if len(s.Cases) != 1 {
		return nil, "", fmt.Errorf("--payload is of one case, and %s has %d (such as hookwatch show --payload %s)", s.Name, len(s.Cases), s.Cases[0].Key())
	}
	c := &s.Cases[0]
	switch {
	case c.Check != nil:
		return nil, "", fmt.Errorf("%s sends nothing: it looks at %s and fires no hook", c.Key(), c.Summary)
	case step < 1 || step > len(c.Steps):
		return nil, "", fmt.Errorf("--step %d: %s has %s", step, c.Key(), session.Count(len(c.Steps), "step"))
	}
	if len(c.Steps[step-1].Fixtures) > 0 || c.Repo != nil {
		note = fmt.Sprintf("%s is about files that exist only while it runs (hookwatch run %s)", c.Key(), c.Key())
	}
	payload, err = stepPayload(p, c, step-1)
	return payload, note, err
}
