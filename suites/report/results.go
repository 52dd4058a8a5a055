package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
	"hookwatch/suites/verdict"
)

// Results returns the content of RESULTS.md.
func Results(in ResultsInput) []byte {
	var all []suites.Record
	for _, a := range in.Agents {
		all = append(all, a.Records...)
	}
	var d document
	d.heading(1, "Hook test results")
	d.table([]string{"Run", ""}, in.identifiers())
	d.heading(2, "Files")
	d.files(in.Agents)
	d.heading(2, "Run summary")
	d.summary(in, all)
	d.heading(2, "Agent breakdown")
	d.agents(in.Agents)
	d.heading(2, "Environment snapshot")
	d.environment(in.Env)
	d.failures(all)
	d.notes("Skips", all, suites.Skip)
	d.notes("Unproven", all, suites.Unproven)
	d.notes("Aborted", all, suites.Aborted)
	d.heading(2, "Actionable items")
	d.items(resultItems(in, all), "None: nothing failed, was skipped or stayed unproven.")
	return d.Bytes()
}

func (in *ResultsInput) identifiers() [][]string {
	rows := [][]string{
		{"Run ID", code(in.RunID)},
		{"Project", plain(in.Project)},
		{"Started", in.Started.UTC().Format(suites.TimestampLayout)},
		{"Elapsed", in.Duration.Round(time.Millisecond).String()},
		{"In hooks", in.HookTime.Round(time.Millisecond).String()},
		{"hookwatch", plain(cmp.Or(in.Hookwatch, in.Env.Hookwatch))},
		{"System", plain(in.Env.OS)},
		{"Isolation", plain(in.Env.Isolation)},
		{"Client", plain(cmp.Or(in.clients(), "none took part"))},
	}
	if len(in.StandIns) > 0 {
		rows = append(rows, []string{"Stand-ins", plain(strings.Join(in.StandIns, ", "))})
	}
	if in.Aborted != "" {
		rows = append(rows, []string{"**Stopped early**", plain(in.Aborted)})
	}
	return rows
}

// clients returns the versions of the client that fired hooks, in the order of the
// records.
func (in *ResultsInput) clients() string {
	var versions []string
	for _, a := range in.Agents {
		for i := range a.Records {
			if v := a.Records[i].Client; v != "" && !slices.Contains(versions, v) {
				versions = append(versions, v)
			}
		}
	}
	return strings.Join(versions, ", ")
}

func (d *document) files(agents []Agent) {
	var rows [][]string
	for _, a := range agents {
		rows = append(rows, []string{code(a.File), plain(a.Name), count(len(a.Records), a.Expected)})
	}
	d.table([]string{"File", "Agent", "Records"}, rows)
}

func count(have, want int) string {
	if want == 0 || want == have {
		return strconv.Itoa(have)
	}
	return fmt.Sprintf("**%d of %d**", have, want)
}

// statusNames are the names of a tally's columns.
var statusNames = []string{"Passed", "Failed", "Skipped", "Unproven", "Aborted"}

// parts returns the numbers of a tally in the order of suites.Statuses.
func parts(t suites.Tally) []int {
	return []int{t.Passed, t.Failed, t.Skipped, t.Unproven, t.Aborted}
}

func counts(t suites.Tally) []string {
	var cells []string
	for _, n := range parts(t) {
		cells = append(cells, strconv.Itoa(n))
	}
	return cells
}

func (d *document) summary(in ResultsInput, all []suites.Record) {
	t := verdict.Tally(all)
	rows := [][]string{append([]string{"hookwatch", strconv.Itoa(t.Total())}, counts(t)...)}
	if adr, err := verdict.ADRAggregate(all); err == nil {
		p, _ := adr["passed"].(int)
		f, _ := adr["failed"].(int)
		s, _ := adr["skipped"].(int)
		rows = append(rows, append([]string{"the ADR's aggregation", strconv.Itoa(p + f + s)}, counts(suites.Tally{Passed: p, Failed: f, Skipped: s})...))
		for i := len(rows[1]) - 2; i < len(rows[1]); i++ {
			rows[1][i] = "–" // it does not have these
		}
	} else {
		d.line("The ADR's aggregation failed: %s\n", plain(err.Error()))
	}
	d.table(append([]string{"Counted by", "Total"}, statusNames...), rows)
	d.line("\nBoth count the same records. The ADR's aggregation counts an unproven case or a version skip as passed and an aborted case as failed.")
	if in.Aborted != "" {
		d.line("\nThe run was stopped early: %s", plain(in.Aborted))
	}
}

func (d *document) agents(agents []Agent) {
	var rows [][]string
	for _, a := range agents {
		t := verdict.Tally(a.Records)
		rows = append(rows, append([]string{plain(a.Name), code(a.Hook), strconv.Itoa(t.Total())}, counts(t)...))
	}
	d.table(append([]string{"Agent", "Hook", "Total"}, statusNames...), rows)
}

func (d *document) environment(env suites.Environment) {
	if len(env.Tools) == 0 {
		d.line("No tools are on record.")
		return
	}
	var rows [][]string
	for _, t := range env.Tools {
		status := "present"
		switch {
		case !t.Present():
			status = "**absent**"
		case t.StandIn:
			status = "stand-in"
		}
		rows = append(rows, []string{plain(t.Name), status, plain(t.Version), code(t.Path)})
	}
	d.table([]string{"Tool", "Status", "Version", "Path"}, rows)
}

func (d *document) failures(all []suites.Record) {
	d.heading(2, "Failures")
	groups := verdict.CauseGroups(verdict.Failures(all))
	if len(groups) == 0 {
		d.line("None.")
	}
	for i, g := range groups {
		if i > 0 {
			d.line("")
		}
		d.group(&g)
	}
}

// group writes one failure in full, and the other IDs with its cause. If the cause is in a
// file, it writes only the cause and the IDs.
func (d *document) group(g *verdict.CauseGroup) {
	if g.Kind != verdict.CauseEqual && len(g.Cases) > 1 {
		d.line("### %s\n\n%s", headline(g), ids(g.Keys(), plain))
		return
	}
	d.failure(g.Cases[0].Record)
	if len(g.Cases) > 1 {
		d.line("\n%s the same way: %s", plural(len(g.Cases)-1, "more case"), ids(g.Keys()[1:], plain))
	}
}

func (d *document) failure(r *suites.Record) {
	d.line("### %s\n", title(r))
	d.table([]string{"", "Expected", "Actual"}, [][]string{
		{"Exit", exit(r.ExpectedExit), exit(r.ActualExit)},
		{"Decision", code(r.ExpectedDecision), code(r.ActualDecision)},
	})
	d.line("\n- **Reason**: %s", plain(cmp.Or(r.Note, "exit or decision is not the one expected")))
	d.line("- **Input**: %s", plain(brief(r.InputSummary, 300)))
	d.line("- **Hook**: %s, %d ms", code(r.Hook), r.DurationMS)
	for _, stream := range []struct{ name, text string }{{"stdout", r.ActualOutput}, {"stderr", r.ActualStderr}} {
		if strings.TrimSpace(stream.text) != "" {
			d.line("\n%s:\n", stream.name)
			d.block(stream.text, 20)
		}
	}
}

func (d *document) notes(heading string, all []suites.Record, status suites.Status) {
	list := withStatus(all, status)
	if status == suites.Aborted && len(list) == 0 {
		return
	}
	d.heading(2, heading)
	if len(list) == 0 {
		d.line("None.")
		return
	}
	var rows [][]string
	for _, r := range list {
		rows = append(rows, []string{code(caseName(r)), name(r.TestName), plain(r.Note)})
	}
	d.table([]string{"Case", "Name", "Note"}, rows)
}

func exit(code *int) string {
	if code == nil {
		return "–"
	}
	return strconv.Itoa(*code)
}

// A ResultsInput is the input of RESULTS.md for one run.
type ResultsInput struct {
	RunID     string
	Project   string
	Started   time.Time
	Duration  time.Duration // wall time of the run
	HookTime  time.Duration // sum over the hooks' own processes
	Hookwatch string        // version
	Aborted   string        // why the run was stopped early, or ""
	StandIns  []string      // such as "jaq=gojq 0.12.19"
	Agents    []Agent       // in the order of their files
	Env       suites.Environment
}

// An Agent is one file of records.
type Agent struct {
	Name     string
	File     string // base name
	Hook     string // "" for several or none
	Expected int    // number of records that it should have; 0 if unknown
	Records  []suites.Record
}

// expectedCounts returns the numbers for CheckCounts, or nil if they are unknown.
func (a *Agent) expectedCounts() map[string]int {
	if a.Expected == 0 {
		return nil
	}
	return map[string]int{a.Name: a.Expected}
}

func withStatus(all []suites.Record, status suites.Status) []*suites.Record {
	var list []*suites.Record
	for i := range all {
		if all[i].Status() == status {
			list = append(list, &all[i])
		}
	}
	return list
}

func title(r *suites.Record) string {
	return fmt.Sprintf("%s %s", code(caseName(r)), name(r.TestName))
}

// caseName returns a short name of a case. A record of another tool only has its test's
// name.
func caseName(r *suites.Record) string {
	switch {
	case r.ID == "":
		return r.TestName
	case r.Suite == "":
		return r.ID
	default:
		return r.Key().String()
	}
}

// An Item is a finding, or a case that did not pass, in a summary.
type Item struct {
	Level string // such as "error"
	At    suites.Position
	Title string
	Text  string // the first line is shown
}

// Summary returns a section of Markdown with a table of items, as a page of CI shows it.
func Summary(headline string, items []Item) []byte {
	var d document
	d.heading(3, plain(headline))
	var rows [][]string
	for _, i := range items {
		rows = append(rows, []string{plain(i.Level), plain(i.At.String()), name(i.Title), plain(brief(i.Text, 300))})
	}
	if len(rows) > 0 {
		d.table([]string{"", "Where", "What", "Details"}, rows)
	}
	d.line("")
	return d.Bytes()
}

// items writes a numbered list, or none if it is empty.
func (d *document) items(items []string, none string) {
	if len(items) == 0 {
		d.line("%s", none)
	}
	for i, item := range items {
		d.line("%d. %s", i+1, item)
	}
}

func resultItems(in ResultsInput, all []suites.Record) []string {
	var items []string
	if in.Aborted != "" {
		items = append(items, fmt.Sprintf("**Mend what stopped the run**: %s", plain(in.Aborted)))
	}
	for _, a := range in.Agents {
		for _, line := range verdict.CheckCounts(a.Records, func(*suites.Record) string { return a.Name }, a.expectedCounts()) {
			items = append(items, fmt.Sprintf("**Find the missing records**: %s", plain(line)))
		}
	}
	for _, g := range verdict.CauseGroups(verdict.Failures(all)) {
		r := g.Cases[0].Record
		if g.Kind == verdict.CauseEqual || len(g.Cases) == 1 {
			items = append(items, fmt.Sprintf("**Fix** %s%s: %s (run it alone: %s)", title(r), andMore(len(g.Cases)-1), plain(brief(r.Note, 200)), rerun(r)))
		} else {
			items = append(items, fmt.Sprintf("**Fix** %s: %s (run one alone: %s)", headline(&g), ids(g.Keys(), plain), rerun(r)))
		}
	}
	for _, r := range withStatus(all, suites.Unproven) {
		items = append(items, fmt.Sprintf("**Mend the control** of %s: %s", title(r), plain(brief(suites.Unproven.Detail(r.Note), 200))))
	}
	return append(items, skipItems(all)...)
}

// skipItems returns one item for each cause of skips, with its cases.
func skipItems(all []suites.Record) []string {
	var causes []string
	cases, tooOld := map[string][]string{}, map[string]bool{}
	for _, r := range withStatus(all, suites.Skip) {
		if cases[r.Note] == nil {
			causes = append(causes, r.Note)
			tooOld[r.Note] = r.Reason == suites.ToolTooOld
		}
		cases[r.Note] = append(cases[r.Note], code(caseName(r)))
	}
	slices.Sort(causes)
	var items []string
	for _, cause := range causes {
		what := "Install what is absent"
		if tooOld[cause] {
			what = "Update what is too old"
		}
		items = append(items, fmt.Sprintf("**%s** to have %s run (%s): %s", what, plural(len(cases[cause]), "more case"), plain(cause), strings.Join(cases[cause], ", ")))
	}
	return items
}

// plainID matches the IDs that a suite file may use.
var plainID = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func rerun(r *suites.Record) string {
	switch {
	case r.ID == "":
		return "it has no ID"
	case !plainID().MatchString(r.ID): // a record of another tool; a shell would split or expand it
		return "its ID is none of a suite's"
	}
	return code("hookwatch run " + r.ID)
}

// comparisonItems returns the regressions to investigate, the improvements to confirm and
// the drift to document.
func comparisonItems(c verdict.Comparison) []string {
	var items []string
	for _, kind := range []struct {
		kind verdict.Kind
		say  string
	}{
		{verdict.Regression, "**Investigate the regression**"},
		{verdict.Resolved, "**Confirm that it is resolved**"},
		{verdict.Explained, "**Confirm the explanation**"},
		{verdict.Changed, "**Look at the change**"},
		{verdict.Edited, "**Confirm the edited case**"},
		{verdict.Removed, "**Confirm that it was meant to go**"},
	} {
		for _, same := range alike(c.Deltas, kind.kind) {
			d := same[0]
			item := fmt.Sprintf("%s: %s %s, %s", kind.say, code(d.Key.String()), name(d.Name), plain(why(d)))
			if len(same) > 1 {
				item = fmt.Sprintf("%s: %s", kind.say, together(same))
			}
			items = append(items, item)
		}
	}
	for _, t := range c.Environment {
		items = append(items, fmt.Sprintf("**Document the drift**: %s", plain(t.String())))
	}
	return items
}
