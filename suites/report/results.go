package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
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
		{"hookwatch", plain(or(in.Hookwatch, in.Env.Hookwatch))},
		{"System", plain(in.Env.OS)},
		{"Isolation", plain(in.Env.Isolation)},
		{"Client", plain(or(in.clients(), "none took part"))},
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

func counts(t suites.Tally) []string {
	var cells []string
	for _, n := range []int{t.Passed, t.Failed, t.Skipped, t.Unproven, t.Aborted} {
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
		d.line("### %s\n\n%s", headline(g), ids(g.Keys()))
		return
	}
	d.failure(g.Cases[0].Record)
	if len(g.Cases) > 1 {
		d.line("\n%s the same way: %s", plural(len(g.Cases)-1, "more case"), ids(g.Keys()[1:]))
	}
}

func (d *document) failure(r *suites.Record) {
	d.line("### %s\n", title(r))
	d.table([]string{"", "Expected", "Actual"}, [][]string{
		{"Exit", exit(r.ExpectedExit), exit(r.ActualExit)},
		{"Decision", code(r.ExpectedDecision), code(r.ActualDecision)},
	})
	d.line("\n- **Reason**: %s", plain(or(r.Note, "exit or decision is not the one expected")))
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

// expected returns the numbers for CheckCounts, or nil if they are unknown.
func (a *Agent) expected() map[string]int {
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
