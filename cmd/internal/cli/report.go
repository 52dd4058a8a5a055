package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/cmd/internal/version"
	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
	"hookwatch/suites/report"
	"hookwatch/suites/verdict"
)

type reportOptions struct {
	file, check, prove string
	static             bool
}

func newReportCmd(a *app, g *globals) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Write an HTML page about hooks, cases and open ways",
		Long: `Write one HTML file about the project: its hooks with their registrations and verdicts,
findings, the source with the lines that cases execute, open ways around guards,
durations, clients and past runs. The page needs no network and no JavaScript.

Verdicts are those on record. Hooks are fired as check does, and cases that have no
trace run once more as in coverage; --static fires nothing. Open ways are those that
prove found. A file that report did not write is never replaced.`,
		Example: `  hookwatch prove --format json >prove.json
  hookwatch report --prove prove.json -o report.html`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runReport(cmd.Context(), a, *g, o) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.file, "output", "o", "report.html", "write this `FILE`")
	f.StringVar(&o.check, "check", "", "show the findings in this `FILE`, the output of check --format json, instead of firing hooks")
	f.StringVar(&o.prove, "prove", "", "show the ways in this `FILE`, the output of prove --format json")
	f.BoolVar(&o.static, "static", false, "fire nothing; show what files and records contain")
	return cmd
}

// reportDocument is the JSON document of report.
type reportDocument struct {
	Version int    `json:"version"`
	File    string `json:"file"`
	Bytes   int    `json:"bytes"`

	ranIn // empty if no hook was fired
}

func runReport(ctx context.Context, a *app, g globals, o reportOptions) error {
	if !g.allCases() {
		return errors.New("report shows the whole project: it takes no --suite or --filter")
	}
	file := g.relative(o.file)
	if err := checkReplaceable(file); err != nil { // before hooks are fired, which takes a while
		return err
	}
	p, err := g.loadHooks()
	if err != nil {
		return err
	}
	hooks := hooksOf(p, clients.Clients())
	if len(hooks.Hooks) == 0 && p.Empty != nil {
		return p.Empty
	}
	page := &report.Page{Project: p.Name(), Program: version.Number, Made: time.Now(), Fired: !o.static || o.check != ""}
	if o.prove != "" {
		page.Proved = new(report.Proved)
		if err := readPrinted(g.relative(o.prove), "prove", "guards", page.Proved); err != nil {
			return err
		}
	}
	checked, err := checkFor(ctx, a, g, p, o)
	if err != nil {
		return err
	}
	coverage, _, err := coverageOf(ctx, a, g, p, o.static)
	if err == nil {
		err = addRecords(page, a, g, p)
	}
	if err != nil {
		return err
	}
	page.Findings = checked.Findings
	addHooks(page, p, hooks, checked)
	addSources(page, p, coverage)
	size, err := writePage(page, file)
	if err != nil {
		return err
	}
	doc := reportDocument{1, file, size, checked.ranIn}
	return a.print(doc, jsonLines([]reportDocument{doc}, ranIn{}), func(w io.Writer) { writef(w, "wrote %s (%d kB)\n", file, (doc.Bytes+1023)/1024) })
}

// checkReplaceable returns an error if a file exists that report did not write.
func checkReplaceable(file string) error {
	text, err := disk.Reader{}.ReadFile(file, 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !strings.HasPrefix(string(text), report.PageMark) {
		err = fmt.Errorf("%s exists, and hookwatch report did not write it: remove it, or name another file with -o", file)
	}
	return err
}

// writePage writes a page to a file that the user names, which it replaces at once.
func writePage(page *report.Page, file string) (size int, err error) {
	var text bytes.Buffer
	if err = page.Write(&text); err == nil {
		err = disk.ReplaceFile(filepath.Dir(file), file, text.Bytes())
	}
	return text.Len(), err
}

// checkFor checks the hooks, or reads the result of an earlier check.
func checkFor(ctx context.Context, a *app, g globals, p *session.Project, o reportOptions) (doc checkDocument, err error) {
	if o.check != "" {
		err = readPrinted(g.relative(o.check), "check", "findings", &doc)
		return doc, err
	}
	tree, of, _, err := treeOf(p, "")
	if err != nil {
		return doc, err
	}
	return checkAsked(ctx, a, p, tree, of, checkOptions{static: o.static})
}

// addRecords adds the verdicts and runs on record.
func addRecords(page *report.Page, a *app, g globals, p *session.Project) error {
	r, err := record.OpenReader(g.recordsPlace(p.Config))
	if err != nil {
		return err
	}
	defer r.Close()
	past, err := r.Past()
	if err != nil {
		return err
	}
	a.warn(past.Warnings)
	page.Records, _ = record.Identify(past.Records, p.Every())
	page.Cases = slices.DeleteFunc(verdict.Histories(page.Records, past.Environments), func(h verdict.CaseHistory) bool { return p.Find(h.Key) == nil })
	page.NotRun = len(p.Every()) - len(page.Cases)
	return nil
}

// addHooks adds the hooks with what a check saw them do.
func addHooks(page *report.Page, p *session.Project, hooks hooksDocument, checked checkDocument) {
	for _, h := range hooks.Hooks {
		one := report.PageHook{Hook: h.Hook, State: stateOf(page, p, h.Hook), Name: h.what(), Idle: cmp.Or(h.NotRun, h.Idle), Clients: h.Clients}
		if h.Clients == nil {
			one.Clients = []string{cmp.Or(h.Client, clients.Claude)}
		}
		for _, c := range checked.Hooks {
			if c.ID == h.ID {
				one.Effect, one.Stops, one.Absent = c.Effect, c.Denies, c.Absent
			}
		}
		page.Hooks = append(page.Hooks, one)
	}
}

// stateOf counts the present verdicts of the cases about a hook: those that name its registration, or
// start its script at its event.
func stateOf(page *report.Page, p *session.Project, h discover.Hook) (s suites.State) {
	own := func(script string) bool { return slices.Contains(h.Scripts, script) }
	for _, c := range p.Every() {
		about := c.Registered != "" && h.Answers(c.Registered) || c.Registered == "" && slices.ContainsFunc(p.FiredScripts(c, len(c.Steps)), own)
		if len(c.Steps) == 0 || c.Steps[0].Event != h.Event || !about {
			continue
		}
		if i := slices.IndexFunc(page.Cases, func(k verdict.CaseHistory) bool { return k.Key == c.Key() }); i >= 0 {
			s.Add(page.Cases[i].Last().Status())
		} else {
			s.NotRun++
		}
	}
	return s
}

// addSources adds the scripts that hooks start or cases execute, with the text of those in the project.
func addSources(page *report.Page, p *session.Project, c session.Coverage) {
	page.Untraced = len(c.Untraced) + c.Stale
	all := map[string]*trace.Coverage{}
	for _, h := range page.Hooks {
		for _, script := range h.Scripts {
			all[script] = nil
		}
	}
	for i := range c.Files {
		if all[c.Files[i].Path] = nil; c.Files[i].Cases > 0 {
			all[c.Files[i].Path] = &c.Files[i]
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		text, err := p.Reader.ReadFile(p.Config.Abs(path), 2<<20)
		if n := bytes.Count(text, []byte("\n")); n > 5000 {
			err = fmt.Errorf("%d lines are too many to show", n)
		}
		s := report.Source{Path: path, Text: string(text), Coverage: all[path]}
		if err != nil {
			s.Text, s.Unread = "", err.Error()
		}
		page.Sources = append(page.Sources, s)
	}
}
